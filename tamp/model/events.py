"""What happens in a session, typed: the log, the terminal, a page and a report get the same events.

What only the log has, such as `plan` and `infeasible`, is written where it happens (docs/episodes.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, dataclass_transform

from motion.poses import Array


@dataclass_transform(frozen_default=True, eq_default=False)
class Event:
    """Something that happened: each subclass is a frozen dataclass, and its fields are what the log's line holds.

    `kind` is its word in the log.
    """

    kind: ClassVar[str] = "event"

    def __init_subclass__(cls, kind: str) -> None:
        cls.kind = kind
        dataclass(frozen=True, eq=False)(cls)

    def data(self) -> dict[str, Any]:
        """Its fields by name."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}  # type: ignore[attr-defined]


class RobotStands(Event, kind="robot"):
    """Which robot is used, by the name under which `tamp.backends.bodies` finds it (empty for one that it does not),
    and where: `shoulder` (7,) is the frame of its first joint at zero, metres and a quaternion w x y z. `period` is its
    control period in seconds."""

    body: str
    shoulder: Array
    period: float


class ActionBegun(Event, kind="action"):
    """An action begins; `note` is what its skill chose."""

    action: str
    note: dict[str, Any]


class Commanded(Event, kind="command"):
    """One control period: what was commanded, and what was felt before it. Metres, radians."""

    step: int
    stage: str
    displacement: Array
    opening: float
    q: Array
    tool: Array
    fingers: float


class Vetoed(Event, kind="veto"):
    """The look-ahead asked for another command: `body` would be `depth` metres deep in `other`."""

    step: int
    body: str
    other: str | None
    depth: float
    ahead: int


class ActionEnded(Event, kind="result"):
    """An action ended: what is missing of its effect, if anything, and what is elsewhere than foreseen."""

    success: bool
    action: str
    missing: str | None
    steps: int
    difference: str | None


class Interrupted(Event, kind="interrupted"):
    """An action was stopped in the middle: what it relied on is not so any more."""

    action: str
    why: str
    step: int


class Corrected(Event, kind="corrected"):
    """A motion is led to where `thing` is seen now: `by` (6,) [metres, radians] from where it was, world axes; of what
    is held tool axes."""

    thing: str
    by: Array
    in_hand: bool = False


class StateSeen(Event, kind="state"):
    """The atoms that hold now, where the things are that were seen (position and quaternion w x y z), and the values of
    their joints (m, rad) by the end of their part's name."""

    atoms: frozenset[Any]
    poses: Mapping[str, list[float]] = field(default_factory=dict)
    joints: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


class MilestoneEnded(Event, kind="milestone"):
    """One of several goals was seen to hold, or was not reached."""

    number: int
    goal: str
    reached: bool
    steps: int
    of: int


class StageChanged(Event, kind="activity"):
    """An activity is `moving`, `acting`, `done`, `stopped` or `failed` now; `why` says what it waits for or lacks."""

    name: str
    stage: str
    seconds: float
    why: str = ""


class GoalTaken(Event, kind="goal"):
    """What is wanted from now on: goals one after the other, as PDDL."""

    goal: str | list[str] | None
    untouched: list[str]


class Searching(Event, kind="search"):
    """What is done to see better: `what` is looked for or at, `how` in words."""

    what: str
    how: str


class OrderTaken(Event, kind="order"):
    """An order was taken, or refused with a reason."""

    order: str
    taken: bool
    why: str = ""


class Late(Event, kind="late"):
    """A control period began so many seconds after its time."""

    seconds: float


class StateDescribed(Event, kind="told"):
    """The state in words, as it was asked for."""

    text: str


class Blind(Event, kind="blind"):
    """Nothing new is observed any more."""

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
