"""`tamp xarm view`."""

from __future__ import annotations

import signal
import threading
from contextlib import ExitStack
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
    from tamp.backends.xarm.opening import detector_of
    from tamp.backends.xarm.view.listening import ArmReports
    from tamp.backends.xarm.view.page import offer
    from tamp.backends.xarm.view.source import ArmSource
    from tamp.view.serving import PageServer, served

    hush_warnings()
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    with quiet_stdout() as stdout, ExitStack() as opened:
        cell = arms.world(world)
        address = arms.address(cell, host)
        reports = ArmReports(address)
        opened.callback(reports.close)
        source = ArmSource(cell, address, reports, detector_of(cell, say, opened))
        server = PageServer(offer(source.board), page_host, page_port)
        with served(server, source.run, ended):
            if as_json:
                emit_json({"model": cell.arm.name, "host": address, "page": server.address}, stdout)
            else:
                stdout.write(f"{cell.arm.name} at {address}: {server.address}\n")
                stdout.flush()
            ended.wait(seconds)
    return 0
