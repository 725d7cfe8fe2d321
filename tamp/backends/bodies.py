"""Robots by their TOML files: an arm known here, or a URDF or MJCF model with its hand, tool and limits."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar, get_args

import numpy as np

import motion
from motion.arm_model import HANDS, MountedHand, robot_model
from motion.arms import ARMS, Arm
from motion.poses import Array, from_rpy, pose, rotation_about
from motion.robot import Gripper, Limits, Response, RobotDescription, ServoGains, out_of_range
from motion.robot_assembly import AssemblySpec, assembled, mounted
from motion.robot_files import Format, other_kind, read_parts, standing
from motion.robot_parts import ModelError, RigidPart
from tamp.errors import InputError
from tamp.files.quantities import TURN
from tamp.files.toml_table import Table, read_placed
from tamp.model.goal_syntax import valid

T = TypeVar("T")

SHIPPED = Path(motion.__file__).parent / "robots"
PANDA_REACH = 0.855
"""Metres from the first joint's axis that LIBERO's Panda reaches, as its maker says."""


@dataclass(frozen=True, eq=False)
class RobotBody:
    """A robot, wherever it stands. `robot` has its base at the world's origin; `reach` in metres, from the axis of the
    first joint to the flange. `arm` and `hand` are those of its maker's controller, where one is known. Where another
    robot would stand it is moved by `base` (3,) metres, or without that so much nearer to what is there as it reaches
    less far, and turned by `yaw` radians about the vertical."""

    name: str
    robot: RobotDescription
    reach: float
    arm: Arm | None = None
    hand: MountedHand | None = None
    base: Array | None = None
    yaw: float = 0.0

    def at(self, T_world_base: Array) -> RobotDescription:
        """The robot with its base somewhere."""
        return replace(self.robot, mjcf=standing(self.robot.mjcf, T_world_base))

    def for_sdk(self) -> tuple[Arm, MountedHand]:
        """What UFACTORY's SDK drives of it. InputError for a robot that it does not."""
        if self.arm is None or self.hand is None:
            known = ", ".join(name for name in names() if find(name).arm is not None)
            raise InputError(f"{self.name} is none of UFACTORY's arms; valid with --backend xarm: {known}")
        return self.arm, self.hand

    def in_place_of(self, p_world_base: Array) -> RobotDescription:
        """The robot where a Panda stands with its base at a point (3,), looking along x."""
        return self.instead_of(PANDA_REACH, pose(p_world_base))

    def instead_of(self, reach: float, T_world_base: Array) -> RobotDescription:
        """The robot where another one stands, which reaches so far (m) and looks along x of its base (4, 4)."""
        return self.at(T_world_base @ pose(self.moved(reach), rotation_about(np.array([0.0, 0.0, 1.0]), self.yaw)))

    def moved(self, reach: float = PANDA_REACH) -> Array:
        """Its base (3,) m, seen from where the base of one that reaches so far (m) would stand."""
        return np.array([reach - self.reach, 0.0, 0.0]) if self.base is None else self.base


def names() -> list[str]:
    """The shipped robots."""
    return sorted(file.stem for file in SHIPPED.glob("*.toml"))


def find(name: str) -> RobotBody:
    """A shipped robot by its name, or one in a TOML file. InputError for what is neither, or no robot, and with file
    and line for what is wrong in the file."""
    path, known_as = Path(name), name
    if path.suffix == ".toml":
        known_as = str(path.resolve())
    elif is_model(name):
        what = other_kind(name) or "a model; valid: a .toml file that names it, its arm and its hand (docs/bodies.md)"
        raise InputError(f"{name} is {what}")
    elif name in names():
        path = SHIPPED / f"{name}.toml"
    else:
        raise InputError(f"no robot {name!r}; {valid(name, names())}, or a .toml file")
    table = read_placed(path)
    body = _known(table, path) if table.has("arm") else _modelled(table, path)
    base = table.metres("base", 3, BASE, FARTHEST) if table.has("base") else None
    robot = replace(_driven(table, body.robot), name=known_as)
    return replace(body, robot=robot, base=base, yaw=table.angle("yaw"))


