"""Pages for people: one file of HTML each, complete in itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tamp.api.scenes import LoadedScene, Seen
    from tamp.plans.judges import PlanJudge
    from tamp.plans.steps import PlanFile
    from tamp.plans.verdict import Verdict
    from tamp.runs.pages.plan import Judged


def writable(file: Path) -> None:
    """InputError where no page can be written; one that is there is written anew."""
    from tamp.runs.pages import layout

    layout.writable(file)


def write(file: Path, page: str) -> None:
    """Write a page. InputError where the disk does not take it."""
    from tamp.runs.pages import layout

    layout.write(file, page)


def drawable() -> None:
    """Get ready to draw pictures for pages, before a scene is loaded. InputError where that cannot be done here."""
    from tamp.backends.libero import rendering

    rendering.prepare(video=False, pictures=True)


def environment(drawn: bool) -> dict[str, str]:
    """What has to be set for a process that imports MuJoCo, before it does: so that frames are `drawn` on the CPU, or
    so that it needs no GL library."""
    from tamp.backends.libero import rendering

    return dict(rendering.SOFTWARE if drawn else rendering.NO_RENDERING)


def write_scene(file: Path, scene: LoadedScene, seen: Seen) -> None:
    """Write the page of a scene, which was loaded with `pictures`. InputError where the disk does not take it."""
    from tamp.api.naming import called_alone, described
    from tamp.runs.pages.layout import Layout
    from tamp.runs.pages.scene import scene_page

    told = described(scene, seen)
    write(file, scene_page(told, called_alone(told), scene.picture(), Layout.of()))


@dataclass(eq=False)
class PlanPage:
    """Gathers verdicts, and writes them as a page once all are there."""

    file: Path
    _plans: list[Judged] = field(default_factory=list)

    @classmethod
    def of(cls, file: Path) -> PlanPage:
        """InputError where no page can be written."""
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
        from tamp.runs.pages.layout import Layout
        from tamp.runs.pages.plan import plan_page

        told = (domain, str(problem)) if problem is not None else ("none", "")
        write(self.file, plan_page(*told, self._plans, Layout.of()))
