"""The robot and its cameras as a policy is given them: poses, fields of view, controller."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from motion.arm_drive import Encoders
from motion.poses import Array, Numbers, is_rigid
from motion.robot import RobotDescription, description, from_plain
from motion.standard_action import Controller
from motion.xml_document import embed_meshes, without_files
from tamp.errors import InputError, Refusal
from tamp.fields import check_fields, shown
from tamp.model.images import Image, metric_depth, pinhole

VALID = "valid: what Calibration.as_dict() gives"
RIGID = 1e-3
"""How far a rotation may be from one, such as by rounding."""
INSIDE_PICTURE = 0.9
"""Share of the half picture within which something counts as in it."""
NEAREST = 0.08
"""Metres from the camera nearer than which nothing is in focus."""
ON_HAND, IN_WORLD = 1.0, 20.0
"""Metres that a camera may be from the tool, and from the world's origin: beyond them it is another unit."""
ROBOT = "robot0_"
JOINTS = f"{ROBOT}joint_pos"
MOVED = 0.05
"""Radians by which a joint has moved when a picture that is the same to the last bit is an old one."""
LEAST_SIZE = 32
"""Pixels: a smaller picture shows nothing."""


@dataclass(frozen=True, eq=False)
class HandEye:
    """A camera in the hand: its pose (4, 4) in the tool's frame, z into the picture; the tangents (2,) of half its
    angles of view, across and down."""

    T_tool_camera: Array
    tangents: Array

    def pictured(self, T_world_camera: Array, points: Array) -> Numbers:
        """Which of some points (n, 3) are in the picture, whatever is in front of them."""
        p = (points - T_world_camera[:3, 3]) @ T_world_camera[:3, :3]
        inside = np.abs(p[:, :2]) < INSIDE_PICTURE * self.tangents * np.maximum(p[:, 2:], 1e-9)
        return np.asarray((p[:, 2] > NEAREST) & inside.all(axis=1))


@dataclass(frozen=True, eq=False)
class Camera:
    """A camera. `vertical_view` is its field of view in radians. `T` (4, 4) is its pose, x to the right, y down, z into
    the picture: in the world, or with `on_hand` in the tool's frame (the hand-eye transform). `near` and `far` are the
    planes, in metres, of a depth buffer that runs from 0 to 1; None where depth comes in metres. `aside`: pixels to the
    right and down from the picture's middle at which its optical axis is."""

    name: str
    vertical_view: float
    T: Array
    on_hand: bool = False
    near: float | None = None
    far: float | None = None
    aside: tuple[float, ...] = (0.0, 0.0)

    def eye(self, size: tuple[int, int]) -> HandEye:
        """What one on the hand sees of the world around it, with pictures of a height and width in pixels."""
        half = float(np.tan(0.5 * self.vertical_view))
        return HandEye(self.T, half * np.array([size[1] / size[0], 1.0]))


@dataclass(frozen=True, eq=False)
class Calibration:
    """The robot, which stands where its description says, its cameras, and the controller that takes its actions."""

    robot: RobotDescription
    cameras: tuple[Camera, ...]
    controller: Controller = field(default_factory=Controller)

    def corrected(self, offs: Mapping[str, Array]) -> Calibration:
        """The same with cameras, by their names, that are off (4, 4) from where they are said to be, in that frame.
        InputError for a camera that there is not."""
        names = [c.name for c in self.cameras]
        if unknown := next((name for name in offs if name not in names), None):
            raise InputError(f"the calibration is of a camera {unknown!r}; valid: {', '.join(names)}")
        cameras = tuple(replace(c, T=c.T @ offs[c.name]) if c.name in offs else c for c in self.cameras)
        return replace(self, cameras=cameras)

    def as_dict(self) -> dict[str, Any]:
        """As plain data and arrays, for a message, with the robot's meshes in its MJCF."""
        plain = dataclasses.asdict(replace(self, robot=replace(self.robot, mjcf=embed_meshes(self.robot.mjcf))))
        plain["robot"]["pinned_bodies"] = sorted(self.robot.pinned_bodies)  # stock clients can send no set
        return plain


