"""Which solids of a robot must not touch each other: not those that always do, as the hulls of near links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

import mujoco
import numpy as np

from motion.poses import Array
from motion.robot_parts import Part, mjcf

SAMPLES = 300
"""Random configurations that are looked at."""
ALWAYS = 0.9
"""Share of them from which two solids count as touching always."""

Pair = tuple[str, str]


def watched_pairs(parts: tuple[Part, ...], arm_joints: tuple[str, ...], posture: Array) -> tuple[Pair, ...]:
    """Pairs of solids: all but those of one link, of neighbours, which one joint is between, and of the two fingers,
    and those that touch in the posture (n,) or in nearly all random configurations."""
    links = _links(parts)
    above = {p.name: links[p.parent] if p.parent else None for p in parts if p.joint}
    arm = {p.name for p in parts if p.joint and p.joint.name in arm_joints} | {None}

    def may_touch(one: str | None, other: str | None) -> bool:
        near = one == other or above.get(one or "", "") == other or above.get(other or "", "") == one
        return near or (one not in arm and other not in arm)

    carries = {name: links[p.name] for p in parts for name in p.solids}
    always = _always_touching(parts, arm_joints, posture)
    return tuple(
        (a, b) for a, b in combinations(carries, 2) if not may_touch(carries[a], carries[b]) and (a, b) not in always
    )


def _always_touching(parts: tuple[Part, ...], arm_joints: tuple[str, ...], posture: Array) -> set[Pair]:
    """Those that touch in the posture or nearly everywhere, in the order of the parts' solids."""
    m = mujoco.MjModel.from_xml_string(mjcf(parts, {}, ()))
    d, rng = mujoco.MjData(m), np.random.default_rng(0)
    addresses = [int(m.joint(name).qposadr[0]) for name in arm_joints]
    low, high = np.array([m.joint(name).range for name in arm_joints]).T
    order = {name: n for n, name in enumerate(name for p in parts for name in p.solids)}

    def touching(q: Array) -> set[Pair]:
        d.qpos[addresses] = q
        mujoco.mj_kinematics(m, d)
        mujoco.mj_collision(m, d)
        near = d.contact.geom[: d.ncon][d.contact.dist[: d.ncon] < 0].tolist()
        named = (sorted((m.geom(a).name, m.geom(b).name), key=order.__getitem__) for a, b in near)
        return {(a, b) for a, b in named}

    seen = Counter(pair for _ in range(SAMPLES) for pair in touching(rng.uniform(low, high)))
    return touching(posture) | {pair for pair, n in seen.items() if n > ALWAYS * SAMPLES}


def _links(parts: Iterable[Part]) -> dict[str, str | None]:
    """The moving part that each part is of: itself, or the one that it is fixed to, or None for the base."""
    found: dict[str, str | None] = {}
    for part in parts:
        found[part.name] = part.name if part.joint else found.get(part.parent or "")
    return found
