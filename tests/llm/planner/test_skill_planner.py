"""A model as planner: the guardrails, and what it is told when it is wrong."""

import json
import re
from dataclasses import dataclass, field

import pytest

from llm.models.model import Completion
from llm.planner.skill_planner import ATTEMPTS, SkillPlanner
from llm.planner.skill_schema import LONGEST
from llm.planner.skill_schema import written as step
from tamp.model.atoms import Atom, GroundAction
from tamp.model.state import WorldState, problem_of
from tamp.pddl.domain_file import load
from tamp.pddl.planner import PlanStatus

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
GOOD = ("open-drawer chest", "pick cup bench", "place-in cup chest")
SHUT = GOOD[1:]


def plan(*told):
    return f"[{', '.join(step(GroundAction(t.split()[0], tuple(t.split()[1:])), PROBLEM) for t in told)}]"


@dataclass
class Answers:
    """Gives one answer after another, as far as the grammar lets it; the last one again and again.

    `held` False: it does not keep to the grammar.
    """

    answers: list[str]
    name: str = "scripted"
    sees: bool = False
    taught: bool = False
    held: bool = True
    asked: list = field(default_factory=list)

    def complete(self, prompt, begun, pattern):
        if prompt not in self.asked:
            self.asked.append(prompt)
        answer = self.answers[min(len(self.asked), len(self.answers)) - 1]
        assert answer.startswith(begun)
        if not self.held:
            return Completion(re.match(r"[^}]*(\}\}.)?", answer[len(begun) :])[0])
        said = re.match(pattern, answer[len(begun) :])
        assert said, f"the grammar forbids {answer[len(begun) :]!r}"
        return Completion(said[0])


def solved(*answers, problem=PROBLEM, held=True):
    """The result, the plan attempts, and the model with the prompts that it got."""
    model, events = Answers(list(answers), held=held), []
    result = SkillPlanner(model).solve(problem, lambda kind, **data: events.append({"event": kind, **data}))
    return result, [e for e in events if e["event"] == "plan_attempt"], model


def test_a_good_answer_is_a_plan():
    result, (attempt,), model = solved(plan(*GOOD))
    assert result.status is PlanStatus.FOUND
    assert [str(a) for a in result.plan.actions] == [f"({a})" for a in GOOD]
    assert (attempt["attempt"], attempt["error"], attempt["reply"]) == (1, None, plan(*GOOD))
    assert len(model.asked) == 1 and model.asked[0].corrections == ()


def test_a_goal_that_holds_needs_nothing():
    result, _, _ = solved("[]", problem=problem_of(DOMAIN, STATE, [Atom("closed", ("chest",))]))
    assert result.plan.actions == ()


def test_an_unmet_precondition_is_named_and_goes_back():
    result, (first, second), model = solved(plan(*SHUT), plan(*GOOD))
    assert result.status is PlanStatus.FOUND and second["error"] is None
    assert first["error"] == "precondition"
    assert first["message"] == "step 2: (place-in cup chest) needs (open chest), which does not hold then"
    ((answer, objection),) = model.asked[1].corrections
    assert answer == first["reply"] == plan(*SHUT)
    assert first["message"] in objection
    assert "(open chest) is made by open-drawer, open-door." in objection


def test_nothing_is_asked_after_a_step_that_cannot_be_taken():
    _, (first, _), _ = solved(plan("place-in cup chest", *GOOD), plan(*GOOD))
    assert first["reply"] == plan("place-in cup chest")


@pytest.mark.parametrize(
    ("told", "error", "says"),
    [
        ("pick cup bench", "goal", "after the last step the goal's (in cup chest) does not hold"),
        ("open-drawer chest; close-drawer chest", "loop", "step 2: (close-drawer chest) leads back to how things were"),
        ("pick cup bench; place-on cup cup", "precondition", "step 2: (place-on cup cup) needs (not (= cup cup))"),
        (
            "turn-on lamp; open-drawer chest; turn-off lamp; close-drawer chest",
            "loop",
            "step 4: (close-drawer chest) leads back to how things were at the start",
        ),
    ],
)
def test_what_is_wrong_is_told(told, error, says):
    _, (first, _), _ = solved(plan(*told.split("; ")), plan(*GOOD))
    assert first["error"] == error
    assert says in first["message"]


