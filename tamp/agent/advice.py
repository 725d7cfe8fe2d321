"""What somebody says who is asked where nothing else helps: one of the actions that the domain allows now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tamp.agent.activity import Routine
from tamp.agent.control_periods import Periods
from tamp.agent.decision_request import Question
from tamp.agent.orders import End, Start, read_typed
from tamp.model.atoms import Atom, GroundAction
from tamp.model.events import Advised
from tamp.model.goal import Goal

MOST = 3
"""Times that he is asked on the way to one goal."""


@dataclass(eq=False)
class Advice:
    """Asks on the way to one goal. What was tried is shown to him, and not to be said again."""

    periods: Periods
    _asked: int = 0
    _tried: list[tuple[GroundAction, str]] = field(default_factory=list)
    _facts: frozenset[Atom] = frozenset()
    """What geometry has found out."""

    def sought(
        self, goal: Goal, why: str, failures: Mapping[GroundAction, Sequence[str]]
    ) -> Routine[GroundAction | None]:
        """What he says to do, given why it does not go on, in words, and what went wrong with actions; None where
        nobody is asked, or he says nothing of use. What geometry objects to he cannot say."""
        decide = self.periods.table.advise
        if decide is None or self._asked >= MOST:
            return None
        self._asked += 1
        _, state, _ = yield from self.periods.look()
        wrong = [(action, problems[-1]) for action, problems in failures.items() if problems] + self._tried
        before = tuple((str(Start(str(action))), f"failed: {problem}") for action, problem in wrong)
        not_again = frozenset({str(End()), *(order for order, _ in before)})
        asked = Question(goal, state.with_facts(self._facts), why, (), before, not_again)
        order = yield from self.periods.thought(decide(asked))
        if not order or not isinstance(start := read_typed(order), Start):
            return None
        name, *args = start.action.strip("()").split()
        action = GroundAction(name, tuple(args))
        self.periods.table.publish(Advised(str(action), why))
        return action

    def objected(self, facts: frozenset[Atom]) -> None:
        """Geometry says why actions cannot be done now."""
        self._facts |= facts

    def went_wrong(self, action: GroundAction, problem: str) -> None:
        """What he said was tried, and did not help."""
        self._tried.append((action, problem))

    def helped(self) -> None:
        """Something was done: what geometry found out before need not be so any more."""
        self._facts = frozenset()
