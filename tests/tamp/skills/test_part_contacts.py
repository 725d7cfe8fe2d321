"""Where closed fingers push a door open from inside."""

from __future__ import annotations

import numpy as np
import pytest

from motion.poses import joint_transform, pose
from motion.robot import Gripper
from motion.shapes import Shape
from tamp.model.scene import Joint, Part
from tamp.skills import part_contacts

HALF = np.array([0.13, 0.01, 0.09])
"""Half-extents of the panel: its width, thickness and height."""
UP, HINGE = np.array([0.0, 0.0, 1.0]), np.array([0.2, 0.1, 1.0])


def door(value: float, sign: int) -> Part:
    """A panel hinged at its end towards +x, closed along the x axis; it swings open by `sign` about the vertical."""
    T = joint_transform("hinge", UP, HINGE, value) @ pose(HINGE - [HALF[0], 0.0, 0.0])
    limits, active = ((0.0, 2.0), 1.3) if sign > 0 else ((-2.0, 0.0), -1.3)
    joint = Joint("hinge", UP, HINGE, limits, value, active, 0.0)
    handle = Shape("box", np.array([0.01, 0.01, 0.06]), pose([-0.1, -sign * 0.04, 0.0]))
    return Part("door", "door", T, (Shape("box", HALF, np.eye(4)), handle), joint)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_door_that_is_ajar_is_pushed_at_its_inner_face(sign: int) -> None:
    part = door(0.6 * sign, sign)
    found = part_contacts.inner_contacts(part, Gripper())
    assert found
    inside = np.array([0.0, sign, 0.0])  # the panel's own axis that looks away from where it opens to
    for T in found:
        p = np.linalg.inv(part.T_world_part) @ np.append(T[:3, 3], 1.0)
        assert float(p[:3] @ inside) - HALF[1] == pytest.approx(Gripper().fingertip, abs=2e-3), "before the inner face"
        assert abs(p[0]) < HALF[0] and abs(p[2]) < HALF[2]
        assert T[2, 2] < 0, "never from below"


@pytest.mark.parametrize("value", [0.0, 0.1])
def test_a_door_that_is_all_but_closed_lets_no_hand_in(value: float) -> None:
    assert part_contacts.inner_contacts(door(value, 1), Gripper()) == []
