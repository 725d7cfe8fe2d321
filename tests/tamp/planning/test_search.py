"""Deciding without a backend: counts, and going back to what a failure depends on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from motion.world import World
from tamp.model.atoms import Atom, GroundAction
from tamp.model.events import Journal
from tamp.model.goal import parse_goal
from tamp.model.scene import Part, RobotState, Scene, SceneObject
from tamp.model.situation import Situation
from tamp.model.skill_spec import Spec
from tamp.model.state import WorldState
from tamp.pddl.domain_file import load
from tamp.pddl.planner import Engine, Plan, Planner, PlanResult, PlanStatus, Tell, unlogged
from tamp.planning.refinement import Failure, Refined, SearchBudget, refine
from tamp.planning.refusal import NoSolution
from tamp.planning.search import Search, Solution
from tamp.skills.base import Infeasible, Refinement, Skill, Tools

START = Situation(Scene((), RobotState(np.zeros(7), 0.08, np.eye(4))))
NOWHERE = cast(World, SimpleNamespace(effort=0, limited=lambda over: nullcontext()))
WAYS = 3
Answer = Callable[[tuple[str, ...]], Infeasible | None]


@dataclass(eq=False)
class Willing(Skill):
    """Has a few ways to do everything but what `refuses` says."""

    spec = Spec("willing", ("item", "object"), moves=0, to=1, of_grasp={"does-not-fit": "misheld"})
    refuses: Answer = lambda args: None
    done: list[tuple[str, ...]] = field(default_factory=list)

    def refine(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> Iterator[Refinement | Infeasible]:
        if (refusal := self.refuses(args)) is not None:
            yield refusal
            return
        for _ in range(WAYS):
            self.done.append(args)
            yield Refinement((), situation)

    def facts(self, args: tuple[str, ...], causes: list[Infeasible], scene: Scene) -> frozenset[Atom]:
        return frozenset().union(*(c.facts for c in causes)) if causes else frozenset({Atom("does-not-fit", args)})


def actions(*shown: str) -> Plan:
    return Plan(tuple(GroundAction(words[0], tuple(words[1:])) for words in map(str.split, shown)))


def refined(plan: Plan, **skills: Willing) -> Refined | Failure:
    bound = cast(dict[str, Skill], skills)
    return refine(plan, START, bound, Tools(NOWHERE, np.random.default_rng(0)), SearchBudget.of(NOWHERE, 20.0))


def hindered_by(*names: str) -> Answer:
    conflict = frozenset(names)
    return lambda args: Infeasible("hindered", names, conflict=conflict) if args[0] == "cup" else None


def test_only_choices_about_what_is_in_the_way_are_made_anew() -> None:
    put = Willing()
    pick = Willing(hindered_by("box", "cup"))
    found = refined(actions("put box shelf", "put ball shelf", "put pan desk", "pick cup desk"), put=put, pick=pick)
    assert isinstance(found, Failure) and found.action.args == ("cup", "desk")
    assert put.done.count(("box", "shelf")) == WAYS, "each way is tried"
    assert put.done.count(("ball", "shelf")) == put.done.count(("pan", "desk")) == WAYS, "once for each of them"


SYMBOLS = {"cup": "item", "box": "item", "desk": "surface", "shelf": "surface", "tray": "surface"}
ATOMS = {
    Atom("hand-empty"),
    *(Atom("on", (o, "desk")) for o in ("cup", "box")),
    *(Atom("clear", (s,)) for s in SYMBOLS if s != "desk"),
}


def decide(
    pick: Willing,
    place: Willing,
    goal: str = "(on cup tray)",
    held: str | None = None,
    planner: Planner | None = None,
    untouched: tuple[str, ...] = (),
    log: Journal | None = None,
    start: Situation = START,
) -> tuple[Search, Solution | NoSolution]:
    skills = cast(dict[str, Skill], {"pick": pick, "pick-by-rim": pick, "place-on": place})
    search = Search(NOWHERE, load("tabletop"), skills, planner or Engine(), np.random.default_rng(0), log=log)
    in_hand = {Atom("hand-empty"), Atom("on", (held, "desk"))} if held else set()
    state = WorldState(SYMBOLS, frozenset(ATOMS - in_hand | ({Atom("holding", (held,))} if held else set())))
    wanted = parse_goal(goal, search.domain, SYMBOLS, untouched=untouched)
    return search, search.decide(wanted, state, replace(start, held=held))


def test_of_alternatives_the_shortest_plan_is_taken() -> None:
    search, found = decide(Willing(), Willing(), "(or (and (on cup tray) (on box tray)) (not (on cup desk)))")
    assert isinstance(found, Solution)
    assert (str(found.goal), found.plan.actions) == ("(not (on cup desk))", (GroundAction("pick", ("cup", "desk")),))
    assert search.skeletons == 2 and search.first == found.plan


@dataclass(eq=False)
class Grasping(Willing):
    """Without a motion it has no grasp."""

    def facts(self, args: tuple[str, ...], causes: list[Infeasible], scene: Scene) -> frozenset[Atom]:
        return frozenset({Atom("no-grasp", args[:1])})


def test_what_was_executed_and_failed_the_same_way_twice_is_done_otherwise_then() -> None:
    search, found = decide(Grasping(), Willing())
    assert isinstance(found, Solution) and found.plan.actions[0].name == "pick"
    goal, state = found.goal, WorldState(SYMBOLS, frozenset(ATOMS))
    search.skills["slide-onto"] = Willing()
    for shown, then in (("it is 3 mm off", "pick"), ("it is 4 mm off", "slide-onto")):
        search.failed.setdefault(found.plan.actions[0], []).append({"failed": shown})
        again = search.decide(goal, state, START)
        assert isinstance(again, Solution) and again.plan.actions[0].name == then
    refusing = Willing(lambda args: Infeasible("no-grasp", args[:1], frozenset()))
    search.skills.update({"pick-by-rim": refusing, "slide-onto": refusing})
    last = search.decide(goal, state, START)
    assert isinstance(last, Solution) and last.plan.actions[0].name == "pick", "better the same again than nothing"
    assert search.failed, "in another way, where there is one"


def test_what_must_not_be_touched_is_named_where_there_is_no_plan_for_it() -> None:
    _, found = decide(Willing(), Willing(), "(on cup tray)", untouched=("box", "cup"))
    assert isinstance(found, NoSolution) and (found.stage, found.proven) == ("plan", True)
    assert found.reason.endswith("reaches the goal: cup must not be touched, else there is a plan")
    _, found = decide(Willing(), Willing(), "(and (on cup tray) (on box shelf))", untouched=("box", "cup"))
    assert isinstance(found, NoSolution)
    assert found.reason.endswith(": box and cup must not be touched, else there is a plan")


def test_what_is_in_the_way_and_must_not_be_touched_stays_there() -> None:
    no = Infeasible("hindered", ("box",), frozenset({Atom("obstructed", ("cup", "box"))}), "the box is in the way")
    pick = Willing(lambda args: no if args[0] == "cup" and not pick.done else None)
    _, found = decide(pick, Willing())
    assert isinstance(found, Solution) and pick.done[0][0] == "box"
    pick = Willing(lambda args: no if args[0] == "cup" else None)
    _, found = decide(pick, Willing(), untouched=("box",))
    assert isinstance(found, NoSolution) and found.stage == "refinement"
    assert found.reason == "(pick cup desk): the box is in the way; box must not be touched, else there is a plan"
    assert not any(args[0] == "box" for args in pick.done)


HINDERED = Infeasible("hindered", ("box",), frozenset({Atom("obstructed", ("cup", "box"))}), "the box is there")
STUCK = Infeasible("no-grasp", ("box",), frozenset({Atom("no-grasp", ("box",))}), "too wide")
BOX = SceneObject("box", "box", True, (Part("box", "body", np.eye(4), ()),))
BESIDE = replace(START, scene=replace(START.scene, objects=(BOX,)))


@dataclass(eq=False)
class Hindered(Willing):
    """Cannot take the box, nor the cup while the box is there; where it is not, what `otherwise` says."""

    otherwise: Answer = lambda args: None

    def refine(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> Iterator[Refinement | Infeasible]:
        there = float(np.linalg.norm(situation.scene.object("box").position)) < 1.0
        self.refuses = (lambda args: STUCK if args[0] == "box" else HINDERED) if there else self.otherwise
        return super().refine(args, situation, tools)


@dataclass(eq=False)
class Kept:
    """A journal of events."""

    events: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def event(self, kind: str, /, **data: Any) -> None:
        self.events.append((kind, data))

    def write(self, name: str, content: str | bytes) -> None:
        pass


@pytest.mark.parametrize(
    ("otherwise", "shown"),
    [(None, "without box there is a motion"), (Infeasible("unreachable"), "without box there is none either")],
)
def test_what_is_in_the_way_is_imagined_away_and_what_it_was_to_be_taken_for_is_told(
    otherwise: Infeasible | None, shown: str
) -> None:
    journal = Kept()
    _, found = decide(Hindered(otherwise=lambda args: otherwise), Willing(), log=journal, start=BESIDE)
    assert isinstance(found, NoSolution)
    first, second = found.reason.split("; ")[:2]
    assert first == f"(pick cup desk): the box is there ({shown})"
    assert second == "(pick box desk): too wide, tried to free cup of box"
    assert found.certificate is not None and found.certificate.proof == "samples"
    assert found.certificate.change == (shown if otherwise is None else None)
    assert found.certificate.facts >= HINDERED.facts | STUCK.facts
    assert [d["message"] for kind, d in journal.events if kind == "hint"] == [shown]
    given_up = [d for kind, d in journal.events if kind == "infeasible"]
    assert [d.get("purpose") for d in given_up] == [None, *2 * ["tried to free cup of box"]], "by either grasp"


def test_what_the_plan_put_in_the_way_is_put_elsewhere() -> None:
    """The box hinders the cup where it stands, and on the shelf, where it is put first."""
    place = Willing()

    def refuses(args: tuple[str, ...]) -> Infeasible | None:
        where = next((a[1] for a in reversed(place.done) if a[0] == "box"), "start")
        if args[0] != "cup" or where not in ("start", "shelf"):
            return None
        facts = frozenset({Atom("obstructed", ("cup", "box"))})
        return Infeasible("hindered", ("box",), facts, conflict=frozenset({"cup", "box"}))

    search, found = decide(Willing(refuses), place)
    assert isinstance(found, Solution), found
    assert search.skeletons == 3 and ("box", "shelf") in place.done
    assert GroundAction("place-on", ("box", "desk")) in found.plan.actions, "the tray is kept for the cup"


def test_what_is_held_badly_is_put_down_and_grasped_anew() -> None:
    pick = Willing()
    badly = Infeasible("collision", ("shelf",), frozenset({Atom("does-not-fit", ("cup", "tray"))}))
    place = Willing(lambda args: badly if args == ("cup", "tray") and not pick.done else None)
    _, found = decide(pick, place, held="cup")
    assert isinstance(found, Solution), found
    assert [a.name for a in found.plan.actions] == ["place-on", "pick", "place-on"]
    assert found.plan.actions[0].args[1] != "tray" and found.plan.actions[-1].args == ("cup", "tray")


def test_what_no_grasp_from_where_it_stands_fits_is_put_down_and_grasped_anew() -> None:
    pick = Willing()
    pick.spec = replace(pick.spec, to=None)
    badly = Infeasible("collision", ("shelf",), frozenset({Atom("does-not-fit", ("cup", "tray"))}))
    place = Willing()
    place.refuses = lambda args: badly if args == ("cup", "tray") and not place.done else None
    _, found = decide(pick, place)
    assert isinstance(found, Solution), found
    assert [a.name for a in found.plan.actions] == ["pick", "place-on", "pick", "place-on"]
    assert found.plan.actions[1].args[1] != "tray" and found.plan.actions[-1].args == ("cup", "tray")


@dataclass(eq=False)
class Stubborn:
    """Has one plan, and gives up when geometry has an objection to it."""

    name: str = "stubborn"
    ties_by_name: bool = False
    timed: bool = False
    asked: list[str] = field(default_factory=list)
    plan: Plan = field(default_factory=lambda: actions("pick cup desk", "place-on cup tray"))

    def solve(self, problem: Any, tell: Tell = unlogged, seconds: float = math.inf) -> PlanResult:
        self.asked.append(str(problem))
        if len(self.asked) > 1:
            return PlanResult(PlanStatus.GAVE_UP, None, 0.0, "no idea")
        return PlanResult(PlanStatus.FOUND, self.plan, 0.0)


def test_objections_reach_any_planner_and_giving_up_is_no_proof() -> None:
    planner = Stubborn()
    refuse = Willing(lambda args: Infeasible("full", facts=frozenset({Atom("does-not-fit", args)})))
    _, found = decide(Willing(), refuse, planner=planner)
    assert "does-not-fit(cup, tray) := true" in planner.asked[1]
    assert isinstance(found, NoSolution) and (found.stage, found.proven) == ("refinement", False)
    assert found.reason.startswith("(place-on cup tray): ") and found.reason.endswith("; no idea")
    _, found = decide(Willing(), refuse, planner=planner)
    assert (found.stage, found.reason, found.proven) == ("plan", "no idea", False)
    assert found.certificate is not None and found.certificate.proof == "time"
