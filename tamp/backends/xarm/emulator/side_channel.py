"""The side channel: lines of JSON that report what is true of the emulated arm, move things, and order faults."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.backends.xarm.detections import read_line
from tamp.backends.xarm.emulator.controller import ArmController
from tamp.backends.xarm.emulator.physics import Physics
from tamp.backends.xarm.emulator.protocol import from_pose
from tamp.errors import InputError
from tamp.fields import is_number, shown

ERRORS = {"collision": 31, "overspeed": 24, "joint_limit": 23, "emergency": 2, "kinematic": 21, "self_collision": 22}
"""Faults of the arm, and the error that the controller reports; "servo" is one of them, with 10 + joint."""
LINE_FAULTS = ("drop", "freeze", "garbage", "half", "delay")
"""Faults of the connection."""
KINDS = (*ERRORS, "servo", *LINE_FAULTS)
FIELDS = {"fault", "motion", "share", "seconds", "joint"}
LONGEST = 600.0
"""Seconds that a freeze or a delay may last."""
MOST = 1000
"""Faults that wait."""


@dataclass(frozen=True)
class InjectedFault:
    """What happens, and when: now (`motion` 0), at the motion command of that number, or when that one has gone a
    `share` of its way. An order counts motions from itself on, an armed fault from when the arm was switched on.

    `seconds`: how long a freeze lasts (0: until cleared) or how late replies are, and for how long connections are
    refused after a drop. `joint` of a servo error.
    """

    kind: str
    motion: int = 0
    share: float | None = None
    seconds: float = 0.0
    joint: int = 1

    def due(self, controller: ArmController) -> bool:
        """Whether its time has come."""
        if self.share is None:
            return controller.submitted >= self.motion
        return controller.progress(self.motion) >= self.share

    def cause(self, controller: ArmController) -> None:
        """Carry out a fault of the arm."""
        if self.kind == "servo":
            controller.fail(10 + self.joint, self.joint)
        else:
            controller.fail(ERRORS[self.kind])


def read_fault(order: dict[str, object]) -> InjectedFault:
    """A fault from its JSON object. Raises InputError that says what would be valid."""
    if unknown := set(order) - FIELDS:
        raise InputError(f"{', '.join(sorted(unknown))}: a fault has the fields {', '.join(sorted(FIELDS))}")
    kind = order.get("fault")
    if kind not in KINDS:
        raise InputError(f"fault {shown(kind)}: there are {', '.join(KINDS)}")
    share = _number(order, "share", 0.0, 0.0, 1.0) if "share" in order else None
    motion = int(_number(order, "motion", 1 if share is not None else 0, 0, 1e6))
    if share is not None and motion == 0:
        raise InputError("share: of which motion? 1 is the next")
    seconds, joint = _number(order, "seconds", 0.0, 0.0, LONGEST), int(_number(order, "joint", 1, 1, 7))
    return InjectedFault(str(kind), motion, share, seconds, joint)


def _number(order: dict[str, object], name: str, default: float, low: float, high: float) -> float:
    value = order.get(name, default)
    if not is_number(value):
        raise InputError(f"{name}: {shown(value)} is no number")
    if not low <= value <= high:
        raise InputError(f"{name}: {shown(value)} is not within {low:g} to {high:g}")
    return float(value)


@dataclass
class InjectedFaults:
    """Faults that wait for their time, and what is wrong with the connections: `frozen` and `refused` until times of
    the clock, replies `late` by seconds, the next one cut in `half`.

    `happened` has those that did: the kind, when by the emulator's clock, and the joint angles then.
    """

    frozen: float = 0.0
    refused: float = 0.0
    late: float = 0.0
    half: bool = False
    waiting: list[InjectedFault] = field(default_factory=list)
    happened: list[dict[str, object]] = field(default_factory=list)

    def arm(self, fault: InjectedFault, controller: ArmController) -> None:
        """From now on; motion commands are counted from here. InputError when too many wait."""
        if len(self.waiting) >= MOST:
            raise InputError(f"{MOST} faults wait already; valid: clear faults first")
        self.waiting.append(replace(fault, motion=fault.motion + controller.submitted if fault.motion else 0))

    def due(self, controller: ArmController) -> list[InjectedFault]:
        """Those whose time has come; they happen once. The clock's owner carries them out."""
        found = [fault for fault in self.waiting if fault.due(controller)]
        self.waiting = [fault for fault in self.waiting if fault not in found]
        q = [float(v) for v in controller.encoders] if found else []
        self.happened += [{"fault": fault.kind, "at": controller.now, "joints": q} for fault in found]
        return found


