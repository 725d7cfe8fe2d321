"""Calibrate cameras from many views, and read and write what was found.

A fixed camera is where the robot in its images agrees with the encoders, whatever the robot does. The camera on the
hand is where it sees the surfaces that the fixed ones see. Its pose in the hand is one for all views, which are solved
together: what one view leaves open another one determines. `tamp.perception.rig` corrects the same at a single look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import (
    Array,
    Numbers,
    error,
    inverse,
    is_rigid,
    pose,
    rotation_vector,
    rotation_vector_to_matrix,
    to_rpy,
)
from motion.robot import RobotDescription
from motion.world import World
from tamp.errors import InputError, Refusal
from tamp.files.quantities import not_metres
from tamp.files.toml_table import Table
from tamp.model.backend import Observation
from tamp.model.images import Image
from tamp.perception.looks import Look
from tamp.perception.object_model import Skin
from tamp.perception.recordings import read_json, write_json
from tamp.perception.registration import (
    MOVED,
    Surface,
    SurfaceView,
    corrected,
    correction,
    jointly_aligned,
    size,
    sought,
    undetermined_direction,
)
from tamp.perception.rig import link_poses, robot_pixels, steady

FEWEST = 3
"""Views at least, from places that differ."""
APART = (0.05, float(np.radians(10.0)))
"""Metres, or radians, between two places of the hand that differ."""
STAYS = 1e-4
"""How much a pose changes, at most, of a camera that does not move with the hand."""
AGREE = (0.004, float(np.radians(0.6)))
"""Metres and radians by which views may say different things of one camera, in the median."""

FORMAT = 1
VALID = "what tamp calibrate wrote"
FARTHEST = 2.0
"""Metres that a camera is off: from further away none is found."""


@dataclass(frozen=True, eq=False)
class CalibratedCamera:
    """Where a camera is: `off` (4, 4) in the frame of where it is said to be, by how many `views`; `T` (4, 4) in the
    tool's frame where it is `on_hand`, else in the world. `scatter`: how much single views differ, metres and
    radians, in the median."""

    camera: str
    on_hand: bool
    off: Array
    T: Array
    views: int
    scatter: tuple[float, float]

    @property
    def size(self) -> tuple[float, float]:
        """Metres and radians by which it is elsewhere than was said."""
        return size(self.off)

    def as_record(self) -> dict[str, Any]:
        """What was found, as plain data."""
        metres, radians = self.size
        return {
            "on_hand": self.on_hand, "off": self.off.tolist(), "T": self.T.tolist(), "views": self.views,
            "mm": round(1000 * metres, 2), "degrees": round(float(np.degrees(radians)), 3),
            "scatter_mm": round(1000 * self.scatter[0], 2),
            "scatter_degrees": round(float(np.degrees(self.scatter[1])), 3),
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class _View:
    """What was observed from one place of the hand: pictures by camera, with depth made steady, and the poses (4, 4) of
    the robot's bodies."""

    observation: Observation
    images: Mapping[str, Image]
    bodies: Mapping[str, Array]

    def look(self, camera: str, skins: Mapping[str, Skin], off: Array | None = None) -> Look:
        """A picture taken apart, of a camera that is `off` (4, 4) from where it is said to be."""
        image = self.images[camera] if off is None else corrected(self.images[camera], off)
        return Look.of(image, robot_pixels(image, self.bodies, skins))


def calibrated(
    robot: RobotDescription, observations: Sequence[Observation], skins: Mapping[str, Skin]
) -> list[CalibratedCamera]:
    """All cameras, the fixed ones first. Refusal where these views do not determine one, with what is missing."""
    seen = distinct([o for o in observations if o.images])
    if len(seen) < FEWEST:
        raise Refusal(
            f"{len(seen)} views from places of the hand that differ by {100 * APART[0]:.0f} cm or "
            f"{np.degrees(APART[1]):.0f} degrees; {FEWEST} are needed: move the hand between the views, and turn it",
            "too few views",
        )
    world = World(robot, [])
    views = [
        _View(o, {i.camera: steady(i) for i in o.images}, link_poses(world, o.robot.q, o.robot.opening, skins))
        for o in seen
    ]
    on_hand = {  # whether they move with the hand
        camera: any(np.abs(v.images[camera].T_world_camera - first.T_world_camera).max() > STAYS for v in views)
        for camera, first in views[0].images.items()
    }
    fixed = [_fixed(camera, views, skins) for camera, moves in on_hand.items() if not moves]
    if not fixed and any(on_hand.values()):
        raise Refusal("a camera in the hand is calibrated by what a fixed one sees; there is none", "too few views")
    return [*fixed, *(_on_hand(camera, views, fixed, skins) for camera, moves in on_hand.items() if moves)]


def distinct(observations: Sequence[Observation]) -> list[Observation]:
    """Those that were made from places of the hand that differ."""
    out: list[Observation] = []
    for o in observations:
        away = [error(o.robot.T_world_tool, other.robot.T_world_tool) for other in out]
        if all(np.linalg.norm(e[:3]) > APART[0] or np.linalg.norm(e[3:]) > APART[1] for e in away):
            out.append(o)
    return out


