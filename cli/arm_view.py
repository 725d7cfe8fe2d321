"""`tamp xarm view`."""

from __future__ import annotations

import signal
import threading
from contextlib import ExitStack
from pathlib import Path

from cli.arm_run import address_of, read_world
from cli.output import emit_json, quiet_stdout, say


def view(
    world: Path | None, host: str | None, page_host: str, page_port: int, seconds: float | None, as_json: bool
) -> int:
    """Show an arm on a page until SIGTERM or for some seconds (0); one line on standard output once it is served.

    Raises InputError, and KeyboardInterrupt on Ctrl-C.
    """
    from tamp.backends.xarm.detections import open_detector
    from tamp.backends.xarm.view.listening import ArmReports
    from tamp.backends.xarm.view.page import Page
    from tamp.backends.xarm.view.scene import scene_of
    from tamp.backends.xarm.view.watching import watch

    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    with quiet_stdout() as stdout, ExitStack() as opened:
        cell = read_world(world)
        address = address_of(cell, host)
        page = Page(scene_of(cell), page_host, page_port, f"{cell.arm.name} at {address}")
        opened.callback(page.close)
        reports = ArmReports(address)
        opened.callback(reports.close)
        detector = open_detector(cell, say) if cell.detector.source else None
        if detector is not None:
            opened.callback(detector.close)
        if as_json:
            emit_json({"model": cell.arm.name, "host": address, "page": page.address}, stdout)
        else:
            stdout.write(f"{cell.arm.name} at {address}: {page.address}\n")
            stdout.flush()
        watch(page, cell, address, reports, detector, ended, seconds)
    return 0
