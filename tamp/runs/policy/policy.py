"""A policy as others know it: reset with an instruction, then an action for each observation.

Inside are a perceiver of pictures, a reader of the instruction, and a session that plans, moves and looks again. It is
given nothing but observations and the instruction. Once it is done, or knows why not, it holds still.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motion.arm_drive import ArmDynamics, Dynamics
from motion.poses import Array
from motion.standard_action import finger_target
from tamp.agent.agent import Agent, AgentOutcome
from tamp.agent.camera_perceiver import Instruction, PerceiverFactory, Read, TabletopPerceiver, meant, nobody_reads
from tamp.agent.tabletop_agent import at_table, in_turn
from tamp.errors import InputError, Refusal, TampError
from tamp.model.backend import Command, Observation
from tamp.model.domain import Domain
from tamp.model.events import Event, Journal, Publish
from tamp.model.goal import Goal, goals_in
from tamp.model.scene import RobotState, Scene, record_of
from tamp.model.state import WorldState
from tamp.pddl.planner import Engine, Planner
from tamp.perception.camera_calibration import Calibration, encoders, has_pictures
from tamp.planning.assistant import JournalBuffer
from tamp.runs.moving_parts import parts_record

MOST_STEPS = 2000
"""Control steps after which it gives up by itself; an evaluation has its own limit."""

More = Callable[[], Mapping[str, Any]]
"""Gives the pictures of this very moment, named as in an observation."""
Given = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Says what is wanted of a scene, for a policy without an instruction: `goals` in PDDL, one after the other, and what
is to be `untouched`, in the scene's names. Refusal where it cannot be said in these."""


@dataclass(eq=False)
class Diary(JournalBuffer):
    """What was tried, found and done, in order, until it is sent. `also` gets the session's events at once."""

    also: Publish = lambda event: None

    def take(self, event: Event) -> None:
        """Keep an event of the session."""
        self.entries.append(("told", event.kind, event.data()))
        self.also(event)


