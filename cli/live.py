"""`tamp live`: a session that goes on while orders come in."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial

from cli.live_masters import KEYBOARD, typed
from cli.output import INTERRUPTED, emit_json, say
from cli.stopping import stoppable
from cli.view import viewed
from tamp.api.live import Asked, Company, begun
from tamp.quiet import hush_warnings, quiet_stdout


def live(asked: Asked, json_output: bool) -> int:
    """Run a session. 0 when what was wanted last is reached, or nothing was wanted; 1 when not."""
    hush_warnings()
    session = begun(asked)
    with quiet_stdout() as stdout:
        told = partial(emit_json, stream=stdout) if json_output else None
        stops = partial(stoppable, reads=asked.script is not None)  # else orders are read from standard input
        company = Company(lambda line: say(f"tamp: {line}"), told, typed, KEYBOARD, stops)
        folder = session.folder()
        with viewed(folder, asked.view):
            try:
                result = session(company, folder)
            except KeyboardInterrupt:  # before anything could move
                say(f"tamp: interrupted; what was done is in {folder}")
                return INTERRUPTED
            outcome = {name: value for name, value in asdict(result).items() if name != "stopped"}
            if json_output:
                emit_json({"event": "outcome", **outcome}, stdout)
            else:
                stdout.writelines(f"{label:9}{value}\n" for label, value in outcome.items() if value is not None)
    return INTERRUPTED if result.stopped else 0 if result.success else 1
