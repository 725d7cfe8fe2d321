"""`tamp view`: a run in the browser, while it goes on or afterwards, or an arm; and a page beside another command."""

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
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import options as opt
from cli.output import emit_json, say
from tamp import InputError
from tamp.quiet import hush_warnings, quiet_stdout

if TYPE_CHECKING:
    from tamp.api.pages import ServedPage

NICENESS = 10
"""How much a viewer gives way to the run that began it."""
LINGERS = 2.0
"""Seconds for which the page is still served once the run that began it is over."""
# without what lies in the working folder, which may have a folder called cli, too
COMMAND = [sys.executable, "-P", "-c", "import sys; from cli.main import main; sys.exit(main())", "view"]


def view(
    run: Annotated[
        Path | None,
        typer.Argument(help="An episode's folder, or its log; else the newest under episodes/.", metavar="RUN"),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="RUN may begin later.")] = False,
    world: opt.World = None,
    host: opt.Host = None,
    page_host: opt.PageHost = "127.0.0.1",
    page_port: opt.PagePort = 8080,
    seconds: Annotated[float | None, typer.Option(help="End after so long.", min=0.0, max=1e6)] = None,
    beside: Annotated[bool, typer.Option("--beside", help="End when standard input does.")] = False,
    json_output: opt.Json = False,
) -> int:
    """Show a run in the browser, while it goes on or afterwards; with --world or --host an arm, live.

    Scene, plan, facts and pictures as they change; and orders, where a live session takes them. Of an arm, its world
    and what is seen there: it only listens. Says one line when the page is there; ends on Ctrl-C, on SIGTERM and after
    --seconds.
    """
    hush_warnings()
    if beside:
        os.nice(NICENESS)
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    with (
        quiet_stdout() as stdout,
        _page(run, wait, world, host, page_host) as (page, name, about),
        page.served(page_host, page_port, ended) as address,
    ):
        if json_output:
            emit_json({"page": address, **about}, stdout)
        else:
            stdout.write(f"{name}: {address}\n")
            stdout.flush()
        if beside:
            threading.Thread(target=_until_alone, args=(ended,), daemon=True).start()
        ended.wait(seconds)
        ended.set()
    return 0


@contextlib.contextmanager
def _page(
    run: Path | None, wait: bool, world: Path | None, host: str | None, page_host: str
) -> Iterator[tuple[ServedPage, str, dict[str, Any]]]:
    """The page, what it is of, and that as data."""
    from tamp.api import pages

    if world is None and host is None:
        page = pages.run_page(run, wait, page_host in ("127.0.0.1", "localhost"))
        yield page, "the newest run" if run is None else str(run), {"run": None if run is None else str(run)}
        return
    if run is not None:
        raise InputError(f"{run} is a run, --world and --host are of an arm; valid: one of the two")
    from tamp.api import arm_plans

    cell = arm_plans.world(world)
    address = arm_plans.address(cell, host)
    with pages.arm_page(cell, address, lambda line: say(f"tamp: {line}")) as page:
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
    a process of its own, which ends with the run however that ends. Its address is printed once it is there."""
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
        say(f"tamp: it is shown at {json.loads(viewer.stdout.readline())['page']}")
