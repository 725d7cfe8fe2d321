"""A model by name: what `--llm` takes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from llm import tuning
from llm.models import weights
from llm.models.language_model import Completion, Message, Model, Prompt, checked, fits, quoted
from tamp.errors import InputError
from tamp.files.toml_table import Table, read_placed
from tamp.runs import episode_log


def load(name: str) -> Model:
    """The model that `name` means; its weights are loaded at the first question, a server is asked now.

    A model of `tamp model list`, a .gguf file, a .toml file, a .jsonl file of recorded replies, the address of a
    server, a folder of safetensors or a name of the hub; these last two run in transformers. InputError when it is
    none of them, or not to be had.
    """
    path = Path(name).expanduser()
    if name.endswith(".jsonl"):
        return RecordedModel(path)
    if name.endswith(".toml"):
        s = read(path)
    elif name.startswith(("http://", "https://")):
        s = ModelSettings("server", url=name)
    elif not name.endswith(".gguf") and (weights.is_hub_name(name) or path.joinpath("config.json").is_file()):
        s = ModelSettings("transformers", model=name, vision=weights.RECOMMENDED.get(name, False))
    else:
        s = ModelSettings("llama.cpp", model=name)
    match s.backend:
        case "server":
            from llm.models.chat_server import TIMEOUT, ChatServer

            return ChatServer(s.url, s.model, s.vision, s.api_key_env, s.timeout or TIMEOUT, s.adapter).load()
        case "vllm":
            from llm.models.vllm import VllmInProcess

            return VllmInProcess(s.model, s.vision, s.context, s.adapter)
        case "transformers":
            from llm.models.huggingface import Transformers

            return Transformers(s.model, s.vision, s.context)
        case _:
            from llm.models.llama import CONTEXT, LlamaCpp

            found = weights.find(s.model)
            return LlamaCpp(name, found, s.context or CONTEXT, Path(s.adapter) if s.adapter else tuning.adapter(found))


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
    """A model file, checked. A `model` or an `adapter` that is a file or a folder next to it is meant as such.
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


class RecordedModel(Model):
    """Answers as the log of an earlier episode has it: the same question, the same answer, without any weights.

    Messages are kept as digests, so a long run's log takes little memory. An image is no part of the question: logs do
    not hold it. Where the same question was answered differently, as a model that is not greedy may, the first answer
    that the grammar allows counts.
    """

    def __init__(self, path: Path) -> None:
        """InputError when the log cannot be read, or has no replies. A digest may stand for a prompt's messages."""
        self.name = str(path)
        self._replies: dict[str, list[Completion]] = {}
        asked = None
        for e in episode_log.read(path):
            try:
                if e["event"] == "prompt":
                    self.taught |= e.get("taught", False)
                    asked = e["digest"] if "digest" in e else digest(e["messages"])
                elif e["event"] == "reply" and asked is not None:
                    known = self._replies.setdefault(asked, [])
                    reply = Completion(e["text"], e["probability"])
                    known += [reply] if reply not in known else []
                elif e["event"] == "reply":
                    raise InputError(f"{path}: a reply comes before any prompt")
            except KeyError as missing:
                raise InputError(f"{path}: an event `{e['event']}` without {missing}") from None
        if not self._replies:
            raise InputError(f"{path} has no reply of a model; valid: the log of an episode with language")

    def complete(self, prompt: Prompt, grammar: str) -> Completion:
        """The recorded answer. InputError for a question that is not in the log, or where the grammar no longer allows
        the answer."""
        known = self._replies.get(digest(prompt.unseen().messages()))
        if known is None:
            last, again = prompt.question.rstrip().rpartition("\n")[2], len(prompt.corrections)
            after = f" (after {again} correction{'s' * (again > 1)})" if again else ""
            raise InputError(f"{self.name} has no reply to {quoted(last)}{after}: record it anew, or name a model")
        allowed = next((r for r in known if fits(r.text, grammar)), known[0])
        checked(allowed.text, grammar, self.name, "; the grammar has changed since: record it anew")
        others = known[known.index(allowed) + 1 :]
        return replace(allowed, other=lambda: others[0]) if others else allowed


def digest(messages: list[Message]) -> str:
    """What tells one chat from another."""
    return hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()[:32]
