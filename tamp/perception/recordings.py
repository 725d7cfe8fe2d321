"""Record images and proprioception in a folder: all that perception may use, and nothing else.

    recording.json                what was recorded, the robot, proprioception of each control period, where the cameras
                                  were at each of the moments with images; written last
    0000_agentview.png            colour, of moment 0
    0000_agentview_depth.png      depth: 16 bits, tenths of a millimetre, 0 where nothing was measured

What is true of the same moments is kept apart: see `tamp.perception.ground_truth`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from motion.robot import RobotDescription, description
from tamp.errors import InputError
from tamp.files import toml_table
from tamp.files.replacing import replace_file
from tamp.files.toml_table import Table
from tamp.model.backend import Observation
from tamp.model.images import Image
from tamp.model.scene import RobotState

FORMAT = 1
INDEX = "recording.json"
REDO = "record it again"
POSE = f"a pose (4, 4); {REDO}"
DEPTH_UNIT, FARTHEST = 1e-4, 65535
"""Metres of one step of a stored depth, and the largest stored one: what is further away is stored as that."""


@dataclass(frozen=True, eq=False)
class Recording:
    """One that was read. `about` says what was recorded: scene, noise, seed, versions. `felt` has the observations of
    all control periods, without pictures; `moments` says at which of them pictures were taken."""

    folder: Path
    about: dict[str, Any]
    robot: RobotDescription
    felt: tuple[Observation, ...]
    moments: tuple[int, ...]
    _pictures: tuple[list[dict[str, Any]], ...]

    def looked(self, moment: int) -> Observation:
        """What was observed at a moment, with the pictures. InputError for a picture that is damaged."""
        images = tuple(_image(self.folder, p) for p in self._pictures[moment])
        return dataclasses.replace(self.felt[self.moments[moment]], images=images)


@dataclass(eq=False)
class Writer:
    """Writes a recording into a folder, which is one once `close` was called."""

    folder: Path
    robot: RobotDescription
    about: dict[str, Any]
    _felt: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    _moments: list[dict[str, Any]] = dataclasses.field(default_factory=list)

    def felt(self, observation: Observation) -> None:
        """Keep what was felt in one control period, and a moment of it if there are pictures."""
        robot = observation.robot
        self._felt.append({"time": observation.time, **vars(robot)})
        if observation.images:
            pictures = [self._picture(image) for image in observation.images]
            self._moments.append({"period": len(self._felt) - 1, "pictures": pictures})

    @property
    def moments(self) -> int:
        """How many moments there are."""
        return len(self._moments)

    def _picture(self, image: Image) -> dict[str, Any]:
        name = f"{len(self._moments):04d}_{image.camera}"
        colour, depth = f"{name}.png", f"{name}_depth.png"
        write_png(self.folder / colour, image.colour)
        write_png(self.folder / depth, stored(image.depth))
        record = {"camera": image.camera, "colour": colour, "depth": depth}
        return record | {"K": image.K, "T_world_camera": image.T_world_camera}

    def close(self) -> None:
        """Make it a recording."""
        robot = dataclasses.asdict(self.robot) | {"pinned_bodies": sorted(self.robot.pinned_bodies)}
        record = {"format": FORMAT, "about": self.about, "robot": robot, "felt": self._felt, "moments": self._moments}
        write_json(self.folder / INDEX, record)


def stored(depth: Array) -> Array:
    """Depth (h, w) in metres as it is stored."""
    return np.clip(np.rint(depth / DEPTH_UNIT), 0, FARTHEST).astype(np.uint16)


def recordings(folder: Path) -> list[Path]:
    """The folders of recordings in a folder, or that one if it is one itself. InputError where there are none."""
    found = [folder] if (folder / INDEX).is_file() else sorted(p.parent for p in folder.glob(f"*/{INDEX}"))
    if not found:
        raise InputError(f"no recording in {folder}; valid: what `tamp perception record --out {folder}` leaves there")
    return found


def read(folder: Path) -> Recording:
    """The recording in a folder. InputError where there is none, or a damaged one."""
    record = read_json(folder / INDEX, FORMAT)
    felt = tuple(map(_felt, record.rows("felt", REDO)))
    moments, pictures = [], []
    for row in record.rows("moments", REDO):
        moments.append(row.whole("period", REDO, 0, len(felt) - 1))
        pictures.append([_checked(picture) for picture in row.rows("pictures", REDO)])
    described = record.table("robot", REDO)
    described.array("posture", f"radians; {REDO}", None)
    try:
        robot = description(described.values)
    except (KeyError, TypeError, ValueError) as e:
        raise record.wrong(f"robot is damaged ({type(e).__name__}: {e}); {REDO}", "robot") from e
    return Recording(folder, dict(record.table("about", REDO).values), robot, felt, tuple(moments), tuple(pictures))


def played(recording: Recording) -> Iterator[tuple[Observation, int | None]]:
    """What was observed, period by period, with the number of the moment where pictures come with it."""
    looks = {period: n for n, period in enumerate(recording.moments)}
    for period, felt in enumerate(recording.felt):
        n = looks.get(period)
        yield (felt if n is None else recording.looked(n)), n


def _felt(record: Table) -> Observation:
    q, T = record.array("q", f"radians; {REDO}", None), record.array("T_world_tool", POSE, 4, 4)
    opening = record.number("opening", f"metres; {REDO}", -0.1, 1.0)
    return Observation(record.number("time", f"seconds; {REDO}", 0.0), RobotState(q, opening, T))


def _checked(picture: Table) -> dict[str, Any]:
    """What is said of a picture, in which the numbers are."""
    K, T = picture.array("K", f"(3, 3); {REDO}", 3, 3), picture.array("T_world_camera", POSE, 4, 4)
    return {name: picture.text(name, REDO) for name in ("camera", "colour", "depth")} | {"K": K, "T_world_camera": T}


def _image(folder: Path, record: dict[str, Any]) -> Image:
    colour, depth = read_png(folder / record["colour"]), read_png(folder / record["depth"])
    if colour.ndim != 3 or depth.ndim != 2 or colour.shape[:2] != depth.shape:
        raise InputError(f"{folder / record['colour']} and its depth are not of one size: record it again")
    pixels = np.ascontiguousarray(colour[..., :3])
    return Image(record["camera"], pixels, depth * DEPTH_UNIT, record["K"], record["T_world_camera"])


def write_png(path: Path, pixels: Array) -> None:
    """Write bytes (h, w, 3) or (h, w), or 16 bits (h, w), as a PNG."""
    import imageio.v3 as imageio

    imageio.imwrite(path, pixels, extension=".png")


def read_png(path: Path) -> Array:
    """The pixels of a PNG. InputError where it is none."""
    import imageio.v3 as imageio

    try:
        return np.asarray(imageio.imread(path, extension=".png"))
    except (OSError, ValueError, SyntaxError) as e:
        raise InputError(f"{path} is missing or damaged ({type(e).__name__}); record it again") from e


def write_json(path: Path, record: dict[str, Any]) -> None:
    """Write a JSON file whole, or not at all; arrays become lists."""
    replace_file(path, json.dumps(record, default=_plain))


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)


def read_json(path: Path, form: int) -> Table:
    """The object in a JSON file of a format. InputError where it is missing, damaged, or of another format."""
    if not path.is_file():
        raise InputError(f"no {path.name} in {path.parent}: no recording, or one that was not finished")
    record = toml_table.read_json(path)
    if record.values.get("format") != form:
        found = record.values.get("format")
        raise record.wrong(f"it has format {found}, this version of tamp reads {form}; {REDO}", "format")
    return record
