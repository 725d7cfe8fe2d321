"""LIBERO's two cameras as a robot would have them: colour, metric depth, intrinsics and poses, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from motion.poses import pose
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.model.images import Image, metric_depth, pinhole

AGENT, WRIST = "agentview", "robot0_eye_in_hand"
CAMERAS = (AGENT, WRIST)
SIZE = (256, 256)
"""Height and width in pixels."""
FOUR = 4
"""Samples a pixel, MuJoCo's default."""
INTO_VIEW = np.diag([1.0, -1.0, -1.0])
"""From MuJoCo's camera axes, y up and z backwards, to those of `Image`."""


def take(
    environment: LiberoEnvironment, cameras: tuple[str, ...] = CAMERAS, size: tuple[int, int] = SIZE
) -> tuple[Image, ...]:
    """A picture of each camera, as things are now."""
    return tuple(_image(environment.sim, name, size) for name in cameras)


def _image(sim: Any, name: str, size: tuple[int, int]) -> Image:
    colour, raw = sim.render(width=size[1], height=size[0], camera_name=name, depth=True)
    model, data = sim.model._model, sim.data._data
    camera = model.camera(name).id
    T = pose(data.cam_xpos[camera].copy(), data.cam_xmat[camera].reshape(3, 3) @ INTO_VIEW)
    K = pinhole(*size, float(np.radians(model.cam_fovy[camera])), aside(model))
    return Image(name, np.ascontiguousarray(colour[::-1]), metric(model, np.asarray(raw[::-1])), K, T)


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


def metric(model: Any, raw: np.ndarray) -> np.ndarray:
    """Depth in metres (h, w) from the depth buffer's (h, w) in [0, 1]; 0 where there is nothing up to the far plane."""
    return metric_depth(raw, *planes(model))
