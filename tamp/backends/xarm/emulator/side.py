"""The side channel: JSON lines to ask the emulator what is true, and to order faults."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tamp.backends.xarm.emulator.controller import Controller
from tamp.backends.xarm.emulator.faults import Fault, Faults, read
from tamp.backends.xarm.emulator.physics import Physics
from tamp.backends.xarm.emulator.things import Things
from tamp.backends.xarm.emulator.wire import from_pose
from tamp.errors import InputError
from tamp.fields import is_number

if TYPE_CHECKING:
    from tamp.backends.xarm.emulator.pictures import Pictures

Later = Callable[[], bytes]
"""Makes a line that takes a while, outside of the clock's thread."""
ORDERS = "query (state, history, scene, pictures), fault, clear (faults), release (emergency), teleport, things, put"

NO_WORLD = "there is no world around this arm; valid with tamp xarm emulate --scene"


class NoOrder(InputError):
    """A line that is no object of JSON. Who sends one is no client: a web page's request has such lines."""


def read_order(line: bytes) -> dict[str, Any]:
    """The order in a line. Raises NoOrder."""
    try:
        order = json.loads(line)
    except (ValueError, RecursionError):
        order = None
    if not isinstance(order, dict):
        raise NoOrder(f"not a line of JSON with one of {ORDERS}")
    return order


def reply(
    order: dict[str, Any],
    controller: Controller,
    faults: Faults,
    things: Things,
    clear: Callable[[], None],
    physics: Physics | None = None,
    pictures: Pictures | None = None,
) -> dict[str, Any] | Later:
    """The answer to an order; what is wrong with it is an answer too, {"error": ...}."""
    try:
        if order.get("query") == "pictures":
            if physics is None or pictures is None:
                raise InputError(NO_WORLD)
            return partial(pictures.line, physics.world.arrangement())
        if "put" in order or order.get("query") == "scene":
            return _in_the_world(order, physics)
        told = _obeyed(order, controller, faults, things, clear)
        if "teleport" in order and physics is not None:
            physics.follow_at_once(controller)
            told = state(controller, faults)
        return told
    except InputError as error:
        return {"error": str(error)}


def _obeyed(
    order: dict[str, Any], controller: Controller, faults: Faults, things: Things, clear: Callable[[], None]
) -> dict[str, Any]:
    match order:
        case {"query": "history"}:
            return {"now": controller.now, "segments": controller.history.plain()}
        case {"query": "state"}:
            pass
        case {"teleport": joints}:
            controller.teleport(_configuration(joints, controller))
        case _:
            return _changed(order, controller, faults, things, clear)
    return state(controller, faults)


def _in_the_world(order: dict[str, Any], physics: Physics | None) -> dict[str, Any]:
    """Orders about things that weigh something."""
    if physics is None:
        raise InputError(NO_WORLD)
    match order:
        case {"put": str(name), "pose": [*numbers]}:
            physics.put(name, numbers)
            return {"put": name}
        case {"query": "scene"}:
            return physics.told()
    raise InputError("put: a thing's name, and its pose")


def _changed(
    order: dict[str, Any], controller: Controller, faults: Faults, things: Things, clear: Callable[[], None]
) -> dict[str, Any]:
    """Orders about what is around the arm and its motions."""
    match order:
        case {"fault": _}:
            fault: Fault = read(order)
            faults.arm(fault, controller)
            return {"armed": fault.kind}
        case {"clear": "faults"}:
            faults.clear()
            clear()
            return {"cleared": "faults"}
        case {"release": "emergency"}:
            controller.pressed = False
            return {"released": "emergency"}
        case {"things": said}:
            things.replace(said)
            return {"things": len(things.there)}
        case _:
            raise InputError(f"not one of {ORDERS}")


def state(controller: Controller, faults: Faults) -> dict[str, Any]:
    """What is true of the arm: radians, and the pose as the wire has it (millimetres, radians)."""
    return {
        "now": controller.now,
        "model": controller.arm.name,
        "joints": [float(v) for v in controller.encoders],
        "pose": from_pose(controller.T_user_tool),
        "mode": controller.mode,
        "state": controller.state,
        "error": controller.error,
        "warning": controller.warning,
        "motors": controller.motors,
        "queued": controller.count,
        "submitted": controller.submitted,
        "started": controller.history.started,
        "executed": controller.history.done,
        "moved_at": controller.history.moved_at,
        "gripper": controller.gripper.position,
        "faults": faults.waiting,
        "happened": faults.happened,
    }


def _configuration(joints: object, controller: Controller) -> Any:
    """Joint angles (n,) within the limits."""
    n = controller.arm.joints
    if not isinstance(joints, list) or len(joints) != n:
        raise InputError(f"teleport: a list of {n} joint angles in radians")
    if not all(map(is_number, joints)):
        raise InputError("teleport: not all are numbers")
    q = np.array(joints, dtype=float)
    if not controller.arm.within(q):
        raise InputError(f"teleport: beyond the joints' limits {controller.arm.lower} to {controller.arm.upper}")
    return q
