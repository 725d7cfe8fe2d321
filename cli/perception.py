"""`tamp perception`: pictures of scenes with what is true beside them, and what the camera mode makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import options as opt
from cli.output import emit_json, progress
from tamp.quiet import hush_simulator, hush_warnings, quiet_stdout

if TYPE_CHECKING:
    from tamp.backends.libero.recording import Order
    from tamp.perception.library import Library
    from tamp.perception.tracks import Track

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
    from tamp.api import arguments
    from tamp.backends.libero import rendering

    rendering.prepare(video=False, pictures=True)
    hush_warnings()
    with quiet_stdout() as stdout, hush_simulator():
        from tamp.backends.libero.recording import Order
        from tamp.backends.libero.tasks import find

        loaded, told = arguments.domain(domain), []
        orders = []
        for task in map(find, scenes):
            drawn = task.seed if seed is None else seed
            orders.append(Order(task, loaded, drawn, init_state, noise, (size, size), moments))
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
    """What there is now of an order; it is left alone where that scene was recorded before in that size."""
    from dataclasses import asdict

    from tamp.backends.libero.recording import record as record_one
    from tamp.perception import recordings

    if (folder / recordings.INDEX).is_file():
        before = recordings.read(folder)
        if (before.about.get("content"), before.about.get("size")) == (order.content, list(order.size)):
            return {"folder": folder, "moments": len(before.moments), "kept": True}
    return {**asdict(record_one(order, folder)), "kept": False}


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
    from tamp.backends.libero import rendering

    rendering.prepare(video=False)
    hush_warnings()
    with quiet_stdout() as stdout:
        from tamp.perception import recordings
        from tamp.perception.library import load

        library, told = load(), []
        for one in recordings.recordings(folder):
            told.append(_perceived(one, (out or folder) / one.relative_to(folder), library))
        if json_output:
            emit_json({"recordings": told}, stdout)
        else:
            for t in told:
                stdout.writelines(f"{line}\n" for line in _lines(t))
    return 0


def _perceived(folder: Path, out: Path, library: Library) -> dict[str, Any]:
    """What is seen at each moment of a recording; the pictures of it are written."""
    from tamp.perception import recordings
    from tamp.perception.camera import CameraPerceiver
    from tamp.perception.overlay import overlaid, shown, unknown

    recording = recordings.read(folder)
    now, moments = recording.felt[0], []
    eyes = CameraPerceiver(lambda: now, library, recording.robot)
    out.mkdir(parents=True, exist_ok=True)
    for observation, n in recordings.played(recording):
        now = observation
        eyes.felt(now)
        if n is None:
            continue
        scene = eyes.perceive()
        there = [t for t in eyes.tracks.values() if not t.lost]
        things = [shown(t.name, t.confidence, t.placed) for t in there]
        things += [unknown(f"unknown_{i}", u.low, u.high) for i, u in enumerate(eyes.unknown, 1)]
        pictures = [out / f"{n:04d}_{image.camera}_seen.png" for image in now.images]
        for path, image in zip(pictures, now.images, strict=True):
            recordings.write_png(path, overlaid(image, things))
        moments.append({"time": scene.time, "things": [_told(t) for t in there], "pictures": pictures})
    return {"folder": folder, "moments": moments}


def _told(track: Track) -> dict[str, Any]:
    where, joints = track.placed.T_world_object[:3, 3], track.placed.joints
    told = {"name": track.name, "confidence": round(track.confidence, 3), "position": where.round(4)}
    return told | {"like": track.like, "joints": {name: round(v, 4) for name, v in joints.items()}}


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