@dataclass(eq=False)
class Policy:
    """See the module. Pictures are expensive: with `more` it asks for them where an observation has none; without, each
    observation has to have them.

    This is what lasts over many episodes. `journal` keeps what was tried and found, `publish` gets what happens.
    `searches`: what is doubtful or not seen is looked for, where the perceiver knows what it has not seen.
    """

    domain: Domain
    make_perceiver: PerceiverFactory
    read: Read = nobody_reads
    planner: Planner = field(default_factory=Engine)
    journal: Journal = field(default_factory=Diary)
    publish: Publish = lambda event: None
    most_steps: int = MOST_STEPS
    searches: bool = True
    _now: _Episode | None = None

    @property
    def outcome(self) -> AgentOutcome | None:
        """What this episode came to; None as long as it goes on."""
        return self._now.outcome if self._now else None

    def reset(
        self,
        instruction: str | None,
        calibration: Calibration,
        *,
        seed: int = 0,
        more: More | None = None,
        given: Given | None = None,
        names: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Begin an episode: what to do is read once the scene has been seen. Without an instruction `given` is asked.
        `names` are words of the instruction, each with the category of the library that they mean, and the region of
        one such thing, if they mean that: {"drawer": ("wooden_cabinet", "top_region")}.
        InputError for neither."""
        if (instruction is None) == (given is None):
            raise InputError("say what to do: an instruction, or else who gives the goal")
        self.end()
        self._now = _Episode(self, calibration, instruction, seed, more, given, names or {})

    def act(self, observation: Mapping[str, Any]) -> Array:
        """The standard action (7,) in [-1, 1] for an observation. InputError where that cannot be used, or before a
        reset."""
        if self._now is None:
            sent = '{"reset": {"instruction": …, "calibration": …}}'
            raise InputError(f"reset comes first: send {sent}, the policy knows neither what to do nor the cameras")
        return self._now.act(observation)

    def end(self) -> AgentOutcome | None:
        """Stop where it is; what the episode came to, None without one."""
        return self._now.end() if self._now else None


@dataclass(eq=False)
class _Episode:
    """One episode of a policy. It is also the backend of the agent at the table."""

    policy: Policy
    calibration: Calibration
    instruction: str | None
    seed: int
    more: More | None
    given: Given | None
    names: Mapping[str, Sequence[str]]
    outcome: AgentOutcome | None = None
    commanded: Command | None = None
    """What the last action is to do."""
    _agent: Agent | None = None
    _came_to: AgentOutcome = field(default_factory=AgentOutcome)
    _observed: Mapping[str, Any] = field(default_factory=dict)
    _acted: int = 0
    _commands: int = 0
    _fingers: float = np.nan
    """Where the fingers were last asked to go, from -1 to 1."""

    def __post_init__(self) -> None:
        robot, cameras = self.calibration.robot, self.calibration.cameras
        self.period, self._arm = robot.period, ArmDynamics(robot)
        make, searches = self.policy.make_perceiver, self.policy.searches
        self._perceiver = TabletopPerceiver(self, robot, cameras, self._take, make, self._saw, searches)

    # What is felt and seen

    @property
    def time(self) -> float:
        """Seconds since the first observation."""
        return self._acted * self.period

    def observe(self) -> RobotState:
        """Proprioception now."""
        return self._robot

    def command(self, displacement: Array, opening: float) -> None:
        """Nothing: `act` returns what is commanded."""

    def stop(self) -> None:
        """Nothing: it stands still by itself."""

    def _feel(self, observation: Mapping[str, Any]) -> None:
        felt = encoders(observation, self._arm.limits)
        self._observed, self._dynamics = observation, self._arm.at(felt)
        opening = float(np.abs(felt.fingers).sum())
        self._robot = RobotState(felt.q, opening, self._dynamics.T_world_tool)
        if np.isnan(self._fingers):  # at first they are where they were asked to be
            self._fingers = float(np.clip(2.0 * opening / self._widest - 1.0, -1.0, 1.0))

    @property
    def _widest(self) -> float:
        return self.calibration.robot.gripper.opening

    def _take(self) -> Mapping[str, Any]:
        """The last observation's pictures, or those that the client takes now."""
        if self.more is not None and not has_pictures(self._observed, self.calibration.cameras):
            return self.more()
        return self._observed

    def _saw(self, scene: Scene) -> None:
        """Note what each look showed: where there is a video it is drawn on that."""
        self.policy.journal.event("look", **record_of(scene))

    def act(self, observation: Mapping[str, Any]) -> Array:
        """The action for an observation."""
        if self.outcome is not None:
            return np.zeros(7)
        self._feel(observation)
        if self._agent is None:
            self._begin()
        command = self._tick()
        self._acted += 1
        if command is None:
            self._finish()
            return np.zeros(7)
        self.commanded, self._commands = command, self._commands + 1
        arm, controller = self._dynamics, self.calibration.controller
        action = controller.action(*command, self._fingers, self._widest, _arrays(arm))
        self._fingers = finger_target(self._fingers, action[6])
        return action

    def _tick(self) -> Command | None:
        """What the agent commands; None once it is over."""
        asked = self.commanded.opening if self.commanded is not None else None
        return None if self._agent is None else self._agent.tick(Observation(self.time, self._robot, asked=asked))

    def _begin(self) -> None:
        """See, read and take up what is wanted; without an agent where nothing can be seen, and the outcome says why.
        InputError for pictures that are none."""
        policy, robot = self.policy, self.calibration.robot
        think = in_turn(policy.domain, policy.planner, np.random.default_rng(self.seed), policy.journal)
        try:
            ready = at_table(self, self._perceiver, robot, policy.domain, think, policy.publish, policy.most_steps)
            table = ready.table
            table.looks_cost = True
            scene, state, _ = table.look()
        except Refusal as e:
            policy.journal.event("refused", message=str(e))
            self._came_to.fail("perception", str(e))
            return
        policy.journal.event("state", atoms=state.atoms)
        self._agent = Agent(
            ready, self._goals, policy.journal, lambda reads: self._perceiver.search(table, reads, self.seed)
        )
        self._came_to = self._agent.outcome
        try:
            self._agent.begin(scene, state)
        except TampError as e:
            self._agent.refused("goal", e)

    def _goals(self, scene: Scene, state: WorldState) -> tuple[Goal, ...]:
        policy = self.policy
        policy.journal.event("scene", **record_of(scene), symbols=state.symbols, parts=parts_record(scene))
        if self.given is not None:
            said = self.given(record_of(scene))
            return goals_in(state, policy.domain, said["goals"], said.get("untouched", ()))
        policy.journal.event("instruction", text=self.instruction)
        words, names = str(self.instruction), meant(self.names, scene)
        given = Instruction(words, scene, state, policy.domain, policy.journal, names=names)
        return policy.read(self._perceiver.shown(given))

    def end(self) -> AgentOutcome:
        """Stop here."""
        if self.outcome is None:
            if self._agent is not None:
                self._agent.close()
            self._finish()
        assert self.outcome is not None
        return self.outcome

    def _finish(self) -> None:
        """Complete the outcome with what only the policy knows."""
        out = self._came_to
        out.looks, out.total_steps = self._perceiver.looks, self._commands
        out.seconds["look"] = round(self._perceiver.seconds, 3)
        if not out.done and (problem := self._perceiver.problem) is not None:
            out.fail("perception", problem)
        elif self._agent is None and out.reason is None:
            out.fail("perception", "ended before anything was seen")
        self.outcome = out


def _arrays(arm: Dynamics) -> tuple[Array, ...]:
    """What the controller wants of the arm."""
    return arm.J, arm.inertia, arm.passive, arm.twist
