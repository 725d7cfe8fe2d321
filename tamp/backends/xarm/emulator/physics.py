"""The world that the emulated arm is in: what its controller moves weighs, grips and bumps into things.

Pictures of it are drawn in a process that begins with the first one: the clock does not wait for them.
"""

from __future__ import annotations

import dataclasses
import json
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from motion.poses import Array, is_rigid
from motion.robot import RobotDescription
from tamp.backends.physics.bullet_world import STEP, BulletWorld
from tamp.backends.xarm.emulated_perception import pictures_as_text
from tamp.backends.xarm.emulator.controller import ArmController
from tamp.backends.xarm.emulator.movers import OPEN
from tamp.errors import InputError
from tamp.worker_process import Process, ProcessGone

if TYPE_CHECKING:
    from tamp.backends.physics.photographer import StageModel
    from tamp.backends.physics.table import Arrangement

COLLISION = 31
"""The controller's error when something is in the arm's way."""
BEHIND = 0.03
"""Radians by which a joint has to be away from where its motor is to bring it ..."""
STILL = 0.35
"""... while it does not move at so many rad/s: a joint that catches up, or overshoots, is not held back ..."""
HELD = 0.03
"""... and for how many seconds of the body's own time, until that counts as a collision."""
STEPS = 5
PIECE = STEPS * STEP
"""Physics steps, and seconds, for which the motors are given a place: as often as servo targets come."""
CATCH_UP = 10
"""Physics steps in which the motors make up for what they are behind: in fewer they swing at uneven targets."""
SPREAD = 3
"""Pieces over which the motors spread what the controller has them do, about the time between two servo targets: these
are gone to at full speed, and no motor starts and stops a hundred times a second."""
AT_ONCE, LATEST = 3, 0.4
"""Pieces that are made up for at a time, so that no client waits long for an answer meanwhile, and the seconds by which
the body may be later than its controller; time beyond that is lost to it."""

FARTHEST = 100.0
"""Metres from the origin at which a thing can be put."""


class Physics:
    """Things in PyBullet, and an arm's body, which follows its controller as well as its motors can. `controller` is
    put where the body is. On a machine that comes late the body is later than its controller, by `LATEST` at most.
    `stage` is what pictures are drawn of; None: there are none."""

    def __init__(
        self, world: BulletWorld, robot: RobotDescription, stage: StageModel | None, controller: ArmController
    ) -> None:
        self.world, self._widest, self._controller = world, robot.gripper.opening, controller
        self._stage, self._closed = stage, False
        self._drawing: Process | None = None
        self._now = controller.now
        self._targets: deque[Array] = deque(maxlen=SPREAD)
        self._held = 0.0
        controller.teleport(robot.posture)
        self._stand(controller.q)

    def advance(self) -> None:
        """Go on towards the controller's time. Error 31 where something holds the arm back."""
        self._now = max(self._now, self._controller.now - LATEST)
        pieces = int((self._controller.now - self._now) / PIECE)
        for left in range(pieces, max(pieces - AT_ONCE, 0), -1):
            self._lead(left)
            for _ in range(STEPS):
                self.world.step()
            self._feel()
            self._now += PIECE

    def _lead(self, left: int) -> None:
        """Have the motors do a piece of the way to where the controller is, of `left` ones until it is now."""
        controller, before = self._controller, self._targets[-1]
        self._targets.append(before + (controller.q - before) / left)
        self.world.arm.grip(max(controller.gripper.position, 0.0) / OPEN * self._widest)
        self.world.arm.follow(np.mean(self._targets, axis=0), PIECE, CATCH_UP)

    def _feel(self) -> None:
        """The arm is where the motors have brought it."""
        felt, controller = self.world.arm.felt(), self._controller
        controller.felt = felt.q
        controller.gripper.felt = float(np.abs(felt.fingers).sum()) / self._widest * OPEN
        away = np.abs(np.mean(self._targets, axis=0) - felt.q) > BEHIND
        self._held = self._held + PIECE if np.any(away & (np.abs(felt.v) < STILL)) else 0.0
        if self._held > HELD - STEP:
            controller.teleport(felt.q)
            self._stand(felt.q)
            controller.fail(COLLISION)

    def _stand(self, q: Array) -> None:
        """The arm is at a configuration (n,), commanded so and at rest."""
        self._targets.extend([q] * SPREAD)
        self._held = 0.0
        self._controller.felt = q

    def follow_at_once(self) -> None:
        """The controller's arm was put elsewhere: its body is there, too."""
        self.world.arm.put(self._controller.q)
        self._stand(self._controller.q)

    def report(self) -> dict[str, Any]:
        """Where everything is: `T_world_object` of what can be carried, row by row, the joints of what stands still,
        the arm's own and its fingers' opening."""
        robot = self.world.robot()
        return {
            "poses": {name: T.ravel().tolist() for name, T in self.world.poses().items()},
            "joints": self.world.joints(),
            "q": robot.q.tolist(),
            "opening": robot.opening,
        }

    def put(self, name: str, numbers: Sequence[float]) -> None:
        """Put a thing at a pose, as a hand would, row by row. InputError for no such thing, or no pose."""
        known = sorted(self.world.poses())
        try:
            T: Array = np.array(numbers, dtype=float).reshape(4, 4)
        except (TypeError, ValueError, OverflowError):
            T = np.zeros(0)
        if name not in known or not is_rigid(T, 1e-3) or np.abs(T).max() > FARTHEST:
            raise InputError(f"put: one of {', '.join(known)}, and the 16 numbers of its pose, in metres")
        self.world.put(name, T)

    def pictures(self, now: Arrangement) -> bytes:
        """A line of JSON with the pictures of an arrangement, and the cameras' calibration. Takes a while, and is asked
        by one thread at a time. InputError where nothing can be drawn here, ProcessGone once it is closed."""
        from tamp.backends.libero import rendering

        if self._stage is None:
            raise InputError("nothing can take pictures of this world")
        rendering.prepare(video=False, camera=True)
        if self._closed:
            raise ProcessGone("the emulator ends")
        if self._drawing is None:
            self._drawing = Process(partial(_drawer, self._stage), "pictures")
        return bytes(self._drawing.ask("line", now).wait())

    def close(self) -> None:
        """End the process that draws."""
        self._closed = True
        if self._drawing is not None:
            self._drawing.close()


def _drawer(stage: StageModel, unwanted: Callable[[], bool]) -> _Drawer:
    return _Drawer(stage)


class _Drawer:
    """What draws, in its process."""

    def __init__(self, stage: StageModel) -> None:
        from tamp.backends.physics.photographer import Photographer

        self._photographer = Photographer(stage)
        self._cameras = [dataclasses.asdict(c) for c in stage.cameras]

    def line(self, now: Arrangement) -> bytes:
        """See `Physics.pictures`."""
        from tamp.backends.libero.cameras import observed

        pictures = {**observed(self._photographer.images(now)), "cameras": self._cameras}
        return json.dumps({"pictures": pictures_as_text(pictures)}).encode()
