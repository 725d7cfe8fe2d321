"""A planning domain as the toolkit sees it: types, signatures, and the skill bound to each operator.

unified-planning parses; this module keeps what the rest of the toolkit asks for.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tamp.atoms import Atom, GroundAction
from tamp.data import data_dir
from tamp.errors import InputError
from tamp.tables import read_toml


@dataclass(frozen=True)
class Signature:
    """Name and typed parameters, as (name, type) pairs, of a predicate or an operator."""

    name: str
    parameters: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Domain:
    """A parsed domain. `types` maps each type to its parent, None for the roots.

    `skills` maps operators to skill names; empty when the folder has no `skills.toml`. `adds` are the
    predicates that each operator makes true unconditionally, over the operator's parameters. `parsed` is
    unified-planning's own Problem, without objects.
    """

    name: str
    path: Path
    text: str
    types: dict[str, str | None]
    predicates: dict[str, Signature]
    operators: dict[str, Signature]
    skills: dict[str, str] = field(default_factory=dict)
    adds: dict[str, tuple[Signature, ...]] = field(default_factory=dict)
    parsed: Any = field(default=None, repr=False)

    def added_by(self, action: GroundAction) -> frozenset[Atom]:
        """The atoms that a ground action adds whatever the state."""
        value = dict(zip((n for n, _ in self.operators[action.name].parameters), action.args, strict=True))
        return frozenset(
            Atom(p.name, tuple(value[n] for n, _ in p.parameters))
            for p in self.adds.get(action.name, ())
            if all(n in value for n, _ in p.parameters)
        )

    def is_a(self, kind: str, ancestor: str) -> bool:
        """Whether type `kind` is `ancestor` or below it."""
        here: str | None = kind
        while here is not None:
            if here == ancestor:
                return True
            here = self.types.get(here)
        return ancestor == "object"


def load(name_or_dir: str) -> Domain:
    """The domain called so under `domains/`, or in a folder, or a `.pddl` file.

    Raises InputError with file, line and column when it does not parse.
    """
    path = _locate(name_or_dir)
    text = path.read_text(encoding="utf-8")
    problem = parse(text, None, path)
    return Domain(
        name=str(problem.name or path.parent.name),
        path=path,
        text=text,
        types={t.name: (t.father.name if t.father else None) for t in problem.user_types},
        predicates={
            f.name: Signature(f.name, tuple((p.name, p.type.name) for p in f.signature)) for f in problem.fluents
        },
        operators={
            a.name: Signature(a.name, tuple((p.name, p.type.name) for p in a.parameters)) for a in problem.actions
        },
        skills=_skills(path.parent / "skills.toml"),
        adds={a.name: _added(a) for a in problem.actions},
        parsed=problem,
    )


def _added(action: Any) -> tuple[Signature, ...]:
    made_true = [e.fluent for e in action.effects if not e.is_conditional() and e.value.is_true()]
    return tuple(
        Signature(
            f.fluent().name, tuple((str(a), p.type.name) for a, p in zip(f.args, f.fluent().signature, strict=True))
        )
        for f in made_true
    )


def parse(domain_text: str, problem_text: str | None, domain_path: Path, problem_path: Path | None = None) -> Any:
    """Parse with unified-planning; returns its Problem. Raises InputError naming file, line and column."""
    from unified_planning.io import PDDLReader
    from unified_planning.shortcuts import get_environment

    get_environment().credits_stream = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return PDDLReader().parse_problem_string(domain_text, problem_text)
        except Exception as first:  # unified-planning raises many unrelated classes for bad input
            try:
                PDDLReader().parse_problem_string(domain_text)
            except Exception as e:
                raise InputError(f"{domain_path}:{where(e, domain_text)}: {reason(e)}") from e
            where_ = where(first, problem_text or "")
            raise InputError(f"{problem_path or 'problem'}:{where_}: {reason(first)}") from first


def where(error: Exception, text: str) -> str:
    """`line:column` of a parse error of unified-planning, as far as its message tells."""
    found = re.search(r"line:? ?(\d+), col:? ?(\d+)", str(error))
    if found:
        return f"{found[1]}:{found[2]}"
    return f"{text.count(chr(10)) + 1}:1"


def reason(error: Exception) -> str:
    """One line of a parse error, without the position and the class names that unified-planning wraps it in."""
    message = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    message = re.sub(r"^UP\w+\(['\"](.*)['\"],?\)$", r"\1", message)
    message = re.sub(r"\s*\(at char \d+\), \(line:\d+, col:\d+\)|\.? ?(found at|From) line.*$", "", message)
    return message.strip().rstrip(".")


def _locate(name_or_dir: str) -> Path:
    given = Path(name_or_dir)
    named = data_dir("domains") / name_or_dir
    for folder in (given, named):
        if (folder / "domain.pddl").is_file():
            return folder / "domain.pddl"
    if given.is_file():
        return given
    known = sorted(p.parent.name for p in data_dir("domains").glob("*/domain.pddl"))
    raise InputError(f"no domain {name_or_dir!r}: give one of {', '.join(known)}, or a folder with a domain.pddl")


def _skills(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    return {str(k): str(v) for k, v in read_toml(path).items()}
