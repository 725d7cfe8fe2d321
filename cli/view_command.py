"""The options of `tamp view`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli import options as opt


def view(
    run: Annotated[
        Path | None,
        typer.Argument(help="An episode's folder, or its log; else the newest under episodes/.", metavar="RUN"),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="RUN may begin later.")] = False,
    page_host: opt.PageHost = "127.0.0.1",
    page_port: opt.PagePort = 8080,
    seconds: Annotated[float | None, typer.Option(help="End after so long.", min=0.0, max=1e6)] = None,
    beside: Annotated[bool, typer.Option("--beside", help="End when standard input does.")] = False,
    json_output: opt.Json = False,
) -> int:
    """Show a run in the browser, while it goes on or afterwards.

    Scene, plan, facts and pictures as they change; and orders, where a live session takes them. Says one line when the
    page is there; ends on Ctrl-C, on SIGTERM and after --seconds.
    """
    from cli.view import Asked
    from cli.view import view as serve

    return serve(Asked(run, wait, page_host, page_port, seconds, beside, json_output))
