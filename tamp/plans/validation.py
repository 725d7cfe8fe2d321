"""A plan followed in symbols, step by step: what holds after each step, and what is missing before one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from tamp.errors import InputError
from tamp.model.atoms import GroundAction
from tamp.pddl.conditions import unheld, written
from tamp.pddl.reading import reason as told
from tamp.plans.further import needs


@dataclass(frozen=True)
class Fault:
    """What is wrong with a step: `kind` is `precondition` or `loop`, `literals` are those that do not hold."""

    kind: str
    message: str
    literals: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Course:
    """A plan for unified-planning's own Problem as far as it was followed: the states so far, the last one now."""

    problem: Any
    states: tuple[Any, ...]
    _simulator: Any = field(repr=False)

    @classmethod
    def of(cls, problem: Any) -> Course:
        """At the problem's initial state."""
        from unified_planning.engines import UPSequentialSimulator
        from unified_planning.exceptions import UPException

        try:
            simulator = UPSequentialSimulator(problem)
        except UPException as e:
            raise InputError(f"plans for {problem.name} cannot be followed: {told(e)}") from e
        return cls(problem, (simulator.get_initial_state(),), simulator)

    def now(self) -> Any:
        """The problem of what is left: how things are now, and the same goal."""
        if len(self.states) == 1:
            return self.problem
        left = self.problem.clone()
        for fluent in self.problem.initial_values:
            left.set_initial_value(fluent, self.states[-1].get_value(fluent))
        return left

    def unmet(self, action: GroundAction) -> tuple[str, ...]:
        """The literals of an action's precondition that do not hold now, in PDDL."""
        operator = self.problem.action(action.name)
        given = dict(zip(operator.parameters, map(self._object, action.args), strict=True))
        return self._unheld(p.substitute(given) for p in operator.preconditions)

    def missing(self) -> tuple[str, ...]:
        """The literals of the goal that do not hold now, in PDDL."""
        return self._unheld(self.problem.goals)

    def follow(self, action: GroundAction) -> Course | Fault:
        """The course after one more step; a Fault when it cannot be taken, or leads back to an earlier state."""
        from unified_planning.exceptions import UPException

        if unmet := self.unmet(action):
            return Fault("precondition", f"{action} {needs(unmet)}", unmet)
        arguments = [self._object(a) for a in action.args]
        try:
            after = self._simulator.apply(self.states[-1], self.problem.action(action.name), arguments)
        except UPException as e:
            return Fault("precondition", f"{action} cannot be done: {told(e)}")
        if after is None:
            return Fault("precondition", f"{action} cannot be done: its effects contradict each other")
        if after in self.states:
            return Fault("loop", f"{action} {self._back_to(self.states.index(after))}")
        return replace(self, states=(*self.states, after))

    def _unheld(self, conditions: Iterable[Any]) -> tuple[str, ...]:
        return tuple(map(written, unheld(self.problem, conditions, self.states[-1])))

    def _back_to(self, step: int) -> str:
        if step == len(self.states) - 1:
            return "changes nothing"
        return f"leads back to how things were {f'after step {step}' if step else 'at the start'}"

    def _object(self, name: str) -> Any:
        return self.problem.environment.expression_manager.ObjectExp(self.problem.object(name))


def reaches(actions: Iterable[GroundAction], problem: Any) -> bool:
    """Whether these actions, in order, lead to the goal."""
    course = Course.of(problem)
    for action in actions:
        followed = course.follow(action)
        if isinstance(followed, Fault):
            return False
        course = followed
    return not course.missing()
