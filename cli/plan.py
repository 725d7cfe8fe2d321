"""`tamp plan`: a PDDL domain and problem to a plan, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.output import Output, counted, note, say
from tamp.api.judging import other_domain
from tamp.api.planning import planned
from tamp.api.tool_configs import PlanConfig

if TYPE_CHECKING:
    from tamp import Answer, FoundPlan

_STARTING = 0.3
"""Seconds that the command takes before it gets here, and after its answer."""


def plan(config: PlanConfig, out: Output) -> int:
    """Print the plan, one action a line. 0 for a plan, 2 for what cannot be read, else 1."""
    if other := other_domain(config.domain, config.problem):
        note(f"note: {other}")
    answer, files = planned(config, _progress if config.anytime else None, _STARTING)
    out.answer(_as_dict(answer, config, files), _text(answer, config).splitlines())
    if not out.json:
        for line in _remarks(answer, config):
            say(line)
    return {"found": 0, "invalid": 2}.get(answer.status.value, 1)


def _progress(plan: FoundPlan) -> None:
    note(f"{_measure(plan)}, after {plan.seconds:.1f} s")


def _measure(plan: FoundPlan) -> str:
    steps = counted(len(plan.actions), "step")
    return steps if plan.cost is None else f"{steps}, cost {plan.cost:g}"


def _text(answer: Answer, config: PlanConfig) -> str:
    """The plan, as it is in a file; several with a comment before each."""
    if config.top_k is None:
        return "".join(map(str, answer.plans))
    return "".join(f"; plan {n}: {_measure(p)}\n{p}" for n, p in enumerate(answer.plans, 1))


def _remarks(answer: Answer, config: PlanConfig) -> Iterator[str]:
    """What is said about the answer on standard error."""
    if answer.plans:
        measure = _measure(answer.plans[0]) if config.top_k is None else f"{len(answer.plans)} plans"
        proven = ", proven optimal" if answer.optimal and config.top_k is None else ""
        yield f"tamp: {measure}{proven}{'; ' if answer.message else ''}{answer.message}"
        return
    yield f"{answer.status.value}: {answer.message}"
    if answer.why is not None:
        for sentence in answer.why.sentences:
            yield f"  {sentence}"
        if not answer.why.complete:
            yield f"  not all that is smaller was tried within {config.timeout:g} s"


def _as_dict(answer: Answer, config: PlanConfig, files: list[Path]) -> dict[str, Any]:
    plans: list[dict[str, Any]] = [{"plan": p.steps, "cost": p.cost, "length": len(p.actions)} for p in answer.plans]
    for plan, file in zip(plans, files, strict=False):
        plan["out"] = file
    best = plans[0] if plans else {}
    value: dict[str, Any] = {"status": answer.status.value}
    value |= {key: best.get(key) for key in ("plan", "cost", "length")}
    value |= {"optimal": answer.optimal, "seconds": round(answer.seconds, 3), "message": answer.message}
    value |= {"planner": answer.engine, "out": config.out}
    value |= {"plans": plans} if config.top_k is not None else {}
    value |= {"features": answer.features, "engines": answer.able} if answer.features else {}
    return value | ({"why": asdict(answer.why)} if answer.why is not None else {})
