"""What is known of a robot and its cameras before anything is seen."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from motion.mjcf_files import embed_meshes, without_files
from motion.poses import Array
from motion.robot import RobotDescription, description, from_plain
from tamp.backends.libero.standard_action import Controller
from tamp.errors import InputError
from tamp.perception.viewpoints import HandEye


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
        return dataclasses.asdict(replace(self, robot=replace(self.robot, mjcf=embed_meshes(self.robot.mjcf))))


def calibration_from(told: Mapping[str, Any]) -> Calibration:
    """The calibration that a message holds. InputError for what is missing or unknown in it, and for a robot whose MJCF
    names files."""
    try:
        robot = description(told["robot"])
        robot = replace(robot, mjcf=without_files(robot.mjcf))
        cameras = tuple(from_plain(Camera, c) for c in told["cameras"])
        made = Calibration(robot, cameras, from_plain(Controller, told.get("controller", {})))
    except (KeyError, TypeError, ValueError, AttributeError) as e:
        what = f"{e.args[0]!r} is missing" if isinstance(e, KeyError) else str(e)
        raise InputError(f"no calibration: {what}; valid: what Calibration.as_dict() gives") from e
    if bad := [c.name for c in made.cameras if np.shape(c.T) != (4, 4)]:
        raise InputError(f"camera {bad[0]}: T has the shape {np.shape(made.cameras[0].T)}; valid: (4, 4)")
    return made
