"""A model described in a TOML file: which backend runs it, and how."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from tamp.errors import InputError
from tamp.files.toml_file import read_toml

KEYS: dict[str, tuple[str, ...]] = {
    "llama.cpp": ("model", "context"),
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
    vision: bool = False


def read(path: Path) -> Settings:
    """A model file, checked. A `model` that is a file or a folder beside it is meant as such."""
    told = read_toml(path)
    backend = told.get("backend")
    if not isinstance(backend, str) or backend not in KEYS:
        raise InputError(f"{path}: backend = {backend!r}; valid: {', '.join(KEYS)}")
    _check(path, backend, told)
    settings = Settings(**told)
    beside = path.parent / settings.model
    return replace(settings, model=str(beside)) if settings.model and beside.exists() else settings


def _check(path: Path, backend: str, told: dict[str, Any]) -> None:
    """InputError for a key that the backend does not take, that is missing, or that is of the wrong kind."""
    types = {f.name: type(f.default) for f in fields(Settings) if f.name != "backend"}
    for key, value in told.items():
        if key == "backend":
            continue
        if key not in KEYS[backend]:
            near = difflib.get_close_matches(key, KEYS[backend], 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise InputError(
                f"{path}: {key} says nothing to the backend {backend}; {hint}valid: {', '.join(KEYS[backend])}"
            )
        if not _fits(value, types[key]):
            raise InputError(f"{path}: {key} = {value!r}; valid: {_VALID[types[key]]}")
    if not told.get(REQUIRED[backend]):
        raise InputError(f"{path}: the backend {backend} needs {REQUIRED[backend]}")


_VALID = {str: "a text", float: "seconds, more than 0", int: "tokens, more than 0", bool: "true or false"}


def _fits(value: Any, kind: type) -> bool:
    """A whole number will do for seconds; true and false are no numbers."""
    if kind in (int, float):
        return isinstance(value, (int, kind)) and not isinstance(value, bool) and value > 0
    return isinstance(value, kind)
