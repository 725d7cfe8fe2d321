"""What becomes of models that are made in other ways than motion's own."""

from __future__ import annotations

import mujoco
import pytest

from motion.robot_parts import ModelError, mjcf, parts_in

TWISTED = """<mujoco><compiler angle="radian"/><worldbody>
  <geom name="floor" type="plane" size="1 1 1"/>
  <body name="base" pos="0.1 0 0.2" quat="0.7071068 0 0 0.7071068">
    <geom type="box" size="0.05 0.05 0.05"/>
    <body name="upper" pos="0 0.1 0.1" quat="0.9238795 0.3826834 0 0">
      <joint name="shoulder" pos="0.03 -0.02 0.05" axis="0 0.6 0.8" range="-1 2" ref="0.4" armature="0.2"/>
      <inertial mass="1.5" pos="0.01 0.02 0.1" fullinertia="0.01 0.02 0.015 0.001 0.002 0.003"/>
      <geom name="arm" type="capsule" size="0.03 0.1" pos="0 0 0.1"/>
      <geom name="seen" type="sphere" size="0.5" contype="0" conaffinity="0"/>
      <body name="lower" pos="0 0 0.3">
        <joint name="lift" type="slide" pos="0.2 0 0" axis="1 0 0" range="0 0.1" ref="0.02"/>
        <geom name="block" type="box" size="0.02 0.03 0.04" pos="0 0.01 0.05"/>
        <site name="tip" pos="0 0 0.1"/>
      </body></body></body></worldbody></mujoco>"""


def test_joints_go_through_the_origins_of_their_parts_and_are_zero_there() -> None:
    before = mujoco.MjModel.from_xml_string(TWISTED)
    parts = parts_in(before)
    after = mujoco.MjModel.from_xml_string(mjcf(parts, {}, ()))
    was, now = mujoco.MjData(before), mujoco.MjData(after)
    assert not after.jnt_pos.any()
    assert not after.qpos0.any()
    for q in ([0.0, 0.0], [1.2, 0.05], [-0.7, 0.1]):
        was.qpos[:], now.qpos[:] = q, q
        for m, d in ((before, was), (after, now)):
            mujoco.mj_kinematics(m, d)
            mujoco.mj_comPos(m, d)
            mujoco.mj_crb(m, d)
        for name in ("arm", "block"):
            assert now.geom(name).xpos == pytest.approx(was.geom(name).xpos, abs=1e-6)
            assert now.geom(name).xmat == pytest.approx(was.geom(name).xmat, abs=1e-6)
        assert now.qM == pytest.approx(was.qM, abs=1e-6), "it weighs what it weighed"


@pytest.mark.parametrize(
    ("joints", "message"),
    [
        ('<joint name="b" type="ball"/>', "link 'lower' is on a ball joint or floats"),
        ('<joint name="b"/><joint name="c" axis="1 0 0"/>', "link 'lower' moves on several joints, 'b', 'c'"),
    ],
)
def test_joints_that_are_not_known(joints: str, message: str) -> None:
    start = TWISTED.index('<joint name="lift"')
    text = TWISTED[:start] + joints + TWISTED[TWISTED.index("<geom", start) :]
    with pytest.raises(ModelError, match=message):
        parts_in(mujoco.MjModel.from_xml_string(text))
