"""Motions for a plan, or what geometry has against it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tamp.api.planning import deliberation, mind_of
from tamp.api.scenes import seen_in
from tamp.errors import InputError

if TYPE_CHECKING:
    from motion.timing import Trajectory
    from tamp.api.planning import Planned
    from tamp.api.scenes import LoadedScene
    from tamp.model.atoms import Atom, GroundAction
    from tamp.model.goal import Goal
    from tamp.model.situation import Situation
    from tamp.planning.deliberation import Decision


@dataclass(frozen=True, eq=False)
class Motions:
    """Motions for every action of a plan, or why there are none. It is true where there are.

    `goal` and `actions` are the plan's. Without motions `failed` is the action that has none, `reason` says why, and
    `facts` are what geometry found out: `plan` takes them, and plans otherwise.
    """

    goal: Goal
    actions: tuple[GroundAction, ...]
    failed: GroundAction | None = None
    reason: str = ""
    facts: frozenset[Atom] = frozenset()
    _decision: Decision | None = field(default=None, repr=False)
    _begin: Situation | None = field(default=None, repr=False)
    """How things were when they were made."""

    def __bool__(self) -> bool:
        return self._decision is not None

    @property
    def trajectories(self) -> tuple[Trajectory, ...]:
        """The arm's motions in order, each with `times` (k,) in seconds from its own start and joints `q` (k, n) in
        radians. Between them the fingers open or close."""
        segments = () if self._decision is None else self._decision.timeline.segments
        return tuple(s.trajectory for s in segments if hasattr(s, "trajectory"))

    @property
    def seconds(self) -> float:
        """How long the motions are to take; what the fingers take is not foreseen."""
        return 0.0 if self._decision is None else self._decision.timeline.seconds


def refine(scene: LoadedScene, plan: Planned, *, seed: int = 0, seconds: float = 20.0) -> Motions:
    """Look for grasps, placements and timed paths clear of collisions for a whole plan; nothing moves.

    Args:
        scene: Where, as it is now.
        plan: What `plan` found.
        seed: Draws grasps, placements and paths: the same seed gives the same motions.
        seconds: What may be spent.

    Returns:
        The motions; or, with the action that has none, the reason, and facts for the planner.

    Raises:
        InputError: For what is no plan.

    >>> import tamp
    >>> with tamp.load_scene("docs/examples/kitchenette") as scene:
    ...     motions = tamp.refine(scene, tamp.plan(scene, "(holding can)"))
    >>> bool(motions), len(motions.actions), motions.trajectories[0].q.shape[1]
    (True, 1, 7)
    """
    from tamp.model.situation import Situation
    from tamp.pddl.planner import Plan
    from tamp.perception.predicates import held_in
    from tamp.planning.refinement import Failure

    if not plan:
        raise InputError(f"there is no plan of {plan.goal} to be refined: {plan.message}")
    seen, mind = seen_in(scene, plan.goal.mentioned), mind_of(scene, seed=seed)
    mind.budget = seconds
    begin = Situation(seen.scene, held_in(seen.state))
    found = deliberation(mind, scene).refine(Plan(plan.actions), begin).result()
    if isinstance(found, Failure):
        reason = found.cause.message or found.cause.reason
        return Motions(plan.goal, plan.actions, found.action, reason, found.cause.facts)
    return Motions(plan.goal, plan.actions, _decision=found, _begin=begin)
