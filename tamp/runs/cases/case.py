"""A case as its folder says it: `case.toml` with the files that it names."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tamp.data import data_dir
from tamp.errors import InputError
from tamp.files.toml_file import read_toml
from tamp.planning.engine import usual

TABLE = "case.toml"
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
    folder, table = path.parent, read_toml(path)
    if "scene" in table:
        raise InputError(f"{path}: it is about a scene; `tamp test FOLDER` runs it, in the folder of a domain")
    _check_keys(table, _CASE, f"{path}")
    if domain is not None:
        table = {"domain": str(domain.resolve()), **table}
    for key in ("domain", "problem"):
        if not isinstance(table.get(key), str):
            raise InputError(f'{path}: {key} is missing; valid: {key} = "{key}.pddl"')
    kinds: dict[str, tuple[tuple[type, ...], str]] = {
        "goal": ((str,), '"(on a b)"'),
        "solvable": ((bool,), "true or false"),
        "planner": ((str,), '"fast-downward"'),
        "timeout": ((int, float), "seconds"),
        "findings": ((list,), '["unused-predicate"]'),
        "good": ((list,), "tables [[good]]"),
        "bad": ((list,), "tables [[bad]]"),
    }
    for key, (kind, valid) in kinds.items():
        _check_kind(table, key, kind, valid, str(path))
    plans = [_plan(said, good, n, path) for good in (True, False) for n, said in _plans(table, good)]
    findings = table.get("findings")
    return Case(
        folder,
        _domain(table["domain"], folder),
        folder / table["problem"],
        table.get("goal"),
        table.get("solvable"),
        table.get("planner") or usual(),
        float(table.get("timeout", 60)),
        None if findings is None else tuple(sorted(map(str, findings))),
        tuple(plans),
        path.name,
    )


def _domain(said: str, folder: Path) -> str:
    beside = folder / said
    return str(beside) if beside.exists() else said


def _plans(table: dict[str, Any], good: bool) -> list[tuple[int, Any]]:
    return list(enumerate(table.get("good" if good else "bad", []), 1))


def _plan(said: Any, good: bool, number: int, path: Path) -> ExpectedPlan:
    where = f"{path}: {'good' if good else 'bad'} plan {number}"
    if not isinstance(said, dict):
        raise InputError(f"{where} is no table; valid: [[{'good' if good else 'bad'}]]")
    _check_keys(said, _GOOD if good else _BAD, where)
    if ("plan" in said) == ("steps" in said):
        raise InputError(f'{where}: give either plan = "FILE" or steps = ["(pick a b)"]')
    for key, kind, valid in (
        ("plan", (str,), "the name of a file"),
        ("steps", (list,), 'a list such as ["(pick a b)"]'),
        ("cost", (int, float), "a number"),
        ("step", (int,), "the number of a step, 0 when only the goal is missed"),
        ("unmet", (str,), "a literal such as (not (clear a))"),
    ):
        _check_kind(said, key, kind, valid, where)
    steps = said.get("steps")
    name = said.get("plan") or f"{'good' if good else 'bad'} plan {number}"
    shown = None if steps is None else tuple(map(str, steps))
    return ExpectedPlan(name, shown, good, said.get("cost"), said.get("step"), said.get("unmet"))


def _check_keys(table: dict[str, Any], known: Collection[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise InputError(f"{where}: unknown key {key!r}; valid: {', '.join(known)}")


def _check_kind(table: dict[str, Any], key: str, kinds: tuple[type, ...], valid: str, where: str) -> None:
    value = table.get(key)
    wrong = not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)
    if key in table and wrong:
        raise InputError(f"{where}: {key} = {value!r}; valid: {valid}")
