"""What a command lacks, and what to install: the one table of which extra brings which package."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping

_MOVING = ("libero", "pybullet", "xarm", "policy", "demos")
"""Extras that bring what robots and simulators share."""
_AT_TABLES = ("libero", "pybullet", "policy", "demos")
"""Extras that bring LIBERO, and what sees there."""

EXTRAS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("mujoco", "scipy", "ompl", "toppra", "trimesh"), _MOVING),
    **dict.fromkeys(("imageio", "imageio_ffmpeg", "pytest"), _MOVING),
    **dict.fromkeys(("libero", "robosuite", "cv2", "numba", "gymnasium"), _AT_TABLES),
    "pybullet": ("pybullet", "xarm") if sys.version_info < (3, 12) else ("pybullet",),  # there it has to be compiled
    "xarm": ("xarm",),
    **dict.fromkeys(("msgpack", "websockets"), ("policy",)),
    **dict.fromkeys(("pyarrow", "h5py"), ("demos",)),
    **dict.fromkeys(("pygls", "lsprotocol"), ("lsp",)),
    **dict.fromkeys(("mcp", "anyio", "uvicorn"), ("mcp",)),
    **dict.fromkeys(("outlines", "llguidance", "llama_cpp", "spellchecker", "openai"), ("llm",)),
    "up_fast_downward": ("fast-downward",),
    "up_pyperplan": ("pyperplan",),
    "ray": ("ray",),
    "vllm": ("vllm",),
    **dict.fromkeys(("torch", "transformers", "huggingface_hub", "PIL"), ("transformers",)),
    **dict.fromkeys(("peft", "gguf", "safetensors"), ("tune",)),
}
"""What is imported, by its name, and the extras that bring it, the usual one first."""


KEYS: Mapping[str, str] = {
    "fast-downward": "up_fast_downward",
    "pyperplan": "up_pyperplan",
    "libero": "libero",
    "pybullet": "pybullet",
    "xarm": "xarm",
    "policy": "msgpack",
    "demos": "pyarrow",
    "mcp": "mcp",
    "lsp": "pygls",
    "llm": "outlines",
}
"""The extras that `all` is made of, by the package that tells whether one is installed."""


def extras() -> dict[str, bool]:
    """The extras that `all` is made of, and whether each is installed."""
    return {extra: importlib.util.find_spec(package) is not None for extra, package in KEYS.items()}


def wanted(package: str) -> bool:
    """Whether something that is imported by this name should be there: it comes with an extra that is installed, or
    with tamp itself."""
    there = extras()
    return package not in EXTRAS or any(there.get(extra, False) for extra in EXTRAS[package])


def advice(error: BaseException, command: str) -> str | None:
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
    """The extra that the command line speaks of last (`xarm run`, `--backend pybullet`), else the usual one."""
    words = sys.argv[1:]
    if words[:1] == ["view"] and {"--world", "--host"} & {*words}:
        words = ["xarm"]
    return next((word for word in reversed(words) if word in extras), extras[0])
