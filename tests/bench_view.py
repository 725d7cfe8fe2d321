"""`make bench-view`: how soon a page shows what a run logs, and what a page costs the run.

    python tests/bench_view.py [latency] [cost] [--n N] [--viewers N] [--pairs N] [--seconds S] [--seed N]

`latency`: joint values are appended to a log at drawn moments while `--viewers` pages are open, each in a headless
Chromium of its own: milliseconds until a page's picture of the arm is another one, seen one frame after it was drawn.
`cost`: LIBERO's arm swings in real time, by turns with a page and pictures and without: milliseconds of a control
period's work (observe, command, log), as the clock on the wall has it and as the run's own process uses the processor,
and what of them the page costs, as a share of the period. The page is read over the network by a client that draws
nothing, as by a browser on another machine; with `--browser` by Chromium on this one. What else runs here counts, too.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np

from tamp.backends.libero import rendering
from tamp.runs.episode_log import EpisodeLog
from tests.browsing import CHROMIUM

TAMP = [sys.executable, "-c", "import sys; from cli.main import main; sys.exit(main())"]
POSTURES = ([0.0, -0.16, 0.0, -2.44, 0.0, 2.23, 0.79], [0.6, -0.16, 0.0, -2.0, 0.0, 2.23, 0.79])
Reading = Callable[[str], AbstractContextManager[None]]
"""Reads the page at an address as long as it lasts."""
DUE_LATENCY, DUE_COST = 150.0, 2.0
"""Milliseconds, and per cent of the control period."""
WATCH = """() => {
  const labels = document.querySelector("#space .labels");
  window.seen = [];
  let last = "";
  function look() {
    const now = labels.lastChild ? labels.lastChild.style.transform : "";
    if (now === last) return;
    last = now;
    requestAnimationFrame(() => window.seen.push(performance.timeOrigin + performance.now()));
  }
  new MutationObserver(look).observe(labels, {subtree: true, childList: true, attributes: true});
}"""
"""Notes when the tool's name has moved, which is when the picture is drawn, in the frame after that."""


@contextlib.contextmanager
def viewer(folder: Path) -> Iterator[str]:
    """The address of a page of a run."""
    command = [*TAMP, "view", str(folder), "--page-port", "0", "--json", "--wait", "--beside"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())["page"]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(10)


def page_of(playwright: Any, address: str) -> Any:
    """A page in a browser of its own."""
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(address)
    page.locator(".labels span").first.wait_for(state="attached", timeout=30_000)
    return page


def begin(log: EpisodeLog) -> None:
    """A Panda and a thing."""
    log.event("start", schema=1, task="bench", instruction="swing")
    log.event("robot", body="panda", shoulder=[-0.66, 0.0, 1.245, 1.0, 0.0, 0.0, 0.0], period=0.05)
    poses, boxes = {"mug_1": [0.1, 0.1, 0.95, 1, 0, 0, 0]}, {"mug_1": [[0.05, 0.05, 0.9], [0.15, 0.15, 1.0]]}
    log.event("scene", objects={"mug_1": "mug"}, symbols={}, poses=poses, boxes=boxes)


def command(log: EpisodeLog, step: int, q: Any, tool: Any) -> None:
    """A control period as runs log it."""
    told = {"displacement": np.zeros(6), "opening": 0.04, "fingers": 0.04}
    log.event("command", step=step, stage="move", q=np.asarray(q), tool=np.asarray(tool), **told)


def latency(asked: argparse.Namespace) -> Iterator[str]:
    """From a line in the log to another picture."""
    from playwright.sync_api import sync_playwright

    rng, written = np.random.default_rng(asked.seed), []
    with tempfile.TemporaryDirectory() as there, sync_playwright() as playwright:
        folder = Path(there) / "run"
        with EpisodeLog(folder) as log, viewer(folder) as address:
            begin(log)
            pages = [page_of(playwright, address) for _ in range(asked.viewers)]
            for page in pages:
                page.evaluate(WATCH)
            time.sleep(1.0)
            for step in range(asked.n):
                time.sleep(rng.uniform(0.25, 0.45))
                written.append(1000 * time.time())
                command(log, step, POSTURES[step % 2], [0.0, 0.3 * (step % 2), 1.1])
            time.sleep(1.0)
            for number, page in enumerate(pages, 1):
                yield f"viewer {number}: {_told(written, page.evaluate('window.seen'))}"
                page.context.browser.close()
    yield f"due: median {DUE_LATENCY:g} ms"


def _told(written: list[float], seen: list[float]) -> str:
    took = []
    for at, until in zip(written, [*written[1:], written[-1] + 1000.0], strict=True):
        took += [s - at for s in seen if at < s < until][:1]
    missed = len(written) - len(took)
    high = sorted(took)[int(0.95 * len(took))]
    told = f"median {statistics.median(took):.0f} ms, 95 % {high:.0f} ms, most {max(took):.0f} ms"
    return f"n {len(took)}, {told}, never {missed}"


