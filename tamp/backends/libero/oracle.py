"""Oracle perception: the simulator's state as a Scene. Nothing else of the toolkit may read the simulator.

What the BDDL file calls the places where objects start is never read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tamp.backends.libero.categories import kinds_of
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.mujoco.model_objects import ObjectReader, ground, site_pose
from tamp.model.scene import Region, Scene, SceneObject

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
            robot=self._environment.observe(),
            time=self._environment.time,
            confidence={o.name: 1.0 for o in objects},
        )

    def felt(self, observation: Observation) -> None:
        """What was observed in this control period: nothing that the simulator does not tell."""

    def _support(self, d: Any, objects: list[SceneObject]) -> SceneObject:
        """What belongs to no object, with the top that things stand on, and the places there, as surfaces."""
        model = self._m
        taken = {b for b, owner in enumerate(self._environment.owners()) if owner}
        bottoms = [o.bounds()[0][2] for o in objects if o.movable] if self._level is None else [self._level]
        found = ground(model, d, taken, self._ground, bottoms)
        sites = {place: model.site(place).id for place in self._places}
        places = [
            Region(place, "surface", site_pose(d, s), model.site_size[s].copy(), found.name)
            for place, s in sites.items()
        ]
        return replace(found, regions=(*found.regions, *places))
