"""Before any test imports mujoco: the tests need no GL library."""

from __future__ import annotations

from tamp.libero import rendering

rendering.prepare(video=False)
