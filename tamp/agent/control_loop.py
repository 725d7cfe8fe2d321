"""The loop over control periods: in a world that waits for every command, or in real time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, Protocol

from tamp.model.backend import Backend, Command, Observation
from tamp.model.events import Late, Publish

Clock = Literal["paused", "real"]
LATE = 0.01
"""Seconds after its time from which a control period counts as late."""


class Ticked(Protocol):
    """What is asked for a command each control period: an agent, or a session."""

    @property
    def time(self) -> float:
        """Seconds so far."""
        ...

    def tick(self, observation: Observation) -> Command | None:
        """The command for this control period, None once it is over."""
        ...

    def close(self) -> None:
        """Stop, without another tick."""
        ...


def observed(backend: Backend) -> Observation:
    """What is felt now."""
    return Observation(backend.time, backend.observe())


def run(
    acting: Ticked,
    backend: Backend,
    publish: Publish,
    clock: Clock = "paused",
    *,
    after: Callable[[], None] = lambda: None,
) -> None:
    """Ask for a command and carry it out, control period by control period, until there is none any more.

    With the `paused` clock the world stands still between commands. In `real` time a control period takes
    `backend.period` seconds; one that begins late is published, and not made up for. `after` is called after each
    command. However it ends, the backend is stopped.
    """
    due = time.monotonic()
    try:
        while True:
            if clock == "real" and (late := time.monotonic() - due) > LATE:
                publish(Late(round(late, 4)))
                due = time.monotonic()
            if (command := acting.tick(observed(backend))) is None:
                return
            backend.command(*command)
            after()
            if clock == "real":
                due += backend.period
                time.sleep(max(0.0, due - time.monotonic()))
    finally:
        try:  # what moves stops first: ending what acts reports what was stopped, and a report may fail
            backend.stop()
        finally:
            acting.close()
