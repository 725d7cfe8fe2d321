"""Who owns the clock: a world that waits for every command, or real time, which waits for nobody."""

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


def run_paused(
    session: Ticked,
    backend: Backend,
    *,
    before: Callable[[], None] = lambda: None,
    after: Callable[[], None] = lambda: None,
    seconds: float | None = None,
) -> None:
    """Run a session to its end; the world stands still between commands, and goes on for at most so many `seconds` of
    its own. `before` is called before each tick, `after` after each command.

    However it ends, the backend is told to stop.
    """
    try:
        while True:
            before()
            if (command := session.tick(observed(backend))) is None:
                return
            if seconds is not None and session.time >= seconds:
                return
            backend.command(*command)
            after()
    finally:
        _end(session, backend)


def run_in_real_time(
    session: Ticked,
    backend: Backend,
    publish: Publish,
    *,
    before: Callable[[], None] = lambda: None,
    after: Callable[[], None] = lambda: None,
    seconds: float | None = None,
) -> None:
    """Run a session to its end, a control period each `backend.period` seconds of the clock on the wall; at most so
    many `seconds`. `before` is called before each tick, `after` after each command. A period that begins late is told,
    and not made up for.

    However it ends, the backend is told to stop.
    """
    begin = due = time.monotonic()
    try:
        while seconds is None or due - begin < seconds:
            if (late := time.monotonic() - due) > LATE:
                publish(Late(round(late, 4)))
                due = time.monotonic()
            before()
            if (command := session.tick(observed(backend))) is None:
                return
            backend.command(*command)
            after()
            due += backend.period
            time.sleep(max(0.0, due - time.monotonic()))
    finally:
        _end(session, backend)


def _end(session: Ticked, backend: Backend) -> None:
    """What moves stops first: ending the session reports what was stopped, and a report may fail."""
    try:
        backend.stop()
    finally:
        session.close()