def calibration_from(record: Mapping[str, Any]) -> Calibration:
    """The calibration that a message holds. InputError, with the field's name, for what is missing or unknown in it,
    of another type, no finite number, no rigid pose, or no camera, and for a robot whose MJCF names files."""
    if missing := [name for name in ("robot", "cameras") if name not in record]:
        raise InputError(f"no calibration: {missing[0]!r} is missing; {VALID}")
    robot = _made(description, record["robot"], "robot")
    robot = replace(robot, mjcf=_made(without_files, robot.mjcf, "robot.mjcf"))
    listed = _made(tuple, record["cameras"], "cameras")
    cameras = tuple(_made(partial(from_plain, Camera), c, f"cameras[{i}]") for i, c in enumerate(listed))
    controller = _made(partial(from_plain, Controller), record.get("controller", {}), "controller")
    made = Calibration(robot, cameras, controller)
    check_fields(made, "calibration")
    _check_numbers(made)
    if not cameras:
        raise InputError("calibration.cameras is empty; valid: a camera in the world and one on the hand")
    if len({c.name for c in cameras}) < len(cameras):
        raise InputError(f"calibration.cameras: two of one name among {', '.join(c.name for c in cameras)}")
    for number, camera in enumerate(cameras):
        _check_camera(camera, f"calibration.cameras[{number}]")
    return made


def _made(make: Callable[[Any], Any], record: Any, where: str) -> Any:
    try:
        return make(record)
    except (KeyError, TypeError, ValueError, AttributeError) as e:
        what = f"{e.args[0]!r} is missing" if isinstance(e, KeyError) else str(e)
        raise InputError(f"calibration.{where}: {what}; {VALID}") from e


def _check_numbers(made: Calibration) -> None:
    robot, controller = made.robot, vars(made.controller)
    shapes = {"robot.posture": (robot.posture, len(robot.arm_joints))} | {
        f"controller.{k}": (v, 6) for k, v in controller.items()
    }
    for name, (array, n) in shapes.items():
        if np.shape(array) != (n,):
            raise InputError(f"calibration.{name} has the shape {np.shape(array)}; valid: ({n},)")
    for name, value in controller.items():  # the robot's have ranges of their own: motion.robot
        if np.min(value) <= 0:
            raise InputError(f"calibration.controller.{name} is {shown(value)}; valid: more than 0")


def _check_camera(camera: Camera, where: str) -> None:
    T, view, near, far = camera.T, camera.vertical_view, camera.near, camera.far
    if np.shape(T) != (4, 4):
        raise InputError(f"{where}.T has the shape {np.shape(T)}; valid: (4, 4)")
    if not is_rigid(T, RIGID):
        raise InputError(f"{where}.T is no rigid pose; valid: a rotation, a position in metres, and 0 0 0 1")
    away, most = float(np.linalg.norm(T[:3, 3])), ON_HAND if camera.on_hand else IN_WORLD
    if away > most:
        origin = "tool" if camera.on_hand else "origin"
        raise InputError(f"{where}.T is {away:g} m from the {origin}; valid: at most {most:g} m (millimetres?)")
    if not 0.0 < view < np.pi:
        hint = f" (degrees? then {np.radians(view):.4f})" if np.pi <= view < 180.0 else ""
        raise InputError(f"{where}.vertical_view is {view:g}; valid: between 0 and pi radians{hint}")
    metres = near is None and far is None
    if not metres and (near is None or far is None or not 0.0 < near < far):
        raise InputError(f"{where}: near and far are {near} and {far}; valid: 0 < near < far, or neither")
    if np.shape(camera.aside) != (2,):
        raise InputError(f"{where}.aside has {len(camera.aside)} numbers; valid: 2")


@dataclass(eq=False)
class Alive:
    """Holds pictures against those before."""

    _images: tuple[Image, ...] = ()
    _q: Array | None = None

    def check(self, images: tuple[Image, ...], q: Array) -> None:
        """Take pictures, and the configuration (n,) rad at which they were taken. Refusal where a camera shows what it
        showed when the arm was elsewhere: each of them sees the arm."""
        moved = float(np.abs(q - self._q).max()) if self._q is not None else 0.0
        for before, now in zip(self._images, images, strict=False):
            same = moved > MOVED and before.size == now.size and np.array_equal(before.depth, now.depth)
            if same and np.array_equal(before.colour, now.colour):
                raise Refusal(f"{now.camera} shows the same picture though the arm has moved: it is frozen", "frozen")
        self._images, self._q = images, q


