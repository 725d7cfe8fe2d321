"""`tamp live`: a session that goes on while orders come in."""

from __future__ import annotations

from functools import partial
from typing import Any

from cli.live_masters import KEYBOARD, typed
from cli.output import INTERRUPTED, emit_json, say
from cli.stopping import stoppable
from cli.view import viewed
from tamp.api.live import Asked, Callbacks, begun
from tamp.quiet import hush_warnings, quiet_stdout


def live(asked: Asked, json_output: bool) -> int:
    """Run a session. 0 when what was wanted last is reached, or nothing was wanted; 1 when not."""
    hush_warnings()
    session = begun(asked)
    with quiet_stdout() as stdout:
        on_event = partial(emit_json, stream=stdout) if json_output else None
        stops = partial(stoppable, reads=asked.script is not None)  # else orders are read from standard input
        callbacks = Callbacks(lambda line: say(f"tamp: {line}"), on_event, typed, KEYBOARD, stops)
        folder = session.folder()
        with viewed(folder, asked.view):
            try:
                result = session(callbacks, folder)
            except KeyboardInterrupt:  # before anything could move
                say(f"tamp: interrupted; what was done is in {folder}")
                return INTERRUPTED
            outcome: dict[str, Any] = {name: getattr(result, name) for name in ("success", "goal", "task", "reason")}
            outcome |= {"steps": result.steps, "seconds": result.seconds.get("session", 0.0), "out": result.out}
            if json_output:
                emit_json({"event": "outcome", **outcome}, stdout)
            else:
                stdout.writelines(f"{label:9}{value}\n" for label, value in outcome.items() if value is not None)
    return INTERRUPTED if result.stage == "stopped" else 0 if result.success else 1
