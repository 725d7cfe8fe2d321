"""Before any test imports mujoco: no GL library is needed. Generated examples are the same every time."""

from __future__ import annotations

from hypothesis import settings

from tamp.libero import rendering

rendering.prepare(video=False)
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=50, database=None)
settings.load_profile("repeatable")
