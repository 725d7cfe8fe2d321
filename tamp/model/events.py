"""What happens in a session, typed: the log, the terminal, a page and a report get the same events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Protocol

from motion.poses import Array


@dataclass(frozen=True, eq=False)
class Event:
    """Something that happened. `kind` is its word in the log; its fields are what the log's line holds."""

    kind: ClassVar[str] = "event"

    def data(self) -> dict[str, Any]:
        """Its fields by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True, eq=False)
class RobotStands(Event):
    """Which robot is used, by the name under which `tamp.backends.bodies` finds it (empty for one that it does not),
    and where: `shoulder` (7,) is the frame of its first joint at zero, metres and a quaternion w x y z. `period` is its
    control period in seconds."""

    kind = "robot"
    body: str
    shoulder: Array
    period: float


@dataclass(frozen=True, eq=False)
class ActionBegun(Event):
    """An action begins; `note` is what its skill chose."""

    kind = "action"
    action: str
    note: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Commanded(Event):
    """One control period: what was commanded, and what was felt before it. Metres, radians."""

    kind = "command"
    step: int
    stage: str
    displacement: Array
    opening: float
    q: Array
    tool: Array
    fingers: float


@dataclass(frozen=True, eq=False)
class Vetoed(Event):
    """The look-ahead asked for another command: `body` would be `depth` metres deep in `other`."""

    kind = "veto"
    step: int
    body: str
    other: str | None
    depth: float
    ahead: int


@dataclass(frozen=True, eq=False)
class ActionEnded(Event):
    """An action ended: what is missing of its effect, if anything, and what is elsewhere than foreseen."""

    kind = "result"
    success: bool
    action: str
    missing: str | None
    steps: int
    difference: str | None


@dataclass(frozen=True, eq=False)
class Interrupted(Event):
    """An action was stopped in the middle: what it relied on is not so any more."""

    kind = "interrupted"
    action: str
    why: str
    step: int


@dataclass(frozen=True, eq=False)
class Corrected(Event):
    """A motion is led to where `thing` is seen now: `by` (6,) [metres, radians] from where it was, world axes; of what
    is held tool axes."""

    kind = "corrected"
    thing: str
    by: Array
    in_hand: bool = False


@dataclass(frozen=True, eq=False)
class StateSeen(Event):
    """The atoms that hold now, where the things are that were seen (position and quaternion w x y z), and the values of
    their joints (m, rad) by the end of their part's name."""

    kind = "state"
    atoms: frozenset[Any]
    poses: Mapping[str, list[float]] = field(default_factory=dict)
    joints: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class MilestoneEnded(Event):
    """One of several goals was seen to hold, or was not reached."""

    kind = "milestone"
    number: int
    goal: str
    reached: bool
    steps: int
    of: int


@dataclass(frozen=True, eq=False)
class StageChanged(Event):
    """An activity is `moving`, `acting`, `done`, `stopped` or `failed` now; `why` says what it waits for or lacks."""

    kind = "activity"
    name: str
    stage: str
    seconds: float
    why: str = ""


@dataclass(frozen=True, eq=False)
class GoalTaken(Event):
    """What is wanted from now on: goals one after the other, as PDDL."""

    kind = "goal"
    goal: str | list[str] | None
    untouched: list[str]


@dataclass(frozen=True, eq=False)
class Searching(Event):
    """What is done to see better: `what` is looked for or at, `how` in words."""

    kind = "search"
    what: str
    how: str


@dataclass(frozen=True, eq=False)
class OrderTaken(Event):
    """An order was taken, or refused with a reason."""

    kind = "order"
    order: str
    taken: bool
    why: str = ""


@dataclass(frozen=True, eq=False)
class Late(Event):
    """A control period began so many seconds after its time."""

    kind = "late"
    seconds: float


@dataclass(frozen=True, eq=False)
class StateTold(Event):
    """The state in words, as it was asked for."""

    kind = "told"
    text: str


@dataclass(frozen=True, eq=False)
class Blind(Event):
    """Nothing new is observed any more."""

    kind = "blind"
    since: float
    why: str


def event_of(kind: str, data: Mapping[str, Any]) -> Event:
    """The event of a kind with such fields, as it was written down elsewhere. KeyError for a kind that there is not."""
    kinds = {e.kind: e for e in Event.__subclasses__()}
    return kinds[kind](**data)


class Journal(Protocol):
    """Keeps what was tried and found: an episode's log."""

    def event(self, kind: str, /, **data: Any) -> None:
        """Keep an event."""
        ...

    def write(self, name: str, content: str | bytes) -> None:
        """Keep a file."""
        ...


Publish = Callable[[Event], None]
"""Takes an event; returns at once."""


class Events:
    """Passes each event on to everybody who subscribed, in that order."""

    def __init__(self, *subscribers: Publish) -> None:
        self._subscribers = list(subscribers)

    def subscribe(self, subscriber: Publish) -> None:
        """Tell `subscriber` from now on."""
        self._subscribers.append(subscriber)

    def __call__(self, event: Event) -> None:
        """Tell everybody."""
        for subscriber in self._subscribers:
            subscriber(event)
