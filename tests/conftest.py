"""Before any test imports mujoco: no GL library is needed. Generated examples are the same every time."""

from __future__ import annotations

import signal

from hypothesis import settings

from tamp.libero import rendering

rendering.prepare(video=False)
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=50, database=None)
settings.load_profile("repeatable")

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # Started in the background of a script: the commands under test are to heed Ctrl-C all the same.
    signal.signal(signal.SIGINT, signal.default_int_handler)
