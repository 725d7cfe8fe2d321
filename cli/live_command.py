"""The options of `tamp live`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from cli import options as opt
from tamp.api.configs import DEFAULT_MODEL
from tamp.errors import InputError


def live(
    scene: Annotated[str | None, typer.Option(help="As for solve; for --backend fake packed/3.", metavar="S")] = None,
    backend: Annotated[
        Literal["libero", "mujoco", "pybullet", "fake", "xarm"],
        typer.Option(help="A simulator; a kinematic robot that needs none; an arm."),
    ] = "libero",
    perception: opt.Perception = "oracle",
    decider: Annotated[
        Literal["planner", "qwen", "script", "person"],
        typer.Option(help="planner, or qwen, the --llm: decides how what is said is done; script, person: who orders."),
    ] = "planner",
    script: Annotated[
        Path | None, typer.Option(help="Orders, a JSON object a line; else standard input.", metavar="FILE.jsonl")
    ] = None,
    clock: opt.Clock = "real",
    seed: opt.SceneSeed = None,
    init_state: opt.InitState = None,
    llm: opt.Llm = DEFAULT_MODEL,
    domain: opt.Domain = "tabletop",
    planner: opt.Planner = "fast-downward",
    seconds: Annotated[float | None, typer.Option(help="End after so long.", min=0.0, max=1e6)] = None,
    listen: Annotated[
        str | None,
        typer.Option(
            help="Take orders over a Unix socket at PATH too, or over one and a port of 127.0.0.1 (0: any free one).",
            metavar="PATH|PORT",
        ),
    ] = None,
    dead_man: opt.DeadMan = None,
    view: opt.View = False,
    host: opt.Host = None,
    port: opt.ArmPort = None,
    world: opt.World = None,
    out: opt.EpisodeFolder = None,
    json_output: Annotated[bool, typer.Option("--json", help="A JSON object an event, the outcome last.")] = False,
) -> int:
    """Run a session that takes orders at any moment: start, stop, skip, end, say.

    Orders are typed or come as lines of JSON on standard input, or from a script.
    """
    from cli.live import live as run_live
    from tamp.api.live import Asked

    if perception != "oracle":
        raise InputError(f"--perception {perception} is not built yet for tamp live; valid: oracle")
    asked = Asked(
        scene=scene,
        backend=backend,
        decider=decider,
        script=script,
        clock=clock,
        seed=seed,
        init_state=init_state,
        llm=llm,
        domain=domain,
        planner=planner,
        seconds=seconds,
        listen=_socket(listen),
        dead_man=dead_man,
        view=view,
        host=host,
        port=port,
        world=world,
        out=out,
    )
    return run_live(asked, json_output)


def _socket(where: str | None) -> Path | int | None:
    """A port, where it is a number, or a path. InputError for a number that is no port."""
    if where is None or not where.lstrip("-").isdigit():
        return None if where is None else Path(where)
    if not 0 <= (port := int(where)) <= 65535:
        raise InputError(f"--listen {where} is no port; valid: 0 to 65535, or a path")
    return port
