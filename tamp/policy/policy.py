"""A policy as others know it: reset with an instruction, then an action for each observation.

Inside are eyes that see pictures, a reader of the instruction, and a session that plans, moves and looks again. It is
told nothing but observations and the instruction, and ends quietly: once it is done, or knows why not, it holds still.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from motion.dynamics import ArmDynamics, Dynamics
from motion.poses import Array
from motion.robot import RobotDescription
from tamp.agent.activity import Activity, Routine
from tamp.agent.decision_request import Decide
from tamp.agent.recovery_options import REFLEXES
from tamp.agent.session import Session
from tamp.agent.tabletop import Tabletop
from tamp.agent.tabletop_agent import AtTable, at_table, in_turn
from tamp.backends.libero.standard_action import finger_target
from tamp.errors import InputError, Refusal, TampError
from tamp.model.backend import Command, Observation
from tamp.model.domain import Domain
from tamp.model.events import Publish
from tamp.model.goal import Goal, in_pddl
from tamp.model.images import Image
from tamp.model.scene import Perceiver, RobotState, Scene
from tamp.model.state import WorldState
from tamp.perception.written_goals import goals_in
from tamp.planning.engine import Engine, Planner
from tamp.planning.search import Journal
from tamp.policy.cached_perceiver import Seldom
from tamp.policy.calibration import Calibration
from tamp.policy.instruction import Instruction, Read, meant, nobody_reads
from tamp.policy.observations import Alive, encoders, has_pictures, pictures
from tamp.policy.outcome import Outcome
from tamp.policy.searching import Search, SearchingEyes, lacks_something
from tamp.policy.telling import told_of
from tamp.policy.view_planning import Looking
from tamp.runs.moving_parts import parts_told

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
        searches: bool = True,
        reflexes: Iterable[str] = REFLEXES,
        advise: Decide | None = None,
    ) -> None:
        """What lasts over many episodes. `journal` keeps what was tried and found, `publish` is told what happens.
        `searches`: what is doubtful or not seen is looked for, where the eyes can say what they have not seen;
        `reflexes` and `advise`: see `tamp.agent.tabletop`."""
        self._searches, self._reflexes, self._advise = searches, frozenset(reflexes), advise
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
            sent = '{"reset": {"instruction": …, "calibration": …}}'
            raise InputError(f"reset comes first: send {sent}, the policy knows neither what to do nor the cameras")
        return self._now.act(observation)

    def end(self) -> Outcome | None:
        """Stop where it is; what the episode came to, None without one."""
        return self._now.end() if self._now else None


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
        self._alive = Alive()
        self._eyes = policy._eyes(self._look, calibration.robot)
        self._seeing = Seldom(self._eyes, lambda: self.time, self._saw)
        self._blind: str | None = None
        self._ready: AtTable | None = None
        self._session: Session | None = None
        self._search: Search | None = None
        """What goes on before anything is taken up, where something is looked for or at."""
        self._searched: Search | None = None
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
            self._alive.check(images, self._robot.q)
        except TampError as e:
            self._blind = str(e)
            raise
        self._images, self._blind = images, None
        return Observation(self.time, self._robot, images)

    def _saw(self, scene: Scene) -> None:
        """Note what each look showed: where there is a video it is drawn on that."""
        self._policy._journal.event("look", **told_of(scene))

    def act(self, told: Mapping[str, Any]) -> Array:
        """The action for an observation."""
        if self.outcome is not None:
            return np.zeros(7)
        self._feel(told)
        if self._session is None:
            self._begin()
        command = self._tick()
        self._acted += 1
        if command is None:
            self._finish()
            return np.zeros(7)
        self.commanded, self._commands = command, self._commands + 1
        arm, controller = self._dynamics, self._calibration.controller
        action = controller.action(*command, self._fingers, self._widest, _arrays(arm))
        self._fingers = finger_target(self._fingers, action[6])
        return action

    def _tick(self) -> Command | None:
        """What the session commands; once a search has ended well, that which works towards what was found."""
        asked = self.commanded.opening if self.commanded is not None else None
        observation = Observation(self.time, self._robot, asked=asked)
        command = None if self._session is None else self._session.tick(observation)
        if command is not None or self._search is None or self._ready is None:
            return command
        found, self._search = self._search, None
        self._searched = found
        assert self._session is not None
        if not found.goals or self._session.failed is not None:
            failed = self._session.failed
            self._came_to.stage = "perception" if self._blind else "goal"
            self._came_to.reason = failed.waits_for if failed else None
            self._refused(str(self._came_to.reason))
            return None
        try:
            self._take_up(self._ready, found.goals)
        except TampError as e:
            self._came_to.stage, self._came_to.reason = "goal", str(e)
            self._refused(str(e))
            return None
        return self._session.tick(observation)

    def _begin(self) -> None:
        """See, read and take up what is wanted; without a session where nothing comes of it, and the outcome says why.
        InputError for pictures that are none."""
        policy, robot = self._policy, self._calibration.robot
        think = in_turn(policy._domain, policy._planner, np.random.default_rng(self._seed), policy._journal)
        stage = "perception"
        try:
            ready = at_table(self, self._seeing, robot, policy._domain, think, policy._publish, policy._most_steps)
            table = ready.table
            table.looks_cost, table.reflexes, table.advise = True, policy._reflexes, policy._advise
            scene, state, _ = table.look()
            policy._journal.event("state", atoms=state.atoms)
            stage = "goal"
            self._read_first(ready, scene, state)
        except TampError as e:
            if not isinstance(e, Refusal) and stage == "perception":
                raise
            self._refused(str(e))
            self._came_to.stage, self._came_to.reason = stage, str(e)

    def _read_first(self, ready: AtTable, scene: Scene, state: WorldState) -> None:
        """Take up what is wanted, or a search where it is not seen, or not for certain."""
        if (search := self._new_search(ready.table)) is not None:
            ready.table.regain, ready.table.clarify = search.regain, search.clarify
        try:
            goals = self._goals(scene, state)
        except Refusal as refusal:
            if search is None or not lacks_something(refusal):
                raise
            self._look_first(ready, search, search.find(refusal))
            return
        if search is not None and search.doubted(goals, scene):
            self._look_first(ready, search, search.make_sure(goals))
        else:
            self._take_up(ready, goals)

    def _take_up(self, ready: AtTable, goals: tuple[Goal, ...]) -> None:
        """Work towards goals from now on. Refusal where that cannot be."""
        _, state, _ = ready.table.look()
        for goal in goals:
            goal.rules(self._policy._domain, state)
        session = Session(ready, self._policy._publish, ends_when_idle=True)
        session.pursue(*goals)
        self._ready, self._session = ready, session
        self._came_to.goal = in_pddl(goals)
        self._came_to.untouched = list(dict.fromkeys(s for g in goals for s in g.untouched))

    def _look_first(self, ready: AtTable, search: Search, routine: Routine[str | None]) -> None:
        """Search before anything is taken up."""
        self._ready, self._search = ready, search
        self._session = Session(ready, self._policy._publish, ends_when_idle=True)
        self._session.begin(Activity("search", routine))

    def _new_search(self, table: Tabletop) -> Search | None:
        """Who searches; None where that is not wanted, or nothing can be looked at from elsewhere."""
        hand = next((c for c in self._calibration.cameras if c.on_hand), None)
        if not self._policy._searches or hand is None or not isinstance(self._eyes, SearchingEyes):
            return None
        size = next(i.size for i in self._images if i.camera == hand.name)
        looking = Looking(table, hand.eye(size), np.random.default_rng(self._seed))
        return Search(table, self._eyes, looking, self._goals)

    def _refused(self, why: str) -> None:
        self._policy._journal.event("refused", message=why)

    def _goals(self, scene: Scene, state: WorldState) -> tuple[Goal, ...]:
        policy, start = self._policy, time.perf_counter()
        policy._journal.event("scene", **told_of(scene), symbols=state.symbols, parts=parts_told(scene))
        if self._given is not None:
            said = self._given(told_of(scene))
            return goals_in(scene, state, policy._domain, said["goals"], said.get("untouched", ()))
        policy._journal.event("instruction", text=self._instruction)
        try:
            words, names = str(self._instruction), meant(self._names, scene)
            told = Instruction(words, scene, state, policy._domain, policy._journal, names=names)
            return policy._read(told.shown(self._images))
        finally:
            before = self._came_to.seconds.get("language", 0.0)
            self._came_to.seconds["language"] = round(before + time.perf_counter() - start, 3)

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
        told, ready = self._came_to, self._ready
        told.looks, told.total_steps = self._seeing.looks, self._commands
        told.seconds["look"] = round(self._seeing.seconds, 3)
        pursuit = ready.pursuit if ready else None
        if ready is not None:
            told.seconds |= {k: round(v, 3) for k, v in ready.table.mind.seconds.items()}
        if pursuit is not None and self._session is not None and ready is not None:
            told.take(pursuit.outcome, ready.table)
            if not told.done and told.stage is None:
                failed = self._session.failed
                told.stage = "perception" if self._blind else "execution"
                told.reason = self._blind or (failed.waits_for if failed else "stopped before it was finished")
        elif told.reason is None:
            told.stage = "perception"
            told.reason = "stopped while it searched" if ready else "ended before anything was seen"
        if (search := self._searched or self._search) is not None:
            told.searched(search.executed, search.steps)
        self.outcome = told


def _arrays(arm: Dynamics) -> tuple[Array, ...]:
    """What the controller wants of the arm."""
    return arm.J, arm.inertia, arm.passive, arm.twist
