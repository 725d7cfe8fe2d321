"""Oracle perception: the simulator's state as a Scene. Nothing else of the toolkit may read the simulator.

What the BDDL file calls the places where objects start is never read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from motion.poses import pose
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.kinds import kinds_of
from tamp.backends.libero.model import ROBOT_PREFIXES
from tamp.backends.mujoco.ground import top_of
from tamp.backends.mujoco.objects import ObjectReader, shapes_of, subtree
from tamp.model.scene import Part, Region, Scene, SceneObject

if TYPE_CHECKING:
    from tamp.model.backend import Observation


class OraclePerceiver:
    """Reads a LIBERO simulation. `places` names regions of the ground to report as surfaces: none, unless a
    task's own goal, which is about such a place, is given instead of an instruction. `level` is the height (m) of what
    things stand on, for as long as none stands there."""

    def __init__(
        self, environment: LiberoEnvironment, places: tuple[str, ...] = (), level: float | None = None
    ) -> None:
        self._places, self._level = places, level
        self._environment = environment
        domain = environment.domain
        self._m = environment.sim.model._model
        classes = {**domain.objects_dict, **domain.fixtures_dict}
        self._ground = str(domain.workspace_name)
        self._roots = {name: self._m.body(root).id for name, root in environment.root_bodies().items()}
        self._reader = ObjectReader(self._m, kinds_of(classes), self._roots, set(domain.objects_dict))

    def perceive(self) -> Scene:
        """The scene now."""
        d = self._environment.sim.data._data
        objects = [self._reader.read(name, d) for name in self._roots]
        return Scene(
            objects=(*objects, self._support(d, objects)),
            robot=self._environment.robot_state(),
            time=self._environment.time,
            confidence={o.name: 1.0 for o in objects},
        )

    def felt(self, observation: Observation) -> None:
        """What was observed in this control period: nothing that the simulator does not tell."""

    def _support(self, d: Any, objects: list[SceneObject]) -> SceneObject:
        """What belongs to no object: table, floor and walls, with the top that things stand on as a surface."""
        model = self._m
        taken = {b for root in self._roots.values() for b in subtree(model, root)}
        rest = [b for b in range(model.nbody) if b not in taken and not model.body(b).name.startswith(ROBOT_PREFIXES)]
        shapes = shapes_of(model, d, rest, np.eye(4))
        name = self._ground
        bottoms = [o.bounds()[0][2] for o in objects if o.movable] if self._level is None else [self._level]
        low, high = top_of(shapes, bottoms)
        body = f"{name}_body"
        regions = [Region(name, "surface", pose(0.5 * (low + high)), 0.5 * (high - low), body)]
        for place in self._places:
            s = model.site(place).id
            T = pose(d.site_xpos[s].copy(), d.site_xmat[s].reshape(3, 3).copy())
            regions.append(Region(place, "surface", T, model.site_size[s].copy(), body))
        return SceneObject(body, _category(name), False, (Part(body, "body", np.eye(4), shapes),), tuple(regions))


def _category(name: str) -> str:
    return "floor" if "floor" in name else "table"
