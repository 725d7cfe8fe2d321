"""The pages of plans that were judged, which are followed step by step, and of a scene."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from tamp.errors import InputError
from tamp.pddl.conditions import given_to, written
from tamp.pddl.judges import PlanJudge, TimedJudge
from tamp.pddl.plan_file import PlanFile, resolve
from tamp.pddl.simulation import Simulator
from tamp.pddl.verdict import Verdict
from tamp.view.page_layout import Layout

SCRIPTS = ("common.js",)
MOST_STEPS = 100
"""Steps that a table has."""


@dataclass(frozen=True)
class FactTable:
    """A plan as far as it is followed, `MOST_STEPS` at most; `left_out` steps are not. `rows` are the facts that a step
    changes, in the order in which they change, with their values at the start and after each step."""

    steps: tuple[str, ...] = ()
    rows: tuple[tuple[str, tuple[str, ...]], ...] = ()
    left_out: int = 0


@dataclass(frozen=True)
class JudgedPlan:
    """A plan that was judged: its verdict as lines for people, and what its steps change.

    `valid` is None for one that cannot be read. `failed` are the numbers of the steps that cannot be taken, the first
    one first. `repairs` are literals that are missing and what would make them true; `whole` is what would make the
    whole plan valid. `why_no_table` says why the steps are not followed.
    """

    name: str
    valid: bool | None
    lines: tuple[str, ...]
    failed: tuple[int, ...] = ()
    repairs: tuple[tuple[str, str], ...] = ()
    whole: str = ""
    table: FactTable = field(default_factory=FactTable)
    why_no_table: str = ""

    @classmethod
    def of(cls, plan: PlanFile, verdict: Verdict, judge: PlanJudge, lines: Sequence[str]) -> JudgedPlan:
        """A plan with its verdict, of which `lines` are the words."""
        followed, why_not = FactTable(), ""
        if isinstance(judge, TimedJudge):
            why_not = "It is judged by the clock: facts change within its steps, so there is no table."
        else:
            try:
                followed = fact_table(judge.problem, resolve(plan, judge.problem))
            except InputError as e:
                why_not = str(e)
        later = [f.step for f in verdict.further if f.step is not None]
        failed = () if verdict.failed_at is None else (verdict.failed_at, *later)
        repairs = tuple((u.literal, u.hint) for u in verdict.unmet)
        return cls(plan.name, verdict.valid, tuple(lines), failed, repairs, verdict.repair.words, followed, why_not)

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


def fact_table(problem: Any, actions: Sequence[Any]) -> FactTable:
    """Follow ActionInstances of unified-planning's own Problem from its initial state, each done whatever it lacks."""
    followed, simulator = actions[:MOST_STEPS], Simulator.of(problem)
    states = list(accumulate(followed, simulator.force, initial=simulator.initial()))
    fluents = dict.fromkeys(fluent for a in followed for fluent in _changed_by(problem, a))
    values = [(written(f), tuple(_value(f, state) for state in states)) for f in fluents]
    rows = sorted((row for row in values if len({*row[1]}) > 1), key=lambda row: (_first_change(row[1]), row[0]))
    steps = tuple(f"({' '.join((a.action.name, *map(str, a.actual_parameters)))})" for a in followed)
    return FactTable(steps, tuple(rows), len(actions) - len(followed))


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
