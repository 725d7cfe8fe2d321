"""`tamp live`: a session that goes on while orders come in."""

from __future__ import annotations

from functools import partial
from typing import Any

from cli.output import INTERRUPTED, Output, note
from cli.terminal import KEYBOARD, stoppable, typed
from cli.view import viewed
from tamp.api.arm_configs import LiveConfig
from tamp.api.live import Callbacks, begun


def live(config: LiveConfig, out: Output) -> int:
    """Run a session. 0 when what was wanted last is reached, or nothing was wanted; 1 when not."""
    session = begun(config)
    stops = partial(stoppable, reads=config.script is not None)  # else orders are read from standard input
    callbacks = Callbacks(note, out.emit if out.json else None, typed, KEYBOARD, stops)
    folder = session.folder()
    with viewed(folder, config.view):
        try:
            result = session(callbacks, folder)
        except KeyboardInterrupt:  # before anything could move
            note(f"interrupted; what was done is in {folder}")
            return INTERRUPTED
        outcome: dict[str, Any] = {name: getattr(result, name) for name in ("success", "goal", "task", "reason")}
        outcome |= {"steps": result.steps, "seconds": result.seconds.get("session", 0.0), "out": result.out}
        lines = (f"{label:9}{value}" for label, value in outcome.items() if value is not None)
        out.answer({"event": "outcome", **outcome}, lines)
    return INTERRUPTED if result.stage == "stopped" else 0 if result.success else 1
