"""Pages of what was run: of an episode, of several, or of runs of a benchmark."""

from __future__ import annotations

from pathlib import Path

from tamp.api.benchmarks import Runs, are_logs, one_tree, read_runs, share_episodes
from tamp.api.sources import Say, silent
from tamp.errors import InputError
from tamp.runs.bench.compare import Comparison, compare
from tamp.runs.bench.records import key
from tamp.runs.endings import read_ending
from tamp.runs.episode_log import logs
from tamp.runs.pages.bench import Run, bench_page, log_of
from tamp.runs.pages.episode import episode_page, episodes_page
from tamp.runs.pages.layout import Layout, writable, write
from tamp.runs.pages.story import story_of

MOST_PAGES = 100
"""Episodes that get a page of their own: each takes a third of a second."""


def write_report(paths: list[Path], file: Path, tree: str | None = None, say: Say = silent) -> list[Path]:
    """Write the page of what lies at some paths, over one that is there: episodes, or results of a benchmark, of the
    git `tree` that is named. Several episodes, and of a benchmark the failed ones whose folders are there, get pages in
    a folder beside it, `MOST_PAGES` at most, which are returned. InputError where there is nothing to be read, and
    where a page cannot be written."""
    writable(file)
    return _episode(paths, file, tree, say) if are_logs(paths) else _bench(paths, file, tree, say)


def _episode(paths: list[Path], file: Path, tree: str | None, say: Say) -> list[Path]:
    if tree is not None:
        raise InputError("--tree is for the results of tamp bench, not for episodes")
    found = list(dict.fromkeys(log.resolve() for path in paths for log in logs(path)))
    layout = Layout.of()
    if len(found) == 1:
        write(file, episode_page(story_of(found[0]), layout, file.parent))
        return []
    endings = [read_ending(log) for log in found]
    pages = _pages(found, file, layout, say)
    rows = [(e, log, pages.get(log, log)) for e, log in zip(endings, found, strict=True)]
    write(file, episodes_page(rows, layout, file.parent))
    return [*pages.values()]


def _bench(paths: list[Path], file: Path, tree: str | None, say: Say) -> list[Path]:
    """Write the page of runs, and those of failed episodes, which are returned."""
    runs, compared = _runs(read_runs(paths, tree))
    layout = Layout.of()
    failed = [log for run in runs for r in run.records if not r["success"] and (log := log_of(run, key(r)))]
    pages = _pages(failed, file, layout, say)
    write(file, bench_page(runs, compared, pages, layout, file.parent))
    return [*pages.values()]


def _pages(found: list[Path], file: Path, layout: Layout, say: Say) -> dict[Path, Path]:
    """Pages of episodes in a folder beside a page, by their logs: of the first `MOST_PAGES`."""
    if len(found) > MOST_PAGES:
        say(f"pages of {MOST_PAGES} of {len(found)} episodes; the others lead to their logs")
    folder = file.with_name(f"{file.stem}-episodes")
    pages: dict[Path, Path] = {}
    for n, log in enumerate(found[:MOST_PAGES], 1):
        if page := _page(log, folder / f"{n:03}-{log.parent.name}.html", layout, say):
            pages[log] = page
    return pages


def _page(log: Path, page: Path, layout: Layout, say: Say) -> Path | None:
    """The page of an episode; None, which is said, where its log cannot be read."""
    try:
        told = episode_page(story_of(log), layout, page.parent)
    except InputError as e:
        say(f"no page of {log.parent.name}: {e}")
        return None
    try:
        page.parent.mkdir(exist_ok=True)
    except OSError as e:
        raise InputError(f"cannot write to {page.parent}: {e.strerror}") from e
    write(page, told)
    return page


def _runs(read: Runs) -> tuple[list[Run], Comparison | None]:
    """One run, of whatever parts, or two with their comparison. InputError for more that have episodes in common."""
    folders = {name: tuple(p for p in (Path(name), Path(name).parent) if (p / "episodes").is_dir()) for name in read}
    if not share_episodes(read):
        records = [r for some in read.values() for r in some]
        of = tuple(folder for name in read for folder in folders[name])
        return [Run(" ".join(read), records, one_tree("the run", records), of)], None
    if len(read) > 2:
        raise InputError(f"--html compares two runs; {len(read)} are given that have episodes in common")
    first, second = (Run(name, some, one_tree(name, some), folders[name]) for name, some in read.items())
    return [first, second], compare([*first.records], [*second.records])
