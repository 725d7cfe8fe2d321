"""The page of plans that were judged: where each breaks, what would mend it, and the facts over its steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tamp.errors import InputError
from tamp.plans.judges import PlanJudge
from tamp.plans.resolve import resolve
from tamp.plans.steps import PlanFile
from tamp.plans.timed import TimedJudge
from tamp.plans.verdict import Verdict
from tamp.runs.pages.follow import PlanAccount, account
from tamp.runs.pages.layout import Layout


@dataclass(frozen=True)
class Judged:
    """A plan that was judged: its verdict as lines for people, and what its steps need and make true.

    `failed` are the numbers of the steps that cannot be taken, the first one first. `mend` are literals that are
    missing and what would make them true; `whole` is what would make the whole plan valid. `why_no_account` says why
    there is no account of the steps.
    """

    name: str
    valid: bool | None
    lines: tuple[str, ...]
    failed: tuple[int, ...] = ()
    mend: tuple[tuple[str, str], ...] = ()
    whole: str = ""
    account: PlanAccount = field(default_factory=PlanAccount)
    why_no_account: str = ""


def judged(plan: PlanFile, verdict: Verdict, judge: PlanJudge, lines: Sequence[str]) -> Judged:
    """A plan with its verdict, of which `lines` are the words."""
    followed, why = _followed(plan, judge)
    later = [f.step for f in verdict.further if f.step is not None]
    failed = () if verdict.failed_at is None else (verdict.failed_at, *later)
    return Judged(
        name=plan.name,
        valid=verdict.valid,
        lines=tuple(lines),
        failed=failed,
        mend=tuple((u.literal, u.hint) for u in verdict.unmet),
        whole=verdict.mend,
        account=followed,
        why_no_account=why,
    )


def _followed(plan: PlanFile, judge: PlanJudge) -> tuple[PlanAccount, str]:
    if isinstance(judge, TimedJudge):
        return (
            PlanAccount(),
            "It is judged by the clock: facts change within its steps, so there is no table.",
        )
    try:
        return account(judge.problem, resolve(plan, judge.problem)), ""
    except InputError as e:
        return PlanAccount(), str(e)


def plan_page(domain: str, problem: str, plans: Sequence[Judged], layout: Layout) -> str:
    """The page of plans of one domain and problem; of several the first one that is not valid is unfolded."""
    unfolded = next((n for n, p in enumerate(plans) if not p.valid), 0)
    told: dict[str, Any] = {"domain": domain, "problem": problem, "plans": plans, "unfolded": unfolded}
    good = sum(p.valid is True for p in plans)
    return layout.page("plan.html.j2", ("common.js",), {}, title=f"{good} of {len(plans)} plans valid", **told)