def cost(asked: argparse.Namespace) -> Iterator[str]:
    """A control period's work with a page and without."""
    from playwright.sync_api import sync_playwright

    from tamp.backends.libero.environment import LiberoEnvironment
    from tamp.backends.libero.tasks import find

    environment, rng = LiberoEnvironment(find("mug_in_drawer"), seed=0), np.random.default_rng(asked.seed)
    wall: dict[bool, list[float]] = {False: [], True: []}
    used: dict[bool, list[float]] = {False: [], True: []}
    with tempfile.TemporaryDirectory() as there, sync_playwright() as playwright:
        for pair in range(asked.pairs):
            for on in rng.permutation([False, True]).tolist():
                environment.reset(seed=0)
                reading = _browser(playwright) if asked.browser else _reader
                work, own = _swing(environment, Path(there) / f"{pair}-{on}", on, asked.seconds, reading)
                wall[on].append(1000 * statistics.fmean(work))
                used[on].append(1000 * own / len(work))
            yield f"pair {pair + 1}: without {wall[False][-1]:.2f} ms, with {wall[True][-1]:.2f} ms a period"
    environment.close()
    for name, found in (("by the clock", wall), ("of the processor", used)):
        yield f"{name}: {_compared(found[False], found[True], 1000 * environment.period)}"
    yield f"due: {DUE_COST:g} %"


def _compared(without: list[float], with_: list[float], period: float) -> str:
    """Milliseconds a period, paired, and the difference as a share of the period with its interval at 95 %."""
    more = np.subtract(with_, without)
    half = 1.96 * more.std(ddof=1) / np.sqrt(len(more))
    low, middle, high = (100 * v / period for v in (more.mean() - half, more.mean(), more.mean() + half))
    told = f"without {np.mean(without):.2f} ms, with {np.mean(with_):.2f} ms, {more.mean():+.3f} ms a period"
    return f"{told}: {middle:.2f} % of it (95 % {low:.2f} to {high:.2f}, n {len(more)})"


@contextlib.contextmanager
def _reader(address: str) -> Iterator[None]:
    """Reads what a page would: changes, and each picture once."""
    script = (
        "import json, os, sys, urllib.request as u\n"
        "os.nice(19)\n"
        "for line in u.urlopen(sys.argv[1] + '/events'):\n"
        "    told = json.loads(line[6:]) if line.startswith(b'data: ') else {}\n"
        "    for c in (told.get('pictures') or {'cameras': {}})['cameras'].values():\n"
        "        u.urlopen(sys.argv[1] + '/picture/' + c['file']).read()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script, address], stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _browser(playwright: Any) -> Callable[[str], AbstractContextManager[None]]:
    """Reads in a browser."""

    @contextlib.contextmanager
    def reading(address: str) -> Iterator[None]:
        page = page_of(playwright, address)
        try:
            yield
        finally:
            page.context.browser.close()

    return reading


def _swing(environment: Any, folder: Path, on: bool, seconds: float, reading: Reading) -> tuple[list[float], float]:
    """Seconds of work of each control period of a block, and seconds of the processor that this process used for all
    of them; the first two seconds do not count."""
    from tamp.runs.camera_pictures import pictured

    work, used = list[float](), 0.0
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(EpisodeLog(folder))
        begin(log)
        if on:
            stack.enter_context(reading(stack.enter_context(viewer(folder))))
            stack.enter_context(pictured(environment, folder, lambda line: None))
            until = time.monotonic() + 60.0
            while not (folder / "view" / "pictures.json").exists() and time.monotonic() < until:
                environment.stop()  # until there are pictures
                time.sleep(0.05)
        due = time.monotonic()
        for step in range(round((seconds + 2.0) / environment.period)):
            begun, used = time.perf_counter(), used if work else time.process_time()
            state = environment.observe()
            environment.command(np.array([0.0, 0.02 * np.sin(0.15 * step), 0.0, 0.0, 0.0, 0.0]), 0.04)
            command(log, step, state.q, state.T_world_tool[:3, 3])
            if step * environment.period >= 2.0:
                work.append(time.perf_counter() - begun)
            due += environment.period
            time.sleep(max(0.0, due - time.monotonic()))
        used = time.process_time() - used
    return work, used


def main() -> int:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("parts", nargs="*", default=["latency", "cost"], help="latency, cost")
    parser.add_argument("--n", type=int, default=200, help="events, for latency")
    parser.add_argument("--viewers", type=int, default=2, help="pages at one time, for latency")
    parser.add_argument("--pairs", type=int, default=10, help="blocks with and without, for cost")
    parser.add_argument("--seconds", type=float, default=8.0, help="of a block")
    parser.add_argument("--browser", action="store_true", help="the page of cost is read by Chromium on this machine")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if CHROMIUM is None:
        parser.error("no Chromium: `make browser` as root installs it")
    rendering.prepare(video=False, may=True)
    sys.stdout.write(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    for part in asked.parts:
        for line in {"latency": latency, "cost": cost}[part](asked):
            sys.stdout.write(f"{part}: {line}\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
