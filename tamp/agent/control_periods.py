"""Control periods as routines pass them: counted, waited for, and looked in until something is seen."""

from __future__ import annotations

from dataclasses import dataclass

from tamp.agent.activity import Routine, T
from tamp.agent.tabletop import Tabletop
from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.backend import Command
from tamp.model.scene import Scene
from tamp.model.situation import Situation
from tamp.model.state import WorldState
from tamp.planning.deliberation import Thought

BLIND = 5.0
"""Seconds in which eyes that see nothing of use are opened again and again before that is the end."""
AGAIN = 0.5
"""Seconds between two such looks."""


class StepLimit(Exception):
    """The control steps are used up."""


@dataclass(eq=False)
class Periods:
    """Counts control periods, of which there are at most `most`."""

    table: Tabletop
    most: int
    steps: int = 0

    def pass_one(self, command: Command | None) -> Routine[None]:
        """One control period. StepLimit when there is none left."""
        if self.steps >= self.most:
            raise StepLimit
        yield command
        self.steps += 1

    def wait(self, seconds: float) -> Routine[None]:
        """Command nothing for a while."""
        for _ in range(max(1, round(seconds / self.table.period))):
            yield from self.pass_one(None)

    def thought(self, thought: Thought[T]) -> Routine[T]:
        """What a thought comes to; nothing is commanded until then, and it is dropped when nobody waits any more."""
        try:
            while not thought.done():
                yield from self.pass_one(None)
        finally:
            if not thought.done():
                thought.cancel()
        return thought.result()

    def look(self, doubted: frozenset[Atom] = frozenset()) -> Routine[tuple[Scene, WorldState, Situation]]:
        """What is seen, as soon as anything is. Refusal where nothing is for long."""
        for _ in range(round(BLIND / AGAIN)):
            try:
                return self.table.look(doubted)
            except Refusal:
                yield from self.wait(AGAIN)
        return self.table.look(doubted)
