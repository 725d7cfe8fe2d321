"""A model as planner: what it is shown, what the grammar lets it answer, and the message where it is wrong."""

import itertools

import pytest

from llm.models.language_model import fits
from llm.planner.skill_planner import (
    ATTEMPTS,
    EXAMPLES,
    LONGEST,
    SkillPlanner,
    borne_out,
    plan_grammar,
    prompt,
    question,
    read_plan,
    written_plan,
)
from tamp.files.source import Source
from tamp.model.atoms import Atom, GroundAction
from tamp.model.state import WorldState, problem_of
from tamp.pddl.domain_file import load
from tamp.pddl.planner import PlanStatus
from tamp.pddl.reading import parse
from tests.llm.conftest import Scripted

DOMAIN = load("tabletop")
STATE = WorldState(
    {"cup": "item", "dish": "item", "bench": "surface", "shelf": "surface", "chest": "drawer", "lamp": "appliance"},
    frozenset(
        {
            *(Atom("on", (o, "bench")) for o in ("cup", "dish")),
            *(Atom("clear", (o,)) for o in ("cup", "dish", "shelf")),
            *(Atom("hand-empty"), Atom("closed", ("chest",)), Atom("turned-off", ("lamp",))),
        }
    ),
)
PROBLEM = problem_of(DOMAIN, STATE, [Atom("in", ("cup", "chest"))])


def plan(*steps):
    """The answer with these steps, each written "pick cup bench"."""
    return written_plan([GroundAction(name, tuple(args)) for name, *args in map(str.split, steps)], PROBLEM)


STEPS = ("open-drawer chest", "pick cup bench", "place-in cup chest")
GOOD, SHUT = plan(*STEPS), plan(*STEPS[1:])


def solved(*answers, problem=PROBLEM):
    """The result, all events, and the model with the prompts that it got."""
    model, events = Scripted(answers), []
    result = SkillPlanner(model).solve(problem, lambda kind, **data: events.append({"event": kind, **data}))
    return result, events, model


def attempts(events):
    return [e for e in events if e["event"] == "plan_attempt"]


def test_a_good_answer_is_a_plan():
    result, events, model = solved(GOOD)
    assert result.status is PlanStatus.FOUND
    assert [str(a) for a in result.plan.actions] == ["(open-drawer chest)", "(pick cup bench)", "(place-in cup chest)"]
    assert [e["event"] for e in events] == ["prompt", "reply", "plan_attempt"]
    assert (events[-1]["attempt"], events[-1]["error"], events[-1]["reply"]) == (1, None, GOOD)
    assert model.asked[0].corrections == ()


def test_an_unmet_precondition_is_named_and_goes_back():
    result, events, model = solved(SHUT, GOOD)
    first, second = attempts(events)
    assert result.status is PlanStatus.FOUND and second["error"] is None
    assert first["error"] == "precondition"
    assert first["message"] == "step 2: (place-in cup chest) needs (open chest), which does not hold then"
    ((answer, objection),) = model.asked[1].corrections
    assert answer == first["reply"] == SHUT
    assert first["message"] in objection
    assert "(open chest) is made by open-drawer, open-door." in objection


@pytest.mark.parametrize(
    ("answer", "error", "says"),
    [
        (plan("pick cup bench"), "goal", "after the last step the goal's (in cup chest) does not hold"),
        (
            plan("open-drawer chest", "close-drawer chest"),
            "loop",
            "step 2: (close-drawer chest) leads back to how things",
        ),
        (
            plan("pick cup bench", "place-on cup cup"),
            "precondition",
            "step 2: (place-on cup cup) needs (not (= cup cup))",
        ),
        (
            plan("turn-on lamp", *STEPS),
            "needless",
            "step 1: (turn-on lamp) is needless, the goal is reached without it",
        ),
    ],
)
def test_what_is_wrong_is_told(answer, error, says):
    _, events, _ = solved(answer, GOOD)
    assert attempts(events)[0]["error"] == error
    assert says in attempts(events)[0]["message"]


def test_it_gives_up_and_says_why():
    result, events, model = solved(plan("turn-on lamp"), SHUT, plan("pick dish bench"))
    assert (result.status, result.plan) == (PlanStatus.GAVE_UP, None)
    assert [a["error"] for a in attempts(events)] == ["goal", "precondition", "goal"]
    assert f"no valid plan from scripted in {ATTEMPTS} attempts" in result.message
    assert attempts(events)[-1]["message"] in result.message
    assert [len(p.corrections) for p in model.asked] == [0, 1, 2]


