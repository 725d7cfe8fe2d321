"""What a world cannot be: poses where the tool may not go, or where the arm does not reach."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from motion.poses import Array, inverse

if TYPE_CHECKING:
    from tamp.backends.xarm.workcell import Box, Workcell
    from tamp.files.toml_table import Table

SLACK = 1e-6
"""Metres that a point may be out of its bounds: what rounding makes of millimetres."""


def check(world: Workcell, table: Table) -> None:
    """InputError, with the line, for the first thing that cannot be."""
    if world.table is not None and world.workspace.high[2] <= world.table:
        said = f"the workspace ends at {_mm(world.workspace.high[2])}, below the table at {_mm(world.table)}"
        raise table.wrong(f"{said}; valid: a workspace that reaches above the table", "workspace", "high_mm")
    for pose in world.poses.values():
        field = "xyz_mm" if pose.q is None else "joints_deg"
        if why := out_of_bounds(world, pose.T_base_tool[:3, 3]):
            raise table.wrong(f"{field}: pose {pose.name!r} is {why}", "poses", pose.name, field)
        if pose.q is None and not _reached(world, pose.T_base_tool):
            said = f"pose {pose.name!r} at {shown(pose.T_base_tool[:3, 3])} is out of reach of the {world.arm.name}"
            hint = " (its five joints leave the tool little choice: joints_deg says it exactly)"
            advice = f"; valid: a pose that its joints reach within their limits{hint if world.arm.joints < 6 else ''}"
            raise table.wrong(f"{field}: {said}{advice}", "poses", pose.name, field)


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
