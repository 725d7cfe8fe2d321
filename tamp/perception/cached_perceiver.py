"""Eyes that are opened once in a control period at most, however often somebody asks what there is."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tamp.model.backend import Observation
from tamp.model.scene import Perceiver, Scene


@dataclass(eq=False)
class Seldom:
    """A perceiver that sees again only what may have moved since: nothing has in the same control period.

    `now` gives the session's seconds; `looks` and `seconds` count what looking took. `saw` is told each scene once.
    """

    perceiver: Perceiver
    now: Callable[[], float]
    saw: Callable[[Scene], None] = lambda scene: None
    looks: int = 0
    seconds: float = 0.0
    _seen: tuple[float, Scene] | None = field(default=None)

    def perceive(self) -> Scene:
        """The scene in this control period."""
        if self._seen is None or self._seen[0] != self.now():
            start = time.perf_counter()
            self._seen = (self.now(), self.perceiver.perceive())
            self.looks, self.seconds = self.looks + 1, self.seconds + time.perf_counter() - start
            self.saw(self._seen[1])
        return self._seen[1]

    def felt(self, observation: Observation) -> None:
        """What was observed in this control period."""
        self.perceiver.felt(observation)
