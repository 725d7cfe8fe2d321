"""A model by name: what `--llm` takes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from llm import tuning
from llm.models import hub, weights
from llm.models.model import Completion, Grammar, Model, Prompt
from tamp.errors import Refusal
from tamp.files.toml_table import Table, read_placed
from tamp.planning.refinement import never
from tamp.quiet import hush_warnings
from tamp.worker_process import Cancelled


def load(name: str) -> Model:
    """The model that `name` means; its weights are loaded at the first question, a server is asked now.

    A model of `tamp model list`, a .gguf file, a .toml file, a .jsonl file of recorded replies, the address of a
    server, a folder of safetensors or a name of the hub; these last two run in transformers. InputError when it is
    none of them, or not to be had.
    """
    if name.startswith(("http://", "https://")):
        return from_settings(name, Settings("server", url=name))
    if name.endswith(".toml"):
        return from_settings(name, read(Path(name).expanduser()))
    if name.endswith(".jsonl"):
        from llm.models.recorded import Recorded

        return Recorded(Path(name).expanduser())
    if not name.endswith(".gguf") and (hub.is_name(name) or Path(name).expanduser().joinpath("config.json").is_file()):
        return from_settings(name, Settings("transformers", model=name, vision=hub.sees(name)))
    return from_settings(name, Settings("llama.cpp", model=name))


def from_settings(name: str, s: Settings) -> Model:
    """The model of a settings file, called `name` where nothing better is known."""
    if s.backend == "server":
        from llm.models.server import TIMEOUT, ChatServer

        return ChatServer(s.url, s.model, s.vision, s.api_key_env, s.timeout or TIMEOUT, s.adapter).load()
    if s.backend == "vllm":
        from llm.models.vllm import VllmInProcess

        return VllmInProcess(s.model, s.vision, s.context, s.adapter)
    if s.backend == "transformers":
        from llm.models.huggingface import Transformers

        return Transformers(s.model, s.vision, s.context)
    from llm.models.llama import CONTEXT, LlamaCpp

    path = weights.find(s.model)
    return LlamaCpp(name, path, s.context or CONTEXT, Path(s.adapter) if s.adapter else tuning.adapter(path))


class Interruptible:
    """A model that is not asked further when nobody wants the answer any more."""

    def __init__(self, model: Model, cancelled: Cancelled) -> None:
        self.name, self.sees, self.taught = model.name, model.sees, model.taught
        self._model, self._cancelled = model, cancelled

    def complete(self, prompt: Prompt, begun: str, pattern: str | Grammar) -> Completion:
        """The model's answer. Refusal when nobody wants it."""
        if self._cancelled():
            raise Refusal("nobody wants to know any more", "dropped")
        return self._model.complete(prompt, begun, pattern)


def interruptible(llm: str, cancelled: Cancelled | None = None, model: Model | None = None) -> Interruptible:
    """The model of that name, or the one that is loaded already; what warns of its age is not heard from then on."""
    hush_warnings()
    return Interruptible(model or load(llm), cancelled or never)


KEYS: dict[str, tuple[str, ...]] = {
    "llama.cpp": ("model", "adapter", "context"),
    "server": ("url", "model", "adapter", "api_key_env", "timeout", "vision"),
    "vllm": ("model", "adapter", "context", "vision"),
    "transformers": ("model", "context", "vision"),
}
"""What can be said of each backend; the first has to be."""


@dataclass(frozen=True)
class Settings:
    """A model file's content; docs/models.md explains the keys. Zeros and empty strings: the backend decides."""

    backend: str
    model: str = ""
    url: str = ""
    api_key_env: str = ""
    timeout: float = 0.0
    context: int = 0
    adapter: str = ""
    vision: bool = False


def read(path: Path) -> Settings:
    """A model file, checked. A `model` or an `adapter` that is a file or a folder beside it is meant as such.
    InputError, with its line, for a key that the backend does not take, that is missing or of the wrong kind."""
    table = read_placed(path)
    backend = table.text("backend", ", ".join(KEYS))
    if backend not in KEYS:
        raise table.no("backend", ", ".join(KEYS))
    table.only("backend", *KEYS[backend])
    needed = KEYS[backend][0]
    if not table.has(needed):
        raise table.wrong(f"the backend {backend} needs {needed}")
    return Settings(**{key: _value(table, key) for key in table.values})


def _value(table: Table, key: str) -> Any:
    if key == "timeout":
        return table.number(key, "seconds, more than 0, up to a day", 1e-3, 86_400.0)
    if key == "context":
        return table.whole(key, "tokens, more than 0, up to 10 million", 1, 10_000_000)
    if key == "vision":
        return table.flag(key, "true or false")
    said = table.text(key, "a text")
    beside = Path(table.name).parent / said
    return str(beside) if key in ("model", "adapter") and beside.exists() else said
