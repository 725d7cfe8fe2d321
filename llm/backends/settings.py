"""A model described in a TOML file: which backend runs it, and how."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from tamp.files.toml_table import Table, read_placed

KEYS: dict[str, tuple[str, ...]] = {
    "llama.cpp": ("model", "adapter", "context"),
    "server": ("url", "model", "api_key_env", "timeout", "vision"),
    "vllm": ("model", "context", "vision"),
    "transformers": ("model", "context", "vision"),
}
"""What can be said of each backend."""

REQUIRED = {backend: "url" if backend == "server" else "model" for backend in KEYS}


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
    _only(table, backend)
    if not table.has(REQUIRED[backend]):
        raise table.wrong(f"the backend {backend} needs {REQUIRED[backend]}")
    settings = Settings(**{key: _READ[key](table) for key in table.values})
    return replace(settings, model=_beside(path, settings.model), adapter=_beside(path, settings.adapter))


def _beside(path: Path, said: str) -> str:
    beside = path.parent / said
    return str(beside) if said and beside.exists() else said


def _only(table: Table, backend: str) -> None:
    for key in table.values:
        if key not in ("backend", *KEYS[backend]):
            near = difflib.get_close_matches(key, KEYS[backend], 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            valid = ", ".join(KEYS[backend])
            raise table.wrong(f"{key} says nothing to the backend {backend}; {hint}valid: {valid}", key)


_READ: dict[str, Callable[[Table], Any]] = {
    **{
        key: partial(Table.text, key=key, valid="a text")
        for key in ("backend", "model", "adapter", "url", "api_key_env")
    },
    "timeout": lambda table: table.number("timeout", "seconds, more than 0, up to a day", 1e-3, 86_400.0),
    "context": lambda table: table.whole("context", "tokens, more than 0, up to 10 million", 1, 10_000_000),
    "vision": lambda table: table.flag("vision", "true or false"),
}
