"""Plans as JSON: what the schema lets be said, and what is read back."""

import itertools
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.planner.skill_schema import read_step, step_pattern, step_schema, written
from tamp.files.source import Source
from tamp.model.atoms import Atom, GroundAction
from tamp.model.state import WorldState, problem_of
from tamp.pddl.domain_file import load
from tamp.pddl.reading import parse
from tamp.pddl.simulation import Fault

STATE = WorldState(
    {"cup": "item", "dish": "item", "bench": "surface", "chest": "drawer", "crate": "bin", "lamp": "appliance"},
    frozenset({Atom("hand-empty"), Atom("on", ("cup", "bench"))}),
)
DOMAIN = load("tabletop")
PROBLEM = problem_of(DOMAIN, STATE, [Atom("in", ("cup", "chest"))])
KINDS = {o: {k for k in DOMAIN.types if DOMAIN.is_a(kind, k)} for o, kind in STATE.symbols.items()}
PATTERN = step_pattern(step_schema(PROBLEM))
OPEN = GroundAction("open-drawer", ("chest",))


def every_step(problem):
    for a in problem.actions:
        for some in itertools.product(*(problem.objects(p.type) for p in a.parameters)):
            yield GroundAction(a.name, tuple(o.name for o in some))


@given(st.from_regex(PATTERN, fullmatch=True))
def test_whatever_the_pattern_allows_is_a_step_of_the_right_types(text):
    step = read_step(text, PROBLEM)
    signature = DOMAIN.operators[step.name].parameters
    assert len(step.args) == len(signature)
    assert all(kind in KINDS[arg] for arg, (_, kind) in zip(step.args, signature, strict=True))


def test_every_step_of_the_right_types_can_be_said_and_no_other():
    for step in every_step(PROBLEM):
        assert re.fullmatch(PATTERN, written(step, PROBLEM))
    for text in ('{"skill": "open-drawer", "args": {"d": "cup"}}', '{"skill": "open-drawer", "args": {}}', "[]"):
        assert not re.fullmatch(PATTERN, text)


def test_an_operator_added_to_the_domain_can_be_said():
    wipe = "(:action wipe :parameters (?s - surface) :precondition (hand-empty) :effect (clear ?s))"
    text = DOMAIN.text.rstrip().removesuffix(")") + wipe + ")"
    problem_text = "(define (problem p) (:domain tabletop) (:objects desk - surface) (:init) (:goal (clear desk)))"
    said = '{"skill": "wipe", "args": {"s": "desk"}}'
    wider = step_schema(parse(Source("domain.pddl", text), Source("problem.pddl", problem_text)))
    assert re.fullmatch(step_pattern(wider), said)
    assert step_schema(parse(Source("domain.pddl", DOMAIN.text), Source("problem.pddl", problem_text))) == {"anyOf": []}


def test_the_schema_of_a_step_is_json_schema():
    import jsonschema

    schema = step_schema(PROBLEM)
    jsonschema.Draft202012Validator.check_schema(schema)
    step = json.loads(written(OPEN, PROBLEM))
    jsonschema.validate(step, schema)
    for wrong in ([step], {"skill": "open-drawer", "args": {"d": "bench"}}, {**step, "then": "close-drawer"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


def test_an_operator_without_objects_cannot_be_said():
    assert "turn-on" in PATTERN.replace("\\", "")
    bare = problem_of(DOMAIN, WorldState({"bench": "surface"}, frozenset()), [])
    assert step_schema(bare) == {"anyOf": []}


@given(st.sets(st.sampled_from(sorted(every_step(PROBLEM))), max_size=4))
def test_all_but_what_was_refused(refused):
    pattern = re.compile(step_pattern(step_schema(PROBLEM, refused)))
    for step in every_step(PROBLEM):
        assert bool(pattern.fullmatch(written(step, PROBLEM))) == (step not in refused)


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("open the chest", "json", "open the chest is not JSON"),
        ('{"skill": "pi', "json", "is not JSON"),
        ('"pick"', "json", "is no step"),
        ('{"skill": "pick"}', "json", "is no step"),
        ('{"skill": "pick", "args": {}, "then": "place"}', "json", "is no step"),
        ('{"skill": "fly", "args": {}}', "unknown", "there is no skill 'fly'; there are: pick, take-out"),
        ('{"skill": "pick", "args": {"o": "cup"}}', "unknown", "pick takes o, from"),
        ('{"skill": "pick", "args": {"o": "cup", "from": "chest"}}', "unknown", "from cannot be 'chest'; it can be: "),
        ('{"skill": "pick", "args": {"o": "cup", "from": ["bench"]}}', "unknown", "from cannot be ['bench']"),
        ('{"skill": ["pick"], "args": {}}', "json", "is no step"),
    ],
)
def test_what_breaks_the_schema_is_told_apart(text, kind, says):
    fault = read_step(text, PROBLEM)
    assert isinstance(fault, Fault) and fault.kind == kind
    assert says in fault.message
