"""Record images and proprioception in a folder: all that perception may use; and the ground truth, in one of its own.

    recording.json                what was recorded, the robot, proprioception of each control period, where the cameras
                                  were at each of the moments with images; written last
    0000_agentview.png            colour, of moment 0
    0000_agentview_depth.png      depth: 16 bits, tenths of a millimetre, 0 where nothing was measured
    truth/truth.json              things, and at each moment their poses, joints and visible pixels, and what holds
    truth/0000_agentview_instances.png   which thing each pixel shows: its number in `truth.json` from 1 on, 0 for what
                                  all stand on and whatever is behind, 255 for the robot

Perception runs without the folder `truth`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
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
TRUTH, TRUTH_INDEX = "truth", "truth.json"
ROBOT = 255
"""Number of the robot in a picture of instances."""
MOST_THINGS = ROBOT - 1


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


@dataclass(frozen=True)
class TrueThing:
    """A thing that is there, called as the simulator calls it. `joints` are its parts that move on one, by the end of
    their name after the thing's own, with their kind: drawer, door, knob."""

    name: str
    category: str
    movable: bool
    joints: dict[str, str] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class TrueMoment:
    """What is true at a moment: poses (4, 4) in the world and joint values (m, rad) by thing, the pixels that show it
    by camera, the symbolic facts, and what the hand holds."""

    time: float
    poses: dict[str, Array]
    joints: dict[str, dict[str, float]]
    pixels: dict[str, dict[str, int]]
    atoms: tuple[str, ...] = ()
    held: str | None = None


@dataclass(eq=False)
class Writer:
    """Writes a recording into a folder, which is one once `close` was called. With `things`, what is true as well."""

    folder: Path
    robot: RobotDescription
    about: dict[str, Any]
    things: tuple[TrueThing, ...] = ()
    _truth: list[TrueMoment] = dataclasses.field(default_factory=list)
    _felt: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    _moments: list[dict[str, Any]] = dataclasses.field(default_factory=list)

    def felt(self, observation: Observation) -> None:
        """Keep what was felt in one control period, and a moment of it if there are pictures."""
        robot = observation.robot
        self._felt.append({"time": observation.time, **vars(robot)})
        if observation.images:
            pictures = [self._picture(image) for image in observation.images]
            self._moments.append({"period": len(self._felt) - 1, "pictures": pictures})

    def true(self, moment: TrueMoment, instances: Mapping[str, Array]) -> None:
        """Keep what is true at a moment, with the number (h, w) of what each pixel shows by camera."""
        for camera, numbers in instances.items():
            name = _instances_name(len(self._truth), camera)
            write_png(self.folder / TRUTH / name, numbers.astype(np.uint8))
        self._truth.append(moment)

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
        if self.things:
            things, moments = [vars(t) for t in self.things], [vars(m) for m in self._truth]
            write_json(self.folder / TRUTH / TRUTH_INDEX, {"format": FORMAT, "things": things, "moments": moments})
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
        taken = []
        for picture in row.rows("pictures", REDO):
            named = {name: picture.text(name, REDO) for name in ("camera", "colour", "depth")}
            K, T = picture.array("K", f"(3, 3); {REDO}", 3, 3), picture.array("T_world_camera", POSE, 4, 4)
            taken.append(named | {"K": K, "T_world_camera": T})
        pictures.append(taken)
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


def _image(folder: Path, record: dict[str, Any]) -> Image:
    colour, depth = read_png(folder / record["colour"]), read_png(folder / record["depth"])
    if colour.ndim != 3 or depth.ndim != 2 or colour.shape[:2] != depth.shape:
        raise InputError(f"{folder / record['colour']} and its depth are not of one size: record it again")
    pixels = np.ascontiguousarray(colour[..., :3])
    return Image(record["camera"], pixels, depth * DEPTH_UNIT, record["K"], record["T_world_camera"])


def write_png(path: Path, pixels: Array) -> None:
    """Write bytes (h, w, 3) or (h, w), or 16 bits (h, w), as a PNG, into a folder that is made."""
    import imageio.v3 as imageio

    path.parent.mkdir(parents=True, exist_ok=True)
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


@dataclass(frozen=True, eq=False)
class Truth:
    """What is true of a recording."""

    folder: Path
    things: tuple[TrueThing, ...]
    moments: tuple[TrueMoment, ...]

    def mask(self, moment: int, camera: str, name: str) -> Array:
        """Where (h, w), true or false, a picture shows a thing."""
        number = 1 + [t.name for t in self.things].index(name)
        return np.asarray(self.instances(moment, camera) == number)

    def instances(self, moment: int, camera: str) -> Array:
        """The number (h, w) of what each pixel shows."""
        return read_png(self.folder / _instances_name(moment, camera))


def _instances_name(moment: int, camera: str) -> str:
    return f"{moment:04d}_{camera}_instances.png"


def read_truth(recording: Path) -> Truth:
    """What is true of the recording in a folder. InputError where it is not there, or damaged."""
    folder = recording / TRUTH
    record = read_json(folder / TRUTH_INDEX, FORMAT).values
    try:
        moments = []
        for moment in record["moments"]:
            poses = {name: np.array(T, dtype=float) for name, T in moment["poses"].items()}
            moments.append(TrueMoment(**{**moment, "poses": poses, "atoms": tuple(moment["atoms"])}))
        return Truth(folder, tuple(TrueThing(**t) for t in record["things"]), tuple(moments))
    except (KeyError, TypeError, ValueError) as e:
        raise InputError(f"{folder / TRUTH_INDEX} is damaged ({type(e).__name__}: {e}); record it again") from e
