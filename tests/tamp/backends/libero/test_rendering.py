"""No GL library is needed unless a video is asked for."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tamp.backends.libero import rendering
from tamp.errors import InputError

LOADED = """
import sys
from pathlib import Path
from tamp.backends.libero import rendering
rendering.prepare(video=False)
import tamp.runs.worlds
import libero.libero.envs.env_wrapper
maps = Path("/proc/self/maps").read_text()
print("LOADED", [name for name in ("libGL.", "libEGL", "libOSMesa", "libGLX") if name in maps])
"""


@pytest.mark.process
def test_the_simulator_imports_without_any_gl_library() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=False)
    assert "LOADED []" in done.stdout, done.stdout + done.stderr


def test_video_needs_a_library_and_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {})
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    with pytest.raises(InputError, match=r"--html needs OSMesa: .*apt-get install libosmesa6.*leave out --html"):
        rendering.prepare(video=False, pictures=True)
    rendering.prepare(video=False, may=True)
    assert os.environ["MUJOCO_GL"] == "glx"
