"""The search over samples, with scripted skills; and with the real ones, that a seed means one answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from motion.poses import pose
from motion.world import World
from tamp.backends.libero import tasks
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.model.atoms import Atom, GroundAction
from tamp.model.bodies import world_of
from tamp.model.motions import Move
from tamp.model.scene import RobotState, Scene
from tamp.model.situation import Situation
from tamp.model.skill_spec import Spec
from tamp.pddl.domain_file import load
from tamp.pddl.planner import Plan
from tamp.planning.refinement import LEAST, RATE, Failure, Refined, SearchBudget, refine
from tamp.skills.base import Infeasible, Refinement, Skill, Tools
from tamp.skills.registry import bind

START = Situation(Scene((), RobotState(np.zeros(7), 0.08, np.eye(4))))
NOWHERE = cast(World, SimpleNamespace(effort=0, limited=lambda over: nullcontext()))
NO = Infeasible("collision", ("box",), message="the box is in the way")
Outcome = int | Infeasible
"""A scripted sample: a number is a refinement with that name, else why there is none."""


@dataclass(eq=False)
class Scripted(Skill):
    """Gives what `script` says for the numbers chosen by the actions before it, and writes down who asked."""

    spec = Spec("scripted")
    name: str
    script: Callable[[tuple[int, ...]], Iterator[Outcome]]
    calls: list[tuple[int, ...]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    hints: list[dict[str, Any] | None] = field(default_factory=list)

    def refine(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> Iterator[Refinement | Infeasible]:
        before = tuple(int(v) for v in situation.scene.robot.q)
        self.calls.append(before)
        self.hints.append(tools.hint)
        for outcome in self.script(before):
            self.asked.append(f"{self.name}{'' if isinstance(outcome, Infeasible) else outcome}")
            if isinstance(outcome, Infeasible):
                yield outcome
            else:
                robot = RobotState(np.array([*before, outcome], dtype=float), 0.08, np.eye(4))
                yield Refinement((), Situation(Scene((), robot)), {"chosen": outcome})

    def facts(self, args: tuple[str, ...], causes: list[Infeasible], scene: Scene) -> frozenset[Atom]:
        return frozenset({Atom("told-by", (self.name,)), Atom("causes", (str(len(causes)),))})


def always(*outcomes: Outcome) -> Callable[[tuple[int, ...]], Iterator[Outcome]]:
    return lambda before: iter(outcomes)


def endless(outcome: Outcome) -> Callable[[tuple[int, ...]], Iterator[Outcome]]:
    def script(before: tuple[int, ...]) -> Iterator[Outcome]:
        while True:
            yield outcome

    return script


def search(
    *skills: Scripted, seconds: float = 20.0, hints: tuple[Refinement, ...] = (), budget: SearchBudget | None = None
) -> Refined | Failure:
    first = Situation(Scene((), RobotState(np.zeros(0), 0.08, np.eye(4))))
    plan = Plan(tuple(GroundAction(s.name) for s in skills))
    tools = Tools(NOWHERE, np.random.default_rng(0))
    bound = cast(dict[str, Skill], {s.name: s for s in skills})
    return refine(plan, first, bound, tools, budget or SearchBudget.of(NOWHERE, seconds), hints)


def chosen(result: Refined | Failure) -> list[int]:
    assert isinstance(result, Refined), result
    return [step.note["chosen"] for step in result.steps]


def failed(result: Refined | Failure) -> Failure:
    assert isinstance(result, Failure), result
    return result


def test_the_first_samples_that_go_together_are_taken() -> None:
    a, b = Scripted("a", always(1, 2)), Scripted("b", always(NO, 3, 4))
    assert chosen(search(a, b)) == [1, 3]
    assert (a.asked, b.asked) == (["a1"], ["b", "b3"]), "lazily: nothing is sampled that is not needed"


def test_the_last_action_is_exhausted_before_the_one_before_it_samples_again() -> None:
    log: list[str] = []
    a = Scripted("a", always(1, 2, 3), asked=log)
    b = Scripted("b", always(5, 6), asked=log)
    c = Scripted("c", lambda before: iter([9] if before == (2, 6) else [NO]), asked=log)
    assert chosen(search(a, b, c)) == [2, 6, 9]
    assert log == ["a1", "b5", "c", "b6", "c", "a2", "b5", "c", "b6", "c9"]


def test_a_final_reason_ends_the_search() -> None:
    final = Infeasible("too-tall", ("mug",), message="the mug is too tall", final=True)
    a, b = Scripted("a", always(1, 2, 3)), Scripted("b", always(NO, final, 4))
    failure = failed(search(a, b))
    assert len(b.calls) == 1
    assert (failure.action, failure.cause.reason, failure.timeout) == (GroundAction("b"), "too-tall", False)
    assert failure.cause.message == "the mug is too tall", "it counts more than what was met more often"


def test_whatever_the_grasp_goes_back_past_the_grasp() -> None:
    """c cannot, whatever b does: b is not sampled again; a is, and may change what c can."""
    pointless = Infeasible("does-not-fit", message="no room", whatever_grasp=True)
    log: list[str] = []
    a = Scripted("a", always(1, 2), asked=log)
    b = Scripted("b", always(5, 6, 7), asked=log)
    c = Scripted("c", lambda before: iter([9] if before[0] == 2 else [pointless]), asked=log)
    assert chosen(search(a, b, c)) == [2, 5, 9]
    assert log == ["a1", "b5", "c", "a2", "b5", "c9"]


def test_effort_ends_a_search_whatever_the_clock_says() -> None:
    world = cast(World, SimpleNamespace(effort=0, limited=lambda over: nullcontext()))

    def toiling(before: tuple[int, ...]) -> Iterator[Outcome]:
        while True:
            world.effort += 1000
            yield NO

    a, budget = Scripted("a", toiling), SearchBudget.of(world, 2.0)
    assert failed(search(a, budget=budget)).timeout
    assert len(a.asked) == 2 * RATE / 1000 + 1
    assert budget.empty() and budget.part(0.5).effort == world.effort + LEAST, "enough to begin with"


def test_what_time_ended_is_gone_on_with_and_nothing_is_said_against_it() -> None:
    """The action that was reached had no sample yet: that is no reason to blame it, nor the ones before it."""
    world = cast(World, SimpleNamespace(effort=0, limited=lambda over: nullcontext()))

    def toiling(before: tuple[int, ...]) -> Iterator[Outcome]:
        world.effort += RATE
        yield 3

    a, b, c = Scripted("a", always(NO, 1)), Scripted("b", always(2)), Scripted("c", toiling)
    ended = failed(search(a, b, c, budget=SearchBudget.of(world, 0.5)))
    assert ended.timeout and ended.action.name == "c" and not ended.cause.facts
    assert [step.note["chosen"] for step in ended.begun] == [1, 2]
    assert chosen(search(a, b, c, hints=ended.begun)) == [1, 2, 3] and b.hints[-1] == {"chosen": 2}


@dataclass(eq=False)
class Real:
    """The demo's scene, and what refines in it."""

    environment: LiberoEnvironment
    situation: Situation
    world: World

    def refine(self, seed: int, *actions: str, hints: tuple[Refinement, ...] = ()) -> Refined:
        words = [action.split() for action in actions]
        plan = Plan(tuple(GroundAction(name, tuple(args)) for name, *args in words))
        tools = Tools(self.world, np.random.default_rng(seed))
        result = refine(plan, self.situation, bind(load("tabletop")), tools, SearchBudget.of(self.world, 60.0), hints)
        assert isinstance(result, Refined), result
        return result


