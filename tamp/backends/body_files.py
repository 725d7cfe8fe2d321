"""A robot's file: an arm that is known by its table, or a model that somebody else has written, and what is to be known
of it besides.
"""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from motion.arm_model import robot_model
from motion.arms import ARMS
from motion.hands import HANDS
from motion.poses import Array, from_rpy
from motion.robot import Gripper, RobotDescription
from motion.robot_files import POINT, HandFile, Names
from motion.robot_files import read as read_model
from tamp.backends.bodies import RobotBody
from tamp.files.toml_table import Table, read_placed
from tamp.model.goal_syntax import valid

T = TypeVar("T")

KNOWN = ("arm", "hand", "posture", "reach", "joint_period", "efforts")
"""Keys of an arm that is known by its table."""
MODELLED = (
    "urdf", "mjcf", "radians", "arm_joints", "finger_joints", "pads", "posture", "reach", "joint_period", "efforts",
    "hand", "tool", "gripper",
)  # fmt: skip
FILE = 'a file beside this one, or "package:path" of an installed package'
NEAR = 1e-3
"""Metres by which the fingers' travel may miss the hand's opening."""


def read(path: Path) -> RobotBody:
    """The robot in a file. InputError, with file and line, for what is wrong in it."""
    table = read_placed(path)
    body = _known(table, path) if table.has("arm") else _modelled(table, path)
    return replace(body, robot=_driven(table, body.robot))


def _known(table: Table, path: Path) -> RobotBody:
    table.only(*KNOWN)
    arm, hand = _one_of(table, "arm", ARMS), _one_of(table, "hand", HANDS)
    posture = _posture(table, np.array([arm.lower, arm.upper]).T)
    return RobotBody(path.stem, robot_model(arm, None, posture, hand), _reach(table), arm, hand)


def _modelled(table: Table, path: Path) -> RobotBody:
    table.only(*MODELLED)
    joints = table.texts("arm_joints", "the joints' names from the base on")
    n = len(joints)
    posture = table.numbers("posture", n, f"{n} radians")
    tool = table.table("tool", "[tool] with a link, and xyz and rpy on it")
    tool.only("link", "xyz", "rpy")
    fingers = table.texts("finger_joints", "the two joints' names")
    pads = table.texts("pads", "the two fingers' links or shapes")
    if len(fingers) != 2 or len(pads) != 2:
        raise table.wrong("a hand has two finger_joints and two pads", "pads" if len(fingers) == 2 else "finger_joints")
    names = Names(joints, fingers, pads, tool.text("link", "a link"), _placed(tool))
    radians = table.flag("radians", "true or false") if table.has("radians") else False
    try:
        model = read_model(_model(table, path), _hand(table, path), names, posture, radians)
    except ValueError as e:
        raise table.wrong(str(e), *(("urdf",) if table.has("urdf") else ("mjcf",))) from e
    _posture(table, model.limits)
    gripper = _gripper(table, float(model.travels.sum()))
    robot = RobotDescription(model.mjcf, joints, POINT, posture, model.pinned_bodies, fingers, model.pads, gripper)
    return RobotBody(path.stem, robot, _reach(table))


def _driven(table: Table, robot: RobotDescription) -> RobotDescription:
    """What drives the joints: targets, where it is said how often, else torques."""
    if not table.has("joint_period"):
        if table.has("efforts"):
            raise table.wrong("efforts are of joints that take targets; valid with joint_period", "efforts")
        return robot
    n = len(robot.arm_joints)
    period = table.number("joint_period", "seconds, 0.001 to 0.05", 0.001, robot.period)
    efforts = table.numbers("efforts", n, f"{n} Nm")
    return replace(robot, joint_period=period, efforts=tuple(efforts.tolist()))


def _model(table: Table, path: Path) -> Path:
    given = [key for key in ("urdf", "mjcf") if table.has(key)]
    if len(given) != 1:
        raise table.wrong("a robot has an arm, or a urdf, or an mjcf")
    return _file(table, given[0], path)


def _hand(table: Table, path: Path) -> HandFile | None:
    if not table.has("hand"):
        return None
    hand = table.table("hand", "[hand] with an mjcf or urdf, and the link that it is on")
    hand.only("urdf", "mjcf", "link", "xyz", "rpy")
    return HandFile(_model(hand, path), hand.text("link", "a link of the arm"), _placed(hand))


def _file(table: Table, key: str, beside: Path) -> Path:
    text = table.text(key, FILE)
    package, colon, rest = text.partition(":")
    if colon:
        spec = importlib.util.find_spec(package) if package.isidentifier() else None
        if spec is None or not spec.submodule_search_locations:
            raise table.wrong(f"no package {package!r} is installed; valid: {FILE}", key)
        found = Path(next(iter(spec.submodule_search_locations))) / rest
    else:
        found = beside.parent / text
    if not found.is_file():
        raise table.wrong(f"no file {text}; valid: {FILE}", key)
    return found


def _placed(table: Table) -> Array:
    zero = np.zeros(3)
    xyz = table.numbers("xyz", 3, "three metres") if table.has("xyz") else zero
    rpy = table.numbers("rpy", 3, "three radians") if table.has("rpy") else zero
    return from_rpy(xyz, rpy)


def _posture(table: Table, limits: Array) -> Array:
    n = len(limits)
    posture = table.numbers("posture", n, f"{n} radians")
    for i, (value, (low, high)) in enumerate(zip(posture, limits, strict=True), 1):
        if not low < value < high:
            raise table.wrong(f"posture has {value} for joint {i}; valid: {low:.2f} to {high:.2f}", "posture")
    return posture


def _reach(table: Table) -> float:
    return table.number("reach", "metres", 0.05, 5.0)


def _gripper(table: Table, travel: float) -> Gripper:
    """The hand's numbers; what is not said is as the Panda's."""
    told: dict[str, Any] = {}
    numbers = table.table("gripper", "[gripper] with at least its opening")
    fields = {f.name: f.default for f in dataclasses.fields(Gripper)}
    numbers.only(*fields)
    numbers.number("opening", "metres", 0.005, 1.0)
    for key in numbers.values:
        default = fields[key]
        if isinstance(default, tuple):
            told[key] = tuple(numbers.numbers(key, len(default), f"{len(default)} metres").tolist())
        else:
            told[key] = numbers.number(key, "metres", -1.0, 1.0)
    if told["opening"] > travel + NEAR:
        message = f"opening is {told['opening']:g} m, and the fingers can move {travel:g} m apart"
        raise numbers.wrong(message, "opening")
    return Gripper(**told)


def _one_of(table: Table, key: str, known: Mapping[str, T]) -> T:
    name = table.text(key, ", ".join(known))
    if name not in known:
        raise table.wrong(f"no {key} {name!r}; {valid(name, list(known))}", key)
    return known[name]
