"""A plan's mend as a planning problem: to go through the plan costs nothing, and each change of it does.

In each state either a mark is chosen, which says what becomes of the plan's next step or that there is one more, or the
operator is done that a mark has asked for: any, or that of one step. So an engine that finds the cheapest plan finds
the fewest changes after which the plan reaches the goal.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from tamp.model.atoms import GroundAction
from tamp.pddl.decided import settled, undecided, without_idle_effects
from tamp.planners.compiling import without_metric
from tamp.plans.edits import Edit

CHANGE = 1000
"""What a change costs. Of as many changes those are taken that keep the plan's own steps, then those that give a step
another argument, then those that add one."""
_OTHER_ARGUMENT, _ADDED, _OTHER = CHANGE + 1, CHANGE + 2, CHANGE + 3

Kind = Literal["keep", "skip", "late", "ahead", "pass", "add", "instead"]
"""What becomes of the next step: it is done; left out, and perhaps done later; done ahead of those before it, and then
passed; or another action is done, before it or in its place."""


class Mark(NamedTuple):
    """A choice, and the step that it is about, from 0."""

    kind: Kind
    step: int = -1


@dataclass(frozen=True, eq=False)
class Repair:
    """The problem to ask an engine, with what its actions stand for: marks, and operators of the given problem."""

    problem: Any
    marks: Mapping[str, Mark]
    operators: Mapping[str, str]

    def edits(self, found: Sequence[GroundAction]) -> tuple[Edit, ...]:
        """The changes that a plan for the problem stands for."""
        mark, here, edits = Mark("keep"), 0, list[Edit]()
        late = {m.step for a in found if (m := self.marks.get(a.name)) and m.kind == "late"}
        for action in found:
            if action.name in self.marks:
                mark = self.marks[action.name]
                if mark.kind == "skip" and mark.step not in late:
                    edits.append(Edit("leave out", mark.step + 1))
                here += mark.kind in ("keep", "skip", "pass", "instead")
                continue
            text = str(GroundAction(self.operators[action.name], action.args))
            if mark.kind in ("late", "ahead"):
                edits.append(Edit("move", mark.step + 1, text, here + 1))
            elif mark.kind == "add":
                edits.append(Edit("add", None, text, here + 1))
            elif mark.kind == "instead":
                edits.append(Edit("replace", mark.step + 1, text))
        return tuple(edits)


def repair(problem: Any, steps: Sequence[Any], meant: Mapping[int, Sequence[tuple[float, Any]]]) -> Repair:
    """For a plan whose steps are ActionInstances. One that is None cannot be kept; `meant` has for its number, from 0,
    what it may stand for, each with how much of it is written differently."""
    made = _Made(_plain(problem), len(steps))
    for i, step in enumerate(steps):
        made.leave_out(i, step)
        if step is not None:
            made.keep(i, step)
        for different, action in meant.get(i, ()):
            made.replace(i, cost_of(different), made.asks(action))
    return made.done()


def cost_of(different: float) -> int:
    """What it costs that a step that cannot be read stands for an action written that differently: less than a change,
    which it is anyway."""
    return round(CHANGE * different / (1 + different))


def _plain(problem: Any) -> Any:
    """A copy without costs, without quantifiers in its conditions, and without effects that never come about."""
    from unified_planning.engines import CompilationKind
    from unified_planning.shortcuts import Compiler

    with Compiler(name="up_quantifiers_remover") as compiler:
        compiler.skip_checks = True
        bare = without_idle_effects(without_metric(problem))
        return settled(compiler.compile(bare, CompilationKind.QUANTIFIERS_REMOVING).problem).clone()


@dataclass(eq=False)
class _Made:
    """The problem as far as it is made, for a plan of so many steps.

    `next[i]` is true while step `i` is next, `due[i]` until something has become of it, `loose[i]` when it was left
    out; `ready` for a mark, `free` for any operator, `asked` for one with certain arguments.
    """

    problem: Any
    length: int
    marks: dict[str, Mark] = field(default_factory=dict)
    operators: dict[str, str] = field(default_factory=dict)
    costs: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = list(self.problem.actions)
        self.next = [self._fact(f"next-{i}", i == 0) for i in range(self.length + 1)]
        self.due = [self._fact(f"due-{i}", True) for i in range(self.length)]
        self.loose = [self._fact(f"loose-{i}") for i in range(self.length)]
        self.ready, self.free = self._fact("ready", True), self._fact("free")
        self.asked = {action.name: self._twice(action) for action in own}
        self._mark(Mark("add"), _ADDED, [], {self.free: True, self.ready: False})

    def asks(self, action: Any) -> Any:
        """The fact that asks for an ActionInstance."""
        return self.asked[action.action.name](*action.actual_parameters)

    def leave_out(self, i: int, step: Any) -> None:
        """Step `i` left out, for good or to be done later; and any other in its place."""
        self._mark(Mark("skip", i), CHANGE, self._here(i), self._past(i) | {self.loose[i]: step is not None})
        self.replace(i, _OTHER, self.free)

    def replace(self, i: int, cost: int, asks: Any, parameters: Sequence[Any] = ()) -> None:
        """In place of step `i` what is asked for."""
        effects = self._past(i) | {asks: True, self.ready: False}
        self._mark(Mark("instead", i), cost, self._here(i), effects, parameters)

    def keep(self, i: int, step: Any) -> None:
        """Step `i` as it is, late, ahead of others, or with another argument."""
        asks = {self.asks(step): True, self.ready: False}
        self._mark(Mark("keep", i), 0, self._here(i), self._past(i) | asks)
        self._mark(Mark("late", i), 0, [self.loose[i]], {self.loose[i]: False, **asks})
        self._mark(Mark("ahead", i), CHANGE, [self.due[i]], {self.due[i]: False, **asks})
        gone = self.problem.environment.expression_manager.Not(self.due[i])
        self._mark(Mark("pass", i), 0, [self.next[i], gone], self._past(i))
        for n, parameter in enumerate(step.action.parameters):
            self._other_argument(i, step, n, parameter.type)

    def done(self) -> Repair:
        """The problem with its goal, and with what each change costs."""
        from unified_planning.shortcuts import MinimizeActionCosts

        self.problem.add_goal(self.next[self.length])
        self.problem.add_goal(self.ready)
        self.problem.add_quality_metric(MinimizeActionCosts(self.costs, environment=self.problem.environment))
        return Repair(undecided(self.problem), self.marks, self.operators)

    def _here(self, i: int) -> list[Any]:
        return [self.next[i], self.due[i]]

    def _past(self, i: int) -> dict[Any, bool]:
        return {self.next[i]: False, self.next[i + 1]: True, self.due[i]: False}

    def _other_argument(self, i: int, step: Any, n: int, kind: Any) -> None:
        from unified_planning.shortcuts import Parameter

        other = Parameter("x", kind, self.problem.environment)
        args = [*step.actual_parameters[:n], other, *step.actual_parameters[n + 1 :]]
        self.replace(i, _OTHER_ARGUMENT, self.asked[step.action.name](*args), [other])

    def _twice(self, action: Any) -> Any:
        """Have an operator done where any may be, and a copy of it where it is asked for: the fact that asks for it."""
        from unified_planning.shortcuts import BoolType, Fluent

        given = {p.name: p.type for p in action.parameters}
        asked = Fluent(self._name(f"asked-{action.name}"), BoolType(), environment=self.problem.environment, **given)
        self.problem.add_fluent(asked, default_initial_value=False)
        copy = action.clone()
        copy.name = self._name(f"{action.name}-asked")
        for one, fact in ((action, self.free), (copy, asked(*action.parameters))):
            one.add_precondition(fact)
            one.add_effect(fact, False)
            one.add_effect(self.ready, True)
            self.operators[one.name] = action.name
            self.costs[one] = self._number(0)
        self.problem.add_action(copy)
        return asked

    def _mark(
        self, mark: Mark, cost: int, needs: Sequence[Any], effects: Mapping[Any, bool], parameters: Sequence[Any] = ()
    ) -> None:
        from unified_planning.shortcuts import InstantaneousAction

        given = {p.name: p.type for p in parameters}
        name = self._name(f"{mark.kind}-{mark.step}")
        action = InstantaneousAction(name, _env=self.problem.environment, **given)
        for fact in (self.ready, *needs):
            action.add_precondition(fact)
        for fact, value in effects.items():
            action.add_effect(fact, value)
        self.problem.add_action(action)
        self.marks[name], self.costs[action] = mark, self._number(cost)

    def _fact(self, name: str, value: bool = False) -> Any:
        from unified_planning.shortcuts import BoolType, Fluent

        fact = Fluent(self._name(name), BoolType(), environment=self.problem.environment)
        self.problem.add_fluent(fact, default_initial_value=value)
        return fact()

    def _number(self, value: int) -> Any:
        return self.problem.environment.expression_manager.Int(value)

    def _name(self, name: str) -> str:
        """A name that the problem has not."""
        numbers = itertools.count(2)
        free = name
        while self.problem.has_name(free):
            free = f"{name}-{next(numbers)}"
        return free
