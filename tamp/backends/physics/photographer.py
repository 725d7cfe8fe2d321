"""Pictures of a table in any physics: the scene's own model with its textures, and the robot that stands there, drawn
where everything is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import mujoco
import numpy as np

from motion.poses import Array, Numbers, to_quat
from motion.robot import RobotDescription
from tamp.backends.libero.cameras import INTO_VIEW, SIZE, calibration, camera_pose, image
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.panda import ROBOT_PREFIXES
from tamp.backends.mujoco.model_objects import site_pose
from tamp.backends.physics.table import Arrangement
from tamp.model.images import Image, pinhole
from tamp.model.scene import Scene
from tamp.perception.camera_calibration import Camera

OWN, OTHER = "", "body/"
"""What the names of the robot that is drawn begin with: the scene's own has them as they are."""
HIDDEN = 5
"""Group of geoms that are not drawn."""
GREY = (0.82, 0.82, 0.84, 1.0)
"""Colour of a robot of which only the shapes are known."""
DRAWN = (1, 2)
"""Groups of geoms that are drawn: what is seen, not what is touched."""
GEOMS = 5000
"""Geoms that are drawn at most."""


@dataclass(frozen=True, eq=False)
class StageModel:
    """What is to be drawn, as text and names, so that it can be sent to another process.

    `scene` is its MJCF, with the scene's own robot in it; `robot` the one that is drawn, whose shapes are put into it
    unless it is the scene's `own`. `places` has for each body of the scene where it is on the one that it hangs on,
    position and quaternion w x y z (7,): what stands still is there. `things` has the free joint of each thing that can
    be carried, `parts` the joint of each part that moves, by name. `cameras` are their calibrations:
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


def staged(environment: LiberoEnvironment, scene: Scene, robot: RobotDescription, own: bool) -> StageModel:
    """The stage for a scene that an environment was seen to be, and the robot in it, the environment's `own` or not."""
    model = environment.sim.model._model
    hangs = np.hstack([model.body_pos, model.body_quat])
    places = {model.body(b).name: hangs[b].copy() for b in range(1, model.nbody)}
    movable = {o.name: str(environment.domain.objects_dict[o.name].joints[-1]) for o in scene if o.movable}
    jointed = [p.name for o in scene for p in o.parts if p.joint is not None]
    parts = {name: model.joint(int(model.body_jntadr[model.body(name).id])).name for name in jointed}
    cameras = tuple(replace(c, near=None, far=None) for c in calibration(environment).cameras)
    return StageModel(environment.domain.model.get_xml(), robot, own, places, movable, parts, cameras)


@dataclass(eq=False)
class Photographer:
    """Draws with OSMesa, in the thread that made it. `size` is the height and width of a picture in pixels."""

    stage: StageModel
    size: tuple[int, int] = SIZE
    _model: Any = field(init=False)
    _data: Any = field(init=False)

    def __post_init__(self) -> None:
        self._model = model = self.stage.model()
        height, width = self.size
        model.vis.global_.offheight, model.vis.global_.offwidth = height, width
        self._data = mujoco.MjData(model)
        self._canvas = mujoco.GLContext(width, height)
        self._canvas.make_current()
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)
        self._scene = mujoco.MjvScene(model, GEOMS)
        self._option = mujoco.MjvOption()
        self._option.geomgroup[:] = 0
        self._option.geomgroup[list(DRAWN)] = 1
        self._option.sitegroup[:] = 0

    def images(self, now: Arrangement) -> tuple[Image, ...]:
        """What the cameras see."""
        self._arrange(now)
        self._canvas.make_current()
        return tuple(map(self._image, self.stage.cameras))

    def frame(self, now: Arrangement) -> Numbers:
        """What the fixed camera sees, (h, w, 3) bytes, upright."""
        self._arrange(now)
        self._canvas.make_current()
        return self._image(next(c for c in self.stage.cameras if not c.on_hand)).colour

    def close(self) -> None:
        """Free what draws."""
        self._context.free()
        self._canvas.free()

    def _arrange(self, now: Arrangement) -> None:
        stage, model, data = self.stage, self._model, self._data
        for name, T in now.poses.items():
            at = model.jnt_qposadr[model.joint(stage.things[name]).id]
            data.qpos[at : at + 7] = [*T[:3, 3], *to_quat(T[:3, :3])]
        own = [f"{stage.prefix}{name}" for name in (*stage.robot.arm_joints, *stage.robot.finger_joints)]
        values = dict(zip(own, (*now.q, *now.fingers), strict=True))
        values |= {stage.parts[part]: v for of_thing in now.joints.values() for part, v in of_thing.items()}
        for name, value in values.items():
            data.qpos[model.jnt_qposadr[model.joint(name).id]] = value
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)  # lights and cameras may follow a centre of mass
        mujoco.mj_camlight(model, data)
        T_world_tool = site_pose(data, model.site(f"{stage.prefix}{stage.robot.tool_site}").id)
        for camera in (c for c in stage.cameras if c.on_hand):
            T, n = T_world_tool @ camera.T, model.camera(camera.name).id
            data.cam_xpos[n], data.cam_xmat[n] = T[:3, 3], (T[:3, :3] @ INTO_VIEW).ravel()

    def _image(self, camera: Camera) -> Image:
        model, (height, width) = self._model, self.size
        n = model.camera(camera.name).id
        view, every = mujoco.MjvCamera(), mujoco.mjtCatBit.mjCAT_ALL.value
        view.type, view.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED.value, n
        mujoco.mjv_updateScene(model, self._data, self._option, None, view, every, self._scene)
        area = mujoco.MjrRect(0, 0, width, height)
        colour, raw = np.empty((height, width, 3), np.uint8), np.empty((height, width), np.float32)
        mujoco.mjr_render(area, self._scene, self._context)
        mujoco.mjr_readPixels(colour, raw, area, self._context)
        K = pinhole(height, width, camera.vertical_view, camera.aside)
        return image(model, camera.name, colour, raw, K, camera_pose(self._data, n))
