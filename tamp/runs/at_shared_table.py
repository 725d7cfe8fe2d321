"""An episode of two arms at one table: one plan, shared out, carried out by both, and judged by whoever knows all."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from motion.clearance import Clearance
from motion.lookahead import Lookahead
from motion.world import World
from tamp.agent.guard import HORIZON, Guard
from tamp.agent.pair import ArmAtWork, ArmPair, timed_entries
from tamp.agent.reservations import Reservations
from tamp.agent.session import Session
from tamp.agent.sharing import Beholder, Sharing
from tamp.agent.tabletop_agent import at_table
from tamp.backends.arms_file import Arms
from tamp.errors import Refusal
from tamp.model.backend import Backend
from tamp.model.events import Event
from tamp.model.goal import Goal, in_pddl
from tamp.model.scene import Perceiver, joints_of, poses_of
from tamp.perception.predicates import held_in
from tamp.runs.episode import Result, Settings, noted, thinking, timed
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.episode_runner import LASTS, Wanted
from tamp.runs.goal_oracle import Asked, asked_of
from tamp.runs.shared_plan import SharedPlan, shared_plan
from tamp.runs.side_effects import operands_of, shifted
from tamp.runs.spoken import spoken
from tamp.skills.base import Skill

ROUNDS = 3
"""Plans for one goal, each from what is seen once the one before is through."""
FAR = 1.0
"""Metres from which on it does not matter how far arms are apart."""


class Seat(Backend, Perceiver, Protocol):
    """An arm at the table that sees all."""


class Shared(Protocol):
    """A table with several arms and one clock. `stepping_seconds` are those that its world or its controllers took."""

    @property
    def period(self) -> float:
        """Seconds of a control period."""
        ...

    @property
    def stepping_seconds(self) -> float:
        """Seconds so far."""
        ...

    @property
    def seats(self) -> Sequence[Seat]:
        """The arms, each commanded by itself."""
        ...

    def pass_period(self) -> None:
        """Let one control period pass, all arms going to where they were commanded to."""
        ...

    def apart(self, held: Mapping[int, str], most: float) -> float:
        """Metres between the two arms, with what they hold (things by the number of the arm), at most `most`."""
        ...


@dataclass
class SharedResult(Result):
    """What an episode with two arms came to. `apart` is what was to be kept between the arms and `least` what was kept,
    in metres, as the world measures it; `guarded` is the same by the shapes that motion is planned with, which are a
    little larger. `schedule` is the plan with time, `happened` when each part was done: the arm, the number of the
    chunk, beginning and end in seconds. By arm: `waited` seconds for a way to become free, and `held` seconds by the
    guard. `duration` is the seconds up to the end of the last chunk.
    """

    apart: float = 0.0
    least: float = FAR
    guarded: float = FAR
    schedule: list[Any] = field(default_factory=list)
    happened: list[Any] = field(default_factory=list)
    waited: dict[str, float] = field(default_factory=dict)
    held: dict[str, float] = field(default_factory=dict)
    duration: float = 0.0

    def lines(self) -> list[tuple[str, str]]:
        """How the arms shared the work, and how near they came to each other."""
        ways = [f"{name} {n}: {begin:.1f} to {end:.1f} s" for name, n, begin, end in self.happened]
        idle = ", ".join(f"{name} {seconds:.1f}" for name, seconds in self.waited.items())
        near = f"{self.least:.3f} m, to be at least {self.apart:g}"
        return [("arms", ", ".join(ways)), ("waited", f"{idle} s"), ("nearest", near)]


def carry_out(
    shared: Shared,
    arms: Arms,
    wanted: Wanted,
    settings: Settings,
    step_limit: int,
    log: EpisodeLog,
    result: SharedResult,
    say: Callable[[str], None],
    stack: contextlib.ExitStack,
) -> None:
    """See, plan, share the plan out, carry it out with both arms, and put into the result what came of it."""
    clearance = Clearance(*arms.robots)
    reservations = Reservations.at(clearance, arms.apart, [seat.observe().q for seat in shared.seats])
    made = _Makes(shared, arms, reservations, settings, log, say, step_limit, stack)
    one, other = at_work = made.arm(0), made.arm(1)
    watches = tuple(Lookahead(a.mind.world, shared.period, HORIZON) for a in (one, other))
    guard = Guard(clearance, arms.apart, (watches[0], watches[1]))
    result.apart = arms.apart
    scene, state, _ = one.ready.table.look()
    noted(scene, state, log)
    try:
        with timed(result, "language"):
            goals = wanted(scene, state)
    except Refusal as e:
        result.stage, result.reason = "goal", str(e)
        return
    result.goal, result.untouched = in_pddl(goals), list(dict.fromkeys(s for g in goals for s in g.untouched))
    asked = asked_of(goals, shared.seats[0], one.ready.table.sight, scene)
    episode = _Episode(shared, at_work, reservations, guard, settings, step_limit, log, result, say)
    try:
        with timed(result, "execute"):
            episode.reach(goals, asked)
    finally:
        episode.conclude()
    result.reached = result.success = asked.reached(one.ready.table.sight.beliefs)
    for _ in range(LASTS):
        episode.rest()
    final, atoms, _ = one.ready.table.look()
    result.lasting = asked.reached(one.ready.table.sight.beliefs) and held_in(atoms) is None
    result.shifted = shifted(scene, state, final, operands_of(result.executed))
    log.event("final", atoms=atoms.atoms, poses=poses_of(final), joints=joints_of(final))


@dataclass(frozen=True, eq=False)
class _Makes:
    """Makes arms with a mind, eyes and a session of their own: see `carry_out`."""

    shared: Shared
    arms: Arms
    reservations: Reservations
    settings: Settings
    log: EpisodeLog
    say: Callable[[str], None]
    step_limit: int
    stack: contextlib.ExitStack

    def arm(self, number: int) -> ArmAtWork:
        """The arm of a number."""
        seat, arm, settings = self.shared.seats[number], self.arms.arms[number], self.settings
        rng, eyes, minds = np.random.default_rng([settings.seed, number]), Beholder(seat), list[Sharing]()
        think = thinking(arm.robot, eyes, settings, settings.seed + number, rng, self.log, self.stack)

        def sharing(world: World, skills: dict[str, Skill]) -> Sharing:
            minds.append(Sharing(think(world, skills), world, self.reservations, number, rng, lambda: seat.time))
            return minds[0]

        speaks = spoken(lambda line: self.say(f"{arm.name}: {line}"))

        def publish(event: Event) -> None:
            self.log.event(event.kind, arm=arm.name, **event.data())
            speaks(event)

        ready = at_table(seat, eyes, arm.robot, settings.domain, sharing, publish, self.step_limit)
        ready.table.reflexes = settings.reflexes
        return ArmAtWork(arm.name, number, seat, ready, Session(ready, publish), minds[0], eyes)


@dataclass(eq=False)
class _Episode:
    """The control periods of an episode."""

    shared: Shared
    arms: tuple[ArmAtWork, ArmAtWork]
    reservations: Reservations
    guard: Guard
    settings: Settings
    step_limit: int
    log: EpisodeLog
    result: SharedResult
    say: Callable[[str], None]
    steps: int = 0

    def reach(self, goals: tuple[Goal, ...], asked: Asked) -> None:
        """Work towards goals, one after the other, each until it is seen to hold or a reason is found why it cannot."""
        for number, goal in enumerate(goals, 1):
            self._reach(goal)
            if self.result.reason is not None:
                return
            if number < len(goals):
                asked.held.append(asked.holds(goal))

    def _reach(self, goal: Goal) -> None:
        for _ in range(ROUNDS):
            _, state, _ = self.arms[0].ready.table.look()
            if not goal.missing(state):
                return
            with timed(self.result, "plan"):
                found = shared_plan(goal, self.arms, self.settings, self.reservations)
            if not isinstance(found, SharedPlan):
                self.result.stage, self.result.reason = found.stage, found.reason
                return
            self._tell(found)
            pair = ArmPair(self.arms, found.plan, found.entries, self.reservations, self.guard, self.log.event)
            problem = self._run(pair)
            if problem is not None and self.steps >= self.step_limit:
                break
        _, state, _ = self.arms[0].ready.table.look()
        if goal.missing(state):
            unseen = " ".join(map(str, goal.missing(state)))
            self.result.stage = "execution"
            self.result.reason = problem or f"done, and still {unseen} is not seen to hold"

    def _tell(self, found: SharedPlan) -> None:
        names = [a.name for a in self.arms]
        rows = [(names[e.arm], e.chunk.number, round(e.begin, 2), round(e.end, 2)) for e in found.entries]
        for e, (name, *_) in zip(found.entries, rows, strict=True):
            self.say(f"{e.begin:5.1f} s {name}: {e.chunk}")
        self.log.event("schedule", entries=rows, chunks=[str(c) for c in found.plan.chunks])
        self.result.schedule += rows
        self.result.plan += [str(a) for c in found.plan.chunks for a in c.actions]

    def _run(self, pair: ArmPair) -> str | None:
        """Carry out a plan; what was wrong with it."""
        try:
            while not pair.over:
                if self.steps >= self.step_limit:
                    pair.reason = f"step limit of {self.step_limit} reached"
                    break
                self._pass(pair)
        finally:
            pair.stop()
            self.result.duration = pair.ended
            self.result.happened += [(n, c, round(b, 2), round(e, 2)) for n, c, b, e in timed_entries(pair)]
        return pair.reason

    def _pass(self, pair: ArmPair) -> None:
        for seat, command in zip(self.shared.seats, pair.tick(), strict=True):
            seat.command(*command)
        self.shared.pass_period()
        self.steps += 1
        things = {a.number: name for a in self.arms if (name := pair.holds(a)) is not None}
        self.result.least = min(self.result.least, self.shared.apart(things, FAR))

    def rest(self) -> None:
        """One control period in which nobody moves."""
        for seat in self.shared.seats:
            seat.stop()
        self.shared.pass_period()

    def conclude(self) -> None:
        """Put into the result what the arms did."""
        result, period = self.result, self.shared.period
        for arm in self.arms:
            arm.session.close()
            result.waited[arm.name] = round(arm.waited * period, 2)
            result.held[arm.name] = round(self.guard.held[arm.number] * period, 2)
            result.executed += [str(a) for p in arm.pursuits for a in p.outcome.executed]
        result.least, result.guarded = round(result.least, 4), round(float(self.guard.least), 4)
        result.steps, result.total_steps = round(result.duration / period), self.steps
        result.seconds["step"] = round(self.shared.stepping_seconds, 3)
