"""UFACTORY's arms as their models: xArm 5, 6 and 7, Lite 6 and 850.

A model, `motion/robots/NAME.xml`, is the whole description of an arm here: forward kinematics, collision models and the
emulated controller are made from it.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from motion.poses import Array, pose

TURN = 2 * math.pi
ROBOTS = Path(__file__).with_name("robots")
FLANGE = "tool"
"""The last body of an arm's model, z out of it; what is mounted there is on it."""


@dataclass(frozen=True)
class Arm:
    """An arm of hinges about the z axes of its links."""

    name: str

    @cached_property
    def mjcf(self) -> str:
        """Its model: a chain of bodies, `base`, `link1`, … and the flange."""
        return (ROBOTS / f"{self.name}.xml").read_text(encoding="utf-8")

    @cached_property
    def _bodies(self) -> list[ET.Element]:
        return list(ET.fromstring(self.mjcf).iter("body"))

    @cached_property
    def limits(self) -> Array:
        """Lower and upper limits of the joints (n, 2), radians."""
        return np.array([_numbers(j, "range") for body in self._bodies for j in body.findall("joint")])

    @cached_property
    def _steps(self) -> list[Array]:
        """Each link in the one before while its joint is at zero, and the flange in the last."""
        return [pose(_numbers(b, "pos"), _rotation(*_numbers(b, "quat"))) for b in self._bodies[1:]]

    @property
    def joints(self) -> int:
        """How many joints it has."""
        return len(self.limits)

    @property
    def lower(self) -> tuple[float, ...]:
        """Lower limits, radians."""
        return tuple(self.limits[:, 0].tolist())

    @property
    def upper(self) -> tuple[float, ...]:
        """Upper limits, radians."""
        return tuple(self.limits[:, 1].tolist())

    def forward(self, q: Array) -> Array:
        """`T_base_flange` (4, 4) at a configuration (n,) in radians."""
        T, turn = np.eye(4), np.eye(4)
        for step, angle in zip(self._steps, q, strict=False):
            c, s = math.cos(angle), math.sin(angle)
            turn[:2, :2] = (c, -s), (s, c)
            T = T @ step @ turn
        return np.asarray(T @ self._steps[-1])

    def within(self, q: Array, slack: float = 0.0) -> bool:
        """Whether a configuration keeps `slack` radians from every limit."""
        low, high = self.limits.T
        return bool(np.all(q >= low + slack) and np.all(q <= high - slack))


def _numbers(element: ET.Element, key: str) -> list[float]:
    return [float(v) for v in element.attrib[key].split()]


def _rotation(w: float, x: float, y: float, z: float) -> Array:
    """The rotation (3, 3) of a unit quaternion."""
    u = np.array([x, y, z])
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray((w * w - u @ u) * np.eye(3) + 2.0 * (np.outer(u, u) + w * cross))


ARMS = {name: Arm(name) for name in ("xarm5", "xarm6", "xarm7", "lite6", "850")}
"""The arms there are, by the names that `--model` takes."""
