"""`tamp perception`: pictures of scenes with what is true beside them, and what the camera mode makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import options as opt
from cli.output import emit_json, hush_simulator, hush_warnings, progress, quiet_stdout

if TYPE_CHECKING:
    from tamp.backends.libero.recording import Order

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
    seed: opt.Seed = 0,
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
    from cli import inputs
    from tamp.backends.libero import rendering

    rendering.prepare(video=False, pictures=True)
    hush_warnings()
    with quiet_stdout() as stdout, hush_simulator():
        from tamp.backends.libero.recording import Order
        from tamp.backends.libero.tasks import find

        loaded, told = inputs.domain(domain), []
        orders = [Order(find(s), loaded, seed, init_state, noise, (size, size), moments) for s in scenes]
        with progress("recording", len(orders)) as done:
            for order in orders:
                told.append(_recorded(order, out / order.name))
                done(order.name)
        if json_output:
            emit_json({"recordings": told}, stdout)
        else:
            stdout.writelines(f"{_line(t)}\n" for t in told)
    return 0


def _recorded(order: Order, folder: Path) -> dict[str, Any]:
    """What there is now of an order; it is left alone where it was recorded before."""
    from dataclasses import asdict

    from tamp.backends.libero.recording import record as record_one
    from tamp.perception import recordings

    if (folder / recordings.INDEX).is_file():
        return {"folder": folder, "moments": len(recordings.read(folder).moments), "kept": True}
    return {**asdict(record_one(order, folder)), "kept": False}


def _line(told: dict[str, Any]) -> str:
    what = f"{told['moments']} moment{'s' if told['moments'] > 1 else ''}"
    if told["kept"]:
        return f"{told['folder']}: {what}, recorded before"
    ended = {True: ", the episode succeeded", False: f", the episode failed: {told['reason']}"}.get(told["success"], "")
    return f"{told['folder']}: {what}, {told['things']} things{ended}"
