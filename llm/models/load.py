"""A model by name: what `--llm` takes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from llm import tuning
from llm.models import weights
from llm.models.language_model import Model
from tamp.files.toml_table import Table, read_placed


def load(name: str) -> Model:
    """The model that `name` means; its weights are loaded at the first question, a server is asked now.

    A model of `tamp model list`, a .gguf file, a .toml file, a .jsonl file of recorded replies, the address of a
    server, a folder of safetensors or a name of the hub; these last two run in transformers. InputError when it is
    none of them, or not to be had.
    """
    path = Path(name).expanduser()
    if name.endswith(".jsonl"):
        from llm.models.recorded import RecordedModel

        return RecordedModel(path)
    if name.endswith(".toml"):
        return from_settings(name, read(path))
    if name.startswith(("http://", "https://")):
        return from_settings(name, ModelSettings("server", url=name))
    if not name.endswith(".gguf") and (weights.is_hub_name(name) or path.joinpath("config.json").is_file()):
        vision = weights.RECOMMENDED.get(name, False)
        return from_settings(name, ModelSettings("transformers", model=name, vision=vision))
    return from_settings(name, ModelSettings("llama.cpp", model=name))


def from_settings(name: str, s: ModelSettings) -> Model:
    """The model of a settings file, called `name` where nothing better is known."""
    match s.backend:
        case "server":
            from llm.models.server import TIMEOUT, ChatServer

            return ChatServer(s.url, s.model, s.vision, s.api_key_env, s.timeout or TIMEOUT, s.adapter).load()
        case "vllm":
            from llm.models.vllm import VllmInProcess

            return VllmInProcess(s.model, s.vision, s.context, s.adapter)
        case "transformers":
            from llm.models.huggingface import Transformers

            return Transformers(s.model, s.vision, s.context)
        case _:
            from llm.models.llama import CONTEXT, LlamaCpp

            path = weights.find(s.model)
            return LlamaCpp(name, path, s.context or CONTEXT, Path(s.adapter) if s.adapter else tuning.adapter(path))


KEYS: dict[str, tuple[str, ...]] = {
    "llama.cpp": ("model", "adapter", "context"),
    "server": ("url", "model", "adapter", "api_key_env", "timeout", "vision"),
    "vllm": ("model", "adapter", "context", "vision"),
    "transformers": ("model", "context", "vision"),
}
"""The keys of each backend; the first one is required."""


@dataclass(frozen=True)
class ModelSettings:
    """A model file's content; docs/models.md explains the keys. Zeros and empty strings: the backend decides."""

    backend: str
    model: str = ""
    url: str = ""
    api_key_env: str = ""
    timeout: float = 0.0
    context: int = 0
    adapter: str = ""
    vision: bool = False


def read(path: Path) -> ModelSettings:
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
    return ModelSettings(**{key: _value(table, key) for key in table.values})


def _value(table: Table, key: str) -> Any:
    if key == "timeout":
        return table.number(key, "seconds, more than 0, up to a day", 1e-3, 86_400.0)
    if key == "context":
        return table.whole(key, "tokens, more than 0, up to 10 million", 1, 10_000_000)
    if key == "vision":
        return table.flag(key, "true or false")
    text = table.text(key, "a text")
    placed = Path(table.name).parent / text
    return str(placed) if key in ("model", "adapter") and placed.exists() else text