STANDS = ("reach", "base", "yaw")
BASE, FARTHEST = "[x, y, z] in metres", 5.0
"""Metres between a robot and where a Panda would stand, or the world's origin: more are millimetres, or a mistake."""
RANGE, MOST_TURNS = "[low, high] in radians or metres", 10
"""Turns that a joint can be off its zero: more are degrees."""
HAND = 2.0
"""Metres from a link to what is on it, at most."""
DRIVEN = ("joint_period", "efforts")
SECTIONS = {"gripper": Gripper, "gains": ServoGains, "response": Response, "limits": Limits}
KNOWN = ("arm", "hand", "posture", *STANDS, *DRIVEN)
"""Keys of an arm that is known by its table."""
MODELLED = (
    *("urdf", "mjcf", "radians", "arm_joints", "finger_joints", "pads", "posture", *STANDS, *DRIVEN),
    *("hand", "tool", *SECTIONS, "fixed", "ranges"),
)
"""Keys of an arm in a model."""
MODELS = (".urdf", ".xml", ".mjcf")
FILE = 'a file beside this one, or "package:path" of an installed package'
FORMATS: tuple[Format, ...] = get_args(Format)


def _known(table: Table, path: Path) -> RobotBody:
    table.only(*KNOWN)
    arm, hand = _one_of(table, "arm", ARMS), _one_of(table, "hand", HANDS)
    n = len(arm.lower)
    posture = table.numbers("posture", n, f"{n} radians")
    for i, (value, low, high) in enumerate(zip(posture, arm.lower, arm.upper, strict=True), 1):
        if not low < value < high:
            raise table.wrong(f"posture has {value} for joint {i}; valid: {low:.2f} to {high:.2f}", "posture")
    return RobotBody(path.stem, robot_model(arm, None, posture, hand), _reach(table), arm, hand)


def _modelled(table: Table, path: Path) -> RobotBody:
    table.only(*MODELLED)
    spec = _spec(table)
    radians = table.flag("radians", "true or false") if table.has("radians") else False
    try:
        parts = _parts(table, path, radians)
        if table.has("hand"):
            parts = _with_hand(parts, table.table("hand", "[hand] with a urdf or mjcf, and a link"), path, radians)
        return RobotBody(path.stem, assembled(parts, spec), spec.reach)
    except ModelError as e:
        raise table.wrong(str(e), *e.at) from e


def _spec(table: Table) -> AssemblySpec:
    joints = table.texts("arm_joints", "the joints' names from the base on")
    tool = table.table("tool", "[tool] with a link, and xyz and rpy on it")
    tool.only("link", "xyz", "rpy")
    given = {name: _section(table, name, kind) for name, kind in SECTIONS.items()}
    if "rate" in given["response"]:
        given["gains"] = Response(**given["response"]).asked_ahead() | given["gains"]
    fixed: dict[str, float] = {}
    if table.has("fixed"):
        values = table.table("fixed", "[fixed] with joint = value")
        fixed = {name: values.number(name, "radians or metres, up to a turn", -TURN, TURN) for name in values.values}
    return AssemblySpec(
        arm_joints=joints,
        finger_joints=table.texts("finger_joints", "the two joints' names"),
        pads=table.texts("pads", "the two fingers' links or shapes"),
        tool_link=tool.text("link", "a link"),
        T_link_tool=_placed(tool),
        posture=table.numbers("posture", len(joints), f"{len(joints)} radians"),
        reach=_reach(table),
        opening=given["gripper"].get("opening"),
        fixed=fixed,
        ranges=_ranges(table),
        **{name: kind(**given[name]) for name, kind in SECTIONS.items()},
    )


def _parts(table: Table, path: Path, radians: bool) -> tuple[RigidPart, ...]:
    given = [f for f in FORMATS if table.has(f)]
    if len(given) != 1:
        raise table.wrong("a robot has an arm, or a urdf, or an mjcf" if not table.at else "a hand has a urdf or mjcf")
    text = table.text(given[0], FILE)
    file = _located(text, path.parent)
    if file is None:
        package, colon, _ = text.partition(":")
        what = f"no package {package!r} is installed" if colon and _package(package) is None else f"no file {text}"
        raise table.wrong(f"{what}; valid: {FILE}", given[0])
    return read_parts(file, given[0], radians)


