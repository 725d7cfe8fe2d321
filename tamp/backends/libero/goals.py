"""A LIBERO task's own goal in the vocabulary of the tabletop domain, for runs that skip language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.formula import TRUE, Formula, Literal, Not, alternatives, holds, mapped, negation, ways
from tamp.model.goal import Goal
from tamp.model.scene import GROUND, Region, Scene
from tamp.model.state import WorldState, problem_of
from tamp.pddl.planner import Engine
from tamp.pddl.simulation import reaches
from tamp.perception.predicates import above
from tamp.perception.relations import SIDES, areas, things

PREDICATES = {
    "on": "on",
    "in": "in",
    "open": "open",
    "close": "closed",
    "turnon": "turned-on",
    "turnoff": "turned-off",
}

MOST_WAYS = 1000
"""Conjunctions of a goal's disjunctive normal form up to which goals are compared by what they mean."""

ON_IT = np.array([0.0, 0.0, 0.03])
"""Metres above a surface at which the origin of what stands on it may be."""


def task_goal(environment: LiberoEnvironment, scene: Scene) -> Goal:
    """The goal that LIBERO checks."""
    return Goal.of([atom_of(fact, scene) for fact in environment.domain.parsed_problem["goal_state"]])


def atom_of(fact: Sequence[str], scene: Scene) -> Atom:
    """A fact of a BDDL file in the tabletop vocabulary; KeyError for a predicate that only LIBERO knows."""
    predicate, *args = fact
    if predicate in ("open", "close") and any(o.name == args[0] for o in scene):  # the domain opens what is behind it
        args[0] = next(r.name for r in scene.object(args[0]).regions if r.door is not None)
    return Atom(PREDICATES[predicate], tuple(args))


def goal_regions(environment: LiberoEnvironment) -> tuple[str, ...]:
    """Places on the ground that the task's goal names; reported by a perceiver only to check that goal."""
    regions = environment.domain.parsed_problem["regions"]
    ground = environment.domain.workspace_name
    named = {a for _, *args in environment.domain.parsed_problem["goal_state"] for a in args}
    return tuple(sorted(a for a in named if a in regions and regions[a]["target"] == ground))


def in_the_tasks_words(goal: Goal, own: Goal, scene: Scene) -> Goal:
    """A goal in which what is on one side of a thing is on a region of the ground that the task's own goal names, where
    the best spot on that side is in that region. `scene` has these regions."""
    named = {s for a in own.atoms for s in a.args}
    regions = [r for r in _places(scene) if r.name in named]

    def said(literal: Literal) -> Formula:
        if isinstance(literal, Not):
            return negation(said(literal.atom))
        found = (Atom("on", (literal.args[0], r.name)) for r in regions if _away(literal, r, scene) is not None)
        return next(found, literal)

    return replace(goal, formula=mapped(goal.formula, said))


def beside_things(own: Goal, scene: Scene) -> Goal:
    """The task's own goal with regions of the ground as sides of things, for perceivers that see no such regions: the
    inverse of `in_the_tasks_words`. Regions that are no such place keep their names."""
    grounds = {r.name: r for r in _places(scene)}

    def said(literal: Literal) -> Formula:
        if isinstance(literal, Not) or len(literal.args) != 2 or literal.args[1] not in grounds:
            return literal
        item, region = literal.args[0], grounds[literal.args[1]]
        sides = (Atom(side, (item, thing)) for side in SIDES for thing in things(scene) if thing != item)
        found = ((scene.object(a.args[1]).movable, _away(a, region, scene), a) for a in sides)
        near = [(movable, off, a) for movable, off, a in found if off is not None]
        return min(near)[2] if near else literal  # a thing that stays where it is, and the nearest

    return replace(own, formula=mapped(own.formula, said))


def _places(scene: Scene) -> list[Region]:
    """Regions of the ground, which come after its own surface."""
    return [r for o in scene if o.category in GROUND for r in o.regions[1:]]


def _away(atom: Atom, region: Region, scene: Scene) -> float | None:
    """Metres from the middle of a region at which something best stands on that side of a thing, if it is in it."""
    there = {o.name for o in scene}
    if atom.predicate not in SIDES or not there.issuperset(atom.args):
        return None
    top = region.T_world_region[:3, 3]
    found = areas(atom, 0.5 * scene.object(atom.args[0]).extent[:2], scene)
    off = [np.append(area.best - top[:2], 0.0) for area in found]
    return next((float(np.linalg.norm(d)) for d in off if above(top + d + ON_IT, region)), None)


def equivalent(a: Goal, b: Goal, true: frozenset[Atom]) -> bool:
    """Whether two goals ask for the same, apart from what holds where exactly the atoms `true` do, at the start."""

    def required(formula: Formula) -> set[frozenset[Literal]] | Formula:
        # no two of the literals left exclude each other, so that there is one set of least sets
        left = mapped(formula, lambda literal: TRUE if holds(literal, true) else literal)
        return {frozenset(some) for some in alternatives(left)} if ways(left) <= MOST_WAYS else left

    return set(a.untouched) == set(b.untouched) and required(a.formula) == required(b.formula)


def is_the_tasks(goals: tuple[Goal, ...], environment: LiberoEnvironment, true: frozenset[Atom]) -> bool:
    """Whether what is asked for, where exactly the atoms `true` hold, is what LIBERO checks in this scene."""
    if len(goals) != 1:
        return False
    scene = OraclePerceiver(environment, goal_regions(environment)).perceive()
    try:
        own = task_goal(environment, scene)
    except KeyError:  # a user's file with a predicate that only LIBERO knows
        return False
    return equivalent(in_the_tasks_words(goals[0], own, scene), own, true)


def reaching(goal: Goal, own: Goal, scene: Scene, state: WorldState, domain: Domain) -> bool:
    """Whether a plan for `goal` leaves the task's own goal true: with a drawer opened besides, say.

    `scene` has the regions that the task's goal names, `state` is how things are at the start.
    """
    said = in_the_tasks_words(goal, own, scene)
    named = dict.fromkeys((s for a in (*said.mentioned, *own.mentioned) for s in a.args), "surface")
    known = replace(state, symbols=named | state.symbols)
    plan = Engine().solve(problem_of(domain, known, said.parts)).plan
    return plan is not None and reaches(plan.actions, problem_of(domain, known, own.parts))
