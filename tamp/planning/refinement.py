"""Skeleton to motions: a depth-first search over samples in a kinematic copy of the scene.

Actions are refined in order; when one has no sample left the one before it tries its next. What made the
deepest action fail is the reason that goes back to the planner, as facts: `tamp.planning.search` adds them to the
problem of the next skeleton.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from motion.servo import arrived
from motion.world import OutOfBudget, World
from tamp.model.atoms import Atom, GroundAction
from tamp.model.situation import Situation
from tamp.pddl.planner import Plan
from tamp.planning.counterfactual import needed
from tamp.skills.base import Infeasible, Refinement, Skill, Tools
from tamp.skills.builtin_specs import IN_WAY
from tamp.skills.open_parts import in_symbols, while_open

SAMPLES = 300
"""Samples of one action, for one choice of the actions before it."""
COUNTERFACTUAL = 3.0
"""Seconds, at most, in which it is found out whether an action is possible without what is in its way."""
SUCCESSES = 30
"""Refinements of one action that are followed further before its predecessor is blamed."""


SAME = (0.01, 0.2)
"""Metres and radians between two grasps, or two placements, that count as the same."""

RATE = 20_000
"""Looks into the world, as `World.effort` counts them, that a second pays for."""
LEAST = 10_000
"""Looks that are worth beginning with."""
WAITED = 3.0
"""Seconds by the clock that count as one of the processor: others may be at work, and a sampler may wait."""

Failed = dict[GroundAction, list[dict[str, Any]]]


def never() -> bool:
    """For searches that nobody cancels."""
    return False


@dataclass(frozen=True)
class SearchBudget:
    """What a search may spend: until the world's `effort` has come to so much, or `limit` seconds are gone since it
    `began`, by the processor's time of its thread and by the clock. Of these, `kept` seconds are for explaining why
    nothing was found.

    It is effort that is shared out, so that a seed gives the same answer however busy the machine is; the time only
    ends what takes too long. What others have of the processor counts a little, since somebody waits.
    """

    world: World
    began: tuple[float, float]
    limit: float
    effort: int
    cancelled: Callable[[], bool] = never
    seconds: float = 0.0
    kept: float = 0.0

    @classmethod
    def of(cls, world: World, seconds: float, cancelled: Callable[[], bool] = never, kept: float = 0.0) -> SearchBudget:
        """What may be spent in so many seconds from now, in this thread, unless it is cancelled before; a share `kept`
        of it for explaining."""
        began, searching = (time.thread_time(), time.perf_counter()), (1 - kept) * seconds
        return cls(world, began, seconds, world.effort + int(RATE * searching), cancelled, seconds, kept * seconds)

    @property
    def left(self) -> float:
        """Seconds that may still pass."""
        worked, passed = time.thread_time() - self.began[0], time.perf_counter() - self.began[1]
        return max(0.0, self.limit - max(worked, passed / WAITED))

    def empty(self) -> bool:
        """Whether nothing is left for searching."""
        return self.cancelled() or self.left <= self.kept or self.world.effort > self.effort

    def spent(self) -> bool:
        """Whether too little is left for another plan."""
        return self.cancelled() or self.left < self.kept + 1.0 or self.world.effort > self.effort - LEAST

    def taken(self) -> float:
        """Seconds that are gone, by time or by effort, whichever is more."""
        left = min(self.left - self.kept, (self.effort - self.world.effort) / RATE)
        return self.seconds - min(max(left, 0.0), self.seconds)

    def after(self, seconds: float) -> SearchBudget:
        """The same with less time: that was spent by another process."""
        return replace(self, limit=self.limit - seconds)

    def part(self, share: float) -> SearchBudget:
        """Some of what is left by effort, and for where that takes longer twice as much by time."""
        left = max(share * (self.effort - self.world.effort), LEAST)
        seconds = max(0.0, 1 - 2 * share) * max(0.0, self.left - self.kept)
        return replace(self, effort=self.world.effort + int(left), limit=self.limit - seconds)

    def explaining(self) -> SearchBudget:
        """What may be spent on finding out why something is impossible: up to `COUNTERFACTUAL` seconds of all that is
        left."""
        return SearchBudget.of(self.world, min(COUNTERFACTUAL, self.left), self.cancelled)


@dataclass(frozen=True, eq=False)
class Refined:
    """A refinement of every action, in order; `samples` is how many were drawn on the way."""

    steps: tuple[Refinement, ...]
    samples: int = 0


@dataclass(frozen=True)
class Failure:
    """Why no refinement was found: the deepest action reached and the reason met most often there, of those that blame
    what could be moved away where there are any.

    `timeout` tells a spent budget from exhausted samples. `while_open` are facts that say the same as the cause's, but
    only as long as a drawer or a door is open; none where it is not known to depend on one. `in_way` are those of the
    skill's facts that blame something the action is not about. `purpose` says why the plan has the action, where that
    is an earlier failure. `proven` where it was shown without sampling. `begun` are refinements of the actions before.
    """

    index: int
    action: GroundAction
    cause: Infeasible
    timeout: bool = False
    causes: tuple[tuple[str, int], ...] = ()
    samples: int = 0
    while_open: frozenset[Atom] = frozenset()
    in_way: frozenset[Atom] = frozenset()
    purpose: str = ""
    proven: bool = False
    begun: tuple[Refinement, ...] = ()


@dataclass(eq=False)
class _Search:
    actions: tuple[GroundAction, ...]
    skills: dict[str, Skill]
    tools: Tools
    budget: SearchBudget
    hints: tuple[Refinement, ...] = ()
    failed: Failed = field(default_factory=dict)
    causes: dict[int, list[Infeasible]] = field(default_factory=dict)
    failed_in: dict[int, Situation] = field(default_factory=dict)
    stopped: bool = False
    samples: int = 0
    begun: tuple[Refinement, ...] = ()
    """What was chosen when the deepest action was reached."""
    pointless: int = -1
    """Index of an action that the one before it cannot help by another sample."""
    conflict: frozenset[str] | None = None
    """Items that another choice must be about to help the action that failed last; None when that is not known."""

    def run(self, situation: Situation, before: tuple[Refinement, ...] = ()) -> list[Refinement] | None:
        index = len(before)
        if index == len(self.actions):
            return []
        found, self.begun = 0, max(self.begun, before, key=len)
        conflicts: list[frozenset[str] | None] = []
        for sample in self._samples(index, situation):
            self.samples += 1
            if self.budget.empty():
                self.stopped = True
            if self.stopped:
                return None
            if isinstance(sample, Infeasible):
                self.causes.setdefault(index, []).append(in_symbols(sample, situation.scene))
                self.failed_in[index] = situation
                self.pointless = index if sample.whatever_grasp else -1
                if sample.final:
                    self.stopped = True
                    return None
                if not found:
                    conflicts.append(sample.conflict)
                continue
            rest = self.run(sample.after, (*before, sample))
            if rest is not None:
                return [sample, *rest]
            conflicts = [*(conflicts if found else []), self._left_of_conflict(index)]
            found += 1
            if conflicts[-1] is not None and conflicts[-1] is self.conflict:
                return None  # no other way to do this action changes what failed
            if self.stopped or found >= SUCCESSES or self.pointless == index + 1:
                break
        known = [c for c in conflicts if c is not None]
        self.conflict = frozenset().union(*known) if known and len(known) == len(conflicts) else None
        return None

    def _left_of_conflict(self, index: int) -> frozenset[str] | None:
        """What the actions before this one must be about to help, after one of its samples led to a conflict: the
        same when it is not about this action's objects, else all but what this action moves."""
        action = self.actions[index]
        if self.conflict is None or not self.conflict & set(action.args):
            return self.conflict
        return self.conflict - {self.skills[action.name].spec.moved(action.args)}

    def _samples(self, index: int, situation: Situation) -> Iterator[Refinement | Infeasible]:
        action = self.actions[index]
        skill = self.skills[action.name]
        hint = self.hints[index].note if index < len(self.hints) else None
        brought = (self.skills[a.name].spec.brought(a.args) for a in self.actions[index + 1 :])
        tools = replace(self.tools, hint=hint, following=tuple(b for b in brought if b is not None))
        for n, sample in enumerate(skill.refine(action.args, situation, tools)):
            if n >= SAMPLES:
                return
            if not (isinstance(sample, Refinement) and _tried(sample.note, self.failed.get(action, ()))):
                yield sample


