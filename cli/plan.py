"""`tamp plan`: a PDDL domain and problem to a plan, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from cli.output import Output, counted, note, say
from tamp.api.judging import other_domain
from tamp.api.planning import planned
from tamp.api.tool_configs import PlanConfig

if TYPE_CHECKING:
    from tamp import Plan, PlanResult

_STARTING = 0.3
"""Seconds that the command takes before it gets here, and after its answer."""


def plan(config: PlanConfig, out: Output) -> int:
    """Print the plan, one action a line. 0 for a plan, 2 for what cannot be read, else 1."""
    if other := other_domain(config.domain, config.problem):
        note(f"note: {other}")
    answer = planned(config, _STARTING)
    out.answer(_as_dict(answer, config), [] if answer.plan is None else answer.plan.steps)
    if not out.json:
        for line in _remarks(answer, config):
            say(line)
    return {"found": 0, "invalid": 2}.get(answer.status.value, 1)


def _measure(plan: Plan) -> str:
    steps = counted(len(plan.actions), "step")
    return steps if plan.cost is None else f"{steps}, cost {plan.cost:g}"


def _remarks(answer: PlanResult, config: PlanConfig) -> Iterator[str]:
    """What is said about the answer on standard error."""
    if answer.plan is not None:
        proven = ", proven optimal" if answer.optimal else ""
        yield f"tamp: {_measure(answer.plan)}{proven}{'; ' if answer.message else ''}{answer.message}"
        return
    yield f"{answer.status.value}: {answer.message}"
    if answer.why is not None:
        for sentence in answer.why.sentences:
            yield f"  {sentence}"
        if not answer.why.complete:
            yield f"  not all that is smaller was tried within {config.timeout:g} s"


def _as_dict(answer: PlanResult, config: PlanConfig) -> dict[str, Any]:
    plan = answer.plan
    value: dict[str, Any] = {"status": answer.status.value, "plan": plan and plan.steps, "cost": plan and plan.cost}
    value |= {"length": plan and len(plan.actions), "optimal": answer.optimal, "seconds": round(answer.seconds, 3)}
    value |= {"message": answer.message, "planner": answer.engine, "out": config.out}
    value |= {"features": answer.features, "engines": answer.able} if answer.features else {}
    return value | ({"why": asdict(answer.why)} if answer.why is not None else {})
