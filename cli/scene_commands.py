"""The commands of `tamp scene`, and their options."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import options as opt
from cli.scene_convert import convert

scene_app = typer.Typer(help="What there is, what an instruction can name.", no_args_is_help=True)


@opt.command(scene_app, "list")
def list_scenes(
    everything: Annotated[bool, typer.Option("--all", help="Suites too whose files are missing.")] = False,
    json_output: opt.Json = False,
) -> int:
    """List the project's scenes and LIBERO's suites."""
    from cli import scene

    return scene.list_scenes(everything, json_output)


@opt.command(scene_app)
def show(
    scene: opt.SceneArgument,
    init_state: opt.InitState = None,
    seed: opt.SceneSeed = None,
    domain: opt.Domain = "tabletop",
    html: opt.ScenePage = None,
    json_output: opt.Json = False,
) -> int:
    """Show a scene: objects, facts, instruction.

    With --domain the facts are also what that domain's observers see, and the goal is checked against it.
    """
    from cli.scene import show

    return show(scene, init_state, seed, domain, json_output, html)


@opt.command(scene_app)
def categories(html: opt.Html = None, json_output: opt.Json = False) -> int:
    """List what a scene.toml can have in it: things, tables.

    Every category whose files load, with its size, and the regions where something can be put.
    """
    from cli.categories import categories

    return categories(html, json_output)


opt.command(scene_app)(convert)