def encoders(observation: Mapping[str, Any], limits: Array) -> Encoders:
    """What the joints say. Without `robot0_joint_pos` their cosines and sines will do, since each joint moves less than
    a turn between its `limits` (n, 2). InputError for what is missing, of another shape, or no number."""
    n = len(limits)
    if JOINTS in observation:
        q = _numbers(observation, JOINTS, n)
    elif f"{JOINTS}_sin" in observation:
        q = np.arctan2(_numbers(observation, f"{JOINTS}_sin", n), _numbers(observation, f"{JOINTS}_cos", n))
        middle = limits.mean(axis=1)
        q = middle + (q - middle + np.pi) % (2 * np.pi) - np.pi
    else:
        raise InputError(f"the observation has no {JOINTS}; valid: {JOINTS}, or {JOINTS}_cos and {JOINTS}_sin")
    fingers = _numbers(observation, f"{ROBOT}gripper_qpos", 2)
    moving = f"{ROBOT}gripper_qvel"
    opening = _numbers(observation, moving, 2) if moving in observation else np.zeros(2)  # some loops leave it out
    return Encoders(q, _numbers(observation, f"{ROBOT}joint_vel", n), fingers, opening)


def has_pictures(observation: Mapping[str, Any], cameras: tuple[Camera, ...]) -> bool:
    """Whether it has a picture of each camera."""
    return all(f"{c.name}_image" in observation for c in cameras)


def pictures(observation: Mapping[str, Any], cameras: tuple[Camera, ...], T_world_tool: Array) -> tuple[Image, ...]:
    """The pictures of all cameras, of any size. InputError for what is missing or cannot be one."""
    return tuple(_picture(observation, c, T_world_tool) for c in cameras)


def _picture(observation: Mapping[str, Any], camera: Camera, T_world_tool: Array) -> Image:
    image, depth = f"{camera.name}_image", f"{camera.name}_depth"
    if image not in observation:
        raise InputError(f"the observation has no {image}: a picture of each camera of the calibration is needed")
    if depth not in observation:
        raise InputError(f"the observation has no {depth}: make the environment with camera_depths=True")
    colour, raw = np.asarray(observation[image]), np.asarray(observation[depth])
    raw = raw[..., 0] if raw.ndim == 3 else raw
    if colour.ndim != 3 or colour.shape[2] != 3 or colour.dtype != np.uint8 or min(colour.shape[:2]) < LEAST_SIZE:
        what = f"{colour.dtype} {colour.shape}"
        raise InputError(f"{image} is {what}; valid: bytes (h, w, 3), at least {LEAST_SIZE} pixels high and wide")
    if raw.shape != colour.shape[:2]:
        raise InputError(f"{depth} has the shape {raw.shape}, {image} {colour.shape[:2]}: both are to be of one size")
    h, w = colour.shape[:2]
    K = pinhole(h, w, camera.vertical_view, camera.aside)
    T = T_world_tool @ camera.T if camera.on_hand else camera.T
    return Image(camera.name, np.ascontiguousarray(colour[::-1]), _metres(raw[::-1], camera, depth), K, T)


def _metres(raw: Array, camera: Camera, name: str) -> Array:
    """Depth in metres; 0 where nothing was measured."""
    raw = np.where(np.isfinite(raw), raw, 0.0)
    if camera.near is None or camera.far is None:
        return np.where(raw > 0, raw, 0.0).astype(np.float64)
    if raw.min() < 0.0 or raw.max() > 1.0:
        runs = f"{name} runs from {raw.min():g} to {raw.max():g}, a depth buffer from 0 to 1"
        raise InputError(f"{runs}; valid with depth in metres: {camera.name} without near and far in the calibration")
    return metric_depth(raw, camera.near, camera.far)


def _numbers(observation: Mapping[str, Any], name: str, n: int) -> Array:
    if name not in observation:
        raise InputError(f"the observation has no {name}; it has {', '.join(sorted(observation)) or 'nothing'}")
    try:
        found = np.asarray(observation[name], dtype=float)
    except (TypeError, ValueError) as e:
        raise InputError(f"{name} is {observation[name]!r}; valid: {n} numbers") from e
    if found.shape != (n,) or not np.isfinite(found).all():
        raise InputError(f"{name} is {found.tolist()}; valid: {n} finite numbers")
    return found
