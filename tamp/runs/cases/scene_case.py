"""Cases that are about a scene: what is asked for in it, and whether it is to be reached or refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tamp.errors import InputError
from tamp.files.toml_file import read_toml
from tamp.files.toml_table import Table, read_placed
from tamp.runs.cases.case import Case, read_case

LATEST = 2**32 - 1
"""The greatest seed that every simulator takes."""
TESTS = "tests"
"""The folder of a domain's cases, in the domain's."""
Expected = Literal["reached", "refused"]
EXPECTED: tuple[Expected, ...] = ("reached", "refused")
KEYS = ("scene", "goal", "instruction", "seeds", "expect")


@dataclass(frozen=True)
class SceneCase:
    """A scene, and goals in it one after the other, or words; with both the words must come to these goals.

    `seeds` draw the scene; `refused`: nothing moves, and a reason is told.
    """

    path: Path
    scene: str
    goals: tuple[str, ...] = ()
    instruction: str | None = None
    seeds: tuple[int, ...] = (0,)
    expect: Expected = "reached"
    table: Table | None = field(default=None, repr=False, compare=False)

    def misread(self, goal: str | list[str] | None) -> str | None:
        """What the words came to, in a message, where that is not what they should."""
        found = [goal] if isinstance(goal, str) else goal or []
        if self.instruction is None or not self.goals or not found or _plain(found) == _plain(self.goals):
            return None
        return f"the words came to {', then '.join(found)}"

    def wrong(self, message: object, key: str) -> InputError:
        """The error about the value at a key, with file and line."""
        return self.table.wrong(str(message), key) if self.table else InputError(f"{self.path}: {message}")


def cases_of(folder: Path) -> list[tuple[Path, Case | SceneCase]]:
    """The cases `tests/*.toml` of a domain's folder, with their files. InputError for one that cannot be read."""
    return [(path, read_any(path, folder)) for path in sorted((folder / TESTS).glob("*.toml"))]


def read_any(path: Path, domain: Path) -> Case | SceneCase:
    """A case of a domain: about a scene where it names one, else about a problem. InputError where it is none."""
    table = read_toml(path)
    if "scene" not in table and "problem" not in table:
        valid = 'valid: scene = "mug_in_drawer", or problem = "problem.pddl"'
        raise InputError(f"{path}: it names no scene and no problem; {valid}")
    return read_scene_case(path) if "scene" in table else read_case(path, domain)


def read_scene_case(path: Path) -> SceneCase:
    """A case about a scene. InputError with file and line."""
    table = read_placed(path)
    table.only(*KEYS)
    if not table.has("goal") and not table.has("instruction"):
        raise table.wrong('nothing is asked for; valid: goal = "(…)", or instruction = "…"')
    scene = table.text("scene", '"mug_in_drawer", as for tamp solve --scene')
    expect = table.text("expect", '"reached" or "refused"') if table.has("expect") else "reached"
    if expect not in EXPECTED:
        raise table.wrong(f"expect is {expect!r}; valid: {', '.join(EXPECTED)}", "expect")
    return SceneCase(
        path,
        str(path.parent / scene) if (path.parent / scene).exists() else scene,
        _goals(table),
        table.text("instruction", "what is said") if table.has("instruction") else None,
        _seeds(table),
        expect,
        table,
    )


def _plain(goals: Sequence[str]) -> list[str]:
    """Formulas without what only their layout has."""
    return [" ".join(re.sub(r"([()])", r" \1 ", goal.lower()).split()) for goal in goals]


def _goals(table: Table) -> tuple[str, ...]:
    if not table.has("goal"):
        return ()
    several = isinstance(table.values["goal"], list)
    valid = '"(on mug_1 plate_1)", or a list of such, one after the other'
    return table.texts("goal", valid) if several else (table.text("goal", valid),)


def _seeds(table: Table) -> tuple[int, ...]:
    seeds = table.values.get("seeds", [0])
    good = isinstance(seeds, list) and seeds and all(type(s) is int and 0 <= s <= LATEST for s in seeds)
    if not good:
        raise table.no("seeds", "whole numbers from 0, as [0, 1]")
    return tuple(seeds)
