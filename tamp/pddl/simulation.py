"""Simulate actions in symbols: what an action lacks in a state, and the state after it.

unified-planning's sequential simulator does the work. Judging a plan, looking for what would help it, and following one
that a model writes step by step all go through here.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tamp.errors import InputError
from tamp.model.atoms import GroundAction
from tamp.pddl.conditions import given_to, needs, unheld, written
from tamp.pddl.reading import reason


class Outcome(NamedTuple):
    """What an action came to: the conditions that it lacks, the state after it, None where it cannot be done, and why
    in words where that is not for lack of conditions."""

    unmet: list[Any]
    after: Any
    why: str = ""


@dataclass(eq=False)
class Simulator:
    """Simulates any number of plans of one problem. Actions are ActionInstances, states unified-planning's own."""

    problem: Any
    _engine: Any = field(repr=False)
    _unconditional: Simulator | None = field(default=None, repr=False)

    @classmethod
    def of(cls, problem: Any) -> Simulator:
        """InputError for a problem that unified-planning does not simulate, with what it does not support."""
        from unified_planning.engines import UPSequentialSimulator

        check_supported(problem, UPSequentialSimulator.supported_kind())
        return cls(problem, _engine(problem))

    def initial(self) -> Any:
        """The initial state."""
        return self._engine.get_initial_state()

    def states(self, actions: Iterable[Any]) -> list[Any]:
        """The initial state and that after each action, up to the first that cannot be done."""
        states = [self.initial()]
        for action in actions:
            after = self.after(states[-1], action)
            if after is None:
                break
            states.append(after)
        return states

    def without_superfluous(self, actions: Sequence[Any]) -> list[Any]:
        """The actions but for those without which, and without what then cannot be done, the goals are reached, too:
        action elimination (Nakhost and Müller, 2010)."""
        kept, state, n = list(actions), self.initial(), 0
        while n < len(kept):
            end, rest = state, list[Any]()
            for action in kept[n + 1 :]:
                if (after := self.after(end, action)) is not None:
                    end = after
                    rest.append(action)
            if self._engine.get_unsatisfied_goals(end):
                state, n = self.after(state, kept[n]), n + 1
            else:
                kept[n:] = rest
        return kept

    def after(self, state: Any, action: Any) -> Any:
        """The state after an action; None where it cannot be done. Faster than `step` where it cannot."""
        from unified_planning.exceptions import UPException, UPInvalidActionError

        try:
            if self._engine.get_unsatisfied_conditions(state, action, early_termination=True)[0]:
                return None
            return self._engine.apply_unsafe(state, action)
        except UPInvalidActionError:  # `_step` knows what to make of it
            return self.step(state, action).after
        except (UPException, ArithmeticError):
            self._engine = _engine(self.problem)  # an evaluator cannot be used again once it has raised
            return None

    def step(self, state: Any, action: Any) -> Outcome:
        """Do an action in a state."""
        from unified_planning.exceptions import UPException

        try:
            return Outcome(*self._step(state, action))
        except (UPException, ArithmeticError) as e:
            self._engine = _engine(self.problem)  # an evaluator cannot be used again once it has raised
            return Outcome([], None, undoable(e))

    def force(self, state: Any, action: Any) -> Any:
        """The state after an action whatever it needs; the same state where its effects contradict each other, are
        undefined, or are none."""
        from unified_planning.plans import ActionInstance

        if self._unconditional is None:
            free = self.problem.clone()
            for operator in free.actions:
                operator.clear_preconditions()
            self._unconditional = Simulator(free, _engine(free))
        free = self._unconditional
        own = ActionInstance(free.problem.action(action.action.name), action.actual_parameters)
        after = free.step(state, own).after
        return state if after is None else after

    def unmet(self, state: Any, action: Any) -> list[Any]:
        """The parts of an action's precondition that are false, as the domain has them."""
        return unheld(self.problem, [c.substitute(given_to(action)) for c in action.action.preconditions], state)

    def _step(self, state: Any, action: Any) -> tuple[list[Any], Any]:
        """UPException when effects contradict each other or are undefined."""
        from unified_planning.exceptions import UPInvalidActionError

        try:
            simplified, _ = self._engine.get_unsatisfied_conditions(state, action)
            if not simplified:
                return [], self._engine.apply_unsafe(state, action)
        except UPInvalidActionError:  # no ground action: its precondition is never true, or it changes nothing
            if unmet := self.unmet(state, action):
                return unmet, None
            if any(self._affects(effect, action, state) for effect in action.action.effects):
                raise
            return [], state
        return self.unmet(state, action) or simplified, None

    def _affects(self, effect: Any, action: Any, state: Any) -> bool:
        """Whether an effect does anything when the action is done in a state."""
        conditions = [e.condition.substitute(given_to(action)) for e in effect.expand_effect(self.problem)]
        return any(not unheld(self.problem, [c], state) for c in conditions)

    def cost(self, actions: Sequence[Any], states: Sequence[Any]) -> float | None:
        """The value of the problem's metric over a plan and the states it leads through; None where it has none, or one
        that cannot be evaluated."""
        from unified_planning.engines import sequential_simulator as up
        from unified_planning.exceptions import UPException

        metrics = self.problem.quality_metrics
        if len(metrics) != 1:
            return None
        try:
            value = up.evaluate_quality_metric_in_initial_state(self._engine, metrics[0])
            for action, before, after in zip(actions, states, states[1:], strict=False):
                value = up.evaluate_quality_metric(
                    self._engine, metrics[0], value, before, action.action, action.actual_parameters, after
                )
        except (UPException, NotImplementedError, ArithmeticError):
            return None
        return float(value)


