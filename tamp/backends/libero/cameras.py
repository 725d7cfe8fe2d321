"""LIBERO's two cameras as a robot would have them, and what a policy is given of its environment.

Once a calibration, then observations as robosuite names them: colour, metric depth, encoders, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
from scipy.ndimage import gaussian_filter, maximum_filter, minimum_filter

from motion.poses import Array, inverse, pose, rotation_about
from motion.standard_action import ACTION_SCALE, Controller
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.panda import robot_model
from tamp.backends.mujoco.model_objects import site_pose
from tamp.errors import InputError
from tamp.model.goal_syntax import valid
from tamp.model.images import Image, metric_depth, pinhole
from tamp.perception.camera_calibration import Calibration, Camera

AGENT, WRIST = "agentview", "robot0_eye_in_hand"
CAMERAS = (AGENT, WRIST)
SIZE = (480, 480)
"""Height and width in pixels of the pictures that this project's own runs hand over: the whole of LIBERO's buffer."""
FOUR = 4
"""Samples a pixel, MuJoCo's default."""
INTO_VIEW = np.diag([1.0, -1.0, -1.0])
"""From MuJoCo's camera axes, y up and z backwards, to those of `Image`."""
Noise = Callable[[tuple[Image, ...]], tuple[Image, ...]]
"""What becomes of pictures on the way from the simulator, their poses included."""


def take(
    environment: LiberoEnvironment, cameras: tuple[str, ...] = CAMERAS, size: tuple[int, int] = SIZE
) -> tuple[Image, ...]:
    """A picture of each camera, as things are now."""
    return tuple(_image(environment.sim, name, size) for name in cameras)


def _image(sim: Any, name: str, size: tuple[int, int]) -> Image:
    colour, raw = sim.render(width=size[1], height=size[0], camera_name=name, depth=True)
    model, data = sim.model._model, sim.data._data
    n = model.camera(name).id
    K = pinhole(*size, float(np.radians(model.cam_fovy[n])), aside(model))
    return image(model, name, np.asarray(colour), np.asarray(raw), K, camera_pose(data, n))


def image(model: Any, name: str, colour: np.ndarray, raw: np.ndarray, K: Array, T: Array) -> Image:
    """The image of what OpenGL has drawn of a model, rows from the bottom up: bytes (h, w, 3), and a depth buffer
    (h, w) in [0, 1]."""
    return Image(name, np.ascontiguousarray(colour[::-1]), metric_depth(raw[::-1], *planes(model)), K, T)


def observed(images: Iterable[Image]) -> dict[str, Array]:
    """Images as robosuite has them: `NAME_image` (h, w, 3) bytes and `NAME_depth` (h, w, 1) metres, upside down."""
    seen: dict[str, Array] = {}
    for i in images:
        seen[f"{i.camera}_image"] = np.ascontiguousarray(i.colour[::-1])
        seen[f"{i.camera}_depth"] = i.depth[::-1, :, None].astype(np.float32)
    return seen


def camera_pose(data: Any, camera: int) -> Array:
    """Where a camera is (4, 4), with the axes of `Image`."""
    return pose(data.cam_xpos[camera].copy(), data.cam_xmat[camera].reshape(3, 3) @ INTO_VIEW)


def aside(model: Any) -> tuple[float, float]:
    """Pixels to the right and down by which the optical axis is beside the middle of the depth pictures of a model.

    With several samples a pixel the depth is that of the first one, which is not in the pixel's middle (0.125 to the
    left and 0.375 below of it with four, in Mesa): level tables came out 0.5 mm too high, and inclined by half a
    millimetre a metre.
    """
    return (0.125, -0.375) if model.vis.quality.offsamples == FOUR else (0.0, 0.0)


def planes(model: Any) -> tuple[float, float]:
    """The near and the far plane of a model's depth buffers, metres."""
    extent = float(model.stat.extent)
    return model.vis.map.znear * extent, model.vis.map.zfar * extent


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
    T_world_tool = site_pose(data, robot.eef_site_id)
    near, far = planes(model)

    def camera(name: str) -> Camera:
        n, on_hand = model.camera(name).id, name != AGENT
        T = inverse(T_world_tool) @ camera_pose(data, n) if on_hand else camera_pose(data, n)
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
    return observed(noise(take(environment, size=size)))


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


