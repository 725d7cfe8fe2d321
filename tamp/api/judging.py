"""Whether a plan reaches the goal of a problem, and if not, what is wrong with it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tamp.api.tool_configs import MEND_SECONDS
from tamp.data import located
from tamp.files.source import STDIN, Source, read
from tamp.pddl import reading
from tamp.pddl.edits import Repair
from tamp.pddl.judges import PlanJudge, judge_of, read_for, verdict_on
from tamp.pddl.plan_file import BadPlan, PlanFile
from tamp.pddl.plan_formats import recognised
from tamp.pddl.verdict import Judge, Verdict

if TYPE_CHECKING:
    from tamp.backends.xarm.contract import Breach
    from tamp.backends.xarm.workcell import Workcell
    from tamp.errors import InputError

PlanFormat = Literal["pddl", "timed", "skills"]


@dataclass(frozen=True)
class Judged:
    """A plan as it was read, and the verdict on it. It is true where the plan is valid."""

    plan: PlanFile = field(repr=False)
    verdict: Verdict

    def __bool__(self) -> bool:
        return self.verdict.valid


def validate(
    domain: str | Path,
    problem: str | Path,
    plan: str | Path | Sequence[str],
    *,
    form: PlanFormat | None = None,
    trace: bool = False,
    mend_seconds: float = MEND_SECONDS,
) -> Judged:
    """Follow a plan from the initial state of a problem to its goal.

    Args:
        domain: A PDDL file, a folder with a `domain.pddl`, or a name under `domains/`.
        problem: A PDDL file.
        plan: A file, or its steps: `["(pick cup bench)", …]`.
        form: The format of the plan; by default what it looks like.
        trace: Keep what each step changes, as `verdict.changes`.
        mend_seconds: How long a planner is asked for what would make the plan valid; 0: not at all.

    Returns:
        The plan, and its `verdict`: `valid`; `failed_at`, the number of the step that cannot be taken, from 1;
        `message`; `unmet`, each literal that does not hold when it must, with the step that took it away, what would
        help, and the `values` of the numbers in it; `repair`, what would make the plan valid: its `words`, the `edits`
        and the `steps` after them; `cost` by the problem's metric.

    Raises:
        InputError: For files that cannot be read, steps that name no action or thing, and problems without a judge.
            Where steps are at fault, its `repair` is what would make the plan valid.

    >>> import tamp
    >>> problem = "problems/cases/drawer_first/problem.pddl"
    >>> judged = tamp.validate("tabletop", problem, ["(pick cup bench)", "(place-in cup chest)"])
    >>> judged.verdict.valid, judged.verdict.failed_at, judged.verdict.unmet[0].literal
    (False, 2, '(open chest)')
    >>> bool(tamp.validate("tabletop", problem, "problems/cases/drawer_first/good.plan"))
    True
    """
    return judged(source_of(plan), judge_for(domain, problem), form, trace, RepairBudget(mend_seconds))


def judge_for(domain: str | Path, problem: str | Path) -> PlanJudge:
    """Who judges plans of a problem, any number of them."""
    return judge_of(reading.read_problem(domain, Path(problem))[2])


def other_domain(domain: str | Path, problem: str | Path) -> str:
    """That a problem says that it is for another domain, in words; empty where it does not, and for standard input,
    which is read once only. InputError for files that cannot be read."""
    if STDIN in (str(domain), str(problem)):
        return ""
    return reading.other_domain(read(reading.locate(domain)), read(located(problem, "problem", ".pddl")))


def source_of(plan: str | Path | Sequence[str]) -> Source:
    """The text of a plan: of a file, a shipped one by its name, or of steps."""
    if isinstance(plan, str | Path):
        return read(located(plan, "plan", ".plan", ".json"))
    return Source("plan", "".join(f"{step}\n" for step in plan))


def format_of(plan: Source, judge: PlanJudge | None) -> str:
    """The format that a plan looks like: `pddl`, `timed`, `skills`, or `xarm`, which needs no problem."""
    if judge is None and '"steps"' in plan.text:  # with words around it too, which it is then refused for
        return "xarm"
    return recognised(plan.text)


def repair_of(error: InputError) -> Repair:
    """What would make a plan valid that cannot be read; empty for any other error."""
    return error.repair if isinstance(error, BadPlan) else Repair()


@dataclass(frozen=True)
class ContractVerdict:
    """What is wrong with an xArm action plan: its `breaches`, and `warnings` of what is not read, each with line and
    column; `steps` is how many it has, None where it has none."""

    breaches: tuple[tuple[Breach, int, int], ...]
    warnings: tuple[tuple[Breach, int, int], ...]
    steps: int | None

    @property
    def valid(self) -> bool:
        """Whether it can be carried out, as far as that is known before anything is seen."""
        return not self.breaches


def contract(plan: Source, judge: PlanJudge | None = None, world: Workcell | None = None) -> ContractVerdict:
    """An xArm action plan against its contract, its names against the problem's objects when there is one, and all that
    can be known before anything is seen against the arm's world. InputError for what is no JSON."""
    from tamp.backends.xarm.contract import breaches, breaches_in, place_of, unread
    from tamp.files.json_text import parse_json, places_of

    parsed = parse_json(plan)
    known = frozenset(o.name for o in judge.problem.all_objects) if judge else None
    wrong = breaches(parsed, known) or ([] if world is None else breaches_in(parsed, world))
    vain = [] if breaches(parsed) else unread(parsed)
    places = places_of(plan) if wrong or vain else {}
    placed, in_vain = (tuple((b, *place_of(b, places)) for b in found) for found in (wrong, vain))
    steps = parsed.get("steps") if isinstance(parsed, dict) else None
    return ContractVerdict(placed, in_vain, len(steps) if isinstance(steps, list) else None)


@dataclass(eq=False)
class RepairBudget:
    """How long repairs of plans of one problem are looked for: `seconds` a plan, for all plans ten times that."""

    seconds: float = MEND_SECONDS
    _left: float = field(init=False)

    def __post_init__(self) -> None:
        self._left = 10 * self.seconds

    def repair(self, plan: PlanFile, judge: PlanJudge, begun: float) -> Repair:
        """What would make a plan valid that is not, of which judging begun at a time of `time.monotonic`."""
        if not self.seconds:
            return Repair()
        in_order = plan.format != "timed" or all(step.start is not None for step in plan.steps)
        if not isinstance(judge, Judge) or not in_order:
            return Repair(why_none="no repair is looked for in plans with times")
        if self._left < self.seconds:
            return Repair(why_none="no repair is looked for: the time for it was spent on the plans before")
        from tamp.pddl.repair import repair  # which loads a planner

        found = repair(plan, judge, self.seconds, max(0.0, self.seconds - (time.monotonic() - begun)))
        self._left -= time.monotonic() - begun
        return found


def judged(
    plan: Source, judge: PlanJudge, form: str | None = None, trace: bool = False, budget: RepairBudget | None = None
) -> Judged:
    """The same of a plan whose text is read already, by a judge of the problem.
    BadPlan, an InputError, has all that is wrong with a plan that cannot be read, and its repair."""
    budget, begun = budget or RepairBudget(), time.monotonic()
    try:
        read = read_for(plan, judge.problem, form)
        verdict = verdict_on(read, judge, trace)
    except BadPlan as e:
        e.repair = budget.repair(e.plan, judge, begun)
        raise
    if not verdict.valid:
        verdict = replace(verdict, repair=budget.repair(read, judge, begun))
    return Judged(read, verdict)
