"""Judge plans in order: the step that fails, what it lacks, which step made that false, and what would help."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tamp.pddl.conditions import Literal, Value, given_to, literal_of, needs, shown, unheld, values_in, written
from tamp.pddl.edits import Repair
from tamp.pddl.simulation import Simulator

MOST_HINTS = 10
"""Literals for which an action that makes them true is looked for."""
MOST_TRIED = 1000
"""Ground actions that are tried for all the literals of one verdict."""
MOST_FURTHER = 10
"""Further mistakes that are looked for: a plan with more is another plan."""


@dataclass(frozen=True)
class Unmet:
    """A literal that does not hold when it must, in PDDL.

    `lost_at` is the number of the step that made it false; where no step did but the problem itself, at a certain
    time, that is `lost_time`. Both are None when it was not true at any time before. `hint` says what would make it
    true, empty when that is not known. `values` are those of the numbers in it, when it must hold.
    """

    literal: str
    lost_at: int | None
    hint: str
    lost_time: float | None = None
    values: tuple[Value, ...] = ()


@dataclass(frozen=True)
class Further:
    """A later `step` that would fail too, the goal where it is None: a message, the literals that do not hold,
    and what the numbers in these are."""

    step: int | None
    message: str
    unmet: tuple[str, ...] = ()
    values: tuple[Value, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What became of a plan of `length` steps.

    `failed_at` is the number of the step that cannot be taken, from 1; None when the plan is valid or only its goal
    is missed. `message` is empty when it is valid. `cost` is the value of the problem's metric, None without one.
    `changes` are the literals that each step made true, as far as the plan was followed. `further` is what else would
    fail if the step that cannot be taken were done all the same; empty where times are judged. `repair` is what would
    make the whole plan valid, empty where that was not looked for or not found. `rounded` are the numbers of the steps
    of a valid plan whose times are not quite the printed ones, but round to them.
    """

    valid: bool
    length: int
    failed_at: int | None = None
    message: str = ""
    unmet: tuple[Unmet, ...] = ()
    cost: float | None = None
    changes: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    further: tuple[Further, ...] = ()
    repair: Repair = field(default_factory=Repair)
    rounded: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Judge:
    """Judges plans of one problem, any number of them, one after the other."""

    simulator: Simulator

    @classmethod
    def of(cls, problem: Any) -> Judge:
        """InputError for a problem that the simulator does not support, with what it does not."""
        return cls(Simulator.of(problem))

    @property
    def problem(self) -> Any:
        """unified-planning's own Problem."""
        return self.simulator.problem

    def judge(self, actions: Sequence[Any], trace: bool = False) -> Verdict:
        """Follow ActionInstances from the initial state. With `trace` the verdict has the changes."""
        length, changes = len(actions), list[tuple[str, ...]]()
        with _long_plans():
            states = [self.simulator.initial()]
            for number, action in enumerate(actions, 1):
                unmet, after, message = self.simulator.step(states[-1], action)
                if after is None:
                    lacking = self._explain(unmet, states, action)
                    rest = tuple(self._further(actions, number, states[-1]))
                    said = message or needs_of(lacking)
                    return Verdict(False, length, number, said, lacking, None, tuple(changes), rest)
                states.append(after)
                if trace:
                    changes.append(changed(self.problem, action, *states[-2:]))
            lacking = self._explain(unheld(self.problem, self.problem.goals, states[-1]), states)
            cost = self.simulator.cost(actions, states)
        return Verdict(not lacking, length, None, needs_of(lacking) if lacking else "", lacking, cost, tuple(changes))

    def _explain(self, conditions: Sequence[Any], states: Sequence[Any], step: Any = None) -> tuple[Unmet, ...]:
        """What is known of conditions that are false in the last of the states."""
        most = MOST_TRIED // max(1, min(len(conditions), MOST_HINTS))
        lost = [_lost_at(self.problem, c, states) for c in conditions]
        return tuple(
            Unmet(
                written(c),
                at,
                self._hint(states[-1], c, step, most) if number < MOST_HINTS else "",
                values=values_in(self.problem, c, states[-1]),
            )
            for number, (c, at) in enumerate(zip(conditions, lost, strict=True))
        )

    def _hint(self, state: Any, condition: Any, step: Any, most: int) -> str:
        """What makes a condition true that is false in a state, in words; empty for what is no literal.

        At most so many ground actions are tried. Better than any is an action after which `step`, which needs the
        condition, can be taken.
        """
        literal, after = literal_of(condition), self.simulator.after
        if literal is None:
            return ""
        producers = list(_producers(self.problem, literal, () if step is None else step.actual_parameters))
        if not producers:
            return "no operator makes it true"
        candidates = itertools.chain.from_iterable(producers)
        tried = list(itertools.islice(candidates, most))
        states = ((action, after(state, action)) for action in tried)
        helpful = [(a, s) for a, s in states if s is not None and not unheld(self.problem, [condition], s)]
        if helpful:
            enabling = (a for a, s in helpful if step is not None and after(s, step) is not None)
            return f"{shown(next(enabling, helpful[0][0]))} makes it true and can be done there"
        return "no action that can be done there makes it true" if next(candidates, None) is None else ""

    def _further(self, actions: Sequence[Any], failed: int, state: Any) -> Iterator[Further]:
        """What else would be wrong if step `failed`, which cannot be taken in `state`, were done all the same, and so
        each of the later ones."""
        state, found = self.simulator.force(state, actions[failed - 1]), 0
        for number, action in enumerate(actions[failed:], failed + 1):
            lacking, after, message = self.simulator.step(state, action)
            if after is None:
                yield self._lacking(number, message, lacking, state)
                found += 1
                if found == MOST_FURTHER:
                    return
            state = after if after is not None else self.simulator.force(state, action)
        if missed := unheld(self.problem, self.problem.goals, state):
            yield self._lacking(None, "", missed, state)

    def _lacking(self, step: int | None, message: str, lacking: Sequence[Any], state: Any) -> Further:
        literals = tuple(map(written, lacking))
        values = tuple(dict.fromkeys(v for c in lacking for v in values_in(self.problem, c, state)))
        return Further(step, message or needs(literals, values), literals, values)


