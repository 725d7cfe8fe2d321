"""A LIBERO task's own goal in the vocabulary of the tabletop domain, for runs that skip language."""

from __future__ import annotations

from tamp.atoms import Atom
from tamp.goal import Goal
from tamp.libero.environment import LiberoEnvironment
from tamp.scene import Scene

_PREDICATES = {
    "on": "on",
    "in": "in",
    "open": "open",
    "close": "closed",
    "turnon": "turned-on",
    "turnoff": "turned-off",
}


def task_goal(environment: LiberoEnvironment, scene: Scene) -> Goal:
    """The goal that LIBERO checks."""
    atoms = [
        Atom(_PREDICATES[p], tuple(_symbol(p, a, scene) for a in args))
        for p, *args in environment.domain.parsed_problem["goal_state"]
    ]
    return Goal(tuple(dict.fromkeys(atoms)))


def goal_regions(environment: LiberoEnvironment) -> tuple[str, ...]:
    """Places on the ground that the task's goal names; a perceiver is told of them only to judge that goal."""
    regions = environment.domain.parsed_problem["regions"]
    ground = environment.domain.workspace_name
    named = {a for _, *args in environment.domain.parsed_problem["goal_state"] for a in args}
    return tuple(sorted(a for a in named if a in regions and regions[a]["target"] == ground))


def _symbol(predicate: str, name: str, scene: Scene) -> str:
    """LIBERO opens and closes an object; the domain, the interior behind its door."""
    if predicate in ("open", "close") and any(o.name == name for o in scene):
        return next(r.name for r in scene.object(name).regions if r.door is not None)
    return name
