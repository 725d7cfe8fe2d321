"""The evaluated beginning of a prompt, kept between processes: reading 9 MB is quicker than 300 tokens.

A file holds llama.cpp's own state for a token sequence; its name is a digest of the model and of these tokens, so
another model, adapter, library or prompt finds nothing and evaluates. Whatever goes wrong here only costs time.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tamp.errors import InputError
from tamp.files.replacing import replacing

KEPT = 8
"""Files that are kept, the last used ones."""


def file_for(folder: Path, weights: Sequence[Path], tokens: Sequence[int]) -> Path:
    """Where the state of `tokens` is, or would be, under a model's weights and its adapter's."""
    import llama_cpp

    files = tuple((path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in weights)
    key = (files, llama_cpp.__version__, tuple(tokens))
    return folder / f"{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}.state"


def prepare(llama: Any, tokens: Sequence[int], path: Path) -> None:
    """Bring a fresh `llama` to the state after `tokens`: from the file, else by evaluating and writing it."""
    if not _read(llama, tokens, path):
        llama.reset()
        llama.eval(list(tokens))
        with contextlib.suppress(OSError, InputError):
            _write(llama, tokens, path)


def _read(llama: Any, tokens: Sequence[int], path: Path) -> bool:
    import llama_cpp

    if not path.is_file():
        return False
    out, count = (llama_cpp.llama_token * len(tokens))(), ctypes.c_size_t()
    size = llama_cpp.llama_state_seq_load_file(llama.ctx, os.fsencode(path), 0, out, len(tokens), ctypes.byref(count))
    if size == 0 or list(out[: count.value]) != list(tokens):
        path.unlink(missing_ok=True)
        return False
    llama.input_ids[: len(tokens)] = tokens
    llama.n_tokens = len(tokens)
    with contextlib.suppress(OSError):
        path.touch()
    return True


def _write(llama: Any, tokens: Sequence[int], path: Path) -> None:
    import llama_cpp

    path.parent.mkdir(parents=True, exist_ok=True)
    array = (llama_cpp.llama_token * len(tokens))(*tokens)
    with replacing(path) as partial:
        if not llama_cpp.llama_state_seq_save_file(llama.ctx, os.fsencode(partial), 0, array, len(tokens)):
            raise OSError(f"llama.cpp cannot write {path}")
    kept = sorted(path.parent.glob("*.state"), key=lambda p: p.stat().st_mtime, reverse=True)
    for old in kept[KEPT:]:
        old.unlink(missing_ok=True)
