"""Pictures of a table in any physics: a renderer that is told where everything is, and what its cameras show then."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np

from motion.poses import Numbers, to_quat
from tamp.backends.libero.cameras import INTO_VIEW, SIZE, camera_pose, image
from tamp.backends.mujoco.objects import site_pose
from tamp.backends.physics.staging import Stage
from tamp.backends.physics.table import Arrangement
from tamp.model.images import Image, pinhole
from tamp.perception.camera_calibration import Camera

DRAWN = (1, 2)
"""Groups of geoms that are drawn: what is seen, not what is touched."""
GEOMS = 5000
"""Geoms that are drawn at most."""


@dataclass(eq=False)
class Photographer:
    """Draws with OSMesa, in the thread that made it. `size` is the height and width of a picture in pixels."""

    stage: Stage
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
