"""What a command lacks, and what to install: the one table of which extra brings which package."""

from __future__ import annotations

import sys
from collections.abc import Mapping

_MOVING = ("libero", "pybullet", "xarm", "view", "policy")
"""Extras that bring what robots and simulators share."""
_SEEING = ("libero", "policy")

EXTRAS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("mujoco", "scipy", "pinocchio", "ompl", "toppra", "trimesh"), _MOVING),
    **dict.fromkeys(("imageio", "imageio_ffmpeg"), _MOVING),
    **dict.fromkeys(("libero", "robosuite", "cv2", "numba"), _SEEING),
    "pybullet": ("pybullet", "xarm"),
    "xarm": ("xarm",),
    "viser": ("view",),
    **dict.fromkeys(("msgpack", "websockets"), ("policy",)),
    **dict.fromkeys(("outlines", "llguidance", "llama_cpp", "spellchecker", "openai"), ("llm",)),
    "up_fast_downward": ("fast-downward",),
    "ray": ("ray",),
    "vllm": ("vllm",),
    **dict.fromkeys(("torch", "transformers", "huggingface_hub", "PIL"), ("transformers",)),
}
"""What is imported, by its name, and the extras that bring it, the usual one first."""


def told(error: BaseException, command: str) -> str | None:
    """What to install, where an error is that something of an extra is not there; else None."""
    if not isinstance(error, ImportError):
        return None
    if "libGL.so" in str(error):  # both wheels write the same files, and this one of them came last
        headless = "pip install --force-reinstall --no-deps opencv-python-headless"
        return f"{command} needs libGL.so.1: apt-get install libgl1, or without it: {headless}"
    name = (error.name or "").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError) or name not in EXTRAS:
        return None
    return f'{command} needs {name}: pip install "tamp-toolkit[{_fitting(EXTRAS[name])}]"'


def _fitting(extras: tuple[str, ...]) -> str:
    """The extra that the command line speaks of last (`xarm view`, `--backend pybullet`), else the usual one."""
    return next((word for word in reversed(sys.argv[1:]) if word in extras), extras[0])
