"""A session: activities that run, orders that come in at any moment, and one command in each control period.

What owns the clock calls `tick` with what was observed. It never waits: what takes long is done in parallel,
and the arm holds still, or goes on with what is still valid. Stopping leaves a state from which all can go on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from tamp.agent.orders import End, Order, Say, Skip, Start, Stop
from tamp.errors import InputError, TampError
from tamp.model.backend import Command, Observation
from tamp.model.events import Blind, OrderTaken, Publish, StageChanged, StateDescribed
from tamp.model.skill_spec import ARM, HAND
from tamp.planning.deliberation import Thought

T = TypeVar("T")


Routine = Generator[Command | None, None, T]

Stage = Literal["moving", "acting", "done", "failed", "stopped"]
OVER = ("done", "failed", "stopped")


@dataclass(eq=False)
class Doing:
    """The action that an activity is at; `began` and `now` in the session's seconds. `operands` are its arguments."""

    name: str
    began: float
    now: float
    operands: tuple[str, ...] = ()
    stage: Stage = "moving"
    waits_for: str = ""

    @property
    def seconds(self) -> float:
        """How long it has been going on."""
        return self.now - self.began


def for_ever() -> Routine[str | None]:
    """A routine that commands nothing and has no end."""
    while True:
        yield None


@dataclass(eq=False)
class Activity:
    """What was started, under the name by which it is stopped. `began` and `now` in the session's seconds.

    `inner` gives the action that it is at, for what consists of several.
    """

    name: str
    routine: Routine[str | None] = field(repr=False)
    resources: frozenset[str] = frozenset({ARM, HAND})
    endless: bool = False
    stage: Stage = "moving"
    began: float = 0.0
    now: float = 0.0
    waits_for: str = ""
    """Why it is not further, in words; empty while it goes on."""
    inner: Callable[[], Doing | None] = field(default=lambda: None, repr=False)

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return self.now - self.began

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.stage in OVER

    @property
    def shown(self) -> Activity | Doing:
        """What is shown of it: of a goal the action that it is at, else itself."""
        inner = self.inner()
        return self if inner is None or self.over or self.endless or inner.name == self.name else inner

    def __str__(self) -> str:
        return f"{self.shown.name} ({self.shown.stage}, {self.shown.seconds:.1f}s)"

    def step(self, now: float) -> Command | None:
        """Its command for this control period. Once it is over: None, its stage says how it ended."""
        self.now = now
        try:
            command = next(self.routine)
        except StopIteration as end:
            self.stage, self.waits_for = ("failed", end.value) if end.value else ("done", "")
            return None
        if (inner := self.inner()) is not None:
            self.stage = "acting" if self.endless and self.stage == "acting" else inner.stage
            self.waits_for = inner.waits_for
        return command

    def stop(self) -> None:
        """End it where it is."""
        self.routine.close()
        if not self.over:
            self.stage = "stopped"


STALE_HOLD, STALE_STOP = 4, 20
"""Ticks with the same observation after which the arm holds still, and after which everything is stopped."""
MOST_WAITING = 64
"""Orders that wait for the next tick at most; a stop always gets in."""


class Performer(Protocol):
    """What a session can have done: a robot in its world."""

    def feel(self, observation: Observation) -> None:
        """What was observed in this control period."""
        ...

    def start(self, action: str) -> Activity:
        """An activity for an action. InputError for what is no action, Refusal where it cannot start now."""
        ...

    def pursue(self, wanted: Any) -> Activity:
        """An activity that works towards what words can ask for: goals."""
        ...

    def read(self, text: str) -> Thought[Any]:
        """What words ask for. Its result raises Refusal."""
        ...

    def commanded(self, command: Command | None) -> Command:
        """What to command: to stand still without a command."""
        ...

    def vocabulary(self) -> list[str]:
        """Words that orders can be made of: actions and things."""
        ...

    def listed(self, activities: list[Activity]) -> str:
        """The state in words: position, actions with their stages and seconds, what is held."""
        ...


