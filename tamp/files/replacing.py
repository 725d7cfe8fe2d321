"""Replace a file by another one: all of the new content is there, or the old file as it was."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from tamp.errors import InputError


def replace_file(path: Path, content: str | bytes, advice: str = "", sync: bool = True) -> None:
    """Write a file, or write it anew. InputError as `replacing`."""
    with replacing(path, advice, sync) as partial:
        partial.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


@contextlib.contextmanager
def replacing(path: Path, advice: str = "", sync: bool = True) -> Iterator[Path]:
    """Yield the name to write to, in the folder of `path`; at the end the file takes the place of `path`, with the
    permissions of the one before. A link keeps leading where it did; a device or a pipe is written to directly.

    On any error the file before stays, and nothing else. InputError where the disk refuses, with `advice` at its end.
    Without `sync` a power cut may lose the new content.
    """
    real = Path(os.path.realpath(path))
    partial = real.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        mode = path.stat().st_mode if path.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            yield path
            return
        yield partial
        if mode is not None:
            partial.chmod(stat.S_IMODE(mode))
        if sync:
            _sync(partial)
        partial.replace(real)
        if sync:
            with contextlib.suppress(OSError):  # not every file system does it for folders
                _sync(real.parent)
    except OSError as e:
        raise InputError(f"cannot write {path}: {e.strerror or e}{advice}") from e
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
