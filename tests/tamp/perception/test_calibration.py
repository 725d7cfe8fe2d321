"""Where cameras really are, from many views of LIBERO's robot: found, refused with what is missing, and used."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from motion.poses import Array, pose, rotation_about
from tamp.backends.libero.tasks import find
from tamp.errors import InputError
from tamp.model.backend import Observation
from tamp.pddl.domain_file import load
from tamp.perception import calibration, recordings
from tamp.perception.calibration import CalibratedCamera, calibrated
from tamp.perception.library import load as library
from tamp.perception.registration import size
from tamp.runs.scene_recording import Order, record

pytestmark = pytest.mark.episode

AGENT, HAND = "agentview", "robot0_eye_in_hand"


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> recordings.Recording:
    """An episode in which a bowl is put on a plate, seen every 15 control steps."""
    folder = tmp_path_factory.mktemp("recording")
    record(Order(find("libero_goal/8"), load("tabletop"), init_state=40, size=(320, 320), every=12), folder)
    return recordings.read(folder)


@pytest.fixture(scope="module")
def seen(recording: recordings.Recording) -> list[Observation]:
    """What was seen of it."""
    return [recording.looked(n) for n in range(len(recording.moments))]


def found(recording: recordings.Recording, seen: Sequence[Observation]) -> dict[str, CalibratedCamera]:
    return {f.camera: f for f in calibrated(recording.robot, seen, library().robots["panda"].skins)}


def elsewhere(seen: Sequence[Observation], camera: str, said: Array) -> list[Observation]:
    """The same by a camera that is said to be somewhere else (4, 4), in its frame."""
    return [
        replace(o, images=tuple(
            replace(i, T_world_camera=i.T_world_camera @ said) if i.camera == camera else i for i in o.images
        ))
        for o in seen
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("camera", "metres", "degrees"), [(AGENT, 0.02, 5.0), (HAND, 0.005, 1.0)], ids=["fixed", "in the hand"]
)
def test_a_camera_is_found_to_half_a_millimetre_and_the_other_one_left(
    recording: recordings.Recording, seen: list[Observation], camera: str, metres: float, degrees: float
) -> None:
    said = pose(metres * np.array([0.6, 0.0, -0.8]), rotation_about(np.array([0.0, 0.8, 0.6]), np.radians(degrees)))
    shown = found(recording, elsewhere(seen, camera, said))
    for name, one in shown.items():
        left = size(said @ one.off if name == camera else one.off)
        assert left[0] < 0.0006 and np.degrees(left[1]) < 0.08, name
    assert [shown[AGENT].on_hand, shown[HAND].on_hand] == [False, True]


def test_what_was_found_is_written_read_and_used(tmp_path: Path) -> None:
    off = pose(np.array([0.003, 0.0, 0.004]), rotation_about(np.array([0.0, 0.0, 1.0]), np.radians(1.0)))
    path = tmp_path / "new" / "calibration.json"
    calibration.write(path, [CalibratedCamera(AGENT, False, off, off, 5, (0.0, 0.0))], {"scene": "x"})
    assert np.allclose(calibration.read(path)[AGENT], off)
    shown = json.loads(path.read_text())["cameras"][AGENT]
    assert (shown["mm"], shown["degrees"], shown["views"]) == (5.0, 1.0, 5)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", r"c\.json:1:1: not JSON"),
        ('{"format": 9}', "has format 9"),
        ('{"format": 1}', "cameras is missing; valid: an object"),
        (
            '{"format": 1, "cameras": {"agentview": {"off": [[2, 0], [0, 2]]}}}',
            "c.json:1: cameras.agentview.off is .*; valid: a pose",
        ),
    ],
)
def test_a_file_that_is_no_calibration_is_refused(content: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(content)
    with pytest.raises(InputError, match=why):
        calibration.read(tmp_path / "c.json")