@dataclass(eq=False)
class Session:
    """Runs activities on one robot. `order` may be called from any thread, all else from the one that ticks.

    With `ends_when_idle` it is over as soon as nothing runs and nothing is being read.
    """

    performer: Performer
    publish: Publish
    ends_when_idle: bool = False
    activities: list[Activity] = field(default_factory=list)
    over: bool = False
    tell_state: bool = False
    """Set to have the state published at the next tick."""
    time: float = 0.0
    skips_until: float = 0.0
    """The session's second until which nothing is to be decided."""
    wanted: tuple[Any, ...] = ()
    """What was taken last: goals."""
    _orders: deque[Order] = field(default_factory=deque)
    _refused: deque[tuple[Order, str]] = field(default_factory=deque)
    _dropped: int = 0
    _ticked: bool = False
    _stale: int = 0
    """Ticks since there was a new observation."""
    _reading: tuple[Say, Thought[Any]] | None = None

    def order(self, order: Order) -> None:
        """Give an order: it is taken, or refused, at the next tick, and an event says which. A stop of everything, and
        the end, take the place of whatever still waits."""
        if isinstance(order, End) or order == Stop():
            self._orders.clear()
            self._orders.append(order)
        elif len(self._orders) < MOST_WAITING:
            self._orders.append(order)
        else:
            self._dropped += 1

    def refuse(self, order: Order, why: str) -> None:
        """Have an event say at the next tick that an order is not taken."""
        self._refused.append((order, why))

    def tick(self, observation: Observation) -> Command | None:
        """The command for this control period, from what was just observed; None when the session is over."""
        self._feel(observation)
        self._take_orders()
        self._hear()
        blind = self._stale >= STALE_HOLD
        given = [command for a in list(self.activities) if (command := self._advance(a, blind)) is not None]
        if self.tell_state:
            self.tell_state = False
            self.publish(StateDescribed(self.state()))
        busy = self._reading is not None or any(not a.over for a in self.activities)
        if self.over or (self.ends_when_idle and not busy):
            self.over = True
            return None
        return self.performer.commanded(given[0] if given else None)

    def pursue(self, *wanted: Any) -> None:
        """Work towards something from now on, instead of whatever else takes the arm: goals, one after the other."""
        activity = self.performer.pursue(wanted)
        for a in self._in_the_way_of(activity):
            self._stop(a)
        self.wanted = wanted
        self.begin(activity)

    def begin(self, activity: Activity) -> None:
        """Run an activity from now on, in parallel with what runs."""
        self.activities = [a for a in self.activities if not a.over]
        activity.began = activity.now = self.time
        self.activities.append(activity)
        self.publish(StageChanged(activity.name, activity.stage, 0.0))

    @property
    def failed(self) -> Activity | None:
        """What was begun last of what failed, unless something else was begun since."""
        return next((a for a in reversed(self.activities) if a.stage == "failed"), None)

    def close(self) -> None:
        """Stop everything, without another tick. What ran stays listed, as it ended."""
        self._forget_words()
        for a in reversed(self.activities):
            self._stop(a)
        self.over = True

    def state(self) -> str:
        """Position, actions with stages and seconds, and what is held, in words."""
        return self.performer.listed(self.activities)

    # Orders

    def _take_orders(self) -> None:
        while True:
            try:
                order = self._orders.popleft()
            except IndexError:  # none, or a stop has just cleared them
                break
            try:
                self._obey(order)
            except TampError as e:
                self.publish(OrderTaken(str(order), False, str(e)))
            else:
                self.publish(OrderTaken(str(order), True))
        while self._refused:
            order, why = self._refused.popleft()
            self.publish(OrderTaken(str(order), False, why))
        if self._dropped:
            self.publish(OrderTaken(f"{self._dropped} orders", False, f"more than {MOST_WAITING} at one time"))
            self._dropped = 0

    def _obey(self, order: Order) -> None:
        match order:
            case Start(action):
                self._start(action)
            case Stop(None):
                self._stop_all()
                self.wanted = ()
            case Stop(name):
                self._stop_named(str(name))
            case Skip(seconds):
                self.skips_until = self.time + seconds
            case Say():
                self._forget_words()
                self._reading = (order, self.performer.read(order.text))
            case End():
                self.close()

    def _start(self, action: str) -> None:
        running = [a for a in self.activities if not a.over]
        if any(a.name == action for a in running):
            raise InputError(f"{action} runs already; valid: stop it first")
        activity = self.performer.start(action)
        if taken := self._in_the_way_of(activity):
            what = " and ".join(sorted(activity.resources & taken[0].resources))
            raise InputError(f"{action} needs the {what}, which {taken[0].name} has; valid: stop {taken[0].name}")
        self.begin(activity)

    def _stop_named(self, name: str) -> None:
        for a in self.activities:
            if a.name == name:
                self._stop(a)
                self.activities.remove(a)
                return
        running = ", ".join(a.name for a in self.activities) or "nothing"
        raise InputError(f"{name} does not run; running: {running}")

    def _stop_all(self) -> None:
        self._forget_words()
        for a in reversed(self.activities):  # what was begun for something else before that
            self._stop(a)
        self.activities.clear()

    def _hear(self) -> None:
        """Take what was read, once it is read."""
        if self._reading is None or not self._reading[1].done():
            return
        order, thought = self._reading
        self._reading = None
        try:
            wanted = thought.result()
            if wanted:
                self.pursue(*wanted)
            else:
                self._obey(Stop())
        except TampError as e:
            self.publish(OrderTaken(str(order), False, str(e)))

    def _forget_words(self) -> None:
        if self._reading is not None:
            self._reading[1].cancel()
            self._reading = None

    # Activities

    def _in_the_way_of(self, activity: Activity) -> list[Activity]:
        return [a for a in self.activities if not a.over and a.resources & activity.resources]

    def _feel(self, observation: Observation) -> None:
        """Take what was observed. Where nothing new comes the arm is to hold still, and then all is stopped."""
        self._stale = 0 if observation.time > self.time or not self._ticked else self._stale + 1
        self._ticked = True
        self.time = max(self.time, observation.time)
        self.performer.feel(observation)
        if self._stale == STALE_STOP:
            self.publish(Blind(self.time, f"nothing new was observed for {STALE_STOP} control periods: all is stopped"))
            self._stop_all()

    def _advance(self, activity: Activity, blind: bool) -> Command | None:
        if activity.over or blind:
            return None
        before = activity.shown.name, activity.shown.stage
        try:
            command = activity.step(self.time)
        except TampError as e:
            activity.stage, activity.waits_for, command = "failed", str(e), None
        shown = activity.shown
        if (shown.name, shown.stage) != before:
            self.publish(StageChanged(shown.name, shown.stage, shown.seconds, shown.waits_for))
        return command

    def _stop(self, activity: Activity) -> None:
        if not activity.over:
            activity.stop()
            self.publish(StageChanged(activity.name, activity.stage, activity.seconds))
