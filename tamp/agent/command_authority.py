"""Who may give a session orders: one master at a time; anybody may stop.

The first who gives an order is the master until he goes, or says nothing for a while. A master that floods has what
is too much refused; one that hangs delays nobody, since nothing waits for him.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from tamp.agent.orders import End, Order, Stop
from tamp.errors import Refusal

LEASE = 10.0
"""Seconds without a word after which another one may be master."""
MOST_A_SECOND = 50
"""Orders that are taken from one master within a second; a stop always is."""


@dataclass(eq=False)
class CommandAuthority:
    """Passes orders on to `give`, from any thread."""

    give: Callable[[Order], None]
    clock: Callable[[], float] = time.monotonic
    _holder: str | None = None
    _heard: float = 0.0
    _recent: deque[float] = field(default_factory=deque)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def order(self, master: str, order: Order) -> None:
        """An order of somebody. Refusal when another one is master, or when it is one too many."""
        with self._lock:
            now = self.clock()
            if not isinstance(order, Stop | End):
                self._check(master, now)
            elif isinstance(order, End):
                self._check_turn(master, now)
            self._holder, self._heard = self._holder or master, now
        self.give(order)

    def gone(self, master: str) -> None:
        """Somebody left."""
        with self._lock:
            if self._holder == master:
                self._holder = None

    def _check(self, master: str, now: float) -> None:
        self._check_turn(master, now)
        while self._recent and self._recent[0] < now - 1.0:
            self._recent.popleft()
        if len(self._recent) >= MOST_A_SECOND:
            raise Refusal(f"more than {MOST_A_SECOND} orders within a second: dropped", "flood")
        self._recent.append(now)

    def _check_turn(self, master: str, now: float) -> None:
        if self._holder not in (None, master):
            left = LEASE - (now - self._heard)
            if left > 0:
                until = f"until {self._holder} goes or is silent for {LEASE:g} s"
                raise Refusal(f"{self._holder} gives the orders here, {until}; a stop is taken from anybody", "taken")
            self._holder = None
