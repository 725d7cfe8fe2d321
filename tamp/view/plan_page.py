"""The pages of plans that were judged, which are followed step by step, and of a scene."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import Any

from tamp.errors import InputError
from tamp.pddl.conditions import given_to, unheld, written
from tamp.pddl.judges import PlanJudge
from tamp.pddl.plan_file import PlanFile
from tamp.pddl.plan_names import resolve
from tamp.pddl.simulation import Simulator
from tamp.pddl.timed_verdict import TimedJudge
from tamp.pddl.verdict import Verdict, changed
from tamp.view.page_layout import Layout

SCRIPTS = ("common.js",)
MOST_STEPS = 100
"""Steps that are followed: since when a condition holds takes a look at every step before."""


@dataclass(frozen=True)
class Need:
    """A literal that has to hold, in PDDL, whether it does, and the step that made it so: 0 at the start, None where it
    does not hold."""

    literal: str
    holds: bool
    by: int | None


@dataclass(frozen=True)
class StepAccount:
    """What a step needs, and the literals that it makes true. `number` counts from 1."""

    number: int
    action: str
    needs: tuple[Need, ...]
    makes: tuple[str, ...]


@dataclass(frozen=True)
class PlanAccount:
    """A plan as far as it is followed, `MOST_STEPS` at most; `left_out` steps are not. `rows` are the facts that a step
    changes, in the order in which they change, with their values at the start and after each step."""

    steps: tuple[StepAccount, ...] = ()
    goal: tuple[Need, ...] = ()
    rows: tuple[tuple[str, tuple[str, ...]], ...] = ()
    left_out: int = 0


@dataclass(frozen=True)
class JudgedPlan:
    """A plan that was judged: its verdict as lines for people, and what its steps need and make true.

    `valid` is None for one that cannot be read. `failed` are the numbers of the steps that cannot be taken, the first
    one first. `repairs` are literals that are missing and what would make them true; `whole` is what would make the
    whole plan valid. `why_no_account` says why there is no account of the steps.
    """

    name: str
    valid: bool | None
    lines: tuple[str, ...]
    failed: tuple[int, ...] = ()
    repairs: tuple[tuple[str, str], ...] = ()
    whole: str = ""
    account: PlanAccount = field(default_factory=PlanAccount)
    why_no_account: str = ""

    @classmethod
    def of(cls, plan: PlanFile, verdict: Verdict, judge: PlanJudge, lines: Sequence[str]) -> JudgedPlan:
        """A plan with its verdict, of which `lines` are the words."""
        followed, why_not = PlanAccount(), ""
        if isinstance(judge, TimedJudge):
            why_not = "It is judged by the clock: facts change within its steps, so there is no table."
        else:
            try:
                followed = account(judge.problem, resolve(plan, judge.problem))
            except InputError as e:
                why_not = str(e)
        later = [f.step for f in verdict.further if f.step is not None]
        failed = () if verdict.failed_at is None else (verdict.failed_at, *later)
        repairs = tuple((u.literal, u.hint) for u in verdict.unmet)
        return cls(plan.name, verdict.valid, tuple(lines), failed, repairs, verdict.mend, followed, why_not)

    @property
    def state(self) -> str:
        """The verdict in a word."""
        return "invalid" if self.valid is False else "valid" if self.valid else "cannot be read"


def plan_page(domain: str, problem: str, plans: Sequence[JudgedPlan], layout: Layout) -> str:
    """The page of plans of one domain and problem; of several the first one that is not valid is unfolded."""
    unfolded = next((n for n, p in enumerate(plans) if not p.valid), 0)
    shown: dict[str, Any] = {"domain": domain, "problem": problem, "plans": plans, "unfolded": unfolded}
    good = sum(p.valid is True for p in plans)
    return layout.page("plan.html.j2", SCRIPTS, {}, title=f"{good} of {len(plans)} plans valid", **shown)


def scene_page(scene: Mapping[str, Any], called: Mapping[str, str], picture: bytes, layout: Layout) -> str:
    """The page of a `scene` as plain data; what each symbol is `called`, and a `picture`, a PNG."""
    shown: dict[str, Any] = {"scene": scene, "called": called, "picture": b64encode(picture).decode()}
    return layout.page("scene.html.j2", SCRIPTS, {}, title=str(scene["scene"]), **shown)


def account(problem: Any, actions: Sequence[Any]) -> PlanAccount:
    """Follow ActionInstances of unified-planning's own Problem from its initial state, each done whatever it lacks."""
    followed = actions[:MOST_STEPS]
    fluents = list(dict.fromkeys(fluent for a in followed for fluent in _changed_by(problem, a)))
    simulator = Simulator.of(problem)
    states = list(accumulate(followed, simulator.force, initial=simulator.initial()))

    @cache
    def holds(condition: Any, before: int) -> bool:
        return not unheld(problem, [condition], states[before])

    def need(condition: Any, before: int) -> Need:
        if not holds(condition, before):
            return Need(written(condition), False, None)
        made = (n for n in range(before, 0, -1) if not holds(condition, n - 1))
        return Need(written(condition), True, next(made, 0))

    steps = tuple(
        StepAccount(
            n + 1,
            f"({' '.join((a.action.name, *map(str, a.actual_parameters)))})",
            tuple(need(c, n) for c in _conditions(problem, a)),
            () if states[n] is states[n + 1] else changed(problem, a, *states[n : n + 2]),
        )
        for n, a in enumerate(followed)
    )
    left_out = len(actions) - len(followed)
    goal = () if left_out else tuple(need(c, len(followed)) for c in _parts(problem.goals))
    rows = [(written(f), tuple(_value(f, state) for state in states)) for f in fluents]
    rows = sorted((row for row in rows if len({*row[1]}) > 1), key=lambda row: (_first_change(row[1]), row[0]))
    return PlanAccount(steps, goal, tuple(rows), left_out)


def _parts(conditions: Sequence[Any]) -> Iterator[Any]:
    """Conditions with conjunctions taken apart."""
    for c in conditions:
        if c.is_and():
            yield from _parts(c.args)
        else:
            yield c


def _conditions(problem: Any, action: Any) -> list[Any]:
    """An action's precondition in parts; those that no state changes, as that two things differ, are left out."""
    given, variables = given_to(action), problem.environment.free_vars_extractor
    parts = _parts([c.substitute(given) for c in action.action.preconditions])
    return [c for c in dict.fromkeys(parts) if c.is_forall() or variables.get(c)]


def _changed_by(problem: Any, action: Any) -> Iterator[Any]:
    """The facts and numbers that an action may change."""
    for effect in action.action.effects:
        for one in effect.expand_effect(problem):
            yield one.fluent.substitute(given_to(action))


def _value(fluent: Any, state: Any) -> str:
    from unified_planning.exceptions import UPUsageError

    try:
        value = state.get_value(fluent)
    except UPUsageError:
        return "no value"
    return ("true" if value.bool_constant_value() else "false") if value.is_bool_constant() else str(value)


def _first_change(values: Sequence[str]) -> int:
    return next(n for n, value in enumerate(values) if value != values[0])
