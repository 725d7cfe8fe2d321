"""What the commands of pages import, imported once, in the process that they are forked from (tests/page_typing.py)."""

from __future__ import annotations

from tamp.backends.libero import rendering
from tamp.quiet import hush_simulator

rendering.prepare(video=False, may=True)
with hush_simulator():
    import unified_planning.shortcuts  # noqa: F401

    import tamp.backends.libero.environment
    import tamp.lint.check
    import tamp.runs.episode  # noqa: F401
