"""The loop over planning, refinement and execution, with scripted skills, arm and eyes and a tiny domain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from motion.lookahead import Veto
from motion.poses import Array, pose
from motion.robot import RobotDescription, ServoGains
from motion.shapes import Shape
from motion.timing import Trajectory
from motion.world import World
from tamp.errors import Refusal
from tamp.execution.activity import Observation
from tamp.execution.clock import observed, run_paused
from tamp.execution.following import VETOED
from tamp.execution.motions import Motion
from tamp.execution.performing import AtTable
from tamp.execution.pursuit import ATTEMPTS, Outcome
from tamp.execution.session import Session
from tamp.execution.tabletop import Tabletop
from tamp.model.atoms import Atom, GroundAction
from tamp.model.bodies import world_of
from tamp.model.domain import Domain, load
from tamp.model.formula import Not, conjunction, disjunction
from tamp.model.goal import Goal
from tamp.model.scene import Joint, Part, RobotState, Scene, SceneObject
from tamp.model.situation import Situation
from tamp.perception.sight import Sight
from tamp.planning.deliberation import InTurn
from tamp.planning.engine import Engine, Plan
from tamp.planning.search import Search
from tamp.runs.episode_log import EpisodeLog, read
from tamp.runs.events import Events
from tamp.skills.base import Infeasible, Refinement, Skill, Tools
from tamp.skills.spec import Spec

DOMAIN = """
(define (domain lamps)
  (:requirements :strips :typing :negative-preconditions)
  (:types appliance)
  (:predicates (turned-on ?a - appliance) (turned-off ?a - appliance) (unreachable ?a - appliance))
  (:action press
    :parameters (?a - appliance)
    :precondition (not (unreachable ?a))
    :effect (and (turned-on ?a) (not (turned-off ?a))))
  (:action fetch-stick
    :parameters (?a - appliance)
    :precondition (unreachable ?a)
    :effect (not (unreachable ?a)))
)
"""
"""A lamp is pressed; when geometry says that it is out of reach, a stick helps."""

ROBOT = """
<mujoco><worldbody><body name="arm"><joint name="j" axis="0 0 1" range="-3 3"/><geom size="0.01"/>
  <site name="tool"/>
  <body name="left"><joint name="f1" type="slide" axis="1 0 0" range="0 0.04"/>
    <geom name="p1" type="box" size="0.01 0.01 0.01"/></body>
  <body name="right"><joint name="f2" type="slide" axis="1 0 0" range="-0.04 0"/>
    <geom name="p2" type="box" size="0.01 0.01 0.01"/></body>
