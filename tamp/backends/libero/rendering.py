"""Chooses MuJoCo's OpenGL. MuJoCo reads the choice once, when it is imported, so it comes first.

No GL library is needed unless a video or a picture is asked for; then OSMesa draws on the CPU, without a display.
"""

from __future__ import annotations

import ctypes.util
import os

from tamp.errors import InputError

SOFTWARE = {"MUJOCO_GL": "osmesa", "PYOPENGL_PLATFORM": "osmesa"}
"""Environment with which frames are drawn on the CPU."""
NO_RENDERING = {"MUJOCO_GL": "glx"}
"""Environment with which MuJoCo and robosuite import on a machine without any GL library."""


def prepare(
    video: bool,
    sight: bool = False,
    *,
    pictures: bool = False,
    objects: bool = False,
    camera: bool = False,
    may: bool = False,
) -> None:
    """Set the environment for this process, before anything imports mujoco or robosuite.

    Raises InputError, naming the command that helps, when OSMesa is missing and a video is asked for, a picture for a
    language model that sees (`sight`), `pictures` for people, those of a `camera` to perceive with, or what `objects`
    of the library look like. With `may` it is not known yet: drawing is made ready where it can be.
    """
    missing = ctypes.util.find_library("OSMesa") is None
    if (video or sight or pictures or objects or camera) and missing:
        sudo = "" if os.geteuid() == 0 else "sudo "
        what, instead = "a language model that sees needs OSMesa", "take a model without vision"
        if objects:
            what, instead = "making models of objects needs OSMesa", "take the oracle, which needs no models"
        elif camera:
            what, instead = "--perception camera needs OSMesa", "take --perception oracle"
        elif video or pictures:
            option = "--video" if video else "--html"
            what, instead = f"{option} needs OSMesa", f"leave out {option}"
        raise InputError(f"{what}: {sudo}apt-get install libosmesa6 (or {instead})")
    drawn = video or sight or pictures or objects or camera or (may and not missing)
    os.environ.update(SOFTWARE if drawn else NO_RENDERING)
