"""How much there is of what a model in some place should show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motion.poses import Array, moved
from tamp.perception.clusters import THIN, Points
from tamp.perception.fitting import SKIN_POINTS
from tamp.perception.looks import Look
from tamp.perception.object_model import Skin
from tamp.perception.placing import Placed
from tamp.perception.sightings import MATCHED, gaps_at

EXPLAINED = 0.007
"""Metres from a skin up to which a point is explained by it."""


def evidence(placed: Placed, cluster: Points, looks: Sequence[Look]) -> float:
    """How many of the points that a cluster has on a model there should be, for as much as is seen of the model: of few
    what is seen there is something else, the ground or another thing that its skin happens to touch."""
    wanted = sum(_points_of(skin, T, looks) for skin, T in placed.skins())
    return int((placed.distance(cluster.p) < EXPLAINED).sum()) / max(1.0, wanted)


def _points_of(skin: Skin, T_world_skin: Array, looks: Sequence[Look]) -> float:
    """How many points there are, thinned, of what is seen of a skin: fewer where it is far or seen from aside."""
    every = max(1, len(skin.points) // SKIN_POINTS)
    world, normals = moved(skin.points[::every], T_world_skin), skin.normals[::every] @ T_world_skin[:3, :3].T
    most: Array = np.zeros(len(world))
    for look in looks:
        towards = look.image.T_world_camera[:3, 3] - world
        far = np.linalg.norm(towards, axis=1)
        facing = np.maximum(np.einsum("ij,ij->i", normals, towards) / far, 0.0)
        dense = np.minimum(facing * (look.image.K[0, 0] / far) ** 2, 1.0 / THIN**2)
        most = np.maximum(most, np.where(np.abs(gaps_at(look, world)) <= MATCHED, dense, 0.0))
    return float(most.sum()) * skin.area * every