</body></worldbody></mujoco>
"""
VETOED_PERIODS = round(VETOED / 0.05)
STEPS = 31
"""Samples of one scripted motion, 0.05 s apart."""


@dataclass(eq=False)
class Room:
    """Lamps, an arm and eyes in one. An arm that arrives at `x` presses lamp number `x`, unless it is broken."""

    names: tuple[str, ...] = ("lamp", "torch")
    broken: dict[str, int] = field(default_factory=dict)
    lit: set[str] = field(default_factory=set)
    pressed: list[str] = field(default_factory=list)
    T: Array = field(default_factory=lambda: np.eye(4))
    commands: int = 0
    period: float = 0.05
    stops: int = 0
    away: bool = True
    """Whether the arm has been away from the switches since it pressed one."""
    gone: set[str] = field(default_factory=set)
    """Lamps that nobody sees any more."""
    glow: int = 0
    """Commands that a lamp takes to light up."""
    since: dict[str, int] = field(default_factory=dict)

    @property
    def time(self) -> float:
        return self.commands * self.period

    def observe(self) -> RobotState:
        return RobotState(np.zeros(1), 0.08, self.T)

    def command(self, displacement: Array, opening: float) -> None:
        self.commands += 1
        self.T = pose(self.T[:3, 3] + 0.5 * displacement[:3])
        self.away = self.away or bool(self.T[0, 3] < 0.5)

    def stop(self) -> None:
        self.stops += 1

    def press(self, name: str) -> None:
        self.pressed.append(name)
        if self.broken.get(name, 0) > 0:
            self.broken[name] -= 1
        else:
            self.lit.add(name)
            self.since[name] = self.commands

    def _lit(self, name: str) -> float:
        if name not in self.lit or self.glow == 0:
            return float(name in self.lit)
        return min(1.0, (self.commands - self.since[name]) / self.glow)

    def perceive(self) -> Scene:
        if self.away and float(self.T[0, 3]) > 0.5:  # the arm is where the switch is
            self.press(self.names[round(float(self.T[1, 3]))])
            self.away = False
        lamps = [self._lamp(i, name) for i, name in enumerate(self.names)]
        return Scene(tuple(o for o in lamps if o.name not in self.gone), self.observe())

    def felt(self, observation: Observation) -> None:
        pass

    def _lamp(self, i: int, name: str) -> SceneObject:
        box = (Shape("box", np.full(3, 0.02), np.eye(4)),)
        T = pose([1.0, float(i), 0.0])
        joint = Joint("hinge", np.array([0.0, 0.0, 1.0]), T[:3, 3], (0.0, 2.0), self._lit(name), 0.5, 0.1)
        return SceneObject(
            name, "lamp", False, (Part(name, "body", T, box), Part(f"{name}_knob", "knob", T, box, joint))
        )


@dataclass(eq=False)
class Press(Skill):
    """Goes to the lamp; `refuses` says for how many refinements, and why, there is no way."""

    spec = Spec("press", ("object",))
    refuses: dict[str, Infeasible] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    hints: list[dict[str, Any] | None] = field(default_factory=list)

    def refine(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> Iterator[Refinement | Infeasible]:
        name = args[0]
        self.seen.append(name)
        self.hints.append(tools.hint)
        if name in self.refuses:
            yield self.refuses[name]
            return
        lamp = [o.name for o in situation.scene].index(name)
        points = [pose([0.9 * s, lamp * s, 0.0]) for s in np.linspace(0, 1, STEPS)]
        way = Trajectory(np.linspace(0.0, 1.5, STEPS), np.zeros((STEPS, 1)), np.array(points))
        move = Motion(way, state=situation.state())
        yield Refinement((move,), situation, {"lamp": name})

    def facts(self, args: tuple[str, ...], causes: list[Infeasible], scene: Scene) -> frozenset[Atom]:
        return frozenset().union(*(c.facts for c in causes))

    def achieved(self, args: tuple[str, ...], scene: Scene, held: str | None) -> str | None:
        joint = scene.object(args[0]).parts[1].joint
        return None if joint is not None and joint.is_active else f"{args[0]} is dark"


@dataclass(eq=False)
class FetchStick(Skill):
    """Takes what refuses out of the way of `press`."""

    spec = Spec("fetch", ("object",), moves=0)
    press: Press

    def refine(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> Iterator[Refinement | Infeasible]:
        self.press.refuses.pop(args[0], None)
        yield Refinement((), situation, {})


@dataclass(eq=False)
class Setting:
    room: Room
    press: Press
    domain: Domain
    world: World
    folder: Path
    looks_cost: bool = False

    def pursue(self, *atoms: str, steps: int = 400, seconds: float = 20.0) -> Outcome:
        return self.follow(
            Goal.of(Atom(*(a.split()[0], tuple(a.split()[1:]))) for a in atoms), steps=steps, seconds=seconds
        )

    def follow(self, *goals: Goal, steps: int = 400, seconds: float = 20.0) -> Outcome:
        skills = cast(dict[str, Skill], {"press": self.press, "fetch-stick": FetchStick(self.press)})
        with EpisodeLog(self.folder / "out") as log:
            search = Search(self.world, self.domain, skills, Engine(), np.random.default_rng(0), seconds, log)
            table = Tabletop(
                perceiver=self.room,
                observed=observed(self.room),
                period=self.room.period,
                world=self.world,
                domain=self.domain,
                skills=skills,
                mind=InTurn(search),
                publish=Events(log.take),
                sight=Sight(self.domain, {}, self.world),
                looks_cost=self.looks_cost,
            )
            at_table = AtTable(table, steps)
            session = Session(at_table, table.publish, ends_when_idle=True)
            session.pursue(*goals)
            run_paused(session, self.room)
        assert at_table.pursuit is not None
        outcome = at_table.pursuit.outcome
        assert at_table.pursuit.steps == self.room.commands <= steps
        assert self.room.stops == 1, "however it ends, the arm is told to stop"
        return outcome

    def events(self, kind: str) -> list[dict[str, Any]]:
        return [e for e in read(self.folder / "out" / "episode.jsonl") if e["event"] == kind]


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    (tmp_path / "lamps").mkdir()
    (tmp_path / "lamps" / "domain.pddl").write_text(DOMAIN)
    robot = RobotDescription(
        mjcf=ROBOT,
        arm_joints=("j",),
        finger_joints=("f1", "f2"),
        tool_site="tool",
        posture=np.zeros(1),
        pinned_bodies=frozenset({"arm"}),
        pad_geoms=("p1", "p2"),
    )
    room = Room()
    return Setting(room, Press(), load(str(tmp_path / "lamps")), world_of(room.perceive(), robot), tmp_path)


LAMP = GroundAction("press", ("lamp",))
OUT_OF_REACH = Infeasible(
    "unreachable", ("lamp",), frozenset({Atom("unreachable", ("lamp",))}), "press: no configuration reaches lamp"
)


def test_a_goal_that_holds_already_needs_no_plan(setting: Setting) -> None:
    setting.room.lit.add("lamp")
    outcome = setting.pursue("turned-on lamp")
    assert outcome.done and outcome.plan is None and outcome.executed == []
    assert setting.room.commands == 0


@pytest.mark.parametrize(("gains", "leads"), [(ServoGains(), True), (ServoGains(lead=0.0, inertia=0.0), False)])
def test_the_arm_is_servoed_with_the_gains_that_its_robot_is_described_with(
    setting: Setting, gains: ServoGains, leads: bool
) -> None:
    """An arm at the start of its way asks for a point ahead, by as much as its gains say."""
    described = replace(setting.world.robot, gains=gains)
    outcome = replace(setting, world=world_of(setting.room.perceive(), described)).pursue("turned-on lamp")
    assert outcome.done
    assert any(setting.events("command")[0]["displacement"]) == leads


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


def test_a_thing_that_is_gone_is_a_reason(setting: Setting) -> None:
    setting.room.gone = {"lamp"}
    outcome = setting.pursue("turned-on lamp")
    assert (outcome.stage, outcome.reason) == ("perception", "lamp is not seen")


def test_a_thing_that_goes_while_it_is_acted_on_is_a_reason(setting: Setting) -> None:
    pressed = setting.room.press

    def press(name: str) -> None:
        pressed(name)
        setting.room.gone = {name}

    setting.room.press = press  # type: ignore[method-assign]
    outcome = setting.pursue("turned-on lamp")
    assert (outcome.done, outcome.stage, outcome.reason) == (False, "perception", "lamp is not seen")
    assert [e["missing"] for e in setting.events("result")] == ["lamp is not seen"]


def test_a_thing_that_comes_on_the_way_is_seen_by_what_follows(setting: Setting) -> None:
    setting.room.gone = {"torch"}
    pressed = setting.room.press

    def press(name: str) -> None:
        pressed(name)
        setting.room.gone = set()

    setting.room.press = press  # type: ignore[method-assign]
    assert setting.pursue("turned-on lamp").done
    assert setting.events("result")[0]["difference"] == "torch was not there before"
    assert "torch" in setting.world.bodies


def test_what_was_refined_is_a_hint_when_it_is_refined_again(setting: Setting) -> None:
    outcome = setting.pursue("turned-on lamp", "turned-on torch")
    second = outcome.executed[1].args[0]
    assert setting.press.hints == [None, None, {"lamp": second}]


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
    monkeypatch.setattr("tamp.execution.carrying.Lookahead", lambda *_: watch)
    outcome = setting.pursue("turned-on lamp")
    assert outcome.done and outcome.executed == [LAMP, LAMP]
    vetoes, results = setting.events("veto"), setting.events("result")
    assert len(vetoes) == VETOED_PERIODS + 2, "the one that halted the arm was not commanded"
    assert {(e["body"], e["other"], e["depth"], e["ahead"]) for e in vetoes} == {("hand", "bottle", 0.004, 2)}
    assert [e["missing"] for e in results] == ["lamp is dark", None] and len(setting.press.seen) == 2


def test_an_arm_that_is_halted_again_and_again_is_reported(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tamp.execution.carrying.Lookahead", lambda *_: Nervous(400))
    outcome = setting.pursue("turned-on lamp")
    assert not outcome.done and outcome.stage == "execution" and outcome.reason is not None
    assert "hand would be 4.0 mm inside bottle" in outcome.reason
    assert len(setting.events("veto")) == ATTEMPTS * VETOED_PERIODS


def test_what_is_not_seen_is_not_believed(setting: Setting) -> None:
    """Every command was carried out; the lamp is dark all the same."""
    setting.room.broken["lamp"] = 1
    setting.pursue("turned-on lamp")
    results = setting.events("result")
    assert [e["missing"] for e in results] == ["lamp is dark", None]
    assert all(e["steps"] > 0 for e in results)


def test_facts_of_a_refinement_that_failed_change_the_plan(setting: Setting) -> None:
    setting.press.refuses["lamp"] = OUT_OF_REACH
    outcome = setting.pursue("turned-on lamp")
    assert outcome.done
    assert outcome.executed == [GroundAction("fetch-stick", ("lamp",)), LAMP]
    assert [e["plan"] for e in setting.events("plan")][:2] == [["(press lamp)"], ["(fetch-stick lamp)", "(press lamp)"]]
    (infeasible,) = setting.events("infeasible")
    assert infeasible["reason"] == "unreachable" and infeasible["facts"] == ["(unreachable lamp)"]


def test_facts_are_about_what_they_name(setting: Setting) -> None:
    setting.press.refuses["lamp"] = OUT_OF_REACH
    outcome = setting.pursue("turned-on lamp", "turned-on torch")
    assert outcome.done
    assert [a for a in outcome.executed if a.name == "fetch-stick"] == [GroundAction("fetch-stick", ("lamp",))]


def test_a_refinement_that_failed_and_taught_nothing_is_the_reason(setting: Setting) -> None:
    setting.press.refuses["lamp"] = replace(OUT_OF_REACH, facts=frozenset())
    outcome = setting.pursue("turned-on lamp")
    assert (outcome.done, outcome.stage) == (False, "refinement")
    assert outcome.reason == "(press lamp): press: no configuration reaches lamp"
    assert setting.room.commands == 0 and len(setting.events("plan")) == 1


def test_facts_that_leave_no_plan_are_the_reason(setting: Setting) -> None:
    text = setting.domain.text
    setting.domain.path.write_text(text[: text.index("(:action fetch-stick")] + ")")
    setting.domain = load(str(setting.domain.path.parent))
    setting.press.refuses["lamp"] = OUT_OF_REACH
    outcome = setting.pursue("turned-on lamp")
    assert (outcome.done, outcome.stage) == (False, "refinement")
    assert outcome.reason == "(press lamp): press: no configuration reaches lamp"
    assert [e["status"] for e in setting.events("plan")] == ["found", "unsolvable"]


def test_a_goal_that_no_plan_reaches_fails_at_the_plan(setting: Setting) -> None:
    setting.room.lit.add("lamp")
    outcome = setting.pursue("turned-off lamp")
    assert (outcome.done, outcome.stage, outcome.plan) == (False, "plan", None)
    assert outcome.reason is not None and "operators" in outcome.reason
    assert setting.press.seen == [] and setting.room.commands == 0


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


def test_every_command_is_logged_with_what_was_seen(setting: Setting) -> None:
    setting.pursue("turned-on lamp")
    commands = setting.events("command")
    assert [c["step"] for c in commands] == list(range(1, setting.room.commands + 1))
    for c in commands:
        assert c["stage"] in ("move", "grip", "wait")
        assert (len(c["displacement"]), len(c["tool"]), c["q"]) == (6, 3, [0.0])


def test_an_action_that_failed_is_done_again_though_what_it_was_for_looks_true(setting: Setting) -> None:
    """The skill is stricter than the predicate: the goal holds, and is doubted until the skill agrees."""
    strict, pressed = setting.press.achieved, setting.room.pressed
    setting.press.achieved = lambda args, scene, held: (  # type: ignore[method-assign]
        "not firmly" if len(pressed) < 2 else strict(args, scene, held)
    )
    outcome = setting.pursue("turned-on lamp")
    assert outcome.done and outcome.executed == [LAMP, LAMP]


def test_what_is_still_moving_is_waited_for(setting: Setting) -> None:
    setting.room.glow = 5
    outcome = setting.pursue("turned-on lamp")
    assert outcome.done and outcome.executed == [LAMP], "once was enough"
    waited = [c for c in setting.events("command") if c["stage"] == "wait"]
    assert 2 <= len(waited) <= setting.room.glow + 1, "and one to see that it is at rest"


def test_who_looks_seldom_waits_instead(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten looks in half a second are dear where each takes half a second itself."""
    setting.room.glow, setting.looks_cost = 5, True
    looked: list[int] = []
    perceive = Room.perceive
    monkeypatch.setattr(Room, "perceive", lambda room: looked.append(room.commands) or perceive(room))
    outcome = setting.pursue("turned-on lamp")
    assert outcome.done and outcome.executed == [LAMP]
    waited = [c["step"] for c in setting.events("command") if c["stage"] == "wait"]
    assert len([n for n in looked if waited[0] - 1 <= n < waited[-1]]) == 1, "one when the action ended"
    assert looked[-1] == waited[-1], "and one in the end"


