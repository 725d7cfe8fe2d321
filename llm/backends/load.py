"""A model by name: what `--llm` takes."""

from __future__ import annotations

from pathlib import Path

from llm import hub, tuning, weights
from llm.backends.settings import Settings, read
from llm.model import Model
from tamp.errors import InputError


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
        from llm.backends.recorded import Recorded

        return Recorded.read(Path(name).expanduser())
    if not name.endswith(".gguf") and (hub.is_name(name) or Path(name).expanduser().joinpath("config.json").is_file()):
        return from_settings(name, Settings("transformers", model=name, vision=hub.sees(name)))
    return from_settings(name, Settings("llama.cpp", model=name))


def from_settings(name: str, s: Settings) -> Model:
    """The model of a settings file, called `name` where nothing better is known."""
    if s.backend == "server":
        from llm.backends.server import TIMEOUT, ChatServer

        return ChatServer(s.url, s.model, s.vision, s.api_key_env, s.timeout or TIMEOUT).load()
    if s.backend == "vllm":
        from llm.backends.vllm import VllmInProcess

        return VllmInProcess(s.model, s.vision, s.context)
    if s.backend == "transformers":
        from llm.backends.huggingface import Transformers

        return Transformers(s.model, s.vision, s.context)
    if s.backend == "llama.cpp":
        from llm.backends.llama import CONTEXT, LlamaCpp

        path = weights.find(s.model)
        return LlamaCpp(name, path, s.context or CONTEXT, Path(s.adapter) if s.adapter else tuning.adapter(path))
    raise InputError(f"unknown backend {s.backend!r}")
