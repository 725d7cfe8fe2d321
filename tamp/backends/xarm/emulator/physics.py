"""The world that the emulated arm is in: what its controller moves weighs, grips and bumps into things."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from motion.poses import Array
from motion.robot import RobotDescription
from tamp.backends.pybullet.arm import BulletArm
from tamp.backends.pybullet.world import STEP, BulletWorld
from tamp.backends.xarm.emulator.controller import Controller
from tamp.backends.xarm.emulator.gripper import OPEN
from tamp.errors import InputError

COLLISION = 31
"""The controller's error when something is in the arm's way."""
BEHIND = 0.03
"""Radians by which a joint has to be held back ..."""
TICKS = 4
"""... and for how many steps of the clock, until that counts as a collision."""
EVENLY = 5
"""Physics steps in which the joints go straight to where the controller has them."""
MOST_STEPS, USUAL = 200, 10
"""Physics steps that are made up for after a step of the clock that came late, and how many there are at most after one
in time: only these tell whether the arm is held back."""
AFTER = 10
"""Steps of the clock after a late one that do not tell that either: targets that waited come all at once then, and the
body needs a while to follow."""


class Physics:
    """Things in PyBullet, and an arm's body, which follows its controller as well as its motors can. `controller` is
    put where the body is. Of several arms in one world the clock of the first one, the `leader` of the others, is the
    world's."""

    def __init__(
        self, world: BulletWorld, robot: RobotDescription, controller: Controller, leader: Physics | None = None
    ) -> None:
        self.world, self._widest, self._controller = world, robot.gripper.opening, controller
        self._now, self._behind, self._after = controller.now, 0, 0
        self._leader, self._all = leader, [self]
        if leader is not None:
            leader._all.append(self)
        self._number = 0 if leader is None else len(leader._all) - 1
        controller.teleport(robot.posture)
        self._told, controller.felt = controller.q, controller.q

    def advance(self, controller: Controller) -> None:
        """Go on to the controller's time. Error 31 where something holds the arm back."""
        steps = round((controller.now - self._now) / STEP)
        if steps < 1 or self._leader is not None:
            return
        self._now = controller.now
        steps = min(steps, MOST_STEPS)
        parts, ways = -(-steps // EVENLY), [one._controller.q - one._told for one in self._all]
        for one in self._all:
            one._arm.grip(max(one._controller.gripper.position, 0.0) / OPEN * one._widest)
        for n, some in enumerate(np.array_split(np.arange(steps), parts), 1):
            for one, way in zip(self._all, ways, strict=True):
                one._arm.follow(one._told + way * n / parts, len(some) * STEP, len(some))
            for _ in some:
                self.world.step()
        for one, way in zip(self._all, ways, strict=True):
            one._feel(one._told + way, steps <= USUAL)

    def _feel(self, told: Array, usual: bool) -> None:
        """The arm was led to a configuration (n,), and is where it is."""
        self._told, felt, controller = told, self._arm.felt(), self._controller
        controller.felt = felt.q
        controller.gripper.felt = float(np.abs(felt.fingers).sum()) / self._widest * OPEN
        self._after = max(0, self._after - 1) if usual else AFTER
        if self._after == 0:
            self._watch(controller, felt.q)
        else:
            self._behind = 0

    @property
    def _arm(self) -> BulletArm:
        return self.world.arms[self._number]

    def _watch(self, controller: Controller, q: Array) -> None:
        held_back = float(np.abs(controller.q - q).max()) > BEHIND
        self._behind = self._behind + 1 if held_back else 0
        if self._behind < TICKS or not controller.settings.collision_sensitivity:
            return
        controller.teleport(q)
        self._behind, self._told = 0, q
        controller.fail(COLLISION)

    def follow_at_once(self, controller: Controller) -> None:
        """Somebody has put the controller's arm elsewhere: its body is there, too."""
        self._arm.put(controller.q)
        self._behind, self._told, controller.felt = 0, controller.q, controller.q

    def told(self) -> dict[str, Any]:
        """Where everything is: `T_world_object` of what can be carried, row by row, the joints of what stands still,
        the arm's own and its fingers' opening."""
        robot = self.world.robot(self._number)
        return {
            "poses": {name: T.ravel().tolist() for name, T in self.world.poses().items()},
            "joints": self.world.joints(),
            "q": robot.q.tolist(),
            "opening": robot.opening,
        }

    def apart(self, held: Mapping[str, str]) -> float:
        """Metres between the two arms of the world, with what they hold (things by the number of the arm), up to 1.
        InputError where there is one arm, or no such thing."""
        known, arms = sorted(self.world.poses()), [str(n) for n in range(len(self.world.arms))]
        if len(arms) != 2 or not all(n in arms and name in known for n, name in held.items()):
            raise InputError(f"apart: of two arms; held: a number of {', '.join(arms)} and one of {', '.join(known)}")
        return self.world.apart(0, 1, {int(n): name for n, name in held.items()}, 1.0)

    def put(self, name: str, numbers: Sequence[float]) -> None:
        """Have somebody put a thing at a pose, row by row. InputError for no such thing, or no pose."""
        known = sorted(self.world.poses())
        try:
            T = np.array(numbers, dtype=float)
        except (TypeError, ValueError):
            T = np.zeros(0)
        if name not in known or T.size != 16 or not np.isfinite(T).all():
            raise InputError(f"put: one of {', '.join(known)}, and the 16 numbers of its pose")
        self.world.put(name, T.reshape(4, 4))
