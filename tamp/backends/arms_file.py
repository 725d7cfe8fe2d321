"""Which arms stand at one table: a TOML file with body, base and posture of each, and how far they keep apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from motion.clearance import Clearance
from motion.poses import pose, rotation_about
from motion.robot import RobotDescription
from motion.world import World
from tamp.backends import bodies
from tamp.backends.bodies import RobotBody
from tamp.backends.body_files import BASE, FARTHEST, posture
from tamp.errors import InputError
from tamp.files.toml_table import Table, read_placed

COUNT = 2
"""How many arms there are at a table."""
NEAREST, FURTHEST = 0.02, 0.3
"""Metres within which `apart` has to be: what is measured is off by some millimetres, and tables are not so large."""
ARM = ("body", "base", "yaw", "posture", "host")


@dataclass(frozen=True, eq=False)
class ArmAtTable:
    """An arm where it stands. `host` is the address of its controller, where one is said."""

    name: str
    body: RobotBody
    robot: RobotDescription
    host: str | None = None


@dataclass(frozen=True, eq=False)
class Arms:
    """The arms at a table, which are never nearer to each other than `apart` metres, with what they hold."""

    apart: float
    arms: tuple[ArmAtTable, ...]

    @property
    def robots(self) -> tuple[RobotDescription, ...]:
        """The arms as robots, in the order of the file."""
        return tuple(a.robot for a in self.arms)

    def addressed(self) -> list[tuple[ArmAtTable, str]]:
        """The arms, each with the address of its controller. InputError where one has none, or both have the same."""
        found = [(a, a.host) for a in self.arms if a.host is not None]
        if len({host for _, host in found}) != len(self.arms):
            raise InputError("arms that are moved through their SDK need a host each, another for each")
        return found

    def __str__(self) -> str:
        return " and ".join(a.body.name for a in self.arms)


def read(path: Path) -> Arms:
    """The arms in a file. InputError, with file and line, for what is wrong in it: another number of arms than two, an
    unknown body, arms that overlap or are nearer than `apart` at their postures."""
    table = read_placed(path)
    table.only("apart", "arms")
    apart = table.number("apart", f"metres, {NEAREST:g} to {FURTHEST:g}", NEAREST, FURTHEST)
    given = [one for _, one in table.tables("arms", "[arms.NAME] with body and base")]
    if len(given) != COUNT:
        raise table.wrong(f"{len(given)} arms; valid: {COUNT}, each as [arms.NAME] with body and base", "arms")
    arms = tuple(_arm(one) for one in given)
    _keep_apart(table, apart, arms)
    return Arms(apart, arms)


def _arm(table: Table) -> ArmAtTable:
    table.only(*ARM)
    try:
        body = bodies.find(table.text("body", f"a robot: {', '.join(bodies.names())}, or a .toml file"))
    except InputError as e:
        raise table.wrong(str(e), "body") from e
    p = table.metres("base", 3, BASE, FARTHEST)
    robot = body.at(pose(p, rotation_about(np.array([0.0, 0.0, 1.0]), table.angle("yaw"))))
    if table.has("posture"):
        robot = replace(robot, posture=posture(table, World(robot, []).limits))
    host = table.text("host", "an address") if table.has("host") else None
    return ArmAtTable(str(table.at[-1]), body, robot, host)


def _keep_apart(table: Table, apart: float, arms: tuple[ArmAtTable, ...]) -> None:
    one, other = arms
    between = Clearance(one.robot, other.robot)
    if (base := between.of_bases()) < apart:
        raise table.wrong(_too_near("bases", one, other, base, apart, "base"), "arms", other.name, "base")
    if (resting := between.of(one.robot.posture, other.robot.posture)) < apart:
        raise table.wrong(_too_near("postures", one, other, resting, apart, "posture"), "arms", other.name)


def _too_near(what: str, one: ArmAtTable, other: ArmAtTable, metres: float, apart: float, key: str) -> str:
    how = "overlap" if metres <= 0 else f"are {metres:.3f} m apart"
    return f"the {what} of {one.name} and {other.name} {how}; valid: at least apart = {apart:g} m, by another {key}"
