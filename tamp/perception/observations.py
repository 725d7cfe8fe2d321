"""Read observations as LIBERO and robosuite name them: encoders, upright images, depth in metres."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from motion.dynamics import Encoders
from motion.poses import Array
from tamp.errors import InputError, Refusal
from tamp.model.images import Image, metric_depth, pinhole
from tamp.perception.camera_calibration import Camera

ROBOT = "robot0_"
JOINTS = f"{ROBOT}joint_pos"
MOVED = 0.05
"""Radians by which a joint has moved when a picture that is the same to the last bit is an old one."""
LEAST_SIZE = 32
"""Pixels: a smaller picture shows nothing."""


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