def refine(
    plan: Plan,
    situation: Situation,
    skills: dict[str, Skill],
    tools: Tools,
    budget: SearchBudget,
    hints: tuple[Refinement, ...] = (),
    failed: Failed | None = None,
) -> Refined | Failure:
    """Motions for every action of `plan` from `situation`, or why there are none, before `budget` is empty.

    `hints` are refinements of the same actions from a situation much like this one: they are tried first. `failed`
    has the notes of refinements that have failed in execution: nothing like them is tried.
    """
    if (shown := _disproved(plan, situation, skills)) is not None:
        return shown
    search, steps = _Search(plan.actions, skills, tools, budget, hints, failed or {}), None
    with suppress(OutOfBudget), tools.world.limited(budget.empty):
        steps = search.run(situation)
    if steps is not None:
        return Refined(tuple(steps), search.samples)
    index = len(search.begun) if budget.empty() else max(search.causes, default=0)
    known = index in search.causes or not budget.empty()
    causes = search.causes.get(index) or [_nothing(budget)]
    final = [c for c in causes if c.final]
    counted = Counter(map(_reason_text, causes)).most_common()
    action = plan.actions[index]
    timeout, skill, then = not final and budget.empty(), skills[action.name], search.failed_in.get(index)
    counting = causes
    if then is not None:
        with suppress(OutOfBudget), tools.world.limited(budget.explaining().empty):
            counting = needed(skill, action.args, causes, then, tools, SAMPLES)
    facts = skill.facts(action.args, counting, situation.scene) if known else frozenset[Atom]()
    in_way = frozenset(f for f in facts if not set(f.args) <= set(action.args))
    likely = final[0] if final else _likely(counting or causes, in_way)
    message = likely.message if final else _in_words(_reason_text(likely), counted, len(causes))
    cause = replace(likely, facts=facts, message=message)
    depends = frozenset[Atom]()
    if then is not None and (counting is not causes or not in_way):
        depends = _while_open(action, skill, counting, then, situation)
    return Failure(
        index, action, cause, timeout, tuple(counted[:5]), search.samples, depends, in_way, begun=search.begun
    )