def needs_of(unmet: Sequence[Unmet]) -> str:
    """What is missing, in words, with what the numbers in it are."""
    return needs([u.literal for u in unmet], (v for u in unmet for v in u.values))


def changed(problem: Any, action: Any, before: Any, after: Any) -> tuple[str, ...]:
    """The literals that an ActionInstance made true between two states, and the numbers that it changed, in PDDL."""
    given, literals = given_to(action), []
    for effect in action.action.effects:
        for one in effect.expand_effect(problem):
            fluent = one.fluent.substitute(given)
            value = after.get_value(fluent)
            if value == before.get_value(fluent):
                continue
            if not value.is_bool_constant():
                literals.append(f"(= {written(fluent)} {value})")
            else:
                literals.append(written(fluent) if value.is_true() else f"(not {written(fluent)})")
    return tuple(dict.fromkeys(literals))


def _producers(problem: Any, literal: Literal, near: Sequence[Any]) -> Iterator[Iterator[Any]]:
    """The ActionInstances of each operator with an effect that may make a literal true; of arguments that this leaves
    open, those that are `near` come first."""
    from unified_planning.plans import ActionInstance

    manager = problem.environment.expression_manager
    for operator in problem.actions:
        for effect in operator.effects:
            given = given_by(effect, literal)
            if given is not None:
                choices = [[manager.ObjectExp(o) for o in problem.objects(p.type)] for p in operator.parameters]
                for parameter, there in zip(operator.parameters, choices, strict=True):
                    there.sort(key=lambda o: o not in near)
                    there[:] = [o for o in there if o == given.get(parameter, o)]
                yield map(partial(ActionInstance, operator), itertools.product(*choices))


def given_by(effect: Any, literal: Literal) -> dict[Any, Any] | None:
    """What an operator's parameters have to be for an effect to make a literal true; None where it cannot."""
    atom, wanted = literal
    if effect.fluent.fluent() != atom.fluent() or not effect.is_assignment():
        return None
    if effect.value.is_bool_constant() and effect.value.bool_constant_value() != wanted:
        return None
    given: dict[Any, Any] = {}
    for part, named in zip(effect.fluent.args, atom.args, strict=True):
        if part.is_parameter_exp():
            fits = part.type.is_compatible(named.type)
            if not fits or given.setdefault(part.parameter(), named) != named:
                return None
        elif not part.is_variable_exp() and part != named:  # a variable of a forall can be any object
            return None
    return given


def _lost_at(problem: Any, condition: Any, states: Sequence[Any]) -> int | None:
    """The number of the last step before which a condition held that is false in the last state; None without one.

    `states[n]` is the one after `actions[:n]`."""
    numbers = range(len(states) - 1, 0, -1)
    return next((n for n in numbers if not unheld(problem, [condition], states[n - 1])), None)


@contextmanager
def _long_plans() -> Iterator[None]:
    """unified-planning copies the whole state every 20 steps; every 200 makes long plans three times faster."""
    from unified_planning.model import UPState

    before = UPState.MAX_ANCESTORS
    UPState.MAX_ANCESTORS = 200
    try:
        yield
    finally:
        UPState.MAX_ANCESTORS = before
