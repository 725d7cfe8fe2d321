"""A case as its folder says it: `case.toml` with the files that it names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tamp.data import data_dir
from tamp.errors import InputError
from tamp.files.toml_table import Table, read_placed
from tamp.planning.engine import usual

TABLE = "case.toml"
LONGEST, MOST = 86_400.0, 1e12
"""Seconds that a search may take, a day, and what a plan may cost."""
_CASE = ("domain", "problem", "goal", "solvable", "planner", "timeout", "findings", "good", "bad")
_GOOD = ("plan", "steps", "cost")
_BAD = ("plan", "steps", "step", "unmet")


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


def folders(given: Path) -> list[Path]:
    """The folders of cases: the one given, or those in it. `problems/…` means the shipped ones where there is none.

    InputError when there is none.
    """
    shipped = data_dir("problems").parent / given
    place = given if given.exists() or not shipped.is_dir() else shipped
    if not place.is_dir():
        raise InputError(f"no folder {given}; give one with a {TABLE}, or one of such folders")
    found = [place] if (place / TABLE).is_file() else sorted(p.parent for p in place.glob(f"*/{TABLE}"))
    if not found:
        raise InputError(f"no {TABLE} in {given} nor in a folder of it")
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
    beside = folder / said
    return str(beside) if beside.exists() else said


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
