"""What runs beside what: the shipped PDDL domain of resources says the same as the skills."""

from __future__ import annotations

import pytest

from tamp.agent.tabletop_agent import STILL
from tamp.errors import InputError
from tamp.files.source import read
from tamp.pddl.domain_file import load
from tamp.pddl.reading import locate, parse
from tamp.skills.patterns import patterns
from tamp.skills.registry import bind


def test_operators_take_what_the_skills_of_their_names_take() -> None:
    specs = {name: skill.spec for name, skill in {**bind(load("tabletop")), **patterns()}.items()} | dict(STILL)
    problem = parse(read(locate("continuous")))
    for operator in problem.actions:
        start, end = (effects for _, effects in sorted(operator.effects.items(), key=lambda at: at[0].is_from_end()))
        taken = {e.fluent.fluent().name for e in start if e.value.is_false()}
        given = {e.fluent.fluent().name for e in end if e.value.is_true()}
        free = {f"{resource}-free" for resource in specs[operator.name].resources}
        assert {f for f in taken if f.endswith("-free")} == free, operator.name
        assert {f for f in given if f.endswith("-free")} == free, operator.name
    assert {o.name for o in problem.actions} >= {*patterns(), *STILL}


def test_a_session_does_not_take_a_domain_with_durations() -> None:
    with pytest.raises(InputError, match=r"domain\.pddl: pick has a duration; valid here: plain actions"):
        load("continuous")
