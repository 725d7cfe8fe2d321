"""The page that `tamp validate --html` writes beside its verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cli.output import say

if TYPE_CHECKING:
    from tamp.plans.judges import PlanJudge
    from tamp.plans.steps import PlanFile
    from tamp.plans.verdict import Verdict
    from tamp.runs.pages.plan import Judged


@dataclass(eq=False)
class PlanPage:
    """Gathers verdicts, and writes them as a page once all are there."""

    file: Path
    _plans: list[Judged] = field(default_factory=list)

    @classmethod
    def of(cls, file: Path) -> PlanPage:
        """InputError where no page can be written."""
        from tamp.runs.pages.layout import writable

        writable(file)
        return cls(file)

    def judged(self, plan: PlanFile, verdict: Verdict, judge: PlanJudge, lines: Sequence[str]) -> None:
        """Put a plan on the page with its verdict, of which `lines` are the words."""
        from tamp.runs.pages.plan import judged

        self._plans.append(judged(plan, verdict, judge, lines))

    def alone(self, name: str, valid: bool | None, lines: Sequence[str]) -> None:
        """Put a plan on the page of which there is nothing but words: of an arm, or one that cannot be read."""
        from tamp.runs.pages.plan import Judged

        self._plans.append(Judged(name, valid, tuple(lines)))

    def write(self, domain: str, problem: Path | None) -> None:
        """Write the page. InputError where the disk does not take it."""
        from tamp.runs.pages.layout import Layout, write
        from tamp.runs.pages.plan import plan_page

        told = (domain, str(problem)) if problem is not None else ("none", "")
        write(self.file, plan_page(*told, self._plans, Layout.of()))
        say(f"tamp: page {self.file}")