Kind = Literal["clean", "depth", "colour", "pose", "all", "moved", "hand"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SPREAD = 0.0015
"""Standard deviation of depth, metres at one metre; it grows with the square of the distance."""
HOLES, PATCH = 0.02, 1.0
"""Share of the pixels in which nothing is measured, and how far (pixels, standard deviation) a hole reaches."""
JUMP, DROPPED = 0.02, 0.5
"""Share of the depth by which neighbouring pixels differ at an edge, and of an edge's pixels that are not measured; the
others are somewhere between the two surfaces."""
GAIN, GAMMA = (0.7, 1.3), (0.8, 1.25)
"""Least and most light of a picture, and exponent of its tones, against the simulator's."""
GRAIN = 3.0
"""Standard deviation of a colour, of 255."""
FIXED, HAND = "fixed", "hand"
ASTRAY: dict[Kind, tuple[str, float, float]] = {
    "pose": (FIXED, 0.005, 0.5),
    "all": (FIXED, 0.005, 0.5),
    "moved": (FIXED, 0.02, 5.0),
    "hand": (HAND, 0.005, 1.0),
}
"""Which camera is not where it is said to be, by how many metres and degrees."""


@dataclass(frozen=True, eq=False)
class CameraNoise:
    """Noise of a `kind` for one episode, in which a camera's pose is wrong in one way throughout: a
    `tamp.backends.libero.cameras.Noise`."""

    kind: Kind
    rng: np.random.Generator
    _T_camera_said: Array = field(init=False)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"no noise {self.kind!r}; {valid(self.kind, KINDS)}")
        off, axis = (v / np.linalg.norm(v) for v in self.rng.normal(size=(2, 3)))
        _, metres, degrees = ASTRAY.get(self.kind, (FIXED, 0.0, 0.0))
        object.__setattr__(self, "_T_camera_said", pose(metres * off, rotation_about(axis, np.radians(degrees))))

    def __call__(self, images: tuple[Image, ...]) -> tuple[Image, ...]:
        """What comes of pictures."""
        return tuple(self._spoilt(image) for image in images)

    def _spoilt(self, image: Image) -> Image:
        if self.kind in ("depth", "all"):
            image = replace(image, depth=measured(image.depth, self.rng))
        if self.kind in ("colour", "all"):
            image = replace(image, colour=lit(image.colour, self.rng))
        which = FIXED if image.camera == AGENT else HAND
        if self.kind in ASTRAY and ASTRAY[self.kind][0] == which:
            image = replace(image, T_world_camera=image.T_world_camera @ self._T_camera_said)
        return image


def measured(depth: Array, rng: np.random.Generator) -> Array:
    """Depth (h, w) as a stereo camera would measure it; 0 where it would not."""
    low, high = minimum_filter(depth, 3), maximum_filter(depth, 3)
    edge = (high - low) > JUMP * np.maximum(low, 0.05)
    mixed = low + (high - low) * rng.random(depth.shape)
    noisy = np.where(edge, mixed, depth) + SPREAD * depth**2 * rng.standard_normal(depth.shape)
    patches = gaussian_filter(rng.standard_normal(depth.shape), PATCH)
    hole = patches > np.quantile(patches, 1.0 - HOLES)
    hole |= edge & (rng.random(depth.shape) < DROPPED)
    return np.where((depth > 0) & ~hole, np.maximum(noisy, 1e-3), 0.0)


def lit(colour: Array, rng: np.random.Generator) -> Array:
    """A picture (h, w, 3) in another light, with a sensor's grain."""
    gain, gamma = rng.uniform(*GAIN), rng.uniform(*GAMMA)
    tones = 255.0 * gain * (colour / 255.0) ** gamma + GRAIN * rng.standard_normal(colour.shape)
    return np.clip(np.rint(tones), 0, 255).astype(np.uint8)
