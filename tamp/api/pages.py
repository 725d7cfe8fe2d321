"""Pages for people: files of HTML that are complete in themselves, and pages that are served and kept up to date."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tamp.api.sources import Say, silent
from tamp.errors import InputError
from tamp.view.page_layout import Layout, writable, write

if TYPE_CHECKING:
    from tamp.api.scenes import LoadedScene, Seen
    from tamp.backends.xarm.workcell import Workcell
    from tamp.pddl.judges import PlanJudge
    from tamp.pddl.plan_file import PlanFile
    from tamp.pddl.verdict import Verdict
    from tamp.view.live_page import EventSource
    from tamp.view.table_pages import JudgedPlan

MOST_PAGES = 100
"""Episodes that get a page of their own: each takes a third of a second."""


def drawable() -> None:
    """Get ready to draw pictures for pages, before a scene is loaded. InputError where that cannot be done here."""
    from tamp.backends.libero import rendering

    rendering.prepare(video=False, pictures=True)


def drawing_environment(drawn: bool) -> dict[str, str]:
    """What has to be set for a process that imports MuJoCo, before it does: so that frames are `drawn` on the CPU, or
    so that it needs no GL library."""
    from tamp.backends.libero import rendering

    return dict(rendering.SOFTWARE if drawn else rendering.NO_RENDERING)


def write_scene(file: Path, scene: LoadedScene, seen: Seen) -> None:
    """Write the page of a scene, which was loaded with `pictures`. InputError where the disk does not take it."""
    from tamp.api.scene_info import called_alone, described
    from tamp.view.table_pages import scene_page

    about = described(scene, seen)
    write(file, scene_page(about, called_alone(about), scene.picture(), Layout.of()))


@dataclass(eq=False)
class PlanPage:
    """Gathers verdicts, and writes them as a page once all are there."""

    file: Path
    _plans: list[JudgedPlan] = field(default_factory=list)

    @classmethod
    def of(cls, file: Path) -> PlanPage:
        """InputError where no page can be written."""
        writable(file)
        return cls(file)

    def judged(self, plan: PlanFile, verdict: Verdict, judge: PlanJudge, lines: Sequence[str]) -> None:
        """Put a plan on the page with its verdict, of which `lines` are the words."""
        from tamp.view.table_pages import JudgedPlan

        self._plans.append(JudgedPlan.of(plan, verdict, judge, lines))

    def alone(self, name: str, valid: bool | None, lines: Sequence[str]) -> None:
        """Put a plan on the page of which there is nothing but words: of an arm, or one that cannot be read."""
        from tamp.view.table_pages import JudgedPlan

        self._plans.append(JudgedPlan(name, valid, tuple(lines)))

    def write(self, domain: str, problem: Path | None) -> None:
        """Write the page. InputError where the disk does not take it."""
        from tamp.view.table_pages import plan_page

        about = (domain, str(problem)) if problem is not None else ("none", "")
        write(self.file, plan_page(*about, self._plans, Layout.of()))


def write_report(paths: list[Path], file: Path, tree: str | None = None, say: Say = silent) -> list[Path]:
    """Write the page of what lies at some paths, over one that is there: episodes, or results of a benchmark, of the
    git `tree` that is named. Several episodes, and of a benchmark the failed ones whose folders are there, get pages in
    a folder beside it, `MOST_PAGES` at most, which are returned. InputError where there is nothing to be read, and
    where a page cannot be written."""
    from tamp.runs.bench.bench_report import are_logs

    writable(file)
    return _episodes(paths, file, tree, say) if are_logs(paths) else _bench(paths, file, tree, say)


def _episodes(paths: list[Path], file: Path, tree: str | None, say: Say) -> list[Path]:
    from tamp.runs.endings import read_ending
    from tamp.runs.episode_log import logs
    from tamp.view.episode_page import episode_page, episodes_page

    if tree is not None:
        raise InputError("--tree is for the results of tamp bench, not for episodes")
    found, layout = list(dict.fromkeys(log.resolve() for path in paths for log in logs(path))), Layout.of()
    if len(found) == 1:
        write(file, episode_page(found[0], layout, file.parent))
        return []
    endings = [read_ending(log) for log in found]
    pages = _pages(found, file, layout, say)
    rows = [(e, log, pages.get(log, log)) for e, log in zip(endings, found, strict=True)]
    write(file, episodes_page(rows, layout, file.parent))
    return [*pages.values()]


def _bench(paths: list[Path], file: Path, tree: str | None, say: Say) -> list[Path]:
    """Write the page of runs, and those of failed episodes, which are returned."""
    from tamp.runs.bench.bench_report import compared, read_runs
    from tamp.view.table_pages import bench_page

    runs, layout = read_runs(paths, tree), Layout.of()
    if len(runs) > 2:
        raise InputError(f"--html compares two runs; {len(runs)} are given that have episodes in common")
    comparison = next((c for _, _, c in compared(runs)), None)
    failed = [log for run in runs for r in run.records if not r.success and (log := run.log_of(r))]
    pages = _pages(failed, file, layout, say)
    write(file, bench_page(runs, comparison, pages, layout, file.parent))
    return [*pages.values()]


def _pages(found: list[Path], file: Path, layout: Layout, say: Say) -> dict[Path, Path]:
    """Pages of episodes in a folder beside a page, by their logs: of the first `MOST_PAGES`. A log that cannot be read
    has none, which is said."""
    from tamp.view.episode_page import episode_page

    if len(found) > MOST_PAGES:
        say(f"pages of {MOST_PAGES} of {len(found)} episodes; the others lead to their logs")
    folder = file.with_name(f"{file.stem}-episodes")
    pages: dict[Path, Path] = {}
    for n, log in enumerate(found[:MOST_PAGES], 1):
        try:
            made = episode_page(log, layout, folder)
        except InputError as e:
            say(f"no page of {log.parent.name}: {e}")
            continue
        try:
            folder.mkdir(exist_ok=True)
        except OSError as e:
            raise InputError(f"cannot write to {folder}: {e.strerror}") from e
        pages[log] = folder / f"{n:03}-{log.parent.name}.html"
        write(pages[log], made)
    return pages


@dataclass(frozen=True)
class ServedPage:
    """A page that can be served; made by `run_page` and `arm_page`."""

    _source: EventSource

    @contextlib.contextmanager
    def served(self, host: str, port: int, ended: threading.Event) -> Iterator[str]:
        """Serve it as long as this lasts; yields its address. `ended` is set then. InputError for a port that is
        taken."""
        from tamp.view.live_page import LivePage
        from tamp.view.serving import served

        with served(LivePage(self._source, Layout.of()), host, port, ended) as address:
            yield address


def run_page(run: Path | None, wait: bool = False, local: bool = True) -> ServedPage:
    """The page of a run, by its folder or its log; by default of the newest one. InputError for what is no run; with
    `wait` it may begin later. Orders are passed on where it is `local`: served to this machine only."""
    from tamp.view.log_source import followed

    return ServedPage(followed(run, wait, local))


@contextlib.contextmanager
def arm_page(cell: Workcell, address: str, say: Say = silent) -> Iterator[ServedPage]:
    """The page of the arm at an address, its world and what is seen there. It only listens: nothing is sent to the arm.
    `say` gets wrong lines of its detector."""
    from tamp.backends.xarm.opening import detector_of
    from tamp.backends.xarm.report_stream import ArmReports
    from tamp.view.arm_source import ArmSource

    with contextlib.ExitStack() as opened:
        reports = ArmReports(address)
        opened.callback(reports.close)
        yield ServedPage(ArmSource(cell, address, reports.look, detector_of(cell, say, opened)))
