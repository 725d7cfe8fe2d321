"""Which arm does which part of a plan, and when: the shortest way that is found to share it out.

One plan with time: each entry has a beginning and an end. Parts that need each other come one after the other, and so
do parts of two arms whose ways come too near to each other, as soon as one has passed what the other one needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tamp.plans.chunks import Chunk, ChunkedPlan

MOST_NODES = 20_000
"""Partial assignments that are looked at; the best so far is taken then."""
EPSILON = 1e-6


@dataclass(frozen=True)
class Entry:
    """A chunk, the number of the arm that does it, and when, in seconds from the start."""

    chunk: Chunk
    arm: int
    begin: float
    end: float


Seconds = Mapping[tuple[int, int], float]
"""How long an arm takes for a chunk, by both numbers; what it cannot do is missing."""
Delay = Callable[[Entry, int, Chunk], float]
"""Seconds after the beginning of an entry before which another arm cannot begin with a chunk."""


def assigned(plan: ChunkedPlan, seconds: Seconds, delay: Delay, arms: int) -> tuple[Entry, ...] | None:
    """The entries in the order of their beginnings; None where no arm can do some chunk. The same for the same
    input."""
    search = _Search(plan, seconds, delay, arms)
    search.extend([], [0.0] * arms)
    return None if search.best is None else tuple(search.best)


@dataclass(eq=False)
class _Search:
    """Depth first, the soonest end first; what cannot become better than the best is left out."""

    plan: ChunkedPlan
    seconds: Seconds
    delay: Delay
    arms: int
    best: list[Entry] | None = None
    _ends: float = float("inf")
    _nodes: int = 0
    _delays: dict[tuple[int, int, int, int], float] = field(default_factory=dict)

    def extend(self, entries: list[Entry], free: list[float]) -> None:
        """Try everything that can come next after some entries, the arms being free at some times."""
        taken = {e.chunk.number for e in entries}
        left = [c for c in self.plan.chunks if c.number not in taken]
        ends = max((e.end for e in entries), default=0.0)
        if not left:
            if ends < self._ends - EPSILON:
                self.best, self._ends = list(entries), ends
            return
        self._nodes += 1
        if self._nodes > MOST_NODES or self._bound(left, free, ends) >= self._ends - EPSILON:
            return
        for entry in sorted(self._following(entries, left, free), key=lambda e: (e.end, e.chunk.number, e.arm)):
            later = [entry.end if n == entry.arm else f for n, f in enumerate(free)]
            self.extend([*entries, entry], later)

    def _bound(self, left: Sequence[Chunk], free: Sequence[float], ends: float) -> float:
        """No assignment ends sooner than if what is left could be cut into pieces and given to all."""
        least = [min(self._all(c), default=float("inf")) for c in left]
        return max(ends, *least, (sum(free) + sum(least)) / self.arms)

    def _all(self, chunk: Chunk) -> Iterator[float]:
        return (self.seconds[arm, chunk.number] for arm in range(self.arms) if (arm, chunk.number) in self.seconds)

    def _following(self, entries: list[Entry], left: Sequence[Chunk], free: Sequence[float]) -> Iterator[Entry]:
        since = max((e.begin for e in entries), default=0.0)
        for chunk in left:
            for arm in range(self.arms):
                if (arm, chunk.number) not in self.seconds:
                    continue
                begin = self._begin(entries, chunk, arm, max(free[arm], since))
                if begin is not None:
                    yield Entry(chunk, arm, begin, begin + self.seconds[arm, chunk.number])

    def _begin(self, entries: list[Entry], chunk: Chunk, arm: int, soonest: float) -> float | None:
        """When an arm can begin with a chunk, what is there already being left as it is; None for never."""
        held = {e.begin + self._delay(e, arm, chunk) for e in entries if e.arm != arm and e.end > soonest}
        for begin in sorted({soonest, *(t for t in (*held, *(e.end for e in entries)) if t > soonest)}):
            done = [e.chunk for e in entries if e.end <= begin]
            going = [e for e in entries if e.end > begin]
            clear = all(begin >= e.begin + self._delay(e, arm, chunk) - EPSILON for e in going if e.arm != arm)
            if clear and self.plan.may_begin(chunk, done, [e.chunk for e in going]):
                return begin
        return None

    def _delay(self, entry: Entry, arm: int, chunk: Chunk) -> float:
        key = (entry.arm, entry.chunk.number, arm, chunk.number)
        if key not in self._delays:
            self._delays[key] = self.delay(entry, arm, chunk)
        return self._delays[key]