def _disproved(plan: Plan, situation: Situation, skills: dict[str, Skill]) -> Failure | None:
    """The first action that is shown, without sampling, to be impossible after what comes before it."""
    brought: list[tuple[str, str]] = []
    for index, action in enumerate(plan.actions):
        if (cause := skills[action.name].proof(action.args, situation.scene, brought)) is not None:
            return Failure(index, action, cause, proven=True)
        moved, to = skills[action.name].spec.moved(action.args), skills[action.name].spec.brought(action.args)
        brought = [b for b in brought if b[0] != moved] + ([] if to is None else [to])
    return None


def _nothing(budget: SearchBudget) -> Infeasible:
    """Why there is no motion where no sample says why."""
    if budget.empty():
        return Infeasible("timeout", message="time ran out before anything was found")
    return Infeasible("nothing", message="there is no way to do it")


def _reason_text(cause: Infeasible) -> str:
    return cause.message or cause.reason


def _likely(causes: list[Infeasible], in_way: frozenset[Atom]) -> Infeasible:
    """The most frequent cause. What the facts `in_way` blame can be moved away, unlike the arm's own limits: where it
    was met, it comes first."""
    movable = frozenset(name for f in in_way for name in f.args[1:])
    some = [c for c in causes if movable & set(c.blockers)] or causes
    often = Counter(map(_reason_text, some)).most_common(1)[0][0]
    return next(c for c in some if _reason_text(c) == often)


def _while_open(
    action: GroundAction, skill: Skill, causes: list[Infeasible], then: Situation, now: Situation
) -> frozenset[Atom]:
    """What is blocked only while something is open: where a held thing goes, else what the action is about first."""
    if not (action.args and skill.spec.facts >= IN_WAY):
        return frozenset()
    brought = skill.spec.brought(action.args)
    about = brought[1] if brought is not None and then.held == brought[0] else action.args[0]
    return while_open(about, action.args, causes, then.scene, now.scene)


def _in_words(first: str, counted: Sequence[tuple[str, int]], tries: int) -> str:
    """A cause; with the most frequent other one where it is not that of most of the tries."""
    often = dict(counted)[first]
    others = [c for c in counted if c[0] != first]
    if not others or 2 * often > tries:
        return first
    second, seldom = others[0]
    return f"{first} ({often} of {tries} tries), {second.partition(': ')[2] or second} ({seldom})"


def _tried(note: dict[str, Any], failed: Iterable[dict[str, Any]]) -> bool:
    """Whether a refinement has the grasp or the placement of one that has failed, or goes its way."""
    for before, key in itertools.product(failed, ("grasp", "pose")):
        if key in note and key in before and arrived(np.array(note[key]), np.array(before[key]), SAME):
            return True
    return "way" in note and any(note["way"] == before.get("way") for before in failed)
