"""The side channel: lines of JSON that report what is true of the emulated arm, move things, and order faults."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from motion.poses import Array
from tamp.backends.xarm.emulator.controller import ArmController
from tamp.backends.xarm.emulator.injected_faults import InjectedFaults, read_fault
from tamp.backends.xarm.emulator.physics import Physics
from tamp.backends.xarm.emulator.placed_things import PlacedThings
from tamp.backends.xarm.emulator.protocol import from_pose
from tamp.errors import InputError
from tamp.fields import is_number

if TYPE_CHECKING:
    from tamp.backends.xarm.emulator.picture_process import PictureProcess

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
    pictures: PictureProcess | None = None
    faults: InjectedFaults = field(default_factory=InjectedFaults)

    @property
    def world(self) -> Physics:
        """The world around the arm. InputError where there is none."""
        if self.physics is None:
            raise InputError("there is no world around this arm; valid with tamp xarm emulate --scene")
        return self.physics

    def reply(self, order: dict[str, Any]) -> dict[str, Any] | Later:
        """The answer to an order; what is wrong with it is an answer too, {"error": ...}."""
        try:
            return self._obey(order)
        except InputError as error:
            return {"error": str(error)}

    def state(self) -> dict[str, Any]:
        """What is true of the arm: radians, and the pose as the wire has it (millimetres, radians)."""
        controller = self.controller
        return {
            "now": controller.now,
            "model": controller.arm.name,
            "joints": [float(v) for v in controller.encoders],
            "pose": from_pose(controller.T_base_tool),
            "mode": controller.mode,
            "state": controller.state,
            "error": controller.error,
            "warning": controller.warning,
            "motors": controller.motors,
            "queued": controller.count,
            "submitted": controller.submitted,
            "started": controller.started,
            "executed": controller.executed,
            "moved_at": controller.moved_at,
            "gripper": controller.gripper.position,
            "faults": self.faults.waiting,
            "happened": self.faults.happened,
        }

    def _obey(self, order: dict[str, Any]) -> dict[str, Any] | Later:
        match order:
            case {"query": "state"}:
                return self.state()
            case {"query": "scene"}:
                return self.world.report()
            case {"query": "pictures"}:
                return self._pictures()
            case {"teleport": joints}:
                self.controller.teleport(self._configuration(joints))
                if self.physics is not None:
                    self.physics.follow_at_once(self.controller)
                return self.state()
        return self._change(order)

    def _change(self, order: dict[str, Any]) -> dict[str, Any]:
        """Orders about faults, and about what is around the arm."""
        match order:
            case {"fault": kind}:
                self.faults.arm(read_fault(order), self.controller)
                return {"armed": kind}
            case {"clear": "faults"}:
                self.faults.clear()
                return {"cleared": "faults"}
            case {"release": "emergency"}:
                self.controller.pressed = False
                return {"released": "emergency"}
            case {"things": objects}:
                self.things.replace(objects)
                return {"things": len(self.things.there)}
            case {"put": str(name), "pose": [*numbers]}:
                self.world.put(name, numbers)
                return {"put": name}
        raise InputError(f"not one of {ORDERS}")

    def _pictures(self) -> Later:
        arrangement = self.world.world.arrangement()
        if self.pictures is None:
            raise InputError("nothing can take pictures of this world")
        return partial(self.pictures.line, arrangement)

    def _configuration(self, joints: object) -> Array:
        """Joint angles (n,) within the limits."""
        arm = self.controller.arm
        if not isinstance(joints, list) or len(joints) != arm.joints:
            raise InputError(f"teleport: a list of {arm.joints} joint angles in radians")
        if not all(map(is_number, joints)):
            raise InputError("teleport: not all are numbers")
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