OPEN, PICK, PLACE = (
    "open-drawer cabinet_1_top_region",
    "pick mug_1 main_table",
    "place-in mug_1 cabinet_1_top_region",
)


@pytest.fixture(scope="module")
def real() -> Iterator[Real]:
    environment = LiberoEnvironment(tasks.find("mug_in_drawer"), seed=1)
    scene = OraclePerceiver(environment).perceive()
    yield Real(environment, Situation(scene), world_of(scene, environment.robot_model()))
    environment.close()


def motions(result: Refined) -> list[Any]:
    return [
        (s.path.tolist(), s.opening) if isinstance(s, Move) else s.opening for r in result.steps for s in r.segments
    ]


@pytest.mark.episode
def test_the_same_seed_gives_the_same_answer(real: Real) -> None:
    first, second = (real.refine(4, OPEN, PICK, PLACE) for _ in range(2))
    assert [r.note for r in first.steps] == [r.note for r in second.steps]
    assert motions(first) == motions(second)


@dataclass(eq=False)
class Grasping(Scripted):
    """Its sample n grasps n centimetres along x."""

    def refine(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> Iterator[Refinement | Infeasible]:
        for sample in super().refine(args, situation, tools):
            assert isinstance(sample, Refinement)
            n = sample.note["chosen"]
            yield Refinement((), sample.after, {"chosen": n, "grasp": pose([0.01 * n, 0.0, 0.0]).tolist()})


def test_a_grasp_that_failed_in_execution_is_not_taken_again_nor_one_like_it() -> None:
    take, tools = GroundAction("take", ()), Tools(NOWHERE, np.random.default_rng(0))
    skills = cast(dict[str, Skill], {"take": Grasping("take", always(4, 5, 9))})
    failed = {take: [{"grasp": pose([0.045, 0.0, 0.0]).tolist()}]}
    result = refine(Plan((take,)), START, skills, tools, SearchBudget.of(NOWHERE, 20.0), failed=failed)
    assert isinstance(result, Refined) and result.steps[0].note["chosen"] == 9
    elsewhere = {GroundAction("put", ()): failed[take]}
    other = refine(Plan((take,)), START, skills, tools, SearchBudget.of(NOWHERE, 20.0), failed=elsewhere)
    assert isinstance(other, Refined) and other.steps[0].note["chosen"] == 4


@dataclass(eq=False)
class Blamed(Scripted):
    """Tells the planner that the box is in its way."""

    def facts(self, args: tuple[str, ...], causes: list[Infeasible], scene: Scene) -> frozenset[Atom]:
        return frozenset({Atom("obstructed", ("tray", "box")), Atom("does-not-fit", args)})


def test_what_could_be_moved_away_is_told_before_what_is_met_more_often() -> None:
    far, near = (
        Infeasible(r, message=m) for r, m in (("unreachable", "reach: out of reach"), ("stretched", "stretched"))
    )
    failure = failed(search(Blamed("a", always(far, far, far, near, near, NO, Infeasible("collision", ("jug",))))))
    assert (failure.cause.reason, failure.cause.blockers) == ("collision", ("box",))
    assert failure.cause.message == "the box is in the way (1 of 7 tries), out of reach (3)"
    assert failure.in_way == {Atom("obstructed", ("tray", "box"))}, "the other fact is about the action alone"
    assert failure.causes[0] == ("reach: out of reach", 3), "the counts stay in order"
    assert failed(search(Scripted("a", always(far, far, NO)))).cause.reason == "unreachable", "nothing is blamed"
