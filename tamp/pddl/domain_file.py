"""Read a domain folder: `domain.pddl` and `skills.toml`."""

from __future__ import annotations

from typing import Any

from tamp.errors import InputError
from tamp.files.source import read
from tamp.model.domain import Domain, Signature, read_skill_table
from tamp.pddl.reading import locate, parse


def load(name_or_dir: str) -> Domain:
    """The domain called so under `domains/`, or in a folder, or a `.pddl` file.

    Raises InputError with file, line and column when it does not parse, or for durative actions.
    """
    path = locate(name_or_dir)
    source = read(path)
    problem = parse(source)
    if lasting := [a.name for a in problem.actions if hasattr(a, "duration")]:
        raise InputError(f"{path}: {lasting[0]} has a duration; valid here: plain actions")
    return Domain(
        name=str(problem.name or path.parent.name),
        path=path,
        text=source.text,
        types={t.name: (t.father.name if t.father else None) for t in problem.user_types},
        predicates={
            f.name: Signature(f.name, tuple((p.name, p.type.name) for p in f.signature)) for f in problem.fluents
        },
        operators={
            a.name: Signature(a.name, tuple((p.name, p.type.name) for p in a.parameters)) for a in problem.actions
        },
        table=read_skill_table(path.parent / "skills.toml"),
        adds={a.name: _added(a) for a in problem.actions},
        changes={a.name: frozenset(e.fluent.fluent().name for e in a.effects) for a in problem.actions},
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
