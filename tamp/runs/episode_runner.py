"""An episode at a table outside LIBERO: whoever knows all says whether what was asked for holds, once it is over."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from motion.robot import RobotDescription
from tamp.agent.activity import Activity
from tamp.agent.clock import run_in_real_time, run_paused
from tamp.agent.searching import Search, lacks_something
from tamp.agent.session import Session
from tamp.agent.tabletop_agent import AtTable
from tamp.errors import Refusal
from tamp.model.backend import Backend
from tamp.model.events import Events
from tamp.model.goal import Goal
from tamp.model.scene import Perceiver, Scene, joints_of, poses_of
from tamp.model.state import WorldState
from tamp.perception.predicates import held_in
from tamp.policy.camera_perceiver import TableEyes
from tamp.runs.episode import Result, Settings, noted, robot_at_table, take_up, timed, told
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.evaluator import Overseer
from tamp.runs.side_effects import shifted

LASTS = 20
"""Control periods for which what was reached has to last."""
SEEMED = "it was seen to be done, and is not"
"""What is wrong where only the eyes that are acted by say that it is done."""

Wanted = Callable[[Scene, WorldState], tuple[Goal, ...]]
"""What is wanted of a scene. Refusal where that cannot be said of it. Words are read in what is seen; without any it is
given, in the names of who knows all."""


class Table(Backend, Protocol):
    """A robot at a table. `stepping_seconds` are those that its world or its controller took."""

    robot_model: RobotDescription

    @property
    def stepping_seconds(self) -> float:
        """Seconds so far."""
        ...


def carry_out(
    table: Table,
    eyes: Perceiver,
    judge: Perceiver,
    wanted: Wanted,
    settings: Settings,
    step_limit: int,
    log: EpisodeLog,
    result: Result,
    say: Callable[[str], None],
    stack: contextlib.ExitStack,
) -> None:
    """See, take up what is wanted, work towards it to the end, and put into the result what came of it. All that acts
    sees with `eyes` alone; `judge` knows all, and may be the same."""
    try:
        ready = robot_at_table(table, eyes, table.robot_model, settings, log, say, stack, step_limit)
        scene, state, _ = ready.table.look()
    except Refusal as e:
        result.stage, result.reason = "perception", str(e)
        return
    noted(scene, state, log)
    overseer = _overseer(ready, eyes, judge, settings, log)
    ready.table.publish = Events(ready.table.publish, overseer.heard)
    work = _Work(table, ready, overseer, wanted, settings)
    search = eyes.search(ready.table, work.goals, settings.seed) if isinstance(eyes, TableEyes) else None
    try:
        with timed(result, "language"):
            goals = work.sought(search, scene, state)
        session = take_up(ready, goals, result)
    except Refusal as e:
        log.event("refused", message=str(e))
        result.stage, result.reason = "goal", str(e)
        return
    overseer.judges(goals)
    try:
        work.run(session)
    finally:
        told(ready.pursuit, session, result)
        if search is not None:
            result.executed = [*map(str, search.executed), *result.executed]
            result.steps, result.total_steps = result.steps + search.steps, result.total_steps + search.steps
    _conclude(work, result, log)
    if isinstance(eyes, TableEyes):
        result.seconds["look"] = round(eyes.seconds, 3)


def _overseer(ready: AtTable, eyes: Perceiver, judge: Perceiver, settings: Settings, log: EpisodeLog) -> Overseer:
    if judge is eyes:
        return Overseer.same(judge, ready.table.sight, log.event)
    return Overseer.beside(judge, ready.table.world.robot, settings.domain, log.event)


@dataclass(frozen=True, eq=False)
class _Work:
    """What goes on at a table in one episode."""

    table: Table
    ready: AtTable
    overseer: Overseer
    wanted: Wanted
    settings: Settings

    def goals(self, scene: Scene, state: WorldState) -> tuple[Goal, ...]:
        """What is wanted, of a scene as whoever acts sees it."""
        overseer = self.overseer
        overseer.saw(scene)
        if self.settings.said is not None or overseer.names is None:
            return self.wanted(scene, state)
        return overseer.handed_over(self.wanted(overseer.start, overseer.state), scene, state)

    def sought(self, search: Search | None, scene: Scene, state: WorldState) -> tuple[Goal, ...]:
        """What is wanted, once it was looked for where it is not seen, and looked at where it is doubtful."""
        try:
            goals = self.goals(scene, state)
        except Refusal as refusal:
            if search is None or not lacks_something(refusal):
                raise
            routine = search.find(refusal)
        else:
            if search is None or not search.doubted(goals, scene):
                return goals
            routine = search.make_sure(goals)
        session = Session(self.ready, self.ready.table.publish, ends_when_idle=True)
        session.begin(Activity("search", routine))
        self.run(session)
        if session.failed is not None or not search.goals:
            raise Refusal(session.failed.waits_for if session.failed else "nothing came of the search", "absent")
        return search.goals

    def run(self, session: Session) -> None:
        """Have a session go on to its end."""
        table, after = self.table, self._after
        if self.settings.clock == "real":
            run_in_real_time(session, table, self.ready.table.publish, after=after)
        else:
            run_paused(session, table, after=after)

    def _after(self) -> None:
        self.overseer.asked.sight.felt(self.table.time, self.table.observe())


def _conclude(work: _Work, result: Result, log: EpisodeLog) -> None:
    """What the episode came to, once it has stood still for a while at the end."""
    overseer, beliefs = work.overseer, work.ready.table.sight.beliefs
    result.reached = result.success = overseer.reached(beliefs)
    for _ in range(LASTS):
        work.table.stop()
    final, atoms = overseer.look()
    result.lasting = overseer.reached(beliefs) and held_in(atoms) is None
    result.seconds["step"] = round(work.table.stepping_seconds, 3)
    result.shifted = shifted(overseer.start, overseer.state, final, overseer.operands(result.executed))
    result.verdicts = dict(overseer.verdicts)
    log.event("final", atoms=atoms.atoms, poses=poses_of(final), joints=joints_of(final))
    if result.stage is None and overseer.unmatched is not None:
        result.stage, result.reason = "judge", overseer.unmatched
    elif result.stage is None and not result.reached and overseer.names is not None:
        result.stage, result.reason = "checker", SEEMED
