"""One plan for two arms: planned as for one, cut into chunks, tried by each in its kinematic copy, and shared out."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from tamp.agent.pair import ArmAtWork
from tamp.agent.reservations import Reservations, Way, seconds_of
from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.goal import Goal
from tamp.model.motions import timed
from tamp.model.state import WorldState, problem_of
from tamp.planning.assignment import Entry, assigned
from tamp.planning.deliberation import Decision
from tamp.planning.engine import Plan
from tamp.planning.refinement import Failure
from tamp.planning.search import NoSolution
from tamp.plans.chunks import Chunk, ChunkedPlan, chunked
from tamp.runs.episode import Settings

POLLED = 0.01
"""Seconds between two looks whether something has been thought out."""
SKELETONS = 6
"""Plans tried, each with what geometry said against the one before."""


@dataclass(frozen=True, eq=False)
class SharedPlan:
    """A plan in chunks, and which arm is to do which when."""

    plan: ChunkedPlan
    entries: tuple[Entry, ...]


@dataclass(frozen=True, eq=False)
class _Tried:
    """How long an arm takes for a chunk, and its way."""

    seconds: float
    way: Way


def shared_plan(
    goal: Goal, arms: tuple[ArmAtWork, ...], settings: Settings, reservations: Reservations
) -> SharedPlan | NoSolution:
    """The plan for a goal from what is seen now, shared out; or why there is none."""
    _, state, _ = arms[0].ready.table.look()
    facts = goal.rules(settings.domain, state)
    reason = "no plan"
    for _ in range(SKELETONS):
        found = _planned(goal, state.with_facts(facts), settings)
        if not isinstance(found, ChunkedPlan):
            return NoSolution("plan" if reason == "no plan" else "refinement", found if reason == "no plan" else reason)
        tried, failures = _tries(found, arms)
        entries = _shared_out(found, tried, arms, reservations)
        if entries is not None:
            return SharedPlan(found, entries)
        told = _facts(failures, settings.domain)
        reason = "; ".join(dict.fromkeys(f.cause.message or f.cause.reason for f in failures)) or "no arm reaches it"
        if told <= facts:
            break
        facts |= told
    return NoSolution("refinement", reason)


def _planned(goal: Goal, state: WorldState, settings: Settings) -> ChunkedPlan | str:
    """The first plan for one of the goal's alternatives, in chunks; else why there is none."""
    why = "no plan"
    for alternative in goal.alternatives():
        problem = problem_of(settings.domain, state, alternative.parts)
        result = settings.planner.solve(problem)
        if result.plan is not None:
            return chunked(result.plan.actions, alternative, state, settings.domain)
        why = result.message
    return why


def _tries(plan: ChunkedPlan, arms: tuple[ArmAtWork, ...]) -> tuple[dict[tuple[int, int], _Tried], list[Failure]]:
    """What each arm would need for each chunk, and what was found against those that no arm can do."""
    tried: dict[tuple[int, int], _Tried] = {}
    failures: list[Failure] = []
    for chunk in plan.chunks:
        found = {arm.number: _try(plan, chunk, arm) for arm in arms}
        failed = [f for f in found.values() if isinstance(f, Failure)]
        tried |= {(n, chunk.number): t for n, t in found.items() if isinstance(t, _Tried)}
        failures += failed if len(failed) == len(arms) else []
    return tried, failures


def _try(plan: ChunkedPlan, chunk: Chunk, arm: ArmAtWork) -> _Tried | Failure:
    """An arm does a chunk in its kinematic copy, after what has to be done before."""
    scene, _, situation = arm.ready.table.look()
    before = () if plan.may_begin(chunk, (), ()) else plan.chunks[: chunk.number - 1]
    earlier = tuple(a for c in before for a in c.actions)
    thought = arm.mind.inner.refine(Plan(earlier + chunk.actions), situation)
    while not thought.done():  # nothing moves yet
        time.sleep(POLLED)
    found = thought.result()
    if not isinstance(found, Decision):
        return found
    steps, world = found.steps[len(earlier) :], arm.mind.world
    timeline = timed([s.segments for s in steps], world)
    return _Tried(seconds_of(timeline), arm.mind.journey(Decision(Plan(chunk.actions), steps, timeline), scene).way)


def _shared_out(
    plan: ChunkedPlan, tried: dict[tuple[int, int], _Tried], arms: tuple[ArmAtWork, ...], reservations: Reservations
) -> tuple[Entry, ...] | None:
    """The shortest assignment with which an arm begins once the other one has freed its way."""

    def delay(entry: Entry, arm: int, chunk: Chunk) -> float:
        return reservations.delay(tried[entry.arm, entry.chunk.number].way, tried[arm, chunk.number].way)

    return assigned(plan, {key: t.seconds for key, t in tried.items()}, delay, len(arms))


def _facts(failures: Iterable[Failure], domain: Domain) -> frozenset[Atom]:
    """What geometry found out. Of what arms found out about one chunk, each differently, it is that which some action
    can undo: another arm, or another order, may do better."""
    every = frozenset[Atom]().union(*(f.cause.facts for f in failures))
    undone = {name for changed in domain.changes.values() for name in changed}
    return frozenset(fact for fact in every if fact.predicate in undone) or every
