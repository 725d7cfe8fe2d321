"""Which OpenGL MuJoCo is told to use. It reads that once, when it is imported, so the choice comes first.

No GL library is needed unless a video is asked for; then OSMesa draws on the CPU, without a display.
"""

from __future__ import annotations

import ctypes.util
import os

from tamp.errors import InputError

SOFTWARE = {"MUJOCO_GL": "osmesa", "PYOPENGL_PLATFORM": "osmesa"}
"""Environment with which frames are drawn on the CPU."""
NO_RENDERING = {"MUJOCO_GL": "glx"}
"""Environment with which MuJoCo and robosuite import on a machine without any GL library."""


def prepare(video: bool) -> None:
    """Set the environment for this process, before anything imports mujoco or robosuite.

    Raises InputError, naming the command that helps, when a video is asked for and OSMesa is missing.
    """
    if video and ctypes.util.find_library("OSMesa") is None:
        sudo = "" if os.geteuid() == 0 else "sudo "
        raise InputError(f"--video needs OSMesa: {sudo}apt-get install libosmesa6 (or leave out --video)")
    os.environ.update(SOFTWARE if video else NO_RENDERING)
