"""A policy as others know it: reset with an instruction, then an action for each observation.

Inside are eyes that see pictures, a reader of the instruction, and a session that plans, moves and looks again. It is
told nothing but observations and the instruction, and ends quietly: once it is done, or knows why not, it holds still.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from motion.dynamics import ArmDynamics, Dynamics
from motion.poses import Array
from motion.robot import RobotDescription
from tamp.backends.libero.standard_action import finger_target
from tamp.errors import InputError, Refusal, TampError
from tamp.execution.activity import Observation
from tamp.execution.following import Command
from tamp.execution.performing import AtTable, at_table, in_turn
from tamp.execution.session import Session
from tamp.model.domain import Domain
from tamp.model.goal import Goal, in_pddl
from tamp.model.scene import Perceiver, RobotState, Scene, SceneObject, poses_of
from tamp.model.state import WorldState
from tamp.perception.images import Image
from tamp.perception.written_goals import goals_in
from tamp.planning.engine import Engine, Planner
from tamp.planning.search import Journal
from tamp.policy.calibration import Calibration
from tamp.policy.instruction import Instruction, Read, nobody_reads
from tamp.policy.observations import encoders, has_pictures, pictures
from tamp.policy.seldom import Seldom
from tamp.runs.events import Publish

MOVED = 0.05
"""Radians by which a joint has moved when a picture that is the same to the last bit is an old one."""
MOST_STEPS = 2000
"""Control steps after which it gives up by itself: whoever evaluates it has a limit of their own."""

Look = Callable[[], Observation]
"""Gives what is observed now, with pictures."""
Eyes = Callable[[Look, RobotDescription], Perceiver]
"""Makes what sees: it is told how to look, and what the robot is like that is in the pictures."""
More = Callable[[], Mapping[str, Any]]
"""Gives the pictures of this very moment, named as in an observation."""
Given = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Says what is wanted of a scene, for a policy without an instruction: `goals` in PDDL, one after the other, and what
is to be `untouched`, in the scene's names. Refusal where it cannot be said in these."""


