"""Files that grow by whole lines, also where a process is killed or the disk is full; and the lock of who writes."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from tamp.errors import InputError


def complete(data: bytes) -> bytes:
    """The whole lines: without half a last one, as a killed process leaves it."""
    return data[: data.rfind(b"\n") + 1]


def append(path: Path, *lines: str) -> None:
    """Append lines; they are on disk when this returns. OSError when the disk does not take all of them: then the file
    is as before. Half a last line is taken off first."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        size = os.fstat(fd).st_size
        if size and os.pread(fd, 1, size - 1) != b"\n":
            size = len(complete(path.read_bytes()))
            os.ftruncate(fd, size)
        _write(fd, "".join(f"{line}\n" for line in lines).encode(), size)
    finally:
        os.close(fd)


def _write(fd: int, data: bytes, size: int) -> None:
    try:
        written = os.write(fd, data)
        while written < len(data):  # the disk is nearly full: the next one says why
            written += os.write(fd, data[written:])
        os.fsync(fd)
    except BaseException:
        os.ftruncate(fd, size)
        raise


def lock(path: Path, what: str, advice: str) -> int:
    """Lock what a file stands for, for this process alone: until the descriptor is closed, or the process ends, however
    it does. InputError, with the process that has the lock, says that it writes `what`, and ends with `advice`.

    A lock of POSIX: processes that are started or forked do not inherit it.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError) as e:
        holder = os.read(fd, 20).decode(errors="replace").strip()
        os.close(fd)
        raise InputError(f"process {holder or 'unknown'} is writing {what}; {advice}") from e
    except OSError:  # not every disk has locks
        return fd
    with contextlib.suppress(OSError):  # on a full disk
        os.ftruncate(fd, 0)
        os.write(fd, f"{os.getpid()}\n".encode())
    return fd
