"""Which things that a policy saw are which of the simulator's: by category and by where they are, and what it does not
know by where it is alone. For the judge alone.

What the policy calls a thing is its own affair, and it never hears the simulator's names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from motion.poses import Array
from tamp.errors import Refusal
from tamp.model.formula import renamed
from tamp.model.goal import Goal
from tamp.model.scene import GROUND, Scene, SceneObject

MATCHED = 0.05
"""Metres up to which a thing is taken for one that was seen there."""
FAR = 1e3


@dataclass(frozen=True)
class MatchedNames:
    """The policy's names for things and regions to the simulator's, and why other things have none."""

    true: dict[str, str]
    why: dict[str, str] = field(default_factory=dict)

    def of(self, goal: Goal) -> Goal:
        """A goal of the policy's in the simulator's names. Refusal for what was matched with nothing."""
        known = {s: self.said(s) for s in (*goal.symbols, *goal.untouched)}
        return replace(goal, formula=renamed(goal.formula, known), untouched=tuple(known[s] for s in goal.untouched))

    def symbol(self, name: str) -> str:
        """The simulator's name, or the one given where it has none."""
        return self.true.get(name, name)

    def operands(self, action: str) -> tuple[str, ...]:
        """The arguments of an action, `(pick mug_1 table)`, that are things of the simulator's, by its names."""
        _, *names = action.strip("()").split()
        return tuple(self.true[name] for name in names if name in self.true)

    def backwards(self) -> MatchedNames:
        """From the simulator's names to the policy's."""
        return MatchedNames({theirs: ours for ours, theirs in self.true.items()})

    def said(self, name: str) -> str:
        """The simulator's name. Refusal for what was matched with nothing."""
        if name not in self.true:
            raise Refusal(self.why.get(name, f"nothing that was seen was found to be {name}"), "unmatched")
        return self.true[name]


def match(record: Mapping[str, Any], scene: Scene) -> MatchedNames:
    """The names of what a policy says that it saw, as `tamp.model.scene.record_of` has it, in the simulator's
    `scene`."""
    pairs: dict[str, str] = {}
    why: dict[str, str] = {}
    unknown = {name: np.mean(record["boxes"][name], axis=0) for name in record.get("unknown", ())}
    for category in dict.fromkeys(c for n, c in record["objects"].items() if n not in unknown):
        seen = [n for n, c in record["objects"].items() if c == category and n not in unknown]
        there = [o for o in scene if o.category == category]
        if category in GROUND:
            pairs |= dict(zip(seen, (o.name for o in there), strict=False))
            continue
        apart = np.array([[_apart(record["poses"][n], o.position) for o in there] for n in seen])
        if there:
            rows, columns = linear_sum_assignment(np.minimum(apart, FAR))
            pairs |= {seen[i]: there[j].name for i, j in zip(rows, columns, strict=True) if apart[i, j] <= MATCHED}
        for i, name in enumerate(seen):
            if name not in pairs:
                near = f"; the nearest is {apart[i].min() * 100:.0f} cm away" if there else ""
                why[name] = f"where {name} was seen there is no {category}{near}"
    pairs |= _by_place(unknown, [o for o in scene if o.category not in GROUND and o.name not in pairs.values()], why)
    regions: dict[str, str] = {}
    for name, theirs in pairs.items():
        known = {r.name for r in scene.object(theirs).regions}
        for region in record.get("regions", {}).get(name, ()):
            if record["objects"][name] in GROUND:
                regions[region] = next(iter(r.name for r in scene.object(theirs).regions))
            elif (said := theirs + region.removeprefix(name)) in known:
                regions[region] = said
    return MatchedNames(pairs | regions, why)


def _by_place(unknown: Mapping[str, Array], there: list[SceneObject], why: dict[str, str]) -> dict[str, str]:
    """Unknown things, with the middles of the boxes around them, and what is there of the simulator's, seen from above:
    how far down they reach is not seen."""
    pairs: dict[str, str] = {}
    middles = [np.mean(o.bounds(), axis=0) for o in there]
    apart = np.array([[np.linalg.norm(m[:2] - at[:2]) for m in middles] for at in unknown.values()])
    if unknown and there:
        names = list(unknown)
        rows, columns = linear_sum_assignment(np.minimum(apart, FAR))
        pairs = {names[i]: there[j].name for i, j in zip(rows, columns, strict=True) if apart[i, j] <= MATCHED}
    why.update({name: f"where {name} was seen there is nothing" for name in unknown if name not in pairs})
    return pairs


def _apart(place: list[float], position: Array) -> float:
    return float(np.linalg.norm(np.array(place[:3]) - position))
