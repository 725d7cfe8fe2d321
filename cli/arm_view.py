"""`tamp xarm view`."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

from cli.output import emit_json, say
from tamp.quiet import hush_warnings, quiet_stdout


def view(
    world: Path | None, host: str | None, page_host: str, page_port: int, seconds: float | None, as_json: bool
) -> int:
    """Show an arm on a page until SIGTERM or for some seconds (0); one line on standard output once it is served.

    Raises InputError, and KeyboardInterrupt on Ctrl-C.
    """
    from tamp.api import arms
    from tamp.api.viewing import arm_page

    hush_warnings()
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    with quiet_stdout() as stdout:
        cell = arms.world(world)
        address = arms.address(cell, host)
        with arm_page(cell, address, page_host, page_port, ended, lambda line: say(f"tamp: {line}")) as page:
            if as_json:
                emit_json({"model": cell.arm.name, "host": address, "page": page}, stdout)
            else:
                stdout.write(f"{cell.arm.name} at {address}: {page}\n")
                stdout.flush()
            ended.wait(seconds)
    return 0