def _engine(problem: Any) -> Any:
    """InputError for an initial state that breaks the problem's constraints."""
    from unified_planning.engines import UPSequentialSimulator
    from unified_planning.exceptions import UPException

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `check_supported` reports what is not supported
        try:
            simulator = UPSequentialSimulator(problem, error_on_failed_checks=False)
            simulator.get_initial_state()
        except UPException as e:
            raise InputError(f"plans for {problem.name} cannot be followed: {reason(e)}") from e
    return simulator


def check_supported(problem: Any, kind: Any) -> None:
    """InputError for a problem with features that the kind has not.

    A number that the initial state leaves open is none of these: it matters when a step asks for it.
    """
    try:
        features = problem.kind.features
    except ArithmeticError as e:
        raise InputError(f"plans for {problem.name} cannot be followed: it divides by zero, whatever is done") from e
    lacking = features - kind.features - {"UNDEFINED_INITIAL_NUMERIC", "UNDEFINED_INITIAL_SYMBOLIC"}
    if lacking:
        shown = ", ".join(sorted(f.lower().replace("_", " ") for f in lacking))
        raise InputError(f"plans for {problem.name} cannot be followed: unified-planning does not support {shown} here")


def undoable(error: Exception) -> str:
    """Why a step cannot be done on which unified-planning raised an error, in words."""
    unknown = re.search(r"does not have a value for the value ([^()]+)(?:\(([^()]*)\))?$", str(error))
    if unknown:
        number = " ".join((unknown[1], *filter(None, (unknown[2] or "").split(", "))))
        return f"needs the value of ({number}), which has none then"
    if isinstance(error, ArithmeticError):
        return "divides by zero"
    return f"it cannot be done: {reason(error)}"


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
    _simulator: Simulator = field(repr=False)

    @classmethod
    def of(cls, problem: Any) -> Course:
        """At the problem's initial state. InputError as `Simulator.of`."""
        simulator = Simulator.of(problem)
        return cls(problem, (simulator.initial(),), simulator)

    def now(self) -> Any:
        """The problem of what is left: the state as it is now, and the same goal."""
        return self.problem if len(self.states) == 1 else problem_from(self.problem, self.states[-1])

    def unmet(self, action: GroundAction) -> tuple[str, ...]:
        """The literals of an action's precondition that do not hold now, in PDDL."""
        return tuple(map(written, self._simulator.unmet(self.states[-1], instance(self.problem, action))))

    def missing(self) -> tuple[str, ...]:
        """The literals of the goal that do not hold now, in PDDL."""
        return tuple(map(written, unheld(self.problem, self.problem.goals, self.states[-1])))

    def follow(self, action: GroundAction) -> Course | Fault:
        """The course after one more step; a Fault when it cannot be taken, or leads back to an earlier state."""
        unmet, after, why = self._simulator.step(self.states[-1], instance(self.problem, action))
        if after is None:
            literals = tuple(map(written, unmet))
            return Fault("precondition", f"{action} {why or needs(literals)}", literals)
        if after in self.states:
            return Fault("loop", f"{action} {self._back_to(self.states.index(after))}")
        return replace(self, states=(*self.states, after))

    def _back_to(self, step: int) -> str:
        if step == len(self.states) - 1:
            return "changes nothing"
        return f"leads back to how things were {f'after step {step}' if step else 'at the start'}"


def instance(problem: Any, action: GroundAction) -> Any:
    """unified-planning's ActionInstance of a ground action."""
    from unified_planning.plans import ActionInstance

    manager = problem.environment.expression_manager
    arguments = tuple(manager.ObjectExp(problem.object(name)) for name in action.args)
    return ActionInstance(problem.action(action.name), arguments)


def problem_from(problem: Any, state: Any) -> Any:
    """A copy of a problem that begins in another state."""
    copy = problem.clone()
    for fluent in problem.initial_values:
        copy.set_initial_value(fluent, state.get_value(fluent))
    return copy


def reaches(actions: Iterable[GroundAction], problem: Any) -> bool:
    """Whether these actions, in order, lead to the goal without passing through one state twice."""
    course = Course.of(problem)
    for action in actions:
        followed = course.follow(action)
        if isinstance(followed, Fault):
            return False
        course = followed
    return not course.missing()
