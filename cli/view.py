"""`tamp view`: a run in the browser, while it goes on or afterwards, or an arm; and a page during another command."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.output import Output, note

if TYPE_CHECKING:
    from tamp.api.pages import ServedPage
    from tamp.api.tool_configs import ViewConfig

NICENESS = 10
"""How much a viewer gives way to the run that began it."""
LINGERS = 2.0
"""Seconds for which the page is still served once the run that began it is over."""
# without what lies in the working folder, which may have a folder called cli, too
COMMAND = [sys.executable, "-P", "-c", "import sys; from cli.main import main; sys.exit(main())", "view"]


def view(config: ViewConfig, out: Output) -> int:
    """Serve the page until Ctrl-C, SIGTERM, or the end of what it was begun for; one line once it is there."""
    if config.beside:
        os.nice(NICENESS)
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    with (
        _page(config) as (page, name, about),
        page.served(config.page_host, config.page_port, ended) as address,
    ):
        out.answer({"page": address, **about}, [f"{name}: {address}"])
        if config.beside:
            threading.Thread(target=_until_alone, args=(ended,), daemon=True).start()
        ended.wait(config.seconds)
        ended.set()
    return 0


@contextlib.contextmanager
def _page(config: ViewConfig) -> Iterator[tuple[ServedPage, str, dict[str, Any]]]:
    """The page, what it is of, and that as data."""
    from tamp.api import pages

    if not config.of_arm:
        run = None if config.run is None else str(config.run)
        page = pages.run_page(config.run, config.wait, config.page_host in ("127.0.0.1", "localhost"))
        yield page, run or "the newest run", {"run": run}
        return
    from tamp.api import arm_plans

    cell = arm_plans.world(config.world)
    address = arm_plans.address(cell, config.host)
    with pages.arm_page(cell, address, note) as page:
        yield page, f"{cell.arm.name} at {address}", {"run": None, "model": cell.arm.name, "host": address}


def _until_alone(ended: threading.Event) -> None:
    """The run that began this one holds the other end of standard input: it ends however that ends."""
    with contextlib.suppress(OSError):
        while os.read(sys.stdin.fileno(), 4096):
            pass
    time.sleep(LINGERS)
    ended.set()


@contextlib.contextmanager
def viewed(folder: Path, on: bool) -> Iterator[None]:
    """Serve a page of the run in `folder`, which may begin later, as long as this lasts, where that is wanted, `on`: in
    a separate process, which ends with the run however that ends. Its address is printed once it is there."""
    if not on:
        yield
        return
    options = [str(folder), "--wait", "--beside", "--page-port", "0", "--json"]
    viewer = subprocess.Popen(
        [*COMMAND, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    threading.Thread(target=_print_address, args=(viewer,), name="where the page is", daemon=True).start()
    try:
        yield
    finally:
        assert viewer.stdin is not None
        viewer.stdin.close()


def _print_address(viewer: subprocess.Popen[str]) -> None:
    assert viewer.stdout is not None
    with contextlib.suppress(ValueError, KeyError):  # it has said on standard error what is wrong
        note(f"it is shown at {json.loads(viewer.stdout.readline())['page']}")
