"""Pages of tables: a benchmark run (success by suite and task, failures, times, two runs compared), plans that were
judged, which are followed step by step, and a scene."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

from tamp.errors import InputError
from tamp.pddl.conditions import given_to, written
from tamp.pddl.judges import PlanJudge, TimedJudge
from tamp.pddl.plan_file import PlanFile, resolve
from tamp.pddl.simulation import Simulator
from tamp.pddl.verdict import Verdict
from tamp.runs.bench.bench_report import BenchRun, failures, rows, suite_rows
from tamp.runs.bench.compare import Comparison
from tamp.runs.bench.records import EpisodeRecord
from tamp.view.episode_page import address
from tamp.view.page_layout import Layout

SCRIPTS = ("common.js",)
MOST_STEPS = 100
"""Steps that a table of facts has."""


def changes(comparison: Comparison) -> list[tuple[str, int, int]]:
    """The tasks of which two runs differ, and how many episodes only the first and only the second solved; the most
    lost first."""
    lost, gained = (Counter(f"{k.suite}/{k.task_id}" for k in some) for some in (comparison.lost, comparison.gained))
    found = [(task, lost[task], gained[task]) for task in {*lost, *gained}]
    return sorted(found, key=lambda c: (c[2] - c[1], c[0]))


def bench_page(
    runs: Sequence[BenchRun], compared: Comparison | None, pages: Mapping[Path, Path], layout: Layout, folder: Path
) -> str:
    """The page of a run or of two that are compared, to be written in `folder`.

    `pages` are the pages of episodes by their log; an episode without one leads to its log.
    """
    shown = [
        {
            "name": run.name,
            "tree": run.tree,
            "perception": run.records[0].perception,
            "suites": suite_rows(run.records),
            "tasks": rows(run.records, lambda r: r.task_name),
            "failures": failures(run.records),
            "failed": [_failed(run, r, pages, folder) for r in run.records if not r.success],
        }
        for run in runs
    ]
    return layout.page(
        "bench.html.j2",
        SCRIPTS,
        {},
        title=f"Benchmark: {', '.join(run.name for run in runs)}",
        runs=shown,
        compared=compared,
        changes=changes(compared) if compared else (),
    )


def _failed(run: BenchRun, r: EpisodeRecord, pages: Mapping[Path, Path], folder: Path) -> tuple[str, ...]:
    """A failed episode as text: what it is called, what it leads to, its numbers, and why it failed."""
    log = run.log_of(r)
    name = f"{r.task_name} init {r.init_state}{f' wording {r.wording}' if r.wording else ''}"
    leads = "" if log is None else address(pages.get(log, log), folder)
    why = f"{r.failure_stage or 'checker'}: {r.failure_reason or 'no reason given'}"
    return name, leads, str(r.steps), f"{r.planning_seconds:.2f}", f"{r.wall_seconds:.1f}", why


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
    changed = [(next(n for n, v in enumerate(over) if v != over[0]), f, over) for f, over in values if len({*over}) > 1]
    rows = [(f, over) for _, f, over in sorted(changed)]
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
