"""`make bench-pages`: how long pages take to make and to be seen, and how large they are.

    python -m tests.bench_pages [--n 10]

The page of the 2,900 episodes of docs/results, of two such runs compared, and of an episode that was recorded. Each is
made as often as it is opened. First paint is Chromium's first-contentful-paint, `ready` when the page's scripts have
run; each time in a window with a cache of its own. `made in` is all of `tamp report`, from its start to its end. Exit 1
where the middle first paint of the 2,900 episodes is later than 1.5 s, or a page has 5 MB or more.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bench_stepping import machine
from tests.page_episodes import benchmark, recorded

TAMP = (sys.executable, "-c", "from cli.main import main; main()")
RESULTS = Path("docs/results/libero_oracle.jsonl.gz")
MOST_SECONDS = 1.5
MOST_BYTES = 5_000_000
SEEN = """() => new Promise((done) => {
  const look = () => {
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    if (!paint) { requestAnimationFrame(look); return; }
    done([paint.startTime, performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd]);
  };
  look();
})"""
"""Milliseconds until the first paint, and until the scripts have run."""


def pages(folder: Path) -> dict[str, list[Path]]:
    """What pages are made of, by their names."""
    old, new = benchmark(folder / "old", 1, 0.03), benchmark(folder / "new", 2, 0.06)
    return {
        "2,900 episodes": [RESULTS],
        "two runs of 2,900, compared": [old, new],
        "an episode": [recorded(folder / "e", "demo")],
    }


def made(paths: list[Path], file: Path) -> float:
    """Seconds that `tamp report` takes to make a page, with all that it loads."""
    start = time.perf_counter()
    subprocess.run([*TAMP, "report", *map(str, paths), "--html", str(file)], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def seen(browser: Any, file: Path) -> tuple[float, float]:
    """Seconds until a page is first painted, and until it is ready."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    try:
        page = context.new_page()
        page.goto(file.as_uri())
        paint, ready = page.evaluate(SEEN)
        return paint / 1000, ready / 1000
    finally:
        context.close()


def row(name: str, file: Path, n: int, make: Callable[[], float], look: Callable[[], tuple[float, float]]) -> float:
    """Print a page's figures; the middle first paint in seconds."""
    took = [make() for _ in range(n)]
    paints, ready = zip(*(look() for _ in range(n)), strict=True)
    cells = (f"{file.stat().st_size / 1000:.0f} kB", *map(_told, (took, paints, ready)))
    sys.stdout.write(f"| {name} | {' | '.join(cells)} |\n")
    return statistics.median(paints)


def _told(seconds: Any) -> str:
    return f"{statistics.median(seconds):.2f} s ({max(seconds):.2f})"


def main() -> int:
    from playwright.sync_api import sync_playwright

    from tests.browsing import CHROMIUM, NO_CHROMIUM

    parser = argparse.ArgumentParser(description="How soon pages are made and seen.")
    parser.add_argument("--n", type=int, default=10, help="times that each is made and opened")
    n = parser.parse_args().n
    if not CHROMIUM:
        sys.stderr.write(f"{NO_CHROMIUM}\n")
        return 2
    good = True
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        sys.stdout.write(f"{machine()}; n = {n}, the middle (the longest); Chromium {browser.version}\n\n")
        sys.stdout.write("| page | size | made in | first paint | ready |\n|---|---|---|---|---|\n")
        for name, paths in pages(Path(folder)).items():
            file = Path(folder) / f"{paths[0].stem}.html"
            paint = row(name, file, n, lambda p=paths, f=file: made(p, f), lambda f=file: seen(browser, f))
            good &= file.stat().st_size < MOST_BYTES and (paths != [RESULTS] or paint < MOST_SECONDS)
        browser.close()
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
