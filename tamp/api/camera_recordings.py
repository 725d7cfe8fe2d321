"""Recordings of what cameras see, what the camera mode makes of them, and where the cameras really are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamp.api import arguments
from tamp.quiet import hush_simulator

if TYPE_CHECKING:
    from tamp.api.configs import RecordConfig
    from tamp.api.tool_configs import CalibrateConfig
    from tamp.perception.calibration import CalibratedCamera
    from tamp.perception.library import Library
    from tamp.perception.tracking import Track
    from tamp.runs.scene_recording import Order


def orders(config: RecordConfig) -> list[Order]:
    """What is to be recorded of some scenes: at their start, or with `moments` each so many control steps while the
    scene's own goal is acted. `size` in pixels. InputError for what there is not, and where nothing can be drawn."""
    from tamp.backends.libero import rendering

    rendering.prepare(video=False, pictures=True)
    with hush_simulator():
        from tamp.backends.libero.tasks import find
        from tamp.runs.scene_recording import Order

        loaded, size, found = arguments.domain(config.domain), (config.size, config.size), []
        for task in map(find, config.scenes):
            seed = task.seed if config.seed is None else config.seed
            found.append(Order(task, loaded, seed, config.init_state, config.noise, size, config.moments))
    return found


def recorded(order: Order, folder: Path) -> dict[str, Any]:
    """What there is in a folder of an order, once it is recorded; it is left alone where that scene was recorded before
    in that size, and `kept` then."""
    from tamp.perception import recordings
    from tamp.runs.scene_recording import record

    if (folder / recordings.INDEX).is_file():
        before = recordings.read(folder)
        if (before.about.get("content"), before.about.get("size")) == (order.content, list(order.size)):
            return {"folder": folder, "moments": len(before.moments), "kept": True}
    with hush_simulator():
        return {**asdict(record(order, folder)), "kept": False}


def perceived(folder: Path, out: Path | None = None) -> Iterator[dict[str, Any]]:
    """What is seen at each moment of a recording, or of each in a folder of several; pictures of it are written into
    `out`, by default beside them. Things are followed from moment to moment; what is true is not looked at."""
    from tamp.backends.libero import rendering

    rendering.prepare(video=False)
    from tamp.perception import recordings
    from tamp.perception.library import load

    library = load()
    for one in recordings.recordings(folder):
        yield _perceived(one, (out or folder) / one.relative_to(folder), library)


def _perceived(folder: Path, out: Path, library: Library) -> dict[str, Any]:
    """What is seen at each moment of a recording; the pictures of it are written."""
    from tamp.model.scene import record_of
    from tamp.perception import recordings
    from tamp.perception.camera import CameraPerceiver
    from tamp.perception.overlay import overlaid

    recording = recordings.read(folder)
    now, moments = recording.felt[0], []
    perceiver = CameraPerceiver(lambda: now, library, recording.robot)
    out.mkdir(parents=True, exist_ok=True)
    for observation, n in recordings.played(recording):
        now = observation
        perceiver.felt(now)
        if n is None:
            continue
        scene = perceiver.perceive()
        there = [t for t in perceiver.tracks.values() if not t.lost]
        seen = record_of(scene)
        pictures = [out / f"{n:04d}_{image.camera}_seen.png" for image in now.images]
        for path, image in zip(pictures, now.images, strict=True):
            recordings.write_png(path, overlaid(image, seen, library))
        moments.append({"time": scene.time, "things": [_track_record(t) for t in there], "pictures": pictures})
    return {"folder": folder, "moments": moments}


def _track_record(track: Track) -> dict[str, Any]:
    where, joints = track.placed.T_world_object[:3, 3], track.placed.joints
    about = {"name": track.name, "confidence": round(track.confidence, 3), "position": where.round(4)}
    return about | {"like": track.like, "joints": {name: round(v, 4) for name, v in joints.items()}}


@dataclass(frozen=True, eq=False)
class CalibratedCameras:
    """What was found out of each of the `cameras`, which is written in `file`; `world` are the lines of an arm's world
    file that say where the fixed ones are."""

    cameras: tuple[CalibratedCamera, ...]
    file: Path
    world: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"cameras": {c.camera: c.as_record() for c in self.cameras}, "out": self.file}


def calibrated(config: CalibrateConfig) -> CalibratedCameras:
    """Find out where the cameras of a recording really are, a fixed one by the robot in its pictures, one in the hand
    by what the fixed ones see, and write it into a file, by default `calibration.json` in the folder. InputError for
    what is no recording, and without the library of objects."""
    from tamp.backends.libero import rendering

    rendering.prepare(video=False)
    from motion.poses import inverse, pose
    from motion.world import World
    from tamp.perception import calibration, recordings
    from tamp.perception.camera import ROBOT
    from tamp.perception.library import load

    read, skins = recordings.read(config.folder), load().robots[ROBOT].skins
    observations = [read.looked(n) for n in range(len(read.moments))]
    found = calibration.calibrated(read.robot, observations, skins)
    file = config.out or config.folder / "calibration.json"
    calibration.write(file, found, read.about)
    base = inverse(pose(World(read.robot, []).base_position()))
    return CalibratedCameras(tuple(found), file, tuple(calibration.as_world(found, base)))
