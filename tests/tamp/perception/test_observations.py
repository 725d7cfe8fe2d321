"""Observations with LIBERO's keys: what they come to, and what is said of those that are none."""

from __future__ import annotations

from dataclasses import make_dataclass
from typing import Any, TypeVar

import numpy as np
import pytest
from typing_extensions import TypeAliasType

from motion.poses import pose
from motion.xml_document import embed_meshes
from tamp.errors import InputError
from tamp.fields import check_fields
from tamp.model.images import pinhole
from tamp.perception.camera_calibration import Camera, calibration_from, encoders, has_pictures, pictures
from tamp.wire import pack, unpack
from tests.policies import calibration

LIMITS = np.array([[-2.9, 2.9], [-1.8, 1.8], [-2.9, 2.9], [-3.1, 0.0], [-2.9, 2.9], [0.0, 3.8], [-2.9, 2.9]])
Q = np.array([0.1, -0.2, 0.3, -2.4, 0.5, 3.6, 0.7])
TOLD: dict[str, Any] = {
    "robot0_joint_pos": Q,
    "robot0_joint_vel": np.arange(7.0),
    "robot0_gripper_qpos": np.array([0.03, -0.02]),
    "robot0_gripper_qvel": np.array([0.1, -0.1]),
}
FIXED = Camera("agentview", 0.8, pose([1.0, 0.0, 1.0]), near=0.1, far=10.0)
ON_HAND = Camera("robot0_eye_in_hand", 1.3, pose([0.05, 0.0, -0.1]), on_hand=True)


def seen(h: int = 48, w: int = 64) -> dict[str, Any]:
    """Pictures as robosuite has them: the first row is the lowest."""
    colour = np.zeros((h, w, 3), dtype=np.uint8)
    colour[0] = 200
    raw, metres = np.full((h, w, 1), 0.5, dtype=np.float32), np.full((h, w), 0.4)
    raw[0, 0], metres[0, 0] = 1.0, np.nan
    return {
        "agentview_image": colour,
        "agentview_depth": raw,
        "robot0_eye_in_hand_image": colour,
        "robot0_eye_in_hand_depth": metres,
    }


def test_cosines_and_sines_of_joints_will_do_even_beyond_half_a_turn() -> None:
    shown = {k: v for k, v in TOLD.items() if k != "robot0_joint_pos"}
    shown |= {"robot0_joint_pos_cos": np.cos(Q), "robot0_joint_pos_sin": np.sin(Q)}
    assert np.allclose(encoders(shown, LIMITS).q, Q)
    assert np.allclose(encoders(TOLD, LIMITS).q, Q)


def test_pictures_are_turned_up_and_in_metres_at_any_size() -> None:
    T = pose([0.3, 0.0, 0.5])
    assert has_pictures(seen(), (FIXED, ON_HAND)) and not has_pictures(TOLD, (FIXED, ON_HAND))
    fixed, hand = pictures({**TOLD, **seen(40, 56)}, (FIXED, ON_HAND), T)
    assert fixed.size == hand.size == (40, 56)
    assert fixed.colour[-1].min() == 200 and fixed.colour[0].max() == 0
    assert fixed.depth[0, 0] == pytest.approx(0.1 / (1.0 - 0.5 * 0.99)) and hand.depth[0, 0] == pytest.approx(0.4)
    assert fixed.depth[-1, 0] == 0.0 and hand.depth[-1, 0] == 0.0, "the far plane, and no number, are no measurement"
    assert np.allclose(fixed.T_world_camera, FIXED.T) and np.allclose(hand.T_world_camera, T @ ON_HAND.T)
    assert np.allclose(fixed.K, pinhole(40, 56, 0.8))


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no joints": ({"robot0_joint_pos": None}, "the observation has no robot0_joint_pos; valid: robot0_joint_pos, or"),
    "no number": ({"robot0_joint_vel": np.full(7, np.nan)}, "robot0_joint_vel is [nan, nan,"),
    "too few": ({"robot0_gripper_qpos": np.zeros(1)}, "robot0_gripper_qpos is [0.0]; valid: 2 finite numbers"),
    "words": ({"robot0_joint_vel": "fast"}, "robot0_joint_vel is 'fast'; valid: 7 numbers"),
    "no depth": ({"agentview_depth": None}, "no agentview_depth: make the environment with camera_depths=True"),
    "no picture": ({"robot0_eye_in_hand_image": None}, "the observation has no robot0_eye_in_hand_image"),
    "grey": ({"agentview_image": np.zeros((48, 64), dtype=np.uint8)}, "agentview_image is uint8 (48, 64); valid"),
    "small": ({"agentview_image": np.zeros((8, 8, 3), dtype=np.uint8)}, "at least 32 pixels"),
    "two sizes": ({"agentview_depth": np.zeros((24, 32))}, "agentview_depth has the shape (24, 32), agentview_image"),
    "metres": ({"agentview_depth": np.full((48, 64), 1.4)}, "agentview_depth runs from 1.4 to 1.4, a depth buffer"),
}


@pytest.mark.parametrize(("change", "message"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_with_an_observation_is_said(change: dict[str, Any], message: str) -> None:
    shown = {k: v for k, v in {**TOLD, **seen(), **change}.items() if v is not None}
    with pytest.raises(InputError) as e:
        encoders(shown, LIMITS)
        pictures(shown, (FIXED, ON_HAND), np.eye(4))
    assert message in str(e.value)


def test_a_calibration_comes_out_of_a_message_as_it_went_in() -> None:
    before = calibration()
    after = calibration_from(unpack(pack(before.as_dict())))
    assert after.robot.mjcf == embed_meshes(before.robot.mjcf) and after.robot.arm_joints == before.robot.arm_joints
    assert after.robot.pinned_bodies == before.robot.pinned_bodies and after.robot.gripper == before.robot.gripper
    assert np.array_equal(after.cameras[1].T, before.cameras[1].T) and after.cameras[0].near == before.cameras[0].near
    assert np.array_equal(after.controller.damping, before.controller.damping)


def test_the_robot_of_a_calibration_names_no_file() -> None:
    shown = calibration().as_dict()
    shown["robot"]["mjcf"] = '<mujoco><asset><mesh name="m" file="/etc/passwd"/></asset></mujoco>'
    with pytest.raises(InputError, match="MJCF:1: <mesh> has file; a model that is sent names no files"):
        calibration_from(shown)


def test_an_array_is_checked_where_numpy_names_its_type_by_an_alias() -> None:
    """As NumPy 2.5 does on Python 3.12."""
    S = TypeVar("S", bound=np.generic)
    Named = TypeAliasType("Named", np.ndarray[Any, np.dtype[S]], type_params=(S,))
    made = make_dataclass("Made", [("place", Named[np.float64])])
    check_fields(made(np.zeros(3)), "made")
    with pytest.raises(InputError, match=r"made\.place is array\(\[nan\]\); valid: an array of finite numbers"):
        check_fields(made(np.array([np.nan])), "made")


def test_arrays_of_objects_are_never_made() -> None:
    evil = {"x": {b"__ndarray__": True, b"data": b"12345678", b"dtype": "|O", b"shape": [1]}}
    with pytest.raises(InputError, match="no array"):
        unpack(pack(evil))
