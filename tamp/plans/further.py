"""What else is wrong with a plan that has a step which cannot be taken: the rest, as if it were done."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tamp.pddl.conditions import Value, unheld, values_in, written

MOST = 10
"""Further mistakes that are looked for: a plan with more is another plan."""

Try = Callable[[Any, Any], tuple[list[Any], Any, str]]
"""Tries an action in a state: what it lacks, the state after it (None where it cannot be done), and why in words."""


@dataclass(frozen=True)
class Further:
    """A later `step` that would fail too, the goal where it is None: a message, the literals that do not hold,
    and what the numbers in these are."""

    step: int | None
    message: str
    unmet: tuple[str, ...] = ()
    values: tuple[Value, ...] = ()


def further(anyway: Anyway, actions: Sequence[Any], failed: int, state: Any, tried: Try) -> tuple[Further, ...]:
    """What else would be wrong, at most `MOST`, if step `failed`, which cannot be taken in `state`, were done all the
    same, and so each of the later ones."""
    found = list[Further]()
    state = anyway.done(actions[failed - 1], state)
    for number, action in enumerate(actions[failed:], failed + 1):
        lacking, after, message = tried(state, action)
        if after is None:
            found.append(_lacking(anyway.problem, number, message, lacking, state))
            if len(found) == MOST:
                return tuple(found)
        state = after if after is not None else anyway.done(action, state)
    if missed := unheld(anyway.problem, anyway.problem.goals, state):
        found.append(_lacking(anyway.problem, None, "", missed, state))
    return tuple(found)


def _lacking(problem: Any, step: int | None, message: str, lacking: Sequence[Any], state: Any) -> Further:
    literals = tuple(map(written, lacking))
    values = tuple(dict.fromkeys(v for c in lacking for v in values_in(problem, c, state)))
    return Further(step, message or needs(literals, values), literals, values)


def needs(literals: Sequence[str], values: Iterable[Value] = ()) -> str:
    """What is missing, in words, with what the numbers in it are."""
    told = [f"{of} has no value" if value is None else f"{of} is {value}" for of, value in dict.fromkeys(values)]
    shown = f": {', '.join(told)}" if told else ""
    return f"needs {' and '.join(literals)}, which {'do' if len(literals) > 1 else 'does'} not hold then{shown}"


@dataclass(eq=False)
class Anyway:
    """Does actions of a problem whatever they need; `problem` is the same, without preconditions."""

    problem: Any
    _simulator: Any = None

    @classmethod
    def of(cls, problem: Any) -> Anyway:
        """For unified-planning's own Problem, which is left as it is."""
        free = problem.clone()
        for action in free.actions:
            action.clear_preconditions()
        return cls(free)

    def done(self, action: Any, state: Any) -> Any:
        """The state after an action; the same where its effects contradict each other, are undefined, or are none."""
        from unified_planning.engines import UPSequentialSimulator
        from unified_planning.exceptions import UPException
        from unified_planning.plans import ActionInstance

        own = ActionInstance(self.problem.action(action.action.name), action.actual_parameters)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the judge of the plan has told what is not supported
                simulator = self._simulator or UPSequentialSimulator(self.problem, error_on_failed_checks=False)
            self._simulator = None  # an evaluator is of no more use once it has raised
            after = simulator.apply_unsafe(state, own)
        except (UPException, ArithmeticError):
            return state
        self._simulator = simulator
        return after
