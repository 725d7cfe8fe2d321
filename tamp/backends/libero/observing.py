"""What a policy is given of LIBERO's environment: once a calibration, then observations as robosuite names them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from motion.poses import Array, inverse, pose
from motion.standard_action import ACTION_SCALE, Controller
from tamp.backends.libero.cameras import AGENT, CAMERAS, INTO_VIEW, aside, planes, take
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.panda import robot_model
from tamp.errors import InputError
from tamp.model.images import Image
from tamp.perception.camera_calibration import Calibration, Camera

SIZE = (480, 480)
"""Height and width in pixels of the pictures that this project's own runs hand over: the whole of LIBERO's buffer."""
Noise = Callable[[tuple[Image, ...]], tuple[Image, ...]]
"""What becomes of pictures on the way from the simulator, their poses included."""


def calibration(environment: Any) -> Calibration:
    """Robot, cameras and controller of an environment that was reset: of LIBERO's, robosuite's or this project's.

    Nothing of it depends on what is there to be seen. InputError for another robot than one Panda under OSC_POSE.
    """
    inner = environment.domain if isinstance(environment, LiberoEnvironment) else environment
    sim, robot = inner.sim, inner.robots[0]
    controller = robot.controller
    if len(inner.robots) > 1 or controller.name != "OSC_POSE" or "Panda" not in robot.name:
        raise InputError(f"{robot.name} under {controller.name}: the policy drives one Panda under OSC_POSE")
    model, data = sim.model._model, sim.data._data
    site = robot.eef_site_id
    T_world_tool = pose(data.site_xpos[site].copy(), data.site_xmat[site].reshape(3, 3).copy())
    near, far = planes(model)

    def camera(name: str) -> Camera:
        n, on_hand = model.camera(name).id, name != AGENT
        T = pose(data.cam_xpos[n].copy(), data.cam_xmat[n].reshape(3, 3) @ INTO_VIEW)
        T = inverse(T_world_tool) @ T if on_hand else T
        return Camera(name, float(np.radians(model.cam_fovy[n])), T, on_hand, near, far, aside(model))

    gains = Controller(np.array(controller.kp), np.array(controller.kd), ACTION_SCALE)
    return Calibration(robot_model(sim, controller.initial_joint), tuple(map(camera, CAMERAS)), gains)


def encoders(environment: LiberoEnvironment) -> dict[str, Array]:
    """What the joints say now."""
    robot, data = environment.domain.robots[0], environment.sim.data
    return {
        "robot0_joint_pos": np.array(data.qpos[robot._ref_joint_pos_indexes]),
        "robot0_joint_vel": np.array(data.qvel[robot._ref_joint_vel_indexes]),
        "robot0_gripper_qpos": np.array(data.qpos[robot._ref_gripper_joint_pos_indexes]),
        "robot0_gripper_qvel": np.array(data.qvel[robot._ref_gripper_joint_vel_indexes]),
    }


def pictures(environment: LiberoEnvironment, noise: Noise, size: tuple[int, int] = SIZE) -> dict[str, Array]:
    """What the cameras see now, upside down as robosuite has it, depth in metres."""
    told: dict[str, Array] = {}
    for image in noise(take(environment, size=size)):
        told[f"{image.camera}_image"] = np.ascontiguousarray(image.colour[::-1])
        told[f"{image.camera}_depth"] = image.depth[::-1, :, None].astype(np.float32)
    return told


def in_metres(calibrated: Calibration, noise: Noise, T_world_tool: Array) -> Calibration:
    """The calibration for pictures whose depth is in metres, with the errors that `noise` makes in the cameras'
    poses."""
    blank = tuple(
        Image(
            c.name,
            np.zeros((48, 48, 3), dtype=np.uint8),
            np.ones((48, 48)),
            np.eye(3),
            T_world_tool @ c.T if c.on_hand else c.T,
        )
        for c in calibrated.cameras
    )
    cameras = [
        replace(c, near=None, far=None, T=inverse(T_world_tool) @ i.T_world_camera if c.on_hand else i.T_world_camera)
        for c, i in zip(calibrated.cameras, noise(blank), strict=True)
    ]
    return replace(calibrated, cameras=tuple(cameras))


def no_noise(images: tuple[Image, ...]) -> tuple[Image, ...]:
    """Pictures as they are."""
    return images
