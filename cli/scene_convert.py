"""`tamp scene convert`: a scene of LIBERO as a folder with a `scene.toml` of one's own."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from cli import options as opt
from cli.output import emit_json, say
from tamp.quiet import quiet_stdout

if TYPE_CHECKING:
    from tamp.backends.libero.scene_conversion import Conversion

Written = Annotated[
    Path | None,
    typer.Option(help="The folder that is made; by default libero_goal-3-state0, or -seed0, here.", metavar="DIR"),
]


def convert(
    scene: opt.SceneArgument,
    init_state: opt.InitState = None,
    seed: opt.SceneSeed = None,
    out: Written = None,
    json_output: opt.Json = False,
) -> int:
    """Write a scene as a folder with a scene.toml.

    Everything where it is, what is open and turned on, the instruction and the goal. The file is built and compared
    with what it was made from; what does not come out the same is refused, exit 1.

    Example: tamp scene convert libero_goal/3 --init-state 0
    """
    from tamp.api.converting import convert as converted

    with quiet_stdout() as stdout:
        made = converted(scene, init_state=init_state, seed=seed, out=out, say=lambda line: say(f"tamp: {line}"))
        told = _told(made.name, made.file, made.conversion)
        emit_json(told, stdout) if json_output else _print(told, made.file.parent, stdout)
    return 0


def _told(name: str, path: Path, made: Conversion) -> dict[str, Any]:
    off = {thing: {"metres": round(m, 6), "radians": round(r, 6)} for thing, (m, r) in made.off.items()}
    return {"scene": name, "written": path, "goal": made.goal, "notes": made.notes, "off": off}


def _print(told: dict[str, Any], folder: Path, stdout: TextIO) -> None:
    from numpy import degrees

    metres, radians = (max(o[unit] for o in told["off"].values()) for unit in ("metres", "radians"))
    said = shlex.quote(str(folder) if len(folder.parts) > 1 else f"./{folder}")
    stdout.write(f"wrote    {told['written']}\n")
    stdout.write(f"loaded   all within {1000 * metres:.1f} mm and {degrees(radians):.1f} degrees of where it was\n")
    stdout.writelines(f"note     {note}\n" for note in told["notes"])
    stdout.write(f"next     tamp scene show {said}\n         tamp solve --scene {said}\n")
