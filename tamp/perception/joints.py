"""How far drawers, doors and knobs stand open: each found by itself, by trying its range."""

from __future__ import annotations

import numpy as np

from motion.poses import Array
from tamp.perception.fitting import EMPTY, ON_SKIN, Target, emptiness, sampled
from tamp.perception.kernels import on_skin
from tamp.perception.object_model import ObjectModel
from tamp.perception.placing import Placed

TRIED = 25
"""Values of a joint that are tried first."""
FINER = 25
"""Values that are tried then, between the two next to the best."""
BETTER, SETTLED = 0.02, 0.003
"""By which share better than before another value has to be, anywhere in the range and close by."""
AT_REST = 0.035
"""Share of a joint's range within which it is where it was made: closed, or off."""


def joint_values(model: ObjectModel, T_world_object: Array, target: Target) -> dict[str, float]:
    """The value (m, rad) of each joint of a model that is at a pose."""
    return {
        p.name: joint_near(model, p.name, T_world_object, target, p.joint.value)
        for p in model.jointed
        if p.name in model.skins and p.joint is not None
    }


def joint_near(model: ObjectModel, name: str, T_world_object: Array, target: Target, present: float) -> float:
    """The value (m, rad) of the joint of part `name` that was at `present`: another only where it is clearly better."""
    joint = model.thing.part(name).joint
    assert joint is not None
    low, high = joint.limits
    values = np.append(np.linspace(low, high, TRIED), present)
    scores = _scores(model, name, T_world_object, target, values)
    best = float(values[np.argmax(scores)])
    if scores.max() < scores[-1] + BETTER * max(scores[-1], 0.1):
        best = present
    step = (high - low) / (TRIED - 1)
    around = np.clip(np.append(np.linspace(best - step, best + step, FINER), best), low, high)
    scores = _scores(model, name, T_world_object, target, around)
    if scores.max() >= scores[-1] + SETTLED * max(scores[-1], 0.1):
        best = float(around[np.argmax(scores)])
    return joint.value if abs(best - joint.value) < AT_REST * (high - low) else best


def _scores(model: ObjectModel, name: str, T_world_object: Array, target: Target, values: Array) -> Array:
    """How much of the target lies on a part's skin at some joint values, less what is seen past there."""
    part, skin = model.thing.part(name), model.skins[name]
    T = np.array([Placed(model, T_world_object, {name: v}).part_pose(part) for v in values], dtype=np.float32)
    low = T[:, :3, 3].min(axis=0) - 0.4
    near = target.points[np.all((target.points > low) & (target.points < low + 0.8), axis=1)]
    f = skin.field
    on = on_skin(near, T, f.steps, f.origin, f.cell, f.unit, ON_SKIN) * len(near) / max(1, len(target.points))
    empty = emptiness(T, sampled(skin), target.looks)
    return np.asarray(on - EMPTY * 0.1 * empty)
