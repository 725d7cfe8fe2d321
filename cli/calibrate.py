"""`tamp calibrate`: where cameras really are, from a recording in which the hand moves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli import options as opt
from cli.output import emit_json
from tamp.quiet import hush_warnings, quiet_stdout

Views = Annotated[Path, typer.Argument(help="A recording with views from several places.", metavar="DIR")]
Written = Annotated[
    Path | None, typer.Option(help="Where it is written; by default DIR/calibration.json.", metavar="FILE")
]


def calibrate(folder: Views, out: Written = None, json_output: opt.Json = False) -> int:
    """Find out where the cameras of a recording really are, and write it down.

    A fixed camera by the robot in its pictures, one in the hand by what the fixed ones see. The file is for
    --calibration of solve and bench; the fixed cameras are also printed as an arm's world file has them.

    Example: tamp calibrate recordings/libero_goal-3-state40-each15
    """
    from tamp.api.calibrating import calibrated

    hush_warnings()
    with quiet_stdout() as stdout:
        import numpy as np

        found, file, world = calibrated(folder, out)
        if json_output:
            emit_json({"cameras": {f.camera: f.as_record() for f in found}, "out": file}, stdout)
            return 0
        for f in found:
            metres, radians = f.size
            where = "in the hand" if f.on_hand else "fixed"
            stdout.write(
                f"{f.camera} ({where}): {1000 * metres:.1f} mm and {np.degrees(radians):.2f} degrees from where it is "
                f"said to be, by {f.views} views that differ by {1000 * f.scatter[0]:.1f} mm and "
                f"{np.degrees(f.scatter[1]):.2f} degrees\n"
            )
        stdout.write(f"written to {file}; as a world file has it:\n")
        stdout.writelines(f"    {line}\n" for line in world)
    return 0
