"""`tamp xarm`: real arms, and one that is emulated."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from cli import options as opt
from cli.output import emit_json
from tamp.api.arguments import CONTROL_PORT

xarm_app = typer.Typer(help="UFACTORY arms: run plans on them, or emulate one.", no_args_is_help=True)

Model = Annotated[Literal["xarm5", "xarm6", "xarm7", "lite6", "850"], typer.Option(help="The arm.")]
Address = Annotated[str, typer.Option(help="Address to listen at.", metavar="IP")]
Port = Annotated[int, typer.Option(help="Control port; the SDK knows 502 only.", min=1, max=65535)]
FaultPort = Annotated[int, typer.Option(help="Port for faults and questions; 0: any free one.", min=0, max=65535)]
Seconds = Annotated[float | None, typer.Option(help="End after so long.", min=0.0, max=1e6)]
Thing = Annotated[
    list[str] | None, typer.Option("--thing", help="Something that its detector sees.", metavar="LABEL=X,Y,Z")
]
WorldScene = Annotated[
    str | None, typer.Option("--scene", help="The scene that it stands in: as of tamp solve.", metavar="SCENE")
]
Detections = Annotated[
    str | None,
    typer.Option(help="Where its detector speaks; with --thing tcp://127.0.0.1:5556.", metavar="tcp://IP:PORT"),
]


@opt.command(xarm_app, "emulate")
def xarm_emulate(
    model: Model = "xarm7",
    host: Address = "127.0.0.2",
    port: Port = CONTROL_PORT,
    fault_port: FaultPort = 0,
    seconds: Seconds = None,
    thing: Thing = None,
    detections: Detections = None,
    scene: WorldScene = None,
    init_state: opt.InitState = None,
    seed: opt.Seed = 0,
    json_output: opt.Json = False,
) -> int:
    """Emulate an arm's controller, which the arm's own SDK cannot tell from a real one.

    With --thing it has a detector too, which knows all. With --scene it stands in that scene, where things weigh
    something, are gripped and stop the arm. Says one line when it listens; ends on Ctrl-C, on SIGTERM and after
    --seconds.
    """
    from tamp.api.emulating import Listens, StandsIn, emulate

    def tell(at: Listens) -> None:
        if json_output:
            about = {"model": model, "host": at.host, "port": at.port, "reports": list(at.reports)}
            emit_json(about | {"detections": at.detections, "fault_port": at.fault_port}, sys.stdout)
            return
        where = f"control {at.port}, reports {', '.join(map(str, at.reports))}, faults {at.fault_port}"
        sees = f", detections at {at.detections}" if at.detections else ""
        sys.stdout.write(f"{model} at {at.host}: {where}{sees}\n")
        sys.stdout.flush()

    return emulate(
        model,
        tell,
        host=host,
        port=port,
        fault_port=fault_port,
        seconds=seconds,
        things=thing or [],
        detections=detections,
        scene=None if scene is None else StandsIn(scene, init_state, seed),
    )


Plan = Annotated[Path, typer.Argument(help="An action plan, JSON; with --domain a plan of that.", metavar="PLAN")]
Domain = Annotated[str | None, typer.Option(help="The plan is one of this PDDL domain.", metavar="NAME|DIR")]
Problem = Annotated[Path | None, typer.Option(help="The PDDL problem that the plan solves.", metavar="FILE")]
World = Annotated[
    Path | None,
    typer.Option(help="The world's TOML file, or a shipped one: bench; else ./xarm.toml.", metavar="FILE|NAME"),
]
Host = Annotated[str | None, typer.Option(help="The arm's address; the world's own unless given.", metavar="IP")]
ArmPort = Annotated[int, typer.Option(help="Control port; only emulated arms have another.", min=1, max=65535)]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Go through it without moving.")]
Scale = Annotated[float, typer.Option(help="Share of the world's speeds.", min=0.01, max=1.0)]


@opt.command(xarm_app, "run")
def xarm_run(
    plan: Plan,
    domain: Domain = None,
    problem: Problem = None,
    world: World = None,
    host: Host = None,
    port: ArmPort = CONTROL_PORT,
    dry_run: DryRun = False,
    speed_scale: Scale = 1.0,
    no_second_check: opt.Once = False,
    dead_man: opt.DeadMan = None,
    view: opt.View = False,
    out: opt.EpisodeFolder = None,
    json_output: opt.Json = False,
) -> int:
    """Run a plan on an arm: 0 done, 1 not done, 2 a plan or a world that is wrong, 130 stopped."""
    from cli.arm_run import run_plan

    scale, twice = speed_scale, not no_second_check
    return run_plan(plan, world, host, port, dry_run, scale, twice, dead_man, out, json_output, domain, problem, view)


@opt.command(xarm_app, "clear")
def xarm_clear(world: World = None, host: Host = None, port: ArmPort = CONTROL_PORT) -> int:
    """Clear the error that stopped an arm, once what caused it is mended. Nothing moves."""
    from cli.arm_run import clear_error

    return clear_error(world, host, port)
