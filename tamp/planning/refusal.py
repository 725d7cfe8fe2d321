"""Why there is no plan with motions for a goal: in words, and what that rests on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from tamp.model.atoms import Atom
from tamp.pddl.planner import Plan
from tamp.planning.refinement import Failure, SearchBudget

REASONS = 4
"""Reasons in a message at most."""

Proof = Literal["plan", "bound", "samples", "time"]
"""What a refusal rests on: there is no plan, by the planner's proof; a bound that no sample can get over; no sample of
so many, or none before the time was over, neither of which proves anything."""


@dataclass(frozen=True)
class Certificate:
    """What a refusal rests on. `facts` are what geometry found out, from so many `samples` for so many `plans`;
    `cause` is the first plan's operator that failed with its reason's name, `change` the smallest one known that would
    make it possible, made in the model."""

    proof: Proof
    facts: frozenset[Atom] = frozenset()
    plans: int = 0
    samples: int = 0
    change: str | None = None
    cause: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """As plain data, and in words."""
        return asdict(self) | {"facts": sorted(map(str, self.facts)), "text": str(self)}

    def __str__(self) -> str:
        tried = f"{self.samples} samples of {self.plans} plan{'s' * (self.plans != 1)}"
        return {
            "plan": "proven by the planner",
            "bound": "proven by a bound, whatever is sampled",
            "samples": f"{tried}, which is no proof",
            "time": f"{tried} before the time was over, which is no proof",
        }[self.proof]


@dataclass(frozen=True)
class NoSolution:
    """Why there is none. `stage` is where it ended: plan or refinement. `proven` when there can be no plan;
    `because` says which part of what was asked for is at fault, where that is known; `certificate` what it rests on."""

    stage: str
    reason: str
    proven: bool = False
    because: str | None = None
    certificate: Certificate | None = None


def gave_up(budget: SearchBudget) -> str:
    """That the budget ended the search, to be followed by what was tried."""
    spent = f"gave up after {budget.taken():.0f} s of {budget.seconds:g} s"
    return f"{spent}; this is no proof that it cannot be done; what was tried: "


def reasons_of(failures: list[tuple[Failure, Plan]], advice: str | None, unplanned: str | None) -> str:
    """Why each plan that was tried cannot be refined, the first one first, without repetition; of the others also what
    they do before. The advice is about the first one."""
    reasons: dict[str, str] = {}
    for number, (f, plan) in enumerate(failures):
        reason = f"{f.action}: {f.cause.message or f.cause.reason}"
        before = f", after {', '.join(map(str, plan.actions[: f.index]))}" if number and f.index else ""
        purpose = f", {f.purpose}" if f.purpose else ""
        late = " (its share of the time ended)" if f.timeout and f.cause.reason != "timeout" else ""
        reasons.setdefault(reason, f"{reason}{before}{purpose}{late}")
    first, *others = list(reasons.values())[:REASONS]
    return "; ".join([f"{first} ({advice})" if advice else first, *others, *filter(None, [unplanned])])


def purpose_of(failure: Failure, plan: Plan, earlier: list[Failure]) -> str:
    """What the action without a motion was to be done for, where that is to take out of the way what an earlier
    failure blames; empty where it is not."""
    later = {name for a in plan.actions[failure.index + 1 :] for name in a.args}
    blamed = (f for e in earlier for f in sorted((e.in_way | e.while_open) & e.cause.facts))
    for fact in blamed:
        about, *others = fact.args
        if (by := [n for n in others if n in failure.action.args]) and about in later:
            return f"tried to free {about} of {' and '.join(by)}"
    return ""
