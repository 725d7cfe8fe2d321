"""The commands with a language model on a server: what it is shown, and what a user is told when it fails."""

from __future__ import annotations

import base64
import io
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import imageio.v3 as imageio
import pytest

from tamp.runs.episode_log import read
from tests import forked

pytestmark = pytest.mark.process

TEXT = "put the mug in the drawer"
Requests = list[tuple[str, dict[str, str], Any]]
Serving = Callable[..., AbstractContextManager[tuple[str, Requests]]]


def tamp(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return forked.tamp(*arguments, **environment)


def error(done: subprocess.CompletedProcess[str]) -> str:
    """The one line of an error with exit code 2."""
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "error" in line or "Traceback" in line]
    return line


def strange(handler: Any, body: Any) -> None:
    """A reply that no grammar allows."""
    message = {"role": "assistant", "content": "Certainly! The mug."}
    handler.send({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})


def described(folder: Path, url: str, vision: bool) -> str:
    path = folder / "model.toml"
    path.write_text(f'backend = "server"\nurl = "{url}"\nvision = {str(vision).lower()}\n')
    return str(path)


@pytest.fixture
def unused() -> Iterator[str]:
    """An address at which nobody listens."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{s.getsockname()[1]}"


def pictures(requests: Requests) -> list[bytes]:
    """The PNGs of the questions."""
    contents = [message["content"] for _, _, body in requests for message in body["messages"]]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    return [base64.b64decode(p["image_url"]["url"].partition("base64,")[2]) for p in parts if p["type"] == "image_url"]


@pytest.mark.episode
def test_a_model_that_sees_is_shown_the_agent_view(serving: Serving, tmp_path: Path) -> None:
    out = tmp_path / "e"
    with serving(strange) as (url, requests):
        done = tamp("solve", TEXT, "--llm", described(tmp_path, url, vision=True), "--out", str(out))
    shown = error(done)
    assert "replied outside the grammar: 'Certainly! The mug.'" in shown
    (png,) = pictures(requests)
    assert (out / "view.png").read_bytes() == png
    frame = imageio.imread(io.BytesIO(png))
    assert frame.shape == (512, 512, 3)
    assert frame.std() > 10, "a scene, not a blank"
    (prompt,) = [event for event in read(out / "episode.jsonl") if event["event"] == "prompt"]
    assert TEXT in prompt["messages"][-1]["content"], "the log has the words; the picture is a file"


def test_a_hub_that_cannot_be_had(unused: str, tmp_path: Path) -> None:
    """Its library may be missing here; either way it is one line."""
    done = tamp("model", "pull", "Qwen/Qwen2.5-VL-7B-Instruct", HF_ENDPOINT=unused, HF_HOME=str(tmp_path))
    shown = done.stderr.splitlines()[-1]
    assert (done.returncode, done.stdout) == (2, "") and "Traceback" not in done.stderr
    lacking = 'model pull needs huggingface_hub: pip install "tamp-toolkit[transformers]"'
    assert lacking in shown or "cannot fetch Qwen/Qwen2.5-VL-7B-Instruct from the hub" in shown
    shown = error(tamp("model", "pull", "Qwen/Qwen2.5-VL-7B-Instruct", "--verify"))
    assert "--verify is for weights whose sha256 is known here" in shown
