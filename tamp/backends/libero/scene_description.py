"""A scene before it is built, whichever file describes it: BDDL, a `scene.toml` that declares things, or MJCF."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from motion.poses import Array
from tamp.backends.libero.categories import Category
from tamp.backends.mujoco.mjcf_scene import MjcfScene
from tamp.files.toml_table import Table
from tamp.model.scene import RobotState, Scene, SceneObject
from tamp.perception.predicates import symbols_of

Relation = Literal["on", "in", "beside"]
DEFAULT_STEP_LIMIT = 400
NOWHERE = RobotState(np.zeros(7), 0.0, np.eye(4))


@dataclass(frozen=True, eq=False)
class DeclaredThing:
    """One thing of a declared scene.

    `target` is the symbol that it is on or in, the table's too, or the thing that it is beside, and `owner` the thing
    that the target belongs to, None for the table. `region` (x_min, y_min, x_max, y_max) and `at` (x, y) are metres in
    the world, `yaw` radians about the vertical. `opened` are the names of the parts that start open, or on.
    """

    name: str
    category: Category
    relation: Relation
    target: str
    owner: str | None
    region: Array | None = None
    at: Array | None = None
    yaw: float | None = None
    opened: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """In words, as the file has it."""
        return f"{self.relation} {self.target}"


@dataclass(frozen=True, eq=False)
class Declaration:
    """What a scene file declares. `table` is the file, for messages."""

    table: Table
    arena: Arena
    things: tuple[DeclaredThing, ...]

    def thing(self, name: str) -> DeclaredThing:
        """The thing called `name`."""
        return next(t for t in self.things if t.name == name)

    def symbols(self) -> dict[str, str]:
        """Every symbol that a goal can name, with its type in the tabletop domain."""
        return {**types_of(*(t.category.thing for t in self.things)), self.arena.symbol: "surface"}

    def bddl(self, words: str) -> str:
        """The file that LIBERO's environment is built from: every thing at a place of its own beside the table, from
        where it is put where it belongs. `words` are the instruction."""
        names = [t.name for t in self.things]
        ground = self.arena.symbol
        regions = "\n".join(_spot(ground, name, n) for n, name in enumerate(names))
        fixed = [f"{ground} - {self.arena.category}", *_typed(t for t in self.things if t.category.fixed)]
        init = " ".join(f"(On {name} {ground}_spot_{name})" for name in names)
        return (
            f"(define (problem {self.arena.problem}) (:domain robosuite) (:language {words})\n"
            f"(:regions\n{regions})\n(:fixtures {' '.join(fixed)})\n"
            f"(:objects {' '.join(_typed(t for t in self.things if not t.category.fixed))})\n"
            f"(:obj_of_interest) (:init {init}) (:goal (And)))\n"
        )


@dataclass(frozen=True)
class Task:
    """A scene to act in: its BDDL file, or instead what it declares, or its MJCF, its instruction ("" for none), and
    how many control steps it may take.

    `names` are what people call things in this scene, phrase to symbol. `seed` draws the scene unless another one is
    given, `goal` is the scene's own formula, `file` the scene's file. `unchecked` says why LIBERO cannot check a goal
    here, "" where it can.
    """

    name: str
    bddl: Path | None
    instruction: str
    step_limit: int = DEFAULT_STEP_LIMIT
    suite: str | None = None
    task_id: int | None = None
    names: dict[str, str] = field(default_factory=dict)
    seed: int = 0
    goal: str | None = None
    declared: Declaration | None = None
    unchecked: str = ""
    mjcf: MjcfScene | None = None
    file: Table | None = None

    @property
    def is_checked(self) -> bool:
        """Whether LIBERO has a check of the scene's task."""
        return not self.unchecked

    @property
    def source(self) -> str:
        """The path of the file that says what is asked for in it, empty where none does."""
        return self.file.name if self.file is not None else str(self.bddl or "")


def types_of(*things: SceneObject) -> dict[str, str]:
    """The symbols of some things, each with its type in the tabletop domain."""
    return {**{t.name: "fixture" for t in things if not t.movable}, **symbols_of(Scene(things, NOWHERE))}


AWAY, APART = 5.0, 1.5
"""Metres from the table at which the first thing waits, and between two of them."""


def _spot(ground: str, name: str, number: int) -> str:
    y = AWAY + APART * number
    return f"(spot_{name} (:target {ground}) (:ranges ((-0.01 {y - 0.01} 0.01 {y + 0.01}))))"


def _typed(things: Iterable[DeclaredThing]) -> list[str]:
    """Names and categories as LIBERO's reader takes them: each category once."""
    found: dict[str, list[str]] = {}
    for thing in things:
        found.setdefault(thing.category.name, []).append(thing.name)
    return [f"{' '.join(names)} - {category}" for category, names in found.items()]


@dataclass(frozen=True)
class Arena:
    """A room with an arm in it. `symbol` is what goals call that on which things stand, `category` what LIBERO calls
    that; `room` what its class of tasks does. `low` and `high` are corners (x, y) of the table in
    the world, `height` that of its top, all in metres."""

    name: str
    symbol: str
    category: str
    room: str
    low: tuple[float, float]
    high: tuple[float, float]
    height: float

    @property
    def problem(self) -> str:
        """LIBERO's class of tasks."""
        return f"LIBERO_{self.room}_Manipulation"


ARENAS = (
    Arena("tabletop", "main_table", "table", "Tabletop", (-0.5, -0.6), (0.5, 0.6), 0.9),
    Arena("kitchen", "kitchen_table", "kitchen_table", "Kitchen_Tabletop", (-0.5, -0.6), (0.5, 0.6), 0.9),
    Arena(
        "living_room",
        "living_room_table",
        "living_room_table",
        "Living_Room_Tabletop",
        (-0.824, -0.821),
        (0.339, 0.901),
        0.437,
    ),
    Arena("study", "study_table", "study_table", "Study_Tabletop", (-0.689, -1.393), (0.689, 1.393), 0.885),
    Arena("coffee_table", "coffee_table", "coffee_table", "Coffee_Table", (-0.35, -0.74), (0.35, 0.86), 0.424),
    Arena("floor", "floor", "floor", "Floor", (-3.0, -3.0), (3.0, 3.0), 0.0),
)
