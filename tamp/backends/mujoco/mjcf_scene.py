"""Reads what a scene.toml states about an MJCF scene."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from motion.poses import Array, pose, rotation_about
from tamp.files.toml_table import Table
from tamp.model.goal_syntax import valid

KEYS = ("mjcf", "base", "yaw", "body", "scatter")
USUAL_BODY = "panda"
FARTHEST = 100.0
"""Metres that a robot may be from a scene's origin: scenes of whole flats are built."""


@dataclass(frozen=True, eq=False)
class ThingNotes:
    """What the scene file states about a thing."""

    category: str | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class MjcfScene:
    """An MJCF file, and where its robot stands: `base` (3,) metres and `yaw` radians of the robot `body`. `scatter` is
    by how many metres each way, and how many radians about the vertical, a seed moves what can be carried. `table` is
    the scene's file, for messages."""

    table: Table
    file: Path
    base: Array
    yaw: float
    body: str
    scatter: tuple[float, float]
    notes: Mapping[str, ThingNotes]

    @property
    def T_world_base(self) -> Array:
        """The robot's base (4, 4)."""
        return pose(self.base, rotation_about(np.array([0.0, 0.0, 1.0]), self.yaw))


def read_mjcf_scene(t: Table, folder: Path) -> MjcfScene:
    """What a scene file states about an MJCF file in its folder. InputError, with file and line, for whatever is wrong
    in it; the MJCF itself is read when the scene is built."""
    file = file_beside(t, "mjcf", folder, "*.xml")
    base = t.metres("base", 3, "[x, y, z] in metres", FARTHEST) if t.has("base") else np.zeros(3)
    body = t.text("body", "a robot, as xarm7, or its .toml") if t.has("body") else USUAL_BODY
    if body.endswith(".toml"):
        body = str(folder / body)
    notes = {name: _notes(each) for name, each in t.tables("things", "a table such as [things.mug_1]")}
    return MjcfScene(t, file, base, t.angle("yaw"), body, _scatter(t), notes)


def file_beside(t: Table, key: str, folder: Path, others: str) -> Path:
    """The file in a folder that a key names. InputError, with those that match a pattern, where there is none."""
    kind = key.upper()
    file = folder / t.text(key, f"the name of a file ({kind}) in this folder")
    if not file.is_file():
        near = ", ".join(sorted(p.name for p in folder.glob(others))) or "none in this folder"
        raise t.wrong(f"no such {kind} file: {file}; there: {near}", key)
    return file


def check_names(t: Table, known: Collection[str]) -> None:
    """InputError, with file and line, where [names] gives a name to what is not there."""
    for text, symbol in (t.values.get("names") or {}).items():
        if symbol not in known:
            raise t.wrong(f"names: no {symbol!r} in this scene; {valid(symbol, known)}", "names", text)


def _scatter(t: Table) -> tuple[float, float]:
    if not t.has("scatter"):
        return 0.0, 0.0
    valid = "[metres, radians], as [0.02, 0.3]"
    metres, radians = t.numbers("scatter", 2, valid).tolist()
    if not (0 <= metres <= 0.5 and 0 <= radians <= np.pi):
        raise t.wrong(f"scatter is [{metres:g}, {radians:g}]; valid: {valid}", "scatter")
    return metres, radians


def _notes(table: Table) -> ThingNotes:
    table.only("category", "names")
    category = table.text("category", "a word for it, as mug") if table.has("category") else None
    return ThingNotes(category, table.texts("names", 'what people call it, as ["cup"]') if table.has("names") else ())