def test_what_geometry_found_out_is_in_the_question():
    shown_text = STATE.with_facts(frozenset({Atom("obstructed", ("cup", "dish"))}))
    problem = problem_of(DOMAIN, shown_text, [Atom("in", ("cup", "chest"))])
    _, events, model = solved(GOOD, plan("pick dish bench", "place-on dish shelf", *STEPS), problem=problem)
    assert "(obstructed cup dish)" in model.asked[0].question
    assert attempts(events)[0]["message"].startswith("step 2: (pick cup bench) needs (not (obstructed cup dish))")


def test_every_step_of_the_right_types_can_be_said_and_no_other():
    grammar = plan_grammar(PROBLEM)
    for a in PROBLEM.actions:
        for some in itertools.product(*(PROBLEM.objects(p.type) for p in a.parameters)):
            action = GroundAction(a.name, tuple(o.name for o in some))
            answer = written_plan([action], PROBLEM)
            assert fits(answer, grammar) and read_plan(answer) == (action,)
    assert fits(plan(*["turn-on lamp"] * LONGEST), grammar)
    for answer in (plan("open-drawer cup"), GOOD[:-1], "", plan(*["turn-on lamp"] * (LONGEST + 1))):
        assert not fits(answer, grammar)
    assert read_plan(GOOD[:-9]).kind == "length"


def test_an_operator_added_to_the_domain_can_be_said_where_it_has_objects():
    wipe = "(:action wipe :parameters (?s - surface) :precondition (hand-empty) :effect (clear ?s))"
    problem = Source(
        "problem.pddl", "(define (problem p) (:domain tabletop) (:objects desk - surface) (:init) (:goal (clear desk)))"
    )
    wider = Source("domain.pddl", DOMAIN.text.rstrip().removesuffix(")") + wipe + ")")
    assert fits('[{"skill": "wipe", "args": {"s": "desk"}}]', plan_grammar(parse(wider, problem)))
    assert not fits(
        '[{"skill": "wipe", "args": {"s": "desk"}}]', plan_grammar(parse(Source("domain.pddl", DOMAIN.text), problem))
    )


def edited(old, new):
    assert DOMAIN.text.count(old) == 1
    text = "(define (problem p) (:domain tabletop) (:objects desk - surface) (:init) (:goal (clear desk)))"
    return parse(Source("domain.pddl", DOMAIN.text.replace(old, new)), Source("problem.pddl", text))


def test_every_operator_is_shown_with_what_it_needs_and_makes():
    shown = prompt(PROBLEM).system
    assert all(f"\n{name}(" in shown for name in DOMAIN.operators)
    assert "place-in(o: item, i: interior) needs holding o, open i, not does-not-fit o i" in shown
    assert "jams o i if too-tall o i" in shown
    assert "not crowded i any" in shown


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(not (does-not-slide ?o ?s))\n", "(not (does-not-slide ?o ?s)) (holding ?o)\n"),
        ("(:action slide-onto", "(:action push-onto"),
    ],
)
def test_examples_are_shown_where_the_domain_bears_them_out(old, new):
    assert len(borne_out(EXAMPLES, PROBLEM)) == len(prompt(PROBLEM).examples) == len(EXAMPLES)
    shown = str(prompt(edited(old, new)).examples)
    assert "rug" not in shown
    assert "scarf" in shown


def test_what_has_to_do_with_the_goal_is_shown_and_what_it_is_about_comes_last():
    facts = {Atom("no-grasp", ("dish",)), Atom("on", ("cup", "dish"))}
    state = WorldState(STATE.symbols, STATE.atoms - {Atom("on", ("cup", "bench"))} | facts)
    objects, state_line, goal = question(problem_of(DOMAIN, state, [Atom("in", ("cup", "chest"))])).splitlines()
    assert objects == "Objects: surface: bench, shelf; drawer: chest; item: cup, dish; appliance: lamp"
    assert state_line.endswith("(closed chest) (clear cup) (on cup dish)")
    assert "(no-grasp dish)" in state_line and "lamp" not in state_line
    assert goal == "Goal: (in cup chest)"


@pytest.mark.thorough
@pytest.mark.model
def test_the_real_model_plans():
    from llm.models import weights
    from llm.models.llama import LlamaCpp

    model = LlamaCpp(weights.DEFAULT, weights.find(weights.DEFAULT))
    problem = problem_of(DOMAIN, STATE, [Atom("on", ("cup", "shelf"))])
    result = SkillPlanner(model).solve(problem)
    assert result.status is PlanStatus.FOUND, result.message
    assert [str(a) for a in result.plan.actions][-1] == "(place-on cup shelf)"