def test_what_does_not_move_is_not_waited_for(setting: Setting) -> None:
    setting.room.broken["lamp"] = 1
    outcome = setting.pursue("turned-on lamp")
    assert outcome.done and outcome.executed == [LAMP, LAMP]
    assert sum(c["stage"] == "wait" for c in setting.events("command")) <= 2, "a look each"


def test_done_and_still_not_seen_is_a_failure_too(setting: Setting) -> None:
    """The skill is content, the predicate is not: it is tried again, and then told."""
    setting.room.broken["lamp"] = 100
    setting.press.achieved = lambda args, scene, held: None  # type: ignore[method-assign]
    outcome = setting.pursue("turned-on lamp")
    assert (outcome.done, outcome.stage) == (False, "execution")
    assert outcome.reason is not None and "(turned-on lamp)" in outcome.reason
    assert setting.room.pressed == ["lamp"] * ATTEMPTS


TORCH = GroundAction("press", ("torch",))


def lit(name: str) -> Atom:
    return Atom("turned-on", (name,))


def test_goals_are_reached_one_after_the_other(setting: Setting) -> None:
    outcome = setting.follow(Goal(lit("torch")), Goal(lit("lamp")))
    assert outcome.done and outcome.executed == [TORCH, LAMP]
    assert outcome.plan == Plan((TORCH, LAMP)), "the plans of both"
    told = [(e["number"], e["goal"], e["reached"]) for e in setting.events("milestone")]
    assert told == [(1, "(turned-on torch)", True), (2, "(turned-on lamp)", True)]
    assert (setting.folder / "out" / "plan.txt").read_text() == "(press torch)\n"
    assert (setting.folder / "out" / "plan-2.txt").read_text() == "(press lamp)\n"
    assert "(turned-on lamp)" in (setting.folder / "out" / "problem-2.pddl").read_text()