def _with_hand(parts: tuple[RigidPart, ...], hand: Table, path: Path, radians: bool) -> tuple[RigidPart, ...]:
    hand.only(*FORMATS, "link", "xyz", "rpy")
    link, T_link_hand = hand.text("link", "a link of the arm"), _placed(hand)
    try:
        others = _parts(hand, path, radians)
    except ModelError as e:
        raise hand.wrong(str(e), *e.at) from e
    return mounted(parts, others, link, T_link_hand)


def _driven(table: Table, robot: RobotDescription) -> RobotDescription:
    """What drives the joints: targets if their period is given, else torques."""
    if not table.has("joint_period"):
        if table.has("efforts"):
            raise table.wrong("efforts are of joints that take targets; valid with joint_period", "efforts")
        return robot
    n = len(robot.arm_joints)
    period = table.number("joint_period", "seconds, 0.001 to 0.05", 0.001, robot.period)
    efforts = table.numbers("efforts", n, f"{n} Nm").tolist()
    if ranged := out_of_range(next(f for f in fields(robot) if f.name == "efforts"), efforts):
        raise table.no("efforts", f"{n} Nm, {ranged}")
    return replace(robot, joint_period=period, efforts=tuple(efforts))


def is_model(name: str) -> bool:
    """Whether a name is that of a model, or of another file that a robot may be in, rather than of a robot."""
    return Path(name).suffix.lower() in MODELS or other_kind(name) is not None


def read_model(name: str, radians: bool = False) -> tuple[RigidPart, ...]:
    """The parts of a model: a file, or `package:path`. InputError for what is none."""
    file = _located(name, Path())
    if file is None:
        raise InputError(f"no file {name}; valid: a file, or package:path of an installed package")
    try:
        return read_parts(file, radians=radians)
    except ModelError as e:
        raise InputError(str(e)) from e


def _located(text: str, folder: Path) -> Path | None:
    """A file in a folder, or `package:path` of an installed package; None where there is none."""
    package, colon, rest = text.partition(":")
    root = _package(package) if colon else None
    found = root / rest if root else folder / text
    return found if found.is_file() else None


def _package(name: str) -> Path | None:
    """The folder of an installed package, which is not imported."""
    spec = importlib.util.find_spec(name) if name.isidentifier() else None
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) if places else None


def _placed(table: Table) -> Array:
    zero = np.zeros(3)
    xyz = table.metres("xyz", 3, "three metres", HAND) if table.has("xyz") else zero
    rpy = table.radians("rpy", 3, "three radians") if table.has("rpy") else zero
    return from_rpy(xyz, rpy)


def _reach(table: Table) -> float:
    return table.number("reach", "metres", 0.05, 5.0)


def _section(table: Table, name: str, kind: type) -> dict[str, Any]:
    """The fields of a dataclass that a table sets: numbers and lists of numbers."""
    if not table.has(name):
        return {}
    section = table.table(name, f"[{name}]")
    known = {f.name: f for f in fields(kind)}
    section.only(*known)
    given: dict[str, Any] = {}
    for key in section.values:
        default: Any = known[key].default
        if isinstance(default, tuple):
            n = len(default)
            given[key] = tuple(section.numbers(key, n, f"{n} numbers, as {list(default)}").tolist())
        else:
            given[key] = section.number(key, f"a number, as {default}", -np.inf)
        if ranged := out_of_range(known[key], given[key]):
            raise section.no(key, ranged)
    return given


def _ranges(table: Table) -> dict[str, tuple[float, float]]:
    found: dict[str, tuple[float, float]] = {}
    if not table.has("ranges"):
        return found
    ranges = table.table("ranges", "[ranges] with joint = [low, high]")
    for name in ranges.values:
        low, high = ranges.numbers(name, 2, RANGE).tolist()
        if max(-low, high) > MOST_TURNS * TURN:
            raise ranges.no(name, f"{RANGE}, up to {MOST_TURNS} turns")
        if low >= high:
            raise ranges.wrong(f"ranges.{name} is {low:g} to {high:g}; valid: the lower one first", name)
        found[name] = (low, high)
    return found


def _one_of(table: Table, key: str, known: Mapping[str, T]) -> T:
    name = table.text(key, ", ".join(known))
    if name not in known:
        raise table.wrong(f"no {key} {name!r}; {valid(name, list(known))}", key)
    return known[name]
