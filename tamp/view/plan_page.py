"""The pages of plans that were judged, and of a scene."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tamp.errors import InputError
from tamp.pddl.judges import PlanJudge
from tamp.pddl.plan_file import PlanFile, resolve
from tamp.pddl.timed_verdict import TimedJudge
from tamp.pddl.verdict import Verdict
from tamp.view.follow import PlanAccount, account
from tamp.view.page_layout import Layout

SCRIPTS = ("common.js",)


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
