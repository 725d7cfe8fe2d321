"""Recordings: what goes in comes out, what is true is apart, and what is damaged is said to be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from motion.poses import pose
from tamp.errors import InputError
from tamp.model.backend import Observation
from tamp.model.scene import RobotState
from tamp.perception import recordings
from tests.perception_scores import most_pixels, placed
from tests.synthetic_looks import SIZE, library, observed, robot, standing

PLACED = standing(library()["can"], 0.1, 0.0, 0.3)


def recorded(folder: Path) -> Path:
    """Three periods, with pictures of the first and the last."""
    folder.mkdir(parents=True, exist_ok=True)
    things = (recordings.TrueThing("can_1", "can", True),)
    writer = recordings.Writer(folder, robot(), {"scene": "made up", "noise": "clean"}, things)
    for n in range(3):
        state = RobotState(np.array([0.1 * n]), 0.02, pose([0.1 * n, 0.0, 1.0]))
        images = observed([PLACED]).images if n != 1 else ()
        writer.felt(Observation(0.05 * n, state, images))
    for _ in range(2):
        mask = np.zeros((SIZE, SIZE), np.uint8)
        mask[10:20, 10:30] = 1
        pixels = {"front": {"can_1": 200}, "above": {"can_1": 3}}
        true = recordings.TrueMoment(0.0, {"can_1": PLACED.T_world_object}, {"can_1": {}}, pixels)
        writer.true(true, {"front": mask})
    writer.close()
    return folder


def test_what_goes_in_comes_out(tmp_path: Path) -> None:
    recording = recordings.read(recorded(tmp_path / "one"))
    assert [len(o.images) for o, _ in recordings.played(recording)] == [2, 0, 2]
    assert [n for _, n in recordings.played(recording)] == [0, None, 1]
    assert [o.robot.q[0] for o in recording.felt] == pytest.approx([0.0, 0.1, 0.2])
    for there, here in zip(observed([PLACED]).images, recording.looked(1).images, strict=True):
        assert there.camera == here.camera and np.array_equal(there.colour, here.colour)
        assert np.abs(there.depth - here.depth).max() <= 0.6e-4
        assert np.allclose(there.K, here.K) and np.allclose(there.T_world_camera, here.T_world_camera)
    assert recording.robot.arm_joints == ("j",) and recording.robot.pinned_bodies == {"base"}
    assert recording.about["scene"] == "made up"


def test_what_is_true_is_in_a_folder_that_perceiving_can_do_without(tmp_path: Path) -> None:
    folder = recorded(tmp_path / "one")
    truth = recordings.read_truth(folder)
    assert truth.mask(1, "front", "can_1").sum() == 200 and most_pixels(truth.moments[0], "can_1") == 200
    can = placed(truth.moments[0], truth.things[0], library()["can"])
    assert np.allclose(can.T_world_object, PLACED.T_world_object)
    for path in (folder / "truth").iterdir():
        path.unlink()
    assert recordings.read(folder).looked(0).images
    with pytest.raises(InputError, match=r"no truth.json"):
        recordings.read_truth(folder)


def test_what_is_damaged_or_not_finished_is_said_to_be(tmp_path: Path) -> None:
    folder = recorded(tmp_path / "one")
    index = folder / recordings.INDEX
    shown = json.loads(index.read_text())
    (folder / "0000_front_depth.png").write_bytes(b"\x89PNG half")
    with pytest.raises(InputError, match=r"0000_front_depth\.png is missing or damaged"):
        recordings.read(folder).looked(0)
    index.write_text(json.dumps({**shown, "format": 99}))
    with pytest.raises(InputError, match="it has format 99, this version of tamp reads 1"):
        recordings.read(folder)
    index.write_text(json.dumps({**shown, "felt": [{"time": 0.0}]}))
    with pytest.raises(InputError, match=r"recording\.json:1: felt\.0\.q is missing; valid: radians; record it again"):
        recordings.read(folder)
    index.write_text(index.read_text()[:100])
    with pytest.raises(InputError, match=r"recording\.json:1:\d+: not JSON"):
        recordings.read(folder)
    index.unlink()
    with pytest.raises(InputError, match="not finished"):
        recordings.read(folder)
