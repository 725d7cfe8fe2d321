"""The world of a real arm: which arm it is, named poses, where it may go, what sees, and how fast it moves.

One TOML file says it (`problems/xarm/bench.toml` is one, with comments). The file has millimetres and degrees, and its
keys say so; here are metres and radians. Poses are of the tool point in the frame of the arm's base.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from motion.arms import ARMS, Arm
from motion.poses import Array, from_rpy, inverse
from tamp.backends.xarm.address import VALID_HOST, address_of, host_of
from tamp.files.toml_table import Table, read_placed

_KEYS = ("arm", "host", "table_mm", "workspace", "keep_out", "poses", "rates", "tool", "load", "cameras", "detector")
INSIDE = 5.0
"""Millimetres from the origin of the base, or of a camera, which nothing is: smaller positions are in metres."""
LEAST_TOOL, LEAST_BOX = 1.0, 5.0
"""Millimetres: a tool is so long or there is none, and a side of a box is so long. What is smaller is in metres."""
_XYZ, _RPY = "[x, y, z] in millimetres", "[roll, pitch, yaw] in degrees"


@dataclass(frozen=True, eq=False)
class Box:
    """A box along the axes of the base frame, from corner `low` (3,) to corner `high` (3,)."""

    name: str
    low: Array
    high: Array

    def holds(self, p_base: Array, slack: float = 0.0) -> bool:
        """Whether a point (3,) is in it, or at most `slack` metres out of it."""
        return bool(np.all(p_base >= self.low - slack) and np.all(p_base <= self.high + slack))


@dataclass(frozen=True, eq=False)
class NamedPose:
    """A pose of the tool, and the joints (n,) in radians where the file gave those instead."""

    name: str
    T_base_tool: Array
    q: Array | None = None


@dataclass(frozen=True)
class Rates:
    """How fast at most: joints in rad/s and rad/s², the tool point in m/s and m/s²."""

    joint_speed: float
    joint_acceleration: float
    tool_speed: float
    tool_acceleration: float


@dataclass(frozen=True, eq=False)
class Load:
    """What the flange carries: kilograms, and the centre of mass (3,) in the frame of the flange."""

    mass: float
    p_flange_centre: Array


@dataclass(frozen=True)
class DetectorSettings:
    """Where detections come from, a file or `tcp://host:port` (None: nowhere), and their greatest age in seconds."""

    source: str | None
    max_age: float


@dataclass(frozen=True, eq=False)
class Workcell:
    """A world. `table` is the height of the table's top in the base frame; `cameras` are `T_base_camera` by name.

    `labels` is what the detector can name, empty where that is not known. `hand` is the `tcp://host:port` of the hand
    controller.
    """

    name: str
    arm: Arm
    host: str | None
    poses: Mapping[str, NamedPose]
    workspace: Box
    keep_out: tuple[Box, ...]
    table: float | None
    rates: Rates
    T_flange_tool: Array
    load: Load
    cameras: Mapping[str, Array]
    detector: DetectorSettings
    labels: tuple[str, ...]
    hand: str | None = None


def read_workcell(path: Path) -> Workcell:
    """The world in a file. InputError, with file and line, for what is unknown, missing or cannot be; also for named
    poses outside the workspace, in a keep-out box, below the table, or that the arm does not reach."""
    table = read_placed(path)
    table.only(*_KEYS, "hand")
    valid = ", ".join(ARMS)
    name = table.text("arm", valid)
    if name not in ARMS:
        raise table.wrong(f"there is no arm {name!r}; valid: {valid}", "arm")
    arm = ARMS[name]
    tool = table.table("tool", "a table [tool] with xyz_mm and rpy_deg") if table.has("tool") else None
    load = table.table("load", "a table [load] with kg and centre_mm") if table.has("load") else None
    height = "the height of the table's top in millimetres"
    T_flange_tool = _pose(tool, LEAST_TOOL)
    detector, labels = _detector(table, path.parent)
    world = Workcell(
        str(path),
        arm,
        _host(table),
        {name: _named(name, t, arm, T_flange_tool) for name, t in table.tables("poses", "tables as [poses.home]")},
        _box("workspace", table.table("workspace", "a table [workspace] with low_mm and high_mm")),
        tuple(_box(name, t) for name, t in table.tables("keep_out", "tables as [keep_out.post]")),
        table.number("table_mm", height, -5000, 5000) / 1000 if table.has("table_mm") else None,
        _rates(table.table("rates", "a table [rates]")),
        T_flange_tool,
        _load(load),
        {name: _pose(t, INSIDE) for name, t in table.tables("cameras", "tables as [cameras.overhead]")},
        detector,
        labels,
        _tcp(table, "hand", '"tcp://127.0.0.1:5557"') if table.has("hand") else None,
    )
    check(world, table)
    return world


def _host(table: Table) -> str | None:
    if not table.has("host"):
        return None
    host = table.text("host", VALID_HOST)
    try:
        return host_of(host)
    except ValueError as e:
        raise table.wrong(f"host is {host!r}; valid: {VALID_HOST}", "host") from e


def _tcp(table: Table, key: str, valid: str) -> str:
    """An address at a key."""
    address = table.text(key, valid)
    try:
        address_of(address)
    except ValueError as e:
        raise table.wrong(f"{table.called(key)} is {address!r}: {e}", key) from e
    return address


def _pose(table: Table | None, least: float) -> Array:
    """`xyz_mm` and `rpy_deg` of a table; the identity where there is none. At `least` so many millimetres, or none."""
    if table is None:
        return np.eye(4)
    table.only("xyz_mm", "rpy_deg")
    return from_rpy(table.millimetres("xyz_mm", _XYZ, least), table.degrees("rpy_deg", 3, _RPY))


def _named(name: str, table: Table, arm: Arm, T_flange_tool: Array) -> NamedPose:
    if not table.has("joints_deg"):
        table.only("xyz_mm", "rpy_deg", "joints_deg")
        return NamedPose(name, _pose(table, INSIDE))
    if table.has("xyz_mm") or table.has("rpy_deg"):
        raise table.wrong(f"poses.{name} has both joints_deg and xyz_mm or rpy_deg; valid: one of the two ways")
    table.only("joints_deg")
    q = table.degrees("joints_deg", arm.joints, f"{arm.joints} angles of the {arm.name}, in degrees")
    for i, (angle, low, high) in enumerate(zip(q, arm.lower, arm.upper, strict=True)):
        if not low <= angle <= high:
            span = f"{np.degrees(low):.2f} to {np.degrees(high):.2f}"
            problem = f"joint {i + 1} of pose {name!r} is {np.degrees(angle):g}°; valid for the {arm.name}: {span}"
            raise table.wrong(problem, "joints_deg", i)
    return NamedPose(name, arm.forward(q) @ T_flange_tool, q)


def _box(name: str, table: Table) -> Box:
    table.only("low_mm", "high_mm")
    low, high = (table.millimetres(key, _XYZ) for key in ("low_mm", "high_mm"))
    for axis, low_, high_ in zip("xyz", low, high, strict=True):
        if not low_ < high_:
            problem = f"the box {name!r} is empty: {axis} from {1000 * low_:g} to {1000 * high_:g} mm"
            raise table.wrong(f"{problem}; valid: high_mm greater than low_mm in x, y and z", "high_mm")
    if (longest := 1000 * float((high - low).max())) < LEAST_BOX:
        problem = f"{table.called('high_mm')} is {table.values['high_mm']}, at most {longest:.4g} mm from low_mm"
        raise table.wrong(f"{problem}: metres? valid: millimetres, such as {(1e6 * high).round().tolist()}", "high_mm")
    return Box(name, low, high)


def _rates(table: Table) -> Rates:
    """What the file allows. More than the SDK lets through would be cut there without a word, and less than the least
    is in radians or metres, or would take hours."""
    table.only("joint_speed_deg_s", "joint_acceleration_deg_s2", "tool_speed_mm_s", "tool_acceleration_mm_s2")

    def rate(key: str, least: float, most: float) -> float:
        return table.number(key, f"{least:g} to {most:g}", least, most)

    return Rates(
        float(np.radians(rate("joint_speed_deg_s", 0.1, 180))),
        float(np.radians(rate("joint_acceleration_deg_s2", 1, 1145))),
        rate("tool_speed_mm_s", 1, 1000) / 1000,
        rate("tool_acceleration_mm_s2", 1, 50000) / 1000,
    )


def _load(table: Table | None) -> Load:
    if table is None:
        return Load(0.0, np.zeros(3))
    table.only("kg", "centre_mm")
    mass = table.number("kg", "kilograms from 0 to 5, more than which none of the arms carries", 0, 5)
    return Load(mass, table.millimetres("centre_mm", _XYZ, LEAST_TOOL))


def _detector(table: Table, folder: Path) -> tuple[DetectorSettings, tuple[str, ...]]:
    """A file is found from the folder of the world."""
    if not table.has("detector"):
        return DetectorSettings(None, 1.0), ()
    settings = table.table("detector", "a table [detector] with source")
    settings.only("source", "max_age_s", "labels")
    valid = '"tcp://127.0.0.1:5556" or the path of a file of JSON lines'
    source = settings.text("source", valid)
    source = _tcp(settings, "source", valid) if "://" in source else str(folder / source)
    age = settings.number("max_age_s", "seconds, more than 0", 1e-3, 3600) if settings.has("max_age_s") else 1.0
    labels = settings.texts("labels", 'names as ["cup", "bottle"]') if settings.has("labels") else ()
    return DetectorSettings(source, age), labels


SLACK = 1e-6
"""Metres that a point may be out of its bounds: what rounding makes of millimetres."""


def check(world: Workcell, table: Table) -> None:
    """InputError, with the line, for the first thing that cannot be."""
    if world.table is not None and world.workspace.high[2] <= world.table:
        problem = f"the workspace ends at {_mm(world.workspace.high[2])}, below the table at {_mm(world.table)}"
        raise table.wrong(f"{problem}; valid: a workspace that reaches above the table", "workspace", "high_mm")
    for pose in world.poses.values():
        field = "xyz_mm" if pose.q is None else "joints_deg"
        if why := out_of_bounds(world, pose.T_base_tool[:3, 3]):
            raise table.wrong(f"{field}: pose {pose.name!r} is {why}", "poses", pose.name, field)
        if pose.q is None and not _reached(world, pose.T_base_tool):
            problem = f"pose {pose.name!r} at {shown(pose.T_base_tool[:3, 3])} is out of reach of the {world.arm.name}"
            hint = " (its five joints leave the tool little choice: joints_deg says it exactly)"
            advice = f"; valid: a pose that its joints reach within their limits{hint if world.arm.joints < 6 else ''}"
            raise table.wrong(f"{field}: {problem}{advice}", "poses", pose.name, field)


def _reached(world: Workcell, T_base_tool: Array) -> bool:
    from motion.arm_model import arm_world
    from motion.kinematics import solve_near

    arm, T_base_flange = arm_world(world.arm), T_base_tool @ inverse(world.T_flange_tool)
    return solve_near(arm, T_base_flange, np.zeros(world.arm.joints)) is not None


def out_of_bounds(world: Workcell, p_base: Array) -> str | None:
    """Why the tool point may not be at a point (3,), with what would be valid; None where it may."""
    box = world.workspace
    if not box.holds(p_base, SLACK):
        return f"outside the workspace at {shown(p_base)}; valid: {extent(box)}"
    if world.table is not None and p_base[2] < world.table - SLACK:
        return f"below the table at {shown(p_base)}; valid: z from {_mm(world.table)}"
    for box in world.keep_out:
        if np.all(p_base > box.low + SLACK) and np.all(p_base < box.high - SLACK):
            return f"in the keep-out box {box.name!r} at {shown(p_base)}; valid: out of {extent(box)}"
    return None


def room_of_things(world: Workcell) -> Box:
    """Where a thing can be that the tool is to go to: the workspace, and below it down to the table, on which things
    lie lower than the tool may go."""
    low = world.workspace.low.copy()
    if world.table is not None:
        low[2] = world.table
    return replace(world.workspace, low=low)


def shown(p_base: Array) -> str:
    """A point as messages have it, in millimetres."""
    return f"({', '.join(f'{1000 * v:.4g}' for v in p_base)}) mm"


def extent(box: Box) -> str:
    """A box as messages have it, in millimetres."""
    spans = (f"{a} {1000 * low:g} to {1000 * high:g}" for a, low, high in zip("xyz", box.low, box.high, strict=True))
    return f"{', '.join(spans)} mm"


def _mm(metres: float) -> str:
    return f"{1000 * metres:g} mm"
