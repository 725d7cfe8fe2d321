"""Whether a plan reaches the goal, and if not: the step that fails, what it lacks, who took that away, what would help.

unified-planning's simulator follows the plan; this module explains.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tamp.errors import InputError
from tamp.pddl.conditions import Value, given_to, unheld, values_in, written
from tamp.pddl.reading import reason
from tamp.plans.causes import changed, lost_at
from tamp.plans.edits import Mend
from tamp.plans.further import Anyway, Further, further, needs
from tamp.plans.mends import mend
from tamp.plans.repair import MOST_TRIED, hint
from tamp.plans.steps import PlanFile
from tamp.plans.twice import twice

MOST_HINTS = 10
"""Literals for which a repair is looked for: a plan that misses more is not mended by one action each."""


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
class Verdict:
    """What became of a plan of `length` steps.

    `failed_at` is the number of the step that cannot be taken, from 1; None when the plan is valid or only its goal
    is missed. `message` is empty when it is valid. `cost` is the value of the problem's metric, None without one.
    `changes` are the literals that each step made true, as far as the plan was followed. `further` is what else would
    fail if the step that cannot be taken were done all the same; empty where times are judged. `mended` is what would
    make the whole plan valid, empty when nothing is known that would. `rounded` are the numbers of the steps of a valid
    plan whose times are not quite the printed ones, but round to them.
    """

    valid: bool
    length: int
    failed_at: int | None = None
    message: str = ""
    unmet: tuple[Unmet, ...] = ()
    cost: float | None = None
    changes: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    further: tuple[Further, ...] = ()
    mended: Mend = field(default_factory=Mend)
    rounded: tuple[int, ...] = ()

    @property
    def mend(self) -> str:
        """What would make the whole plan valid, in words; empty when nothing is known that would."""
        return self.mended.words


@dataclass(eq=False)
class Judge:
    """Judges plans of one problem, any number of them, one after the other."""

    problem: Any
    _simulator: Any = field(repr=False)
    _anyway: Anyway | None = field(default=None, repr=False)

    @classmethod
    def of(cls, problem: Any) -> Judge:
        """InputError for a problem that the simulator does not support, with what it does not."""
        from unified_planning.engines import UPSequentialSimulator

        supported(problem, UPSequentialSimulator.supported_kind())
        return cls(problem, _simulator(problem))

    def judge_steps(
        self, plan: PlanFile, actions: Sequence[Any], trace: bool = False, tries: int | None = None
    ) -> Verdict:
        """The verdict on a plan's steps, which `actions` are, one after the other whatever times they have."""
        return self.judge(actions, trace, tries)

    def judge(self, actions: Sequence[Any], trace: bool = False, tries: int | None = None) -> Verdict:
        """Follow ActionInstances from the initial state. With `trace` the verdict has the changes. `tries` is how many
        steps are simulated to mend the plan, see `tamp.plans.mends`."""
        changes: list[tuple[str, ...]] = []
        with _long_plans():
            states = [self._simulator.get_initial_state()]
            for number, action in enumerate(actions, 1):
                unmet, after, message = self._tried(states[-1], action)
                if after is None:
                    told = self._explain(unmet, states, actions, action)
                    message = message or told_needs(told)
                    self._anyway = self._anyway or Anyway.of(self.problem)
                    rest = further(self._anyway, actions, number, states[-1], self._tried)
                    mended = self._mended(actions, states, unmet, action, tries)
                    return Verdict(False, len(actions), number, message, told, None, tuple(changes), rest, mended)
                states.append(after)
                if trace:
                    changes.append(changed(self.problem, action, *states[-2:]))
            missed = unheld(self.problem, self.problem.goals, states[-1])
            told = self._explain(missed, states, actions)
            mended = self._mended(actions, states, missed, None, tries) if missed else Mend()
            cost = self._cost(actions, states)
        message = told_needs(told) if told else ""
        return Verdict(not told, len(actions), None, message, told, cost, tuple(changes), (), mended)

    def mended_twice(self, plan: PlanFile, actions: Sequence[Any], seconds: float) -> Mend:
        """Two changes of a plan that is not valid, found by simulation, see `tamp.plans.twice`."""
        return twice(self.problem, self._after, self._simulator.get_initial_state(), plan, actions, seconds)

    def _mended(
        self, actions: Sequence[Any], states: Sequence[Any], unmet: Sequence[Any], step: Any, tries: int | None
    ) -> Mend:
        """One change after which the whole plan was followed to the goal."""
        return mend(self.problem, self._after, actions, states, unmet, step, tries)

    def _after(self, state: Any, action: Any) -> Any:
        """The state after an action as `_tried` has it, without what it lacks: sooner where it cannot be done."""
        from unified_planning.exceptions import UPException, UPInvalidActionError

        try:
            if self._simulator.get_unsatisfied_conditions(state, action, early_termination=True)[0]:
                return None
        except UPInvalidActionError:  # `_step` knows what to make of it
            pass
        except (UPException, ArithmeticError):
            self._simulator = _simulator(self.problem)
            return None
        return self._tried(state, action)[1]

    def _tried(self, state: Any, action: Any) -> tuple[list[Any], Any, str]:
        """What an action lacks in a state, the state after it, None when it cannot be done, and why in words."""
        from unified_planning.exceptions import UPException

        try:
            return *self._step(state, action), ""
        except (UPException, ArithmeticError) as e:
            self._simulator = _simulator(self.problem)  # an evaluator is of no more use once it has raised
            return [], None, undoable(e)

    def _step(self, state: Any, action: Any) -> tuple[list[Any], Any]:
        """What an action lacks in a state, and the state after it, None when it lacks something.

        UPException when its effects contradict each other or are undefined.
        """
        from unified_planning.exceptions import UPInvalidActionError

        try:
            simplified, _ = self._simulator.get_unsatisfied_conditions(state, action)
            if not simplified:
                return [], self._simulator.apply_unsafe(state, action)
        except UPInvalidActionError:  # no ground action: its precondition is never true, or it changes nothing
            if unmet := self._unmet(action, state):
                return unmet, None
            if any(self._affects(effect, action, state) for effect in action.action.effects):
                raise
            return [], state
        return self._unmet(action, state) or simplified, None

    def _unmet(self, action: Any, state: Any) -> list[Any]:
        """The parts of an action's precondition that are false, as the domain has them."""
        return unheld(self.problem, [c.substitute(given_to(action)) for c in action.action.preconditions], state)

    def _affects(self, effect: Any, action: Any, state: Any) -> bool:
        """Whether an effect does anything when the action is done in a state."""
        conditions = [e.condition.substitute(given_to(action)) for e in effect.expand_effect(self.problem)]
        return any(not unheld(self.problem, [c], state) for c in conditions)

    def _explain(
        self, conditions: Sequence[Any], states: Sequence[Any], actions: Sequence[Any], step: Any = None
    ) -> tuple[Unmet, ...]:
        """What is known of conditions that are false in the last of the states."""
        most = MOST_TRIED // max(1, min(len(conditions), MOST_HINTS))
        lost = [lost_at(self.problem, c, actions, states) for c in conditions]
        return tuple(
            Unmet(
                written(c),
                at,
                hint(self._simulator, self.problem, states, c, step, most, at) if number < MOST_HINTS else "",
                values=values_in(self.problem, c, states[-1]),
            )
            for number, (c, at) in enumerate(zip(conditions, lost, strict=True))
        )

    def _cost(self, actions: Sequence[Any], states: Sequence[Any]) -> float | None:
        """The value of the problem's metric over a plan that was followed to its end."""
        from unified_planning.engines import sequential_simulator as up
        from unified_planning.exceptions import UPException

        metrics = self.problem.quality_metrics
        if len(metrics) != 1:
            return None
        try:
            value = up.evaluate_quality_metric_in_initial_state(self._simulator, metrics[0])
            for action, before, after in zip(actions, states, states[1:], strict=False):
                value = up.evaluate_quality_metric(
                    self._simulator, metrics[0], value, before, action.action, action.actual_parameters, after
                )
        except (UPException, NotImplementedError, ArithmeticError):  # not every metric can be evaluated
            return None
        return float(value)


def told_needs(unmet: Sequence[Unmet]) -> str:
    """What is missing, in words, with what the numbers in it are."""
    return needs([u.literal for u in unmet], (v for u in unmet for v in u.values))


def undoable(error: Exception) -> str:
    """What keeps a step from being done that unified-planning stumbles over, in words."""
    unknown = re.search(r"does not have a value for the value ([^()]+)(?:\(([^()]*)\))?$", str(error))
    if unknown:
        number = " ".join((unknown[1], *filter(None, (unknown[2] or "").split(", "))))
        return f"needs the value of ({number}), which has none then"
    if isinstance(error, ArithmeticError):
        return "divides by zero"
    return f"it cannot be done: {reason(error)}"


def supported(problem: Any, kind: Any) -> None:
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


def _simulator(problem: Any) -> Any:
    """unified-planning's own simulator. InputError for an initial state that breaks the problem's constraints."""
    from unified_planning.engines import UPSequentialSimulator
    from unified_planning.exceptions import UPException

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `supported` has told what is not
        try:
            simulator = UPSequentialSimulator(problem, error_on_failed_checks=False)
            simulator.get_initial_state()
        except UPException as e:
            raise InputError(f"plans for {problem.name} cannot be followed: {reason(e)}") from e
    return simulator


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
