"""What a table looks like: the scene's own model with its textures, and the robot that stands there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from motion.poses import Array
from motion.robot import RobotDescription
from tamp.backends.libero.cameras import calibration
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.panda import ROBOT_PREFIXES
from tamp.model.scene import Scene
from tamp.perception.camera_calibration import Camera

OWN, OTHER = "", "body/"
"""What the names of the robot that is drawn begin with: the scene's own has them as they are."""
HIDDEN = 5
"""Group of geoms that are not drawn."""
GREY = (0.82, 0.82, 0.84, 1.0)
"""Colour of a robot of which only the shapes are known."""


@dataclass(frozen=True, eq=False)
class Stage:
    """What is to be drawn, as text and names, so that it can be sent to another process.

    `scene` is its MJCF, with the scene's own robot in it; `robot` the one that is drawn, whose shapes are put into it
    unless it is the scene's `own`. `places` has for each body of the scene where it is on the one that it hangs on,
    position and quaternion w x y z (7,): what stands still is there. `things` has the free joint of each thing that can
    be carried, `parts` the joint of each part that moves, by name. `cameras` are what a perceiver is told of them:
    depth in metres; the one on the hand is on the tool of whatever robot, where the scene's own has it.
    """

    scene: str
    robot: RobotDescription
    own: bool
    places: Mapping[str, Array]
    things: Mapping[str, str]
    parts: Mapping[str, str]
    cameras: tuple[Camera, ...]

    @property
    def prefix(self) -> str:
        """What the names of the robot that is drawn begin with."""
        return OWN if self.own else OTHER

    def model(self) -> mujoco.MjModel:
        """The model that is drawn, with one robot to be seen."""
        spec = mujoco.MjSpec.from_string(self.scene)
        for name, place in self.places.items():
            body = spec.body(name)
            body.pos, body.quat = place[:3], place[3:]
        if not self.own:
            robot = mujoco.MjSpec.from_string(self.robot.mjcf)
            for geom in robot.geoms:
                geom.group, geom.rgba = 1, GREY
            spec.attach(robot, prefix=OTHER, frame=spec.worldbody.add_frame())
        model = spec.compile()
        if not self.own:
            theirs = [b for b in range(model.nbody) if model.body(b).name.startswith(ROBOT_PREFIXES)]
            model.geom_group[np.isin(model.geom_bodyid, theirs)] = HIDDEN
        return model


def staged(environment: LiberoEnvironment, scene: Scene, robot: RobotDescription, own: bool) -> Stage:
    """The stage for a scene that an environment was seen to be, and the robot in it, the environment's `own` or not."""
    model = environment.sim.model._model
    hangs = np.hstack([model.body_pos, model.body_quat])
    places = {model.body(b).name: hangs[b].copy() for b in range(1, model.nbody)}
    movable = {o.name: str(environment.domain.objects_dict[o.name].joints[-1]) for o in scene if o.movable}
    jointed = [p.name for o in scene for p in o.parts if p.joint is not None]
    parts = {name: model.joint(int(model.body_jntadr[model.body(name).id])).name for name in jointed}
    cameras = tuple(replace(c, near=None, far=None) for c in calibration(environment).cameras)
    return Stage(environment.domain.model.get_xml(), robot, own, places, movable, parts, cameras)
