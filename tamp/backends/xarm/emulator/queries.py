"""Registers that are asked, and the kinematics they need; payloads have their full length also when it fails."""

from __future__ import annotations

import struct

import numpy as np

from motion.poses import Array, inverse
from tamp.backends.xarm.emulator.answers import Answer, Asked, Handler, done
from tamp.backends.xarm.emulator.frames import byte, floats, pack_floats
from tamp.backends.xarm.emulator.gpio import box_state
from tamp.backends.xarm.emulator.reports import KINDS, reduced
from tamp.backends.xarm.emulator.wire import from_pose, to_pose

SERIAL = {"xarm5": "XF1304", "xarm6": "XI1304", "xarm7": "XS1304", "lite6": "LI1006", "850": "FX8500"}
"""Begin serial numbers; digits below 1305 mean the wider joint limits."""
BOX = "AC1300"
WITHOUT_ANSWER = {
    3: 1, 57: 1, 65: 1, 69: 1, 102: 4, 104: 4, 106: 16, 107: 4, 125: 2, 130: 4, 131: 2, 132: 2, 133: 2, 140: 6,
}  # fmt: skip
"""Registers that answer so many zero bytes: nothing emulated stands behind them."""
PARAMETERS = {6: 24, 7: 56, 12: 24, 14: 24, 15: 8, 16: 8}
"""Lengths of the common parameters that are not one number of four bytes."""


def _version(asked: Asked) -> Answer:
    model = asked.controller.arm.name
    kind, axes = KINDS[model]
    text = f"{axes},{kind},{SERIAL[model]},{BOX},v{asked.controller.choices.firmware}"
    return Answer(text.encode().ljust(40, b"\0"))


def _serial(asked: Asked) -> Answer:
    text = f"{SERIAL[asked.controller.arm.name]}00B00A00\0{BOX}00B00A00\0"
    return Answer(text.encode().ljust(40, b"\0")[:40])


def _state(asked: Asked) -> Answer:
    return Answer(bytes([asked.controller.state]))


def _count(asked: Asked) -> Answer:
    return Answer(struct.pack(">H", asked.controller.count))


def _error(asked: Asked) -> Answer:
    return Answer(bytes([asked.controller.error, asked.controller.warning]))


def _pose(asked: Asked) -> Answer:
    return Answer(pack_floats(from_pose(asked.controller.T_user_tool)))


def _pose_axis_angle(asked: Asked) -> Answer:
    return Answer(pack_floats(from_pose(asked.controller.T_user_tool, axis_angle=True)))


def _joints(asked: Asked) -> Answer:
    """Angles, or with a number also speeds and efforts (which are 0)."""
    wanted = byte(asked.data, 0, 1) & 15
    rows = [asked.controller.encoders, asked.controller.speeds] + [np.zeros(7)] * 13
    return Answer(b"".join(pack_floats(seven(row)) for row in rows[: max(wanted, 1)]))


def _inverse(asked: Asked) -> Answer:
    """A configuration for a pose; with a reference, the one found from there. Limits are always kept."""
    controller, axes = asked.controller, asked.controller.arm.joints
    reference = controller.q
    if len(asked.data) >= 24 + 1 + 28:
        reference = np.array(floats(asked.data, 7, 25)[:axes])
    found = controller.body.solve(to_pose(floats(asked.data, 6)), reference)
    return done(found is not None, pack_floats(seven(np.zeros(axes) if found is None else found)))


def _forward(asked: Asked) -> Answer:
    q = np.array(floats(asked.data, 7)[: asked.controller.arm.joints])
    return Answer(pack_floats(from_pose(asked.controller.body.tool(q))))


def _beyond_joints(asked: Asked) -> Answer:
    given = np.array(floats(asked.data, 7, endless=True)[: asked.controller.arm.joints])
    q = np.where(np.isinf(given), asked.controller.q, given)
    return Answer(bytes([not asked.controller.arm.within(q, -1e-5)]))


def _beyond_reach(asked: Asked) -> Answer:
    """Whether no configuration within limits puts the tool there."""
    keep = from_pose(asked.controller.T_user_tool)
    values = [k if np.isinf(v) else v for k, v in zip(keep, floats(asked.data, 6, endless=True), strict=True)]
    return Answer(bytes([asked.controller.body.solve(to_pose(values), asked.controller.q) is None]))


def _offset(asked: Asked) -> Answer:
    """The second pose in the frame of the first; each as roll, pitch, yaw (0) or axis-angle (1), so the answer."""
    v = floats(asked.data, 12)
    given, wanted = bool(byte(asked.data, 48)), bool(byte(asked.data, 49))
    T = inverse(to_pose(v[:6], given)) @ to_pose(v[6:], given)
    return Answer(pack_floats(from_pose(T, wanted)))


def _torques(asked: Asked) -> Answer:
    del asked
    return Answer(bytes(28))


def _table(asked: Asked) -> Answer:
    """Per joint: angle offset, d in millimetres, alpha, a in millimetres; 7 rows."""
    arm = asked.controller.arm
    rows = zip(arm.offset, arm.d, arm.alpha, arm.a, strict=True)
    values = [v for offset, d, alpha, a in rows for v in (offset, d * 1000, alpha, a * 1000)]
    return Answer(pack_floats([*values, *[0.0] * (28 - len(values))]))


def _kind(asked: Asked) -> Answer:
    return Answer(bytes(KINDS[asked.controller.arm.name]))


def _reduced(asked: Asked) -> Answer:
    return Answer(reduced(asked.controller.settings))


def _common(asked: Asked) -> Answer:
    which = byte(asked.data, 0)
    return Answer(asked.controller.settings.common.get(which, bytes(PARAMETERS.get(which, 4))))


def _flag(name: str) -> Handler:
    return lambda asked: Answer(bytes([getattr(asked.controller.settings, name)]))


def _zeros(size: int) -> Handler:
    return lambda asked: Answer(bytes(size))


def seven(values: Array) -> list[float]:
    """Values of the joints there are (n,), and zeros for those up to the seventh."""
    return [*(float(v) for v in values), *[0.0] * (7 - len(values))]


QUERIES: dict[int, Handler] = {number: _zeros(size) for number, size in WITHOUT_ANSWER.items()} | {
    1: _version,
    2: _serial,
    5: _flag("currents"),
    7: _flag("approximate"),
    13: _state,
    14: _count,
    15: _error,
    41: _pose,
    42: _joints,
    43: _inverse,
    44: _forward,
    45: _beyond_joints,
    46: _beyond_reach,
    49: _flag("reduced"),
    53: _reduced,
    55: _torques,
    67: _table,
    76: _offset,
    91: _pose_axis_angle,
    139: box_state,
    141: _kind,
    233: _common,
}
