"""What skills declare: it fits the domains that they are bound in, and decides what runs at one time."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tamp.errors import InputError
from tamp.model.skill_spec import ARM, HAND
from tamp.pddl.domain_file import load
from tamp.skills import builtin_specs, registry
from tamp.skills.folder_check import check
from tamp.skills.patterns import patterns

TABLE = load("tabletop")


def test_what_the_skills_say_is_what_they_declare() -> None:
    """Every atom that a module of skills makes is a fact of one of them, and none is declared in vain."""
    calls = [
        node
        for path in Path(registry.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Atom"
    ]
    said = {c.args[0].value for c in calls if isinstance(c.args[0], ast.Constant)}
    instead = {f for s in registry.skills().values() for f in s.spec.of_grasp.values()}
    assert len(said) > 5 and said | instead == builtin_specs.facts()


def test_every_fact_is_a_predicate_of_the_domain() -> None:
    for name, skill in registry.bind(TABLE).items():
        own = skill.spec
        assert own.facts <= TABLE.predicates.keys(), name
        assert {*own.of_grasp, *own.of_grasp.values(), *own.of_order} <= own.facts, name


def test_a_hand_that_waves_can_hold_something_meanwhile_and_one_that_picks_cannot() -> None:
    assert patterns()["wave"].spec.resources == {ARM}
    assert registry.bind(TABLE)["pick"].spec.resources == {ARM, HAND}
    by_name = builtin_specs.specs()["xarm"]
    assert not by_name["move-to-named"].resources & by_name["close-hand"].resources


def test_an_operator_without_what_its_skill_takes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(TABLE.text)
    table = (TABLE.path.parent / "skills.toml").read_text()
    (tmp_path / "skills.toml").write_text(table.replace('open-drawer  = "open"', 'open-drawer  = "place"'))
    with pytest.raises(InputError, match="open-drawer is bound to place, which takes an item and an object"):
        registry.bind(load(str(tmp_path)))
    assert "wrong-type" in {f.code for f in check(tmp_path).findings}


def test_a_session_does_not_take_a_domain_with_durations() -> None:
    with pytest.raises(InputError, match=r"domain\.pddl: pick has a duration; valid here: plain actions"):
        load("continuous")
