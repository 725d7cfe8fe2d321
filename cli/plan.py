"""`tamp plan`: a PDDL domain and problem to a plan, or the reason why there is none."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tamp
from cli.output import emit_json, say
from tamp.files.replacing import replace_file
from tamp.quiet import quiet_stdout

if TYPE_CHECKING:
    from tamp import Aim, Plan, PlanResult, Why

EXIT = {"found": 0, "unsolvable": 1, "timeout": 1, "gave up": 1, "unsupported": 1, "failed": 1, "invalid": 2}
"""Exit code of each answer of the planner."""

_STARTING = 0.3
"""Seconds that the command takes before it gets here, and after its answer."""


@dataclass(frozen=True)
class Request:
    """The arguments of `tamp plan`."""

    domain: str
    problem: Path
    planner: str
    llm: str
    timeout: float
    optimal: bool
    anytime: bool
    out: Path | None
    json_output: bool


def plan(request: Request) -> int:
    """Print the plan, one action a line; write it to `out` too when given."""
    from tamp.api.judging import other_domain

    with quiet_stdout() as stdout:
        if note := other_domain(request.domain, request.problem):
            say(f"tamp: note: {note}")
        answer = tamp.plan_problem(
            request.domain,
            request.problem,
            planner=request.planner,
            aim=_aim(request),
            timeout=request.timeout,
            llm=request.llm,
            on_plan=_progress if request.anytime else None,
            spent=_STARTING,
        )
        if request.out is not None and answer.plan is not None:
            replace_file(request.out, str(answer.plan))
        if request.json_output:
            emit_json(_as_json(answer, request), stdout)
        else:
            stdout.write(str(answer.plan or ""))
            for line in _told(answer, request):
                say(line)
    return EXIT[answer.status.value]


def _aim(request: Request) -> Aim:
    """InputError for options that do not go together."""
    aims: dict[str, Aim] = {"--optimal": "optimal", "--anytime": "anytime"}
    given = [o for o, on in zip(aims, (request.optimal, request.anytime), strict=True) if on]
    if len(given) > 1:
        raise tamp.InputError(f"{' and '.join(given)} do not go together; valid: one of {', '.join(aims)}")
    return aims[given[0]] if given else "first"


def _progress(plan: Plan) -> None:
    say(f"tamp: {_measure(plan)}, after {plan.seconds:.1f} s")


def _measure(plan: Plan) -> str:
    steps = f"{len(plan.actions)} step{'' if len(plan.actions) == 1 else 's'}"
    return steps if plan.cost is None else f"{steps}, cost {plan.cost:g}"


def _told(answer: PlanResult, request: Request) -> list[str]:
    """What is said about the answer on standard error."""
    if answer.plan is None:
        reasons = [] if answer.why is None else _reasons(answer.why, request)
        return [f"{answer.status.value}: {answer.message}", *reasons]
    measure, proven = _measure(answer.plan), ", proven optimal" if answer.optimal else ""
    return [f"tamp: {measure}{proven}{'; ' if answer.message else ''}{answer.message}"]


def _reasons(why: Why, request: Request) -> list[str]:
    told = [f"  {sentence}" for sentence in why.sentences]
    return told if why.complete else [*told, f"  not all that is smaller was tried within {request.timeout:g} s"]


def _as_json(answer: PlanResult, request: Request) -> dict[str, Any]:
    best = answer.plan
    value: dict[str, Any] = {"status": answer.status.value, "plan": None, "cost": None, "length": None}
    value |= {"plan": best.steps, "cost": best.cost, "length": len(best.actions)} if best else {}
    value |= {"optimal": answer.optimal, "seconds": round(answer.seconds, 3), "message": answer.message}
    value |= {"planner": answer.engine, "out": request.out}
    value |= {"features": answer.features, "engines": answer.able} if answer.features else {}
    return value | ({"why": asdict(answer.why)} if answer.why is not None else {})