def _fixed(camera: str, views: Sequence[_View], skins: Mapping[str, Skin]) -> CalibratedCamera:
    offs: list[Array] = []
    for v in views:
        image = v.images[camera]
        known = offs[0] if offs else sought(image, v.bodies, skins)
        if known is None:
            continue
        more = correction(corrected(image, known), v.bodies, skins, MOVED, noticed=(0.0, 0.0))
        if more is not None:
            offs.append(known @ more)
    if len(offs) < FEWEST:
        raise Refusal(
            f"{camera} shows enough of the robot in {len(offs)} views; {FEWEST} are needed: bring more of the arm into "
            "its picture",
            "too few views",
        )
    off, scatter = middle(offs)
    _check(camera, scatter)
    return CalibratedCamera(camera, False, off, views[0].images[camera].T_world_camera @ off, len(offs), scatter)


def _on_hand(
    camera: str, views: Sequence[_View], fixed: Sequence[CalibratedCamera], skins: Mapping[str, Skin]
) -> CalibratedCamera:
    surfaces = [
        SurfaceView(v.look(camera, skins), Surface([v.look(f.camera, skins, f.off) for f in fixed])) for v in views
    ]
    off = jointly_aligned(surfaces)
    if off is None:
        raise Refusal(
            f"what {camera} and the fixed cameras both see does not tell where it is: bring things with sides into "
            "view, not the table alone, and turn the hand",
            "degenerate",
        )
    if (open_way := undetermined_direction(surfaces, off)) is not None:
        along = ", ".join(f"{x:.1f}" for x in open_way)
        raise Refusal(
            f"what {camera} and the fixed cameras both see leaves it open where it is along, or how it is turned "
            f"about, ({along}) of its own frame: turn the hand between the views, and bring sides of things into "
            "view that face other ways",
            "degenerate",
        )
    single = [one for surface in surfaces if (one := jointly_aligned([surface], off)) is not None]
    scatter = middle(single)[1] if single else (0.0, 0.0)
    _check(camera, scatter)
    first = views[0]
    T_tool_camera = inverse(first.observation.robot.T_world_tool) @ first.images[camera].T_world_camera
    return CalibratedCamera(camera, True, off, T_tool_camera @ off, len(views), scatter)


def _check(camera: str, scatter: tuple[float, float]) -> None:
    if scatter[0] > AGREE[0] or scatter[1] > AGREE[1]:
        raise Refusal(
            f"views of {camera} say different things, by {1000 * scatter[0]:.1f} mm and "
            f"{np.degrees(scatter[1]):.2f} degrees: it moved meanwhile, or the encoders, the depth or the focal length "
            "are not what is said",
            "views differ",
        )


def middle(offs: Sequence[Array]) -> tuple[Array, tuple[float, float]]:
    """The middle (4, 4) of small poses (4, 4), each direction by itself, and how far they are from it in the median
    (m, rad)."""
    twists: Numbers = np.array([np.concatenate([T[:3, 3], rotation_vector(T[:3, :3])]) for T in offs])
    twist = np.median(twists, axis=0)
    T = pose(twist[:3], rotation_vector_to_matrix(twist[3:]))
    away = np.array([size(inverse(T) @ off) for off in offs])
    metres, radians = np.median(away, axis=0)
    return T, (float(metres), float(radians))


def write(path: Path, found: Sequence[CalibratedCamera], about: dict[str, Any]) -> None:
    """Write what was found, and `about` what recording. InputError where it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, {"format": FORMAT, "about": about, "cameras": {f.camera: f.as_record() for f in found}})
    except OSError as e:
        raise InputError(f"cannot write {path}: {e.strerror}") from e


def read(path: Path) -> dict[str, Array]:
    """How far cameras are off (4, 4), by their names, each in the frame of where it is said to be. InputError, with its
    line, for a file that says no such thing."""
    known = read_json(path, FORMAT)
    cameras = known.table("cameras", f"an object, {VALID}")
    return {name: _off(cameras.table(name, f"an object, {VALID}")) for name in cameras.values}


def _off(camera: Table) -> Array:
    off = camera.array("off", f"a pose (4, 4), {VALID}", 4, 4)
    if not is_rigid(off):
        raise camera.no("off", f"a pose (4, 4), {VALID}")
    if why := not_metres(off[:3, 3].tolist(), FARTHEST):
        raise camera.no("off", f"a pose (4, 4) whose last column is in metres, {why}")
    return off


def as_world(found: Sequence[CalibratedCamera], T_base_world: Array) -> list[str]:
    """The lines of an arm's world file for the cameras that do not move with the hand: where they are in the frame of
    the robot's base."""
    lines = []
    for f in found:
        if not f.on_hand:
            T = T_base_world @ f.T
            xyz, rpy = np.round(1000 * T[:3, 3], 2).tolist(), np.round(np.degrees(to_rpy(T[:3, :3])), 3).tolist()
            lines += [f"[cameras.{f.camera}]", f"xyz_mm = {xyz}", f"rpy_deg = {rpy}"]
    return lines
