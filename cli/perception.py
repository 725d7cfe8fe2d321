"""`tamp perception`: pictures of scenes with what is true beside them, and what the camera mode makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cli import options as opt
from cli.output import emit_json, progress
from tamp.quiet import hush_warnings, quiet_stdout

perception_app = typer.Typer(help="Pictures to measure the camera mode by, and to train on.", no_args_is_help=True)

Scenes = Annotated[list[str], typer.Argument(help=f"Each {opt.SCENES}.", metavar="SCENE...")]
Out = Annotated[Path, typer.Option(help="Folder of the recordings; what is there already is kept.", metavar="DIR")]
Moments = Annotated[
    int | None,
    typer.Option(help="Act the scene's own goal, and look each N control steps; else at the start only.", min=1),
]
Size = Annotated[int, typer.Option(help="Height and width of the pictures, pixels.", min=32, max=1024)]


@opt.command(perception_app)
def record(
    scenes: Scenes,
    out: Out,
    init_state: opt.InitState = None,
    seed: opt.SceneSeed = None,
    noise: opt.RecordedNoise = "clean",
    size: Size = 480,
    moments: Moments = None,
    domain: opt.Domain = "tabletop",
    json_output: opt.Json = False,
) -> int:
    """Record what the cameras see, with the truth beside it.

    Colour, depth, intrinsics, poses, joint values; in a folder of its own, truth/, which thing each pixel shows, names,
    poses, joint values and facts. A folder for each scene.
    """
    from tamp.api import recording

    hush_warnings()
    with quiet_stdout() as stdout:
        told, orders = (
            [],
            recording.orders(
                scenes, init_state=init_state, seed=seed, noise=noise, size=size, moments=moments, domain=domain
            ),
        )
        with progress("recording", len(orders)) as done:
            for order in orders:
                told.append(recording.recorded(order, out / order.name))
                done(order.name)
        if json_output:
            emit_json({"recordings": told}, stdout)
        else:
            stdout.writelines(f"{_line(t)}\n" for t in told)
    return 0


def _line(told: dict[str, Any]) -> str:
    what = f"{told['moments']} moment{'s' if told['moments'] > 1 else ''}"
    if told["kept"]:
        return f"{told['folder']}: {what}, recorded before"
    ended = {True: ", the episode succeeded", False: f", the episode failed: {told['reason']}"}.get(told["success"], "")
    return f"{told['folder']}: {what}, {told['things']} things{ended}"


Recordings = Annotated[Path, typer.Argument(help="A recording, or a folder of several.", metavar="DIR")]
Pictures = Annotated[Path | None, typer.Option(help="Folder of the pictures; by default DIR itself.", metavar="DIR")]


@opt.command(perception_app)
def show(folder: Recordings, out: Pictures = None, json_output: opt.Json = False) -> int:
    """Perceive a recording, and draw what was seen on its pictures.

    Masks, boxes, axes, names and how sure they are, on each picture: 0000_agentview_seen.png. What is true is not
    looked at. Things are followed from moment to moment, as in an episode.
    """
    from tamp.api import recording

    hush_warnings()
    with quiet_stdout() as stdout:
        told = list(recording.perceived(folder, out))
        if json_output:
            emit_json({"recordings": told}, stdout)
        else:
            for t in told:
                stdout.writelines(f"{line}\n" for line in _lines(t))
    return 0


def _lines(told: dict[str, Any]) -> list[str]:
    lines = [f"{told['folder']}"]
    for m in told["moments"]:
        lines.append(f"  after {m['time']:.2f} s, drawn in {', '.join(p.name for p in m['pictures'])}")
        for t in m["things"]:
            x, y, z = t["position"]
            like = f", or {', '.join(t['like'])}" if t["like"] else ""
            joints = "".join(f", {name} at {v:g}" for name, v in t["joints"].items())
            lines.append(f"    {t['name']}  {t['confidence']:.2f}  at ({x:.3f}, {y:.3f}, {z:.3f}){joints}{like}")
    return lines