def test_a_plan_may_have_ten_steps_and_no_more():
    moved = ("turn-on lamp", "pick cup bench", "place-on cup shelf", "turn-off lamp", "pick dish bench")
    more = ("place-on dish shelf", "turn-on lamp", "open-drawer chest", "turn-off lamp", "pick cup shelf")
    _, (first, *_), _ = solved(plan(*moved, *more, "place-in cup chest"), plan(*GOOD))
    assert first["error"] == "length"
    assert first["message"] == f"the plan goes on after {LONGEST} steps, the most there may be"
    assert len(json.loads(first["reply"])) == LONGEST


def test_it_gives_up_and_says_why():
    result, attempts, model = solved(plan("turn-on lamp"), plan(*SHUT), plan("pick dish bench"))
    assert (result.status, result.plan) == (PlanStatus.GAVE_UP, None)
    assert [a["error"] for a in attempts] == ["goal", "precondition", "goal"]
    assert f"no valid plan from scripted in {ATTEMPTS} attempts" in result.message
    assert attempts[-1]["message"] in result.message
    assert [len(p.corrections) for p in model.asked] == [0, 1, 2]


def test_what_was_refused_is_not_offered_after_the_same_steps():
    for refused in (plan(*SHUT), plan("turn-on lamp"), "[]"):
        with pytest.raises(AssertionError, match="the grammar forbids"):
            solved(refused)
    result, attempts, _ = solved(plan("turn-on lamp"), plan("turn-on lamp", *GOOD), plan(*GOOD))
    assert [a["error"] for a in attempts] == ["goal", "needless", None]
    assert result.status is PlanStatus.FOUND
    result, _, _ = solved(plan(*SHUT), plan("turn-on lamp", "turn-off lamp"), plan(*GOOD))
    assert result.status is PlanStatus.FOUND


def test_what_nobody_asked_for_is_not_done():
    _, (first, _), _ = solved(plan(GOOD[0], "turn-on lamp", *GOOD[1:]), plan(*GOOD))
    assert first["error"] == "needless"
    assert first["message"] == "step 2: (turn-on lamp) is needless, the goal is reached without it"


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("I would open the chest.", "json"),
        ('[{"skill": "fly", "args": {"o": "cup"}}]', "unknown"),
        ('[{"skill": "pick", "args": {"o": "cup", "from": "moon"}}]', "unknown"),
    ],
)
def test_a_model_that_is_not_held_to_the_grammar_is_checked_all_the_same(said, error):
    answer = said if said.startswith("[") else f"[{said}"
    result, (first, *_), _ = solved(answer, plan(*GOOD), held=False)
    assert (first["error"], result.status) == (error, PlanStatus.FOUND)
    assert first["message"].startswith("step 1: ")


def test_what_geometry_found_out_is_in_the_question():
    told = STATE.with_facts(frozenset({Atom("obstructed", ("cup", "dish"))}))
    problem = problem_of(DOMAIN, told, [Atom("in", ("cup", "chest"))])
    _, (first, _), model = solved(plan(*GOOD), plan("pick dish bench", "place-on dish shelf", *GOOD), problem=problem)
    assert "(obstructed cup dish)" in model.asked[0].question
    assert first["message"].startswith("step 2: (pick cup bench) needs (not (obstructed cup dish))")


def test_prompts_and_replies_are_told():
    model, events = Answers([plan(*SHUT), plan(*GOOD)]), []
    SkillPlanner(model).solve(PROBLEM, lambda kind, **data: events.append({"event": kind, **data}))
    kinds = [e["event"] for e in events]
    assert kinds.count("prompt") == kinds.count("plan_attempt") == 2
    assert kinds.count("reply") == len(SHUT) + len(GOOD)
    assert {e["model"] for e in events if e["event"] == "prompt"} == {"scripted"}


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
