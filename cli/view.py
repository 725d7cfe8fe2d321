"""`tamp view`: a run in the browser, while it goes on or afterwards."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from cli.output import emit_json
from tamp.api.viewing import run_page
from tamp.quiet import hush_warnings, quiet_stdout


@dataclass(frozen=True)
class Asked:
    """The options of `tamp view`. `beside`: it ends when its standard input does, as that of the run that began it."""

    run: Path | None
    wait: bool
    page_host: str
    page_port: int
    seconds: float | None
    beside: bool
    json_output: bool


NICENESS = 10
"""How much a viewer gives way to the run that began it."""
LINGERS = 2.0
"""Seconds for which the page is still served once the run that began it is over."""


def view(asked: Asked) -> int:
    """Serve a page of a run until SIGTERM, or for some seconds (0); one line on standard output once it is served.

    Raises InputError, and KeyboardInterrupt on Ctrl-C.
    """
    hush_warnings()
    if asked.beside:
        os.nice(NICENESS)
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    page = run_page(asked.run, asked.wait)
    with quiet_stdout() as stdout, page.served(asked.page_host, asked.page_port, ended) as address:
        _tell(address, asked, stdout)
        if asked.beside:
            threading.Thread(target=_until_alone, args=(ended,), daemon=True).start()
        ended.wait(asked.seconds)
        ended.set()
    return 0


def _tell(address: str, asked: Asked, stdout: TextIO) -> None:
    what = str(asked.run) if asked.run is not None else "the newest run"
    if asked.json_output:
        emit_json({"page": address, "run": None if asked.run is None else str(asked.run)}, stdout)
    else:
        stdout.write(f"{what}: {address}\n")
        stdout.flush()


def _until_alone(ended: threading.Event) -> None:
    """The run that began this one holds the other end of standard input: it ends however that ends."""
    with contextlib.suppress(OSError):
        while os.read(sys.stdin.fileno(), 4096):
            pass
    time.sleep(LINGERS)
    ended.set()
