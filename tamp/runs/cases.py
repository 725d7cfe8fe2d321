"""Regression files: what a domain, a problem and its plans, or a scene must come out as.

A folder with a `case.toml` is a case about a problem (`tamp check --cases`). The files `tests/*.toml` of a domain's
folder are cases about a problem or about a scene (`tamp test`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tamp.errors import InputError
from tamp.files.toml_table import Table, read_placed
from tamp.pddl.engines import usual

TABLE = "case.toml"
LONGEST, MOST = 86_400.0, 1e12
"""Seconds that a search may take, a day, and what a plan may cost."""
_CASE = ("domain", "problem", "goal", "solvable", "planner", "timeout", "findings", "good", "bad")
_GOOD = ("plan", "steps", "cost")
_BAD = ("plan", "steps", "step", "unmet")
LATEST = 2**32 - 1
"""The greatest seed that every simulator takes."""
TESTS = "tests"
"""The folder of a domain's cases, in the domain's."""
Expected = Literal["reached", "refused"]
EXPECTED: tuple[Expected, ...] = ("reached", "refused")
KEYS = ("scene", "goal", "instruction", "seeds", "expect")


@dataclass(frozen=True)
class ExpectedPlan:
    """A plan and its verdict. `name` is its file, or what stands for the steps that are written in the case.

    Of a good plan `cost` may be expected; of a bad one the number of the step that fails, 0 for a goal that is
    missed, and a literal that is unmet.
    """

    name: str
    steps: tuple[str, ...] | None
    good: bool
    cost: float | None = None
    step: int | None = None
    unmet: str | None = None


@dataclass(frozen=True)
class Case:
    """What a folder expects; None where it expects nothing."""

    folder: Path
    domain: str
    problem: Path
    goal: str | None = None
    solvable: bool | None = None
    planner: str = field(default_factory=usual)
    timeout: float = 60.0
    findings: tuple[str, ...] | None = None
    plans: tuple[ExpectedPlan, ...] = ()
    file: str = TABLE

    @property
    def name(self) -> str:
        """The folder's own name, or of a file of another name than `case.toml` that."""
        return self.folder.resolve().name if self.file == TABLE else self.file.removesuffix(".toml")


@dataclass(frozen=True)
class SceneCase:
    """A scene, and goals in it one after the other, or words; with both the words must come to these goals.

    `seeds` draw the scene; `refused`: nothing moves, and a reason is given.
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


def folders(given: Path) -> list[Path]:
    """The folders of cases: the one given, or those in it. InputError when there is none."""
    if not given.is_dir():
        raise InputError(f"no folder {given}; give one with a {TABLE}, or one of such folders")
    found = [given] if (given / TABLE).is_file() else sorted(p.parent for p in given.glob(f"*/{TABLE}"))
    if not found:
        raise InputError(f"no {TABLE} in {given} nor in a folder of it")
    return found


def cases_of(folder: Path) -> list[tuple[Path, Case | SceneCase]]:
    """The cases `tests/*.toml` of a domain's folder, with their files. InputError for one that cannot be read."""
    found: list[tuple[Path, Case | SceneCase]] = []
    for path in sorted((folder / TESTS).glob("*.toml")):
        table = read_placed(path)
        if not table.has("scene") and not table.has("problem"):
            valid = 'valid: scene = "mug_in_drawer", or problem = "problem.pddl"'
            raise InputError(f"{path}: it names no scene and no problem; {valid}")
        found.append((path, read_scene_case(path) if table.has("scene") else read_case(path, folder)))
    return found


def read_case(place: Path, domain: Path | None = None) -> Case:
    """The case of a folder, or of a file; `domain` is what it is about where it does not say.

    InputError for keys that there are none of, and values of the wrong kind.
    """
    path = place / TABLE if place.is_dir() else place
    folder, table = path.parent, read_placed(path)
    if table.has("scene"):
        raise table.wrong("it is about a scene; `tamp test FOLDER` runs it, in the folder of a domain", "scene")
    table.only(*_CASE)
    usually = "" if domain is None else str(domain.resolve())
    findings = table.texts("findings", '["unused-predicate"]', several=True) if table.has("findings") else None
    return Case(
        folder,
        _domain(
            table.text("domain", 'domain = "domain.pddl"') if table.has("domain") or not usually else usually, folder
        ),
        folder / table.text("problem", 'problem = "problem.pddl"'),
        table.text("goal", '"(on a b)"') if table.has("goal") else None,
        table.flag("solvable", "true or false") if table.has("solvable") else None,
        table.text("planner", '"fast-downward"') if table.has("planner") else usual(),
        table.number("timeout", "seconds, more than 0, up to a day", 0.01, LONGEST) if table.has("timeout") else 60.0,
        None if findings is None else tuple(sorted(findings)),
        tuple(_plan(said, kind == "good", n) for kind in ("good", "bad") for n, said in _plans(table, kind)),
        path.name,
    )


def _domain(said: str, folder: Path) -> str:
    own = folder / said
    return str(own) if own.exists() else said


def _plans(table: Table, kind: str) -> Iterator[tuple[int, Table]]:
    if table.has(kind):
        yield from enumerate(table.rows(kind, f"tables [[{kind}]]"), 1)


def _plan(said: Table, good: bool, number: int) -> ExpectedPlan:
    said.only(*(_GOOD if good else _BAD))
    if said.has("plan") == said.has("steps"):
        raise said.wrong('give either plan = "FILE" or steps = ["(pick a b)"]')
    named = said.text("plan", "the name of a file") if said.has("plan") else None
    return ExpectedPlan(
        named or f"{'good' if good else 'bad'} plan {number}",
        None if named else said.texts("steps", 'a list such as ["(pick a b)"]', several=True),
        good,
        said.number("cost", "a number", -MOST, MOST) if said.has("cost") else None,
        said.whole("step", "the number of a step, 0 when only the goal is missed") if said.has("step") else None,
        said.text("unmet", "a literal such as (not (clear a))") if said.has("unmet") else None,
    )


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
