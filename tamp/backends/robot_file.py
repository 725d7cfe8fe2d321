"""Robots of one's own: a TOML file that names a URDF or an MJCF file and what in it matters."""

from __future__ import annotations

import dataclasses
import importlib.util
from pathlib import Path
from typing import Any, get_args

import numpy as np

from motion.poses import Array, from_rpy
from motion.robot import Gripper, Limits, Response, ServoGains
from motion.robot_assembly import Asked, Assembly, assembled, mounted
from motion.robot_parts import ModelError, Part
from motion.robot_xml import Format, read_parts
from tamp.files.toml_table import Table

FORMATS: tuple[Format, ...] = get_args(Format)
KEYS = (*FORMATS, "hand", "arm_joints", "finger_joints", "pads", "posture", "reach", "base", "yaw", "tool", "gripper")
KEYS += ("gains", "response", "limits", "fixed", "ranges")
REACH = "metres from the axis of the first joint to the flange"
_PARTS = {"gripper": Gripper, "gains": ServoGains, "response": Response, "limits": Limits}


def read_assembly(table: Table) -> Assembly:
    """The robot of a file. InputError, with its line, for what does not fit together."""
    table.only(*KEYS)
    asked = _asked(table)
    try:
        parts = _parts(table)
        if table.has("hand"):
            parts = _with_hand(parts, table.table("hand", "a table: urdf or mjcf, link, xyz, rpy"))
        return assembled(parts, asked)
    except ModelError as e:
        raise table.wrong(str(e), *e.at) from e


def _asked(table: Table) -> Asked:
    tool = table.table("tool", "a table: link, xyz, rpy")
    tool.only("link", "xyz", "rpy")
    told = {name: _section(table, name, kind) for name, kind in _PARTS.items()}
    opening = told["gripper"].pop("opening", None)
    arm_joints = table.texts("arm_joints", "names of joints, from the base on")
    return Asked(
        arm_joints=arm_joints,
        finger_joints=table.texts("finger_joints", "names of two joints that slide"),
        pads=table.texts("pads", "names of two links, one a finger"),
        tool_link=tool.text("link", "the name of a link"),
        T_link_tool=_placed(tool),
        posture=table.numbers("posture", len(arm_joints), f"{len(arm_joints)} radians"),
        reach=table.number("reach", REACH, 0.05, 5.0),
        opening=opening,
        fixed=_fixed(table),
        ranges=_ranges(table),
        **{name: kind(**told[name]) for name, kind in _PARTS.items()},
    )


def _parts(table: Table) -> tuple[Part, ...]:
    given = [f for f in FORMATS if table.has(f)]
    if len(given) != 1:
        problem = "urdf and mjcf exclude each other" if given else f"{table.called('urdf')} is missing"
        raise table.wrong(f"{problem}; valid: urdf or mjcf, a file", *given)
    return read_parts(_file(table, given[0]), given[0])


def _with_hand(parts: tuple[Part, ...], hand: Table) -> tuple[Part, ...]:
    hand.only(*FORMATS, "link", "xyz", "rpy")
    link, T_link_hand = hand.text("link", "the arm's link that it is on"), _placed(hand)
    try:
        others = _parts(hand)
    except ModelError as e:
        raise hand.wrong(str(e), *e.at) from e
    return mounted(parts, others, link, T_link_hand)


def _file(table: Table, key: str) -> Path:
    """A file from where the TOML file is, or `package:file` of an installed package."""
    told = table.text(key, "a file, or package:file")
    package, colon, rest = told.partition(":")
    if not colon or not package.isidentifier() or len(package) == 1:  # C:\ is a drive
        return Path(table.name).parent / told
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise table.wrong(f"{key} is {told!r}; no package {package!r} is installed", key)
    return Path(next(iter(found.submodule_search_locations))) / rest


def _placed(table: Table) -> Array:
    """A pose (4, 4) of `xyz` and `rpy`, zero where they are left out."""
    xyz, rpy = (
        table.numbers(key, 3, valid) if table.has(key) else np.zeros(3)
        for key, valid in (("xyz", "[x, y, z] in metres"), ("rpy", "[roll, pitch, yaw] in radians"))
    )
    return from_rpy(xyz, rpy)


def _section(table: Table, name: str, kind: type) -> dict[str, Any]:
    """What a table says of the fields of a dataclass: numbers, and lists of numbers of the same length."""
    if not table.has(name):
        return {}
    section = table.table(name, "a table")
    fields = {f.name: f.default for f in dataclasses.fields(kind)}
    section.only(*fields)
    found: dict[str, Any] = {}
    for key in section.values:
        default = fields[key]
        if isinstance(default, tuple):
            n = len(default)
            found[key] = tuple(section.numbers(key, n, f"{n} numbers, as {list(default)}").tolist())
        else:
            found[key] = section.number(key, f"a number, as {default}", -10.0 if key == "underside" else 0.0)
    return found


def _fixed(table: Table) -> dict[str, float]:
    if not table.has("fixed"):
        return {}
    fixed = table.table("fixed", "a table: joint = value")
    return {name: fixed.number(name, "radians or metres", -100.0, 100.0) for name in fixed.values}


def _ranges(table: Table) -> dict[str, tuple[float, float]]:
    if not table.has("ranges"):
        return {}
    ranges, found = table.table("ranges", "a table: joint = [low, high]"), {}
    for name in ranges.values:
        low, high = ranges.numbers(name, 2, "[low, high] in radians or metres").tolist()
        if low >= high:
            raise ranges.wrong(f"ranges.{name} is {low:g} to {high:g}; valid: [low, high]", name)
        found[name] = (low, high)
    return found
