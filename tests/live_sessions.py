"""Sessions to be ticked by hand, the world waiting for thoughts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from motion.robot import RobotDescription
from tamp.agent.control_loop import observed
from tamp.agent.director import Decide, Director
from tamp.agent.orders import Order
from tamp.agent.session import Activity, Session
from tamp.agent.tabletop import Tabletop
from tamp.agent.tabletop_agent import TabletopAgent, at_table, in_turn
from tamp.backends.libero.panda import panda
from tamp.model.backend import Backend
from tamp.model.events import Event, Events, OrderTaken, StageChanged
from tamp.model.scene import Perceiver
from tamp.pddl.domain_file import load
from tamp.pddl.planner import Engine


@dataclass(eq=False)
class Live:
    """A session and its world; `events` is everything that it published."""

    backend: Backend
    at_table: TabletopAgent | None
    session: Session
    pick: str
    """An action that can start at once."""
    events: list[Event] = field(default_factory=list)
    in_real_time: bool = False

    @property
    def table(self) -> Tabletop:
        assert self.at_table is not None
        return self.at_table.table

    def tell(self, *orders: Order) -> None:
        for order in orders:
            self.session.order(order)

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Tick for so long, or until something is so."""
        end = self.session.time + seconds
        while self.session.time < end and not until():
            command = self.session.tick(observed(self.backend))
            if command is None:
                return
            self.backend.command(*command)
            if self.in_real_time:
                time.sleep(self.backend.period)

    def activity(self, name: str) -> Activity:
        return next(a for a in self.session.activities if a.name == name)

    def stages(self, name: str) -> list[str]:
        return [e.stage for e in self.events if isinstance(e, StageChanged) and e.name == name]

    def refusals(self) -> list[str]:
        return [e.why for e in self.events if isinstance(e, OrderTaken) and not e.taken]


def direct(live: Live, decide: Decide) -> Director:
    """Let something else decide in the planner's place."""
    at, session, publish = live.at_table, live.session, live.session.publish
    assert at is not None
    director = Director(decide, session.order, lambda: session.activities, at.listed, at.table)
    both = Events(publish, director.hear)
    at.director = director
    session.publish = both
    return director


def session_on(backend: Backend, perceiver: Perceiver, robot: RobotDescription, pick: str) -> Live:
    """A session on a world, that thinks in turn."""
    domain, events = load("tabletop"), list[Event]()
    think = in_turn(domain, Engine(), np.random.default_rng(0))
    ready = at_table(backend, perceiver, robot, domain, think, events.append, 4000)
    return Live(backend, ready, Session(ready, events.append), pick, events)


@cache
def a_panda() -> RobotDescription:
    return panda()