@dataclass
class Outcome:
    """What the policy came to, by its own eyes. `stage` and `reason` say where and why it ended without success;
    `steps` are the control steps up to the last release or push, `total_steps` all. `seconds` by stage; `looks` is how
    often it looked. `believed` has what is only believed to hold, with the second since when."""

    done: bool = False
    stage: str | None = None
    reason: str | None = None
    goal: str | list[str] | None = None
    untouched: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    plan: list[str] = field(default_factory=list)
    executed: list[str] = field(default_factory=list)
    steps: int = 0
    total_steps: int = 0
    looks: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    believed: dict[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


class NoJournal:
    """Keeps nothing."""

    def event(self, kind: str, /, **data: Any) -> None:
        """Drop an event."""

    def write(self, name: str, content: str | bytes) -> None:
        """Drop a file."""


class Policy:
    """See the module. Looking is dear: with `more` it asks for pictures where an observation has none; without, each
    observation has to have them."""

    def __init__(
        self,
        domain: Domain,
        eyes: Eyes,
        read: Read = nobody_reads,
        planner: Planner | None = None,
        journal: Journal | None = None,
        publish: Publish = lambda event: None,
        most_steps: int = MOST_STEPS,
    ) -> None:
        """What lasts over many episodes. `journal` keeps what was tried and found, `publish` is told what happens."""
        self._domain, self._eyes, self._read = domain, eyes, read
        self._planner, self._most_steps = planner or Engine(), most_steps
        self._journal: Journal = journal or NoJournal()
        self._publish = publish
        self._now: _Episode | None = None

    @property
    def outcome(self) -> Outcome | None:
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
        `names` are words of whoever gives it, each with the category of the library that they mean, and the region of
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
            raise InputError("reset comes first: the policy knows neither the instruction nor the cameras")
        return self._now.act(observation)

    def end(self) -> Outcome | None:
        """Stop where it is; what the episode came to, None without one."""
        return self._now.end() if self._now else None


def meant(names: Mapping[str, Sequence[str]], scene: Scene) -> dict[str, str]:
    """What somebody's words for things mean in a scene: only those that mean one thing there."""
    out = {}
    for word, (category, *region) in names.items():
        things = [o for o in scene if o.category == category]
        suffix = f"_{region[0]}" if region else ""
        known = {r.name for _, r in scene.regions()} | {o.name for o in scene}
        if len(things) == 1 and things[0].name + suffix in known:
            out[word] = things[0].name + suffix
    return out


class _Episode:
    """One episode of a policy. It is the backend that the session's performer is made with, too."""

    def __init__(
        self,
        policy: Policy,
        calibration: Calibration,
        instruction: str | None,
        seed: int,
        more: More | None,
        given: Given | None,
        names: Mapping[str, Sequence[str]],
    ) -> None:
        self.outcome: Outcome | None = None
        self._names = names
        self.commanded: Command | None = None
        """What the last action is to do."""
        self.period = calibration.robot.period
        self._policy, self._calibration, self._seed = policy, calibration, seed
        self._instruction, self._more, self._given = instruction, more, given
        self._arm = ArmDynamics(calibration.robot)
        self._told: Mapping[str, Any] = {}
        self._acted, self._commands, self._fingers = 0, 0, np.nan
        self._images: tuple[Image, ...] = ()
        self._seen_at = calibration.robot.posture
        self._seeing = Seldom(policy._eyes(self._look, calibration.robot), lambda: self.time, self._saw)
        self._blind: str | None = None
        self._ready: AtTable | None = None
        self._session: Session | None = None
        self._came_to = Outcome()

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

    def _feel(self, told: Mapping[str, Any]) -> None:
        felt = encoders(told, self._arm.limits)
        self._told, self._dynamics = told, self._arm.at(felt)
        opening = float(np.abs(felt.fingers).sum())
        self._robot = RobotState(felt.q, opening, self._dynamics.T_world_tool)
        if np.isnan(self._fingers):  # nobody has said where they were told to go before
            self._fingers = float(np.clip(2.0 * opening / self._widest - 1.0, -1.0, 1.0))

    @property
    def _widest(self) -> float:
        return self._calibration.robot.gripper.opening

    def _look(self) -> Observation:
        """What is observed now, with pictures. InputError without any."""
        cameras = self._calibration.cameras
        try:
            told = self._told
            if self._more is not None and not has_pictures(told, cameras):
                told = self._more()
            images = pictures(told, cameras, self._robot.T_world_tool)
            self._check_alive(images)
        except TampError as e:
            self._blind = str(e)
            raise
        self._images, self._seen_at = images, self._robot.q
        return Observation(self.time, self._robot, images)

    def _saw(self, scene: Scene) -> None:
        """Note what each look showed: where there is a video it is drawn on that."""
        self._policy._journal.event("look", **told_of(scene))

    def _check_alive(self, images: tuple[Image, ...]) -> None:
        """Refusal where a camera shows what it showed when the arm was elsewhere: each of them sees the arm."""
        moved = float(np.abs(self._robot.q - self._seen_at).max()) if self._images else 0.0
        for before, now in zip(self._images, images, strict=False):
            same = moved > MOVED and before.size == now.size and np.array_equal(before.depth, now.depth)
            if same and np.array_equal(before.colour, now.colour):
                raise Refusal(f"{now.camera} shows the same picture though the arm has moved: it is frozen", "frozen")

    # What is done

    def act(self, told: Mapping[str, Any]) -> Array:
        """The action for an observation."""
        if self.outcome is not None:
            return np.zeros(7)
        self._feel(told)
        if self._session is None:
            self._begin()
        command = None if self._session is None else self._session.tick(Observation(self.time, self._robot))
        self._acted += 1
        if command is None:
            self._finish()
            return np.zeros(7)
        self.commanded, self._commands = command, self._commands + 1
        arm, controller = self._dynamics, self._calibration.controller
        action = controller.action(*command, self._fingers, self._widest, _arrays(arm))
        self._fingers = finger_target(self._fingers, action[6])
        return action

    def _begin(self) -> None:
        """See, read and take up what is wanted; without a session where nothing comes of it, and the outcome says why.
        InputError for pictures that are none."""
        policy, robot = self._policy, self._calibration.robot
        think = in_turn(policy._domain, policy._planner, np.random.default_rng(self._seed), policy._journal)
        stage = "perception"
        try:
            ready = at_table(self, self._seeing, robot, policy._domain, think, policy._publish, policy._most_steps)
            ready.table.looks_cost = True
            scene, state, _ = ready.table.look()
            policy._journal.event("scene", **told_of(scene), symbols=state.symbols)
            policy._journal.event("state", atoms=state.atoms)
            stage = "goal"
            goals = self._goals(scene, state)
            for goal in goals:
                goal.rules(policy._domain, state)
            session = Session(ready, policy._publish, ends_when_idle=True)
            session.pursue(*goals)
        except TampError as e:
            if not isinstance(e, Refusal) and stage == "perception":
                raise
            policy._journal.event("refused", message=str(e))
            self._came_to.stage, self._came_to.reason = stage, str(e)
            return
        self._ready, self._session = ready, session
        self._came_to.goal = in_pddl(goals)
        self._came_to.untouched = list(dict.fromkeys(s for g in goals for s in g.untouched))

    def _goals(self, scene: Scene, state: WorldState) -> tuple[Goal, ...]:
        policy, start = self._policy, time.perf_counter()
        if self._given is not None:
            said = self._given(told_of(scene))
            return goals_in(scene, state, policy._domain, said["goals"], said.get("untouched", ()))
        policy._journal.event("instruction", text=self._instruction)
        try:
            words, names = str(self._instruction), meant(self._names, scene)
            return policy._read(
                Instruction(words, scene, state, policy._domain, policy._journal, self._picture(), names)
            )
        finally:
            self._came_to.seconds["language"] = round(time.perf_counter() - start, 3)

    def _picture(self) -> bytes:
        """What the fixed camera sees, as a PNG; empty without pictures."""
        import imageio.v3 as imageio

        return bytes(imageio.imwrite("<bytes>", self._images[0].colour, extension=".png")) if self._images else b""

    def end(self) -> Outcome:
        """Stop here."""
        if self.outcome is None:
            if self._session is not None:
                self._session.close()
            self._finish()
        assert self.outcome is not None
        return self.outcome

    def _finish(self) -> None:
        """Say what it came to."""
        told = self._came_to
        told.looks, told.total_steps = self._seeing.looks, self._commands
        told.seconds["look"] = round(self._seeing.seconds, 3)
        pursuit = self._ready.pursuit if self._ready else None
        if pursuit is not None and self._session is not None and self._ready is not None:
            found = pursuit.outcome
            told.done, told.stage, told.reason = found.done, found.stage, found.reason
            told.steps, told.alternatives = found.steps, found.alternatives
            first = found.plan or self._ready.table.mind.first
            told.plan = [str(a) for a in first.actions] if first else []
            told.executed = [str(a) for a in found.executed]
            seconds = self._ready.table.mind.seconds | found.seconds
            told.seconds |= {k: round(v, 3) for k, v in seconds.items()}
            told.believed = {str(a): t for a, t in self._ready.table.sight.beliefs.since.items()}
            if not told.done and told.stage is None:
                failed = self._session.failed
                told.stage = "perception" if self._blind else "execution"
                told.reason = self._blind or (failed.waits_for if failed else "stopped before it was finished")
        elif told.reason is None:
            told.stage, told.reason = "perception", "ended before anything was seen"
        self.outcome = told


def told_of(scene: Scene) -> dict[str, Any]:
    """What there is in a scene, as plain data: categories, positions (m) with quaternions w x y z, regions, joint
    values (m, rad) by the end of their part's name, which things are unknown, and the corners of the boxes around
    these and things without regions."""

    def boxed(o: SceneObject) -> bool:
        return not o.regions or o.name in scene.unknown

    return {
        "objects": {o.name: o.category for o in scene},
        "poses": poses_of(scene),
        "regions": {o.name: [r.name for r in o.regions] for o in scene if o.regions},
        "confidence": {name: round(float(c), 3) for name, c in scene.confidence.items()},
        "joints": {o.name: values for o in scene if (values := _joints(o))},
        "boxes": {o.name: [corner.tolist() for corner in o.bounds()] for o in scene if boxed(o)},
        "unknown": list(scene.unknown),
    }


def _joints(o: SceneObject) -> dict[str, float]:
    return {p.name.removeprefix(o.name): p.joint.value for p in o.parts if p.joint is not None}


def _arrays(arm: Dynamics) -> tuple[Array, ...]:
    """What the controller wants of the arm."""
    return arm.J, arm.inertia, arm.passive, arm.twist
