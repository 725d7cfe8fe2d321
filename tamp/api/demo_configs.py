"""The config of recording demonstrations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from tamp.api.configs import LATEST_SEED, Disturb, DomainName, Planner, usual_planner
from tamp.api.options import Option


@dataclass(frozen=True)
class DemosConfig:
    """Record demonstrations: episodes that LIBERO's check accepts, as a data set that policies are trained on.

    Seeds draw the scenes: never one of the stored initial states that policies are evaluated on. Both cameras,
    proprioception, LIBERO's standard action at 20 Hz, language; and the plan's step, facts, poses and MuJoCo's states.
    Goes on where it was interrupted when given the same --out.
    """

    suites: Annotated[
        Sequence[str], Option("Suites such as libero_goal, or scenes with a task.", "SUITE...", positional=True)
    ]
    out: Annotated[Path, Option("Folder: the data set goes into its dataset/, next to logs and results.", "DIR")]
    n: Annotated[int, Option("Episodes a task; what does not succeed is left out.", min=1, max=1_000_000)] = 1
    format: Annotated[
        Literal["lerobot", "hdf5"], Option("lerobot: a LeRobotDataset v3; hdf5: LIBERO's own files, one a task.")
    ] = "lerobot"
    tasks: Annotated[str | None, Option("Only these tasks, as 0,3,5-7.", "IDS")] = None
    size: Annotated[int, Option("Height and width of the pictures, pixels.", min=32, max=480)] = 256
    masks: Annotated[bool, Option("Keep which thing each pixel shows, too; twice the drawing.")] = False
    disturb: Disturb = None
    workers: Annotated[int, Option("Episodes at a time.", min=1, max=1024)] = 1
    engine: Annotated[Literal["local", "ray"], Option("Where the workers run.")] = "local"
    seed: Annotated[int, Option("The first seed; episode N of a task has this plus N.", min=0, max=LATEST_SEED)] = 0
    planner: Planner = field(default_factory=usual_planner)
    domain: DomainName = "tabletop"
