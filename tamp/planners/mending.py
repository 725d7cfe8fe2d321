"""The fewest changes after which a plan that is not valid is: an engine is asked for them, the judge of plans decides.

There may be several mistakes in one plan, also names that the problem does not have.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from typing import Any

from tamp.errors import InputError
from tamp.model.atoms import GroundAction
from tamp.planners.compiling import without_metric
from tamp.planners.engines import installed, lacking
from tamp.planners.repairing import CHANGE, Repair, cost_of, repair
from tamp.planners.subprocess_worker import Message, messages
from tamp.plans.edits import Edit, Mend
from tamp.plans.judges import PlanJudge
from tamp.plans.meant import meant
from tamp.plans.repair import shown
from tamp.plans.resolve import resolve, resolved
from tamp.plans.steps import PlanFile, Step

MOST_CHANGES = 3
"""Changes that are looked for, beside those of steps that cannot be read. One more takes twenty times as long."""
LONGEST = 60
"""Steps of a plan of which changes are looked for."""
_ENGINE = "fast-downward"
_NO_INVARIANTS = ["--invariant-generation-max-time", "0"]
"""Looking for them takes Fast Downward longer than everything else."""


def unable(problem: Any) -> str:
    """Why the engine cannot be asked for changes of plans for a problem, in words; empty where it can."""
    if not installed(_ENGINE):
        return f"{_ENGINE} is not installed (extra fast-downward)"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        features = lacking(_ENGINE, without_metric(problem))
    told = ", ".join(f.lower().replace("_", " ") for f in features)
    return f"{_ENGINE} does not support {told}" if features else ""


def mend(plan: PlanFile, judge: PlanJudge, seconds: float, left: float | None = None) -> Mend:
    """The fewest changes of a plan that is not valid, `MOST_CHANGES` at most, after which the judge says that it is.

    For plans in order, of problems of which `unable` says nothing. A step that cannot be read is left out, or becomes
    an action that is written like it. `seconds` is the time limit that is spoken of; `left`, by default all of it, is
    left for the search.
    """
    problem = judge.problem
    if len(plan.steps) > LONGEST:
        return Mend(why_none=f"several changes are not looked for in plans of more than {LONGEST} steps")
    actions = resolved(plan, problem)
    left = seconds if left is None else left
    with closing(messages(lambda emit: emit(_found(problem, plan, actions, left)), left)) as said:
        last, *_ = said
    if last.get("edits"):
        steps = [str(step) if a is None else shown(a) for step, a in zip(plan.steps, actions, strict=True)]
        found = Mend.of([Edit(**edit) for edit in last["edits"]], steps)
        if _is_valid(found, judge):
            return found
    if last["kind"] in ("error", "crashed"):
        return Mend(why_none=f"the search for several changes failed: {last['message']}")
    beside = ", beside those of misspelt steps," if None in actions else ""
    within = f" within {seconds:g} s" if last["kind"] == "late" else ""
    return Mend(why_none=f"no mend with {MOST_CHANGES} changes or fewer{beside} was found{within}")


def _found(problem: Any, plan: PlanFile, actions: Sequence[Any], seconds: float) -> Message:
    """What Fast Downward answers, in a process of its own: `kind` is `late` when the seconds were not enough, `edits`
    are none when it found none."""
    from unified_planning.shortcuts import OneshotPlanner

    begun = time.monotonic()
    alike = {n: meant(problem, step) for n, step in enumerate(plan.steps) if actions[n] is None and step.name}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = repair(problem, actions, alike)
        options = _options(made, _spelling(alike))
        with _known_kind(made.problem), OneshotPlanner(name=_ENGINE, params=options) as planner:
            planner.skip_checks = True  # `unable` knows better
            result = planner.solve(made.problem, timeout=max(0.01, seconds - (time.monotonic() - begun)))
    if result.plan is None:
        return {"kind": "late" if result.status.name == "TIMEOUT" else "end"}
    told = [GroundAction(a.action.name, tuple(map(str, a.actual_parameters))) for a in result.plan.actions]
    return {"kind": "end", "edits": [asdict(edit) for edit in made.edits(told)]}


@contextmanager
def _known_kind(problem: Any) -> Iterator[None]:
    """unified-planning finds out six times what kind of problem this is, which takes longer than to write it down."""
    of, kind = type(problem), problem.kind
    before = of.kind
    of.kind = property(lambda self: kind)
    try:
        yield
    finally:
        of.kind = before


def _spelling(alike: Mapping[int, Sequence[tuple[float, Any]]]) -> int:
    """What the steps cost at least that cannot be read but mean something: they have to be changed anyway."""
    return sum(cost_of(some[0][0]) for some in alike.values() if some)


def _options(made: Repair, anyway: int) -> dict[str, Any]:
    """How Fast Downward looks for the cheapest plan, of those that cost less than one change too many."""
    most = CHANGE * (MOST_CHANGES + 1) + anyway
    return {
        "fast_downward_search_config": f"astar({_heuristic(made.problem)},bound={most})",
        "fast_downward_translate_options": _NO_INVARIANTS,
    }


def _heuristic(problem: Any) -> str:
    """The best one that never says too much for the problem's features."""
    if any(part.is_or() or part.is_implies() for goal in problem.goals for part in _parts(goal)):
        return "blind()"  # such a goal becomes an axiom
    return "hmax()" if any(e.is_conditional() for a in problem.actions for e in a.effects) else "lmcut()"


def _parts(condition: Any) -> list[Any]:
    return [condition, *(p for part in condition.args for p in _parts(part))]


def _is_valid(found: Mend, judge: PlanJudge) -> bool:
    words = [text.strip("()").split() for text in found.steps]
    steps = tuple(Step(name.lower(), tuple(a.lower() for a in args), None) for name, *args in words)
    plan = PlanFile("mend", "pddl", steps)
    try:
        return judge.judge_steps(plan, resolve(plan, judge.problem), False, 0).valid
    except InputError:
        return False
