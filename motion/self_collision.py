"""Which solids of a robot are to be watched for touching each other: those that can, and need not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import mujoco
import numpy as np

from motion.poses import Array
from motion.robot_parts import Part, mjcf

SAMPLES = 1000
"""Random configurations that are looked at."""
ALWAYS = 0.9
"""Share of them from which two solids count as touching always: hulls that overlap where the parts do not."""


def watched_pairs(parts: tuple[Part, ...], arm_joints: tuple[str, ...], posture: Array) -> tuple[tuple[str, str], ...]:
    """Pairs of solids that touch in some random configurations of the arm, but not in nearly all, nor in the posture (n,),
    and are not of neighbours: links with one joint between them. Fingers are where their joints are at zero, and do
    not count against each other. What touches in fewer than one of some hundred configurations may be missed."""
    m = mujoco.MjModel.from_xml_string(mjcf(parts, np.eye(4), {}, ()))
    d = mujoco.MjData(m)
    above = _above(parts)
    links = {name: _link(p, above) for p in parts for name in p.solids}
    joints = {p.joint.name: p.name for p in parts if p.joint}
    carried = {joints[name] for name in arm_joints}
    beside = {joints[name]: above[joints[name]] for name in joints}
    names = [m.geom(g).name for g in range(m.ngeom)]
    addresses = [int(m.joint(name).qposadr[0]) for name in arm_joints]
    low, high = np.array([m.joint(name).range for name in arm_joints]).T
    rng = np.random.default_rng(0)

    def touching(q: Array) -> set[tuple[str, str]]:
        d.qpos[addresses] = q
        mujoco.mj_kinematics(m, d)
        mujoco.mj_collision(m, d)
        found = {tuple(sorted(pair)) for pair in d.contact.geom[: d.ncon][d.contact.dist[: d.ncon] < 0].tolist()}
        return {(names[a], names[b]) for a, b in found}

    def counts(a: str, b: str) -> bool:
        one, other = links[a], links[b]
        fingers = one not in carried | {None} and other not in carried | {None}
        return one != other and not fingers and beside.get(one) != other and beside.get(other) != one

    seen = Counter(pair for _ in range(SAMPLES) for pair in touching(rng.uniform(low, high)))
    at_rest = touching(posture)
    return tuple(
        sorted(
            pair for pair, n in seen.items() if n < ALWAYS * SAMPLES and pair not in at_rest and counts(*pair)
        )
    )


def _above(parts: Iterable[Part]) -> dict[str, str | None]:
    """The moving part that carries each part, or None: what is fixed to a part is of it."""
    found: dict[str, str | None] = {}
    moving: dict[str, bool] = {}
    for part in parts:
        if part.parent is None:
            found[part.name] = None
        else:
            found[part.name] = part.parent if moving[part.parent] else found[part.parent]
        moving[part.name] = part.joint is not None
    return found


def _link(part: Part, above: dict[str, str | None]) -> str | None:
    return part.name if part.joint is not None else above[part.name]
