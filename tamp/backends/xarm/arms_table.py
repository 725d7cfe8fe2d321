"""Two arms at one table through their maker's SDK: one clock for both, and eyes that know all."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from motion.poses import Array
from tamp.backends.xarm.arm_table import ArmTable
from tamp.backends.xarm.emulated_eyes import EmulatedEyes
from tamp.backends.xarm.faults import ArmFault
from tamp.model.backend import Observation
from tamp.model.scene import RobotState, Scene


class ArmSeat:
    """One of the arms, and what is around it: a `Backend` and a `Perceiver`, whose commands wait for nothing."""

    def __init__(self, name: str, table: ArmTable, eyes: EmulatedEyes, clock: ArmsTable) -> None:
        self.name, self.table, self.eyes, self._clock, self.period = name, table, eyes, clock, table.period

    @property
    def time(self) -> float:
        """Seconds of the clock that all arms have."""
        return self._clock.steps * self.period

    def observe(self) -> RobotState:
        """Proprioception now. ArmFault, with the arm's name, for an error of the controller."""
        with self._named():
            return self.table.observe()

    def perceive(self) -> Scene:
        """The scene now."""
        with self._named():
            return self.eyes.perceive()

    def felt(self, observation: Observation) -> None:
        """What was observed in this control period."""
        self.eyes.felt(observation)

    def command(self, displacement: Array, opening: float) -> None:
        """Where the arm goes in the period that passes next: see `tamp.model.backend.Backend`."""
        with self._named():
            self.table.aim(displacement, opening)

    def stop(self) -> None:
        """Hold still in the period that passes next."""
        self.command(np.zeros(6), self.table.opening)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Faults say which arm has them."""
        try:
            yield
        except ArmFault as fault:
            raise ArmFault(fault.kind, f"{self.name}: {fault}") from fault


class ArmsTable:
    """The arms of a table, in the order of their file: see `tamp.runs.at_shared_table.Shared`."""

    def __init__(self) -> None:
        self.seats: list[ArmSeat] = []
        self.steps, self.stepping_seconds, self._due = 0, 0.0, time.monotonic()

    def add(self, name: str, table: ArmTable, eyes: EmulatedEyes) -> None:
        """Another arm at the table."""
        self.seats.append(ArmSeat(name, table, eyes, self))

    @property
    def period(self) -> float:
        """Seconds of a control period."""
        return self.seats[0].period

    def pass_period(self) -> None:
        """Wait until it is time for the next commands; what is late is not made up for."""
        start = time.monotonic()
        self._due = max(self._due + self.period, start)
        time.sleep(max(0.0, self._due - time.monotonic()))
        self.stepping_seconds += time.monotonic() - start
        self.steps += 1

    def apart(self, held: Mapping[int, str], most: float) -> float:
        """Metres between the arms with what they hold, as their emulator measures it, at most `most`."""
        told = self.seats[0].eyes.ask({"query": "apart", "held": {str(n): name for n, name in held.items()}})
        return min(float(told["apart"]), most)
