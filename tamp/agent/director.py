"""A decider in the planner's place: shown the state, it gives one order after another until a goal is reached.

Its orders are handled as all orders, so the domain judges them before anything moves; what became of them is shown
with the next request.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tamp.agent.orders import End, Order, Skip, Start, Stop, read_typed
from tamp.agent.session import OVER, Activity, Routine
from tamp.agent.tabletop import Periods, Tabletop
from tamp.model.atoms import Atom
from tamp.model.events import Event, OrderTaken, StageChanged
from tamp.model.goal import Goal
from tamp.model.state import WorldState
from tamp.planning.deliberation import Thought


@dataclass(frozen=True, eq=False)
class DecisionRequest:
    """What a decider is shown.

    `state` has what geometry found out besides what is seen; `summary` is it in words: position, actions with their
    stages and seconds, what is held. `running` are the names of what can be stopped, `before` the orders so far and
    what became of them, `not_again` those that were given in this state already.
    """

    goal: Goal
    state: WorldState
    summary: str
    running: tuple[str, ...]
    before: tuple[tuple[str, str], ...]
    not_again: frozenset[str]


Decide = Callable[[DecisionRequest], Thought[str]]
"""Answers with an order, as it is typed; with nothing where there is none left to give."""


DECISION = "decision"
"""The resource that a goal takes which is decided for: there is one at a time."""
OFTEN = 0.5
"""Seconds between two questions at least."""
LONGEST = 30.0
"""Seconds after which the decider is asked even though nothing has changed."""
MOST = 60
"""Questions for one goal before it is given up."""


@dataclass(eq=False)
class Director:
    """Has a decider work towards goals. `give` takes its orders, `running` lists the session's activities, `listed`
    words them."""

    decide: Decide
    give: Callable[[Order], None]
    running: Callable[[], list[Activity]]
    listed: Callable[[list[Activity]], str]
    table: Tabletop
    goal: Goal | None = None
    """What is worked towards now."""
    asked: int = 0
    before: list[tuple[str, str]] = field(default_factory=list)
    """The orders given for this goal, and what became of them."""
    _tried: set[tuple[frozenset[Atom], str]] = field(default_factory=set)
    _facts: frozenset[Atom] = frozenset()
    """What geometry has objected to, as long as none of the things that it is about was acted on."""

    def hear(self, event: Event) -> None:
        """Keep what becomes of the decider's orders."""
        if not self.before:
            return
        order, _ = self.before[-1]
        if isinstance(event, OrderTaken) and event.order == order:
            self.before[-1] = order, "taken" if event.taken else f"refused: {event.why}"
        elif isinstance(event, StageChanged) and order == f"start {event.name}" and event.stage in OVER:
            self.before[-1] = order, f"{event.stage}: {event.why}" if event.why else event.stage
            if event.stage == "done":
                acted_on = set(event.name.strip("()").split()[1:])
                self._facts = frozenset(f for f in self._facts if acted_on.isdisjoint(f.args))

    def object(self, facts: frozenset[Atom]) -> None:
        """Geometry says why an action cannot be done."""
        self._facts |= facts

    def reach(self, *goals: Goal) -> Routine[str | None]:
        """Work towards goals, one after the other. Returns why one is given up."""
        try:
            for goal in goals:
                self.goal, self.before, self._facts = goal, [], frozenset()
                self._tried.clear()
                if (problem := (yield from self._reach(goal))) is not None:
                    return problem
        finally:
            self.goal = None
            for activity in self._mine():
                self.give(Stop(activity.name))
        return None

    def _reach(self, goal: Goal) -> Routine[str | None]:
        for _ in range(MOST):
            state = self.table.look()[1].with_facts(self._facts)
            not_again = frozenset(order for atoms, order in self._tried if atoms == state.atoms)
            shown = [a for a in self.running() if DECISION not in a.resources]
            running, before = tuple(a.name for a in shown if not a.over), tuple(self.before)
            self.asked += 1
            request = DecisionRequest(goal, state, self.listed(shown), running, before, not_again)
            order = yield from Periods(self.table).thought(self.decide(request))
            if not order:
                return f"nothing is left to be tried; done before: {self._last_orders()}"
            parsed = read_typed(order)
            if isinstance(parsed, Skip):
                until = self.table.observed.time + max(parsed.seconds, OFTEN)
                while self.table.observed.time < until:
                    yield None
                continue
            self._tried.add((state.atoms, order))
            if isinstance(parsed, End):
                missing = " ".join(map(str, goal.missing(state)))
                if not missing:
                    return None
                self.before.append((order, f"refused: {missing} is not seen to hold"))
                continue
            self.before.append((order, ""))
            self.give(parsed)
            yield from self._until_changed(isinstance(parsed, Start))
        return f"no end after {MOST} decisions; the last ones: {self._last_orders()}"

    def _mine(self) -> list[Activity]:
        """What was begun by order and still runs."""
        begun = {order for order, _ in self.before}
        return [a for a in self.running() if not a.over and f"start {a.name}" in begun]

    def _until_changed(self, started: bool) -> Routine[None]:
        """Until what was begun is over, waits for something, or has been going on for long; at least for a while."""
        begun = self.table.observed.time
        while (seconds := self.table.observed.time - begun) < LONGEST:
            yield None
            doing = self.table.doing
            held_up = doing is not None and bool(doing.waits_for)
            if seconds >= OFTEN and (not started or not self._mine() or held_up):
                return

    def _last_orders(self) -> str:
        return ", ".join(f"{order} ({became})" for order, became in self.before[-3:])