@dataclass
class PlacedThings:
    """What is there now, as the objects of a detector's line: `label`, `xyz_mm` in the frame of the arm's base,
    `confidence`. Nothing here has a shape, and the arm moves none of it."""

    there: list[dict[str, Any]] = field(default_factory=list)

    def replace(self, objects: Any) -> None:
        """Take other objects in the place of those; what is sure need not say its confidence. Raises InputError."""
        if isinstance(objects, list):
            objects = [{"confidence": 1.0, **t} if isinstance(t, dict) else t for t in objects]
        try:
            read_line(detection_line(1.0, objects), {})
        except ValueError as e:
            raise InputError(f"things: {e}") from e
        self.there = objects


def read_things(texts: list[str]) -> PlacedThings:
    """Things from `cup=400,0,30` each: label, and millimetres. Raises InputError."""
    things = PlacedThings()
    for text in texts:
        label, _, numbers = text.rpartition("=")
        try:
            xyz = [float(n) for n in numbers.split(",")]
            things.replace([*things.there, {"label": label.strip(), "xyz_mm": xyz}])
        except (ValueError, InputError) as e:
            valid = "LABEL=X,Y,Z with millimetres in the frame of the base, as cup=400,0,30"
            raise InputError(f"--thing {text}: not {valid}") from e
    return things


def detection_line(time: float, objects: Any) -> bytes:
    """What a detector says of objects, in seconds since the epoch."""
    return json.dumps({"time": time, "objects": objects}).encode() + b"\n"


Later = Callable[[], bytes]
"""Makes a line that takes a while, outside of the clock's thread."""
ORDERS = "query (state, scene, pictures), fault, clear (faults), release (emergency), teleport, things, put"


class NoOrder(InputError):
    """A line that is no object of JSON. Its sender is no client: a web page's request has such lines."""


@dataclass
class EmulatedArm:
    """A controller, the faults that are ordered, what its detector sees, and the world around it, if there is one."""

    controller: ArmController
    things: PlacedThings
    physics: Physics | None = None
    faults: InjectedFaults = field(default_factory=InjectedFaults)

    def reply(self, order: dict[str, Any]) -> dict[str, Any] | Later:
        """The answer to an order; what is wrong with it is an answer too, {"error": ...}."""
        try:
            return self._obey(order)
        except InputError as error:
            return {"error": str(error)}

    def state(self) -> dict[str, Any]:
        """What is true of the arm: radians, and the pose as the wire has it (millimetres, radians)."""
        controller = self.controller
        named = ("now", "mode", "state", "error", "warning", "motors", "submitted", "started", "executed", "moved_at")
        return {name: getattr(controller, name) for name in named} | {
            "model": controller.arm.name,
            "joints": [float(v) for v in controller.encoders],
            "pose": from_pose(controller.T_base_tool),
            "queued": controller.queue.count,
            "gripper": controller.gripper.position,
            "faults": len(self.faults.waiting),
            "happened": self.faults.happened,
        }

    def _obey(self, order: dict[str, Any]) -> dict[str, Any] | Later:
        match order:
            case {"query": "state"}:
                return self.state()
            case {"query": "scene"}:
                return self._world().report()
            case {"query": "pictures"}:
                world = self._world()
                return partial(world.pictures, world.world.arrangement())
            case {"teleport": joints}:
                self.controller.teleport(self._configuration(joints))
                if self.physics is not None:
                    self.physics.follow_at_once()
                return self.state()
        return self._change(order)

    def _change(self, order: dict[str, Any]) -> dict[str, Any]:
        """Orders about faults, and about what is around the arm."""
        match order:
            case {"fault": kind}:
                self.faults.arm(read_fault(order), self.controller)
                return {"armed": kind}
            case {"clear": "faults"}:
                self.faults = InjectedFaults()
                return {"cleared": "faults"}
            case {"release": "emergency"}:
                self.controller.pressed = False
                return {"released": "emergency"}
            case {"things": objects}:
                self.things.replace(objects)
                return {"things": len(self.things.there)}
            case {"put": str(name), "pose": [*numbers]}:
                self._world().put(name, numbers)
                return {"put": name}
        raise InputError(f"not one of {ORDERS}")

    def _world(self) -> Physics:
        if self.physics is None:
            raise InputError("there is no world around this arm; valid with tamp xarm emulate --scene")
        return self.physics

    def _configuration(self, joints: object) -> Array:
        """Joint angles (n,) within the limits."""
        arm = self.controller.arm
        if not isinstance(joints, list) or len(joints) != arm.joints or not all(map(is_number, joints)):
            raise InputError(f"teleport: a list of {arm.joints} joint angles in radians")
        q = np.array(joints, dtype=float)
        if not arm.within(q):
            raise InputError(f"teleport: beyond the joints' limits {arm.lower} to {arm.upper}")
        return q


def read_order(line: bytes) -> dict[str, Any]:
    """The order in a line. Raises NoOrder."""
    try:
        order = json.loads(line)
    except (ValueError, RecursionError):
        order = None
    if not isinstance(order, dict):
        raise NoOrder(f"not a line of JSON with one of {ORDERS}")
    return order
