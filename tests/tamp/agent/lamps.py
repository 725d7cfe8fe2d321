"""Lamps, an arm and eyes in one, with a tiny domain: for what acts on things without any robot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from motion.poses import Array, pose
from motion.robot import RobotDescription
from motion.shapes import Shape
from motion.timing import Trajectory
from motion.world import World
from tamp.agent.control_loop import observed, run
from tamp.agent.plan_executor import GoalOutcome
from tamp.agent.session import Routine, Session
from tamp.agent.tabletop import Tabletop
from tamp.agent.tabletop_agent import TabletopAgent
from tamp.agent.trajectory_tracker import VETOED
from tamp.errors import Refusal
from tamp.model.atoms import Atom, GroundAction
from tamp.model.backend import Observation
from tamp.model.bodies import world_of
from tamp.model.domain import Domain
from tamp.model.events import Events
from tamp.model.goal import Goal
from tamp.model.motions import Motion
from tamp.model.scene import Joint, Part, RobotState, Scene, SceneObject
from tamp.model.situation import Situation
from tamp.model.skill_spec import Spec
from tamp.pddl.domain_file import load
from tamp.pddl.planner import Engine
from tamp.perception.observers import StateEstimator
from tamp.planning.deliberation import InTurn
from tamp.planning.search import Search
from tamp.runs.episode_log import EpisodeLog, read
from tamp.skills.base import Infeasible, Refinement, Skill, Tools

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
    happens: dict[int, Callable[[Room], None]] = field(default_factory=dict)
    """What somebody does, after so many commands."""
    blind: range = range(0)
    """Commands after which nothing is seen."""
    dazzled: bool = False
    """Whether every lamp looks dark."""
    looks: int = 0
    glimpse: dict[int, str] = field(default_factory=dict)
    """Lamps that one look misses."""

    @property
    def time(self) -> float:
        return self.commands * self.period

    def observe(self) -> RobotState:
        return RobotState(np.zeros(1), 0.08, self.T)

    def command(self, displacement: Array, opening: float) -> None:
        self.commands += 1
        self.T = pose(self.T[:3, 3] + 0.5 * displacement[:3])
        self.away = self.away or bool(self.T[0, 3] < 0.5)
        self.happens.get(self.commands, lambda room: None)(self)

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
        if self.dazzled:
            return 0.0
        if name not in self.lit or self.glow == 0:
            return float(name in self.lit)
        return min(1.0, (self.commands - self.since[name]) / self.glow)

    def perceive(self) -> Scene:
        if self.away and float(self.T[0, 3]) > 0.5:  # the arm is where the switch is
            self.press(self.names[round(float(self.T[1, 3]))])
            self.away = False
        self.looks += 1
        if self.commands in self.blind:
            raise Refusal("the lens is covered", "nothing seen")
        missed = {*self.gone, self.glimpse.get(self.looks)}
        lamps = [self._lamp(i, name) for i, name in enumerate(self.names)]
        return Scene(tuple(o for o in lamps if o.name not in missed), self.observe())

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
    clarify: Callable[[Sequence[str]], Routine[bool]] | None = None

    def pursue(self, *atoms: str, steps: int = 400, seconds: float = 20.0) -> GoalOutcome:
        return self.follow(
            Goal.of(Atom(*(a.split()[0], tuple(a.split()[1:]))) for a in atoms), steps=steps, seconds=seconds
        )

    def follow(self, *goals: Goal, steps: int = 400, seconds: float = 20.0) -> GoalOutcome:
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
                sight=StateEstimator(self.domain, {}, self.world),
                looks_cost=self.looks_cost,
                clarify=self.clarify,
            )
            at_table = TabletopAgent(table, steps)
            session = Session(at_table, table.publish, ends_when_idle=True)
            session.pursue(*goals)
            run(session, self.room, table.publish)
        assert at_table.pursuit is not None
        outcome = at_table.pursuit.outcome
        assert at_table.pursuit.steps == self.room.commands <= steps
        assert self.room.stops == 1, "however it ends, the arm is told to stop"
        return outcome

    def events(self, kind: str) -> list[dict[str, Any]]:
        return [e for e in read(self.folder / "out" / "episode.jsonl") if e["event"] == kind]


def lamps(tmp_path: Path) -> Setting:
    """Two lamps, and an arm that presses switches."""
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
