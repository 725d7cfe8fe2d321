"""The loop over planning, refinement and execution, with scripted skills, arm and eyes and a tiny domain."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from cli.solve import attempts
from motion.lookahead import Veto
from motion.poses import Array
from tamp.agent.plan_executor import ATTEMPTS
from tamp.model.atoms import Atom, GroundAction
from tamp.model.goal import Goal
from tamp.pddl.planner import Plan
from tests.tamp.agent.lamps import (
    LAMP,
    OUT_OF_REACH,
    VETOED_PERIODS,
    Setting,
)


def test_it_plans_refines_executes_and_looks(setting: Setting) -> None:
    outcome = setting.pursue("turned-on lamp", "turned-on torch")
    assert outcome.done and (outcome.stage, outcome.reason) == (None, None)
    assert sorted(setting.room.pressed) == ["lamp", "torch"] == sorted(a.args[0] for a in outcome.executed)
    assert outcome.plan is not None and len(outcome.plan.actions) == 2
    assert set(outcome.seconds) == {"plan", "refine", "execute"} and min(outcome.seconds.values()) > 0
    assert (setting.folder / "out" / "plan.txt").read_text() == str(outcome.plan)
    assert "(turned-on torch)" in (setting.folder / "out" / "problem.pddl").read_text()


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_arm_is_stopped_whatever_goes_wrong(setting: Setting, error: type[BaseException]) -> None:
    def fails(*_: object) -> str | None:
        raise error("in mid-motion")

    setting.press.achieved = fails  # type: ignore[method-assign]
    with pytest.raises(error):
        setting.pursue("turned-on lamp")
    assert setting.room.commands > 0 and setting.room.stops == 1


def test_an_action_that_failed_is_done_again(setting: Setting) -> None:
    setting.room.broken["lamp"] = ATTEMPTS - 1
    outcome = setting.pursue("turned-on lamp")
    assert outcome.done and outcome.executed == [LAMP] * ATTEMPTS
    assert [e["success"] for e in setting.events("result")] == [False] * (ATTEMPTS - 1) + [True]
    assert sum(e["steps"] for e in setting.events("result")) == setting.room.commands


def test_an_action_that_keeps_failing_is_reported(setting: Setting) -> None:
    setting.room.broken["lamp"] = 100
    outcome = setting.pursue("turned-on lamp")
    assert (outcome.done, outcome.stage) == (False, "execution")
    assert outcome.reason is not None
    assert "(press lamp)" in outcome.reason and "lamp is dark" in outcome.reason and str(ATTEMPTS) in outcome.reason
    assert setting.room.pressed == ["lamp"] * ATTEMPTS


def test_an_action_that_went_wrong_is_the_cause_of_what_cannot_be_done_then(setting: Setting) -> None:
    """Unless something was done since."""
    setting.room.broken["lamp"] = 1
    pressed = setting.room.press

    def press(name: str) -> None:
        pressed(name)
        setting.press.refuses["lamp"] = replace(OUT_OF_REACH, facts=frozenset())

    setting.room.press = press  # type: ignore[method-assign]
    outcome = setting.pursue("turned-on lamp")
    assert (outcome.done, outcome.stage, outcome.executed) == (False, "execution", [LAMP])
    far = "(press lamp): press: no configuration reaches lamp"
    assert outcome.reason == f"(press lamp): lamp is dark; then refinement: {far}"
    assert attempts(outcome.reason) == ["(press lamp): lamp is dark", f"then refinement: {far}"]


@dataclass(eq=False)
class Nervous:
    """A look-ahead that sees a bottle in the way for a while, whatever is done."""

    vetoes: int
    seen: dict[str, Array] = field(default_factory=dict)
    ignore: frozenset[str] = frozenset()

    def veto(self, before: object, now: object, displacement: Array, *_: object) -> tuple[Veto, Array] | None:
        self.vetoes -= 1
        return (Veto("hand", "bottle", 0.004, 2), np.zeros(6)) if self.vetoes >= 0 else None


def test_an_arm_that_is_halted_looks_again_and_tries_anew(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Nervous(VETOED_PERIODS + 3)
    monkeypatch.setattr("tamp.agent.plan_executor.Lookahead", lambda *_: watch)
    outcome = setting.pursue("turned-on lamp")
    assert outcome.done and outcome.executed == [LAMP, LAMP]
    vetoes, results = setting.events("veto"), setting.events("result")
    assert len(vetoes) == VETOED_PERIODS + 2, "the one that halted the arm was not commanded"
    assert {(e["body"], e["other"], e["depth"], e["ahead"]) for e in vetoes} == {("hand", "bottle", 0.004, 2)}
    assert [e["missing"] for e in results] == ["lamp is dark", None] and len(setting.press.seen) == 2


def test_facts_of_a_refinement_that_failed_change_the_plan(setting: Setting) -> None:
    setting.press.refuses["lamp"] = OUT_OF_REACH
    outcome = setting.pursue("turned-on lamp")
    assert outcome.done
    assert outcome.executed == [GroundAction("fetch-stick", ("lamp",)), LAMP]
    assert [e["plan"] for e in setting.events("plan")][:2] == [["(press lamp)"], ["(fetch-stick lamp)", "(press lamp)"]]
    (infeasible,) = setting.events("infeasible")
    assert infeasible["reason"] == "unreachable" and infeasible["facts"] == ["(unreachable lamp)"]


@pytest.mark.parametrize("steps", [0, 2, 7])
def test_the_step_limit_ends_it(setting: Setting, steps: int) -> None:
    setting.room.broken["lamp"] = 100
    outcome = setting.pursue("turned-on lamp", steps=steps)
    assert (outcome.done, outcome.stage) == (False, "execution")
    assert outcome.reason is not None and f"step limit of {steps}" in outcome.reason
    assert setting.room.commands == steps
    *_, last = setting.events("result")
    assert (last["success"], last["missing"]) == (False, f"not finished, the step limit of {steps} is reached")
    assert sum(e["steps"] for e in setting.events("result")) == steps, "what is told of the actions adds up"


def test_what_is_still_moving_is_waited_for(setting: Setting) -> None:
    setting.room.glow = 5
    outcome = setting.pursue("turned-on lamp")
    assert outcome.done and outcome.executed == [LAMP], "once was enough"
    waited = [c for c in setting.events("command") if c["stage"] == "wait"]
    assert 2 <= len(waited) <= setting.room.glow + 1, "and one to see that it is at rest"


TORCH = GroundAction("press", ("torch",))


def lit(name: str) -> Atom:
    return Atom("turned-on", (name,))


def test_goals_are_reached_one_after_the_other(setting: Setting) -> None:
    outcome = setting.follow(Goal(lit("torch")), Goal(lit("lamp")))
    assert outcome.done and outcome.executed == [TORCH, LAMP]
    assert outcome.plan == Plan((TORCH, LAMP)), "the plans of both"
    shown = [(e["number"], e["goal"], e["reached"]) for e in setting.events("milestone")]
    assert shown == [(1, "(turned-on torch)", True), (2, "(turned-on lamp)", True)]
    assert (setting.folder / "out" / "plan.txt").read_text() == "(press torch)\n"
    assert (setting.folder / "out" / "plan-2.txt").read_text() == "(press lamp)\n"
    assert "(turned-on lamp)" in (setting.folder / "out" / "problem-2.pddl").read_text()


def test_a_goal_that_is_not_reached_ends_the_sequence_and_is_named(setting: Setting) -> None:
    setting.room.broken["torch"] = 100
    outcome = setting.follow(Goal(lit("lamp")), Goal(lit("torch")), Goal(lit("lamp")))
    assert (outcome.done, outcome.stage) == (False, "execution")
    assert outcome.reason is not None
    assert outcome.reason.startswith("goal 2 of 3, (turned-on torch): (press torch): torch is dark")
    assert outcome.executed == [LAMP] + [TORCH] * ATTEMPTS
    assert [e["reached"] for e in setting.events("milestone")] == [True, False]