def test_a_goal_is_pursued_once_the_one_before_is_seen_to_hold(setting: Setting) -> None:
    setting.room.broken["torch"] = 1
    outcome = setting.follow(Goal(lit("torch")), Goal(lit("lamp")))
    assert outcome.done and outcome.executed == [TORCH, TORCH, LAMP]


def test_a_goal_that_is_not_reached_ends_the_sequence_and_is_named(setting: Setting) -> None:
    setting.room.broken["torch"] = 100
    outcome = setting.follow(Goal(lit("lamp")), Goal(lit("torch")), Goal(lit("lamp")))
    assert (outcome.done, outcome.stage) == (False, "execution")
    assert outcome.reason is not None
    assert outcome.reason.startswith("goal 2 of 3, (turned-on torch): (press torch): torch is dark")
    assert outcome.executed == [LAMP] + [TORCH] * ATTEMPTS
    assert [e["reached"] for e in setting.events("milestone")] == [True, False]


def test_goals_that_hold_already_need_no_plan(setting: Setting) -> None:
    setting.room.lit.add("lamp")
    outcome = setting.follow(Goal(lit("lamp")), Goal(Not(Atom("turned-off", ("lamp",)))), Goal(lit("torch")))
    assert outcome.done and outcome.executed == [TORCH] and outcome.plan == Plan((TORCH,))


def test_what_is_not_to_hold_is_undone(setting: Setting) -> None:
    outcome = setting.follow(Goal(Not(Atom("turned-off", ("lamp",)))))
    assert outcome.done and outcome.executed == [LAMP]


def test_the_alternative_that_was_taken_is_told(setting: Setting) -> None:
    both = conjunction([lit("lamp"), lit("torch")])
    outcome = setting.follow(Goal(disjunction([both, lit("torch")])), Goal(disjunction([lit("lamp"), both])))
    assert outcome.done and outcome.executed == [TORCH, LAMP]
    assert outcome.alternatives == ["(turned-on torch)", "(turned-on lamp)"]
    assert [e["goal"] for e in setting.events("alternative")] == outcome.alternatives


def test_an_alternative_that_holds_already_is_enough(setting: Setting) -> None:
    setting.room.lit.add("torch")
    outcome = setting.follow(Goal(disjunction([lit("lamp"), lit("torch")])))
    assert outcome.done and outcome.executed == [] and outcome.alternatives == []


def test_a_domain_that_cannot_say_what_to_leave_alone_is_told(setting: Setting) -> None:
    with pytest.raises(Refusal, match="torch cannot be left alone: the domain lamps has no"):
        setting.follow(Goal(lit("lamp"), ("torch",)))
    assert setting.room.commands == 0
