"""`make bench-view`: how soon a page shows what a run logs, and what a page costs the run.

`latency`: joint values are appended to a log at drawn moments while `viewers` pages are open, each in a headless
Chromium of its own: milliseconds until a page's picture of the arm is another one, seen one frame after it was drawn.
`cost`: LIBERO's arm swings in real time, by turns with a page and pictures and without: what they cost of a control
period, per cent, as the clock on the wall has it and as the run's own process uses the processor. The page is read by a
client that draws nothing.
"""

from __future__ import annotations

import contextlib
import json
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tamp.backends.libero import rendering
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.tasks import find
from tamp.runs.camera_pictures import pictured
from tamp.runs.episode_log import EpisodeLog
from tests.bench import Row
from tests.browsing import CHROMIUM
from tests.emulated import TAMP

POSTURES = ([0.0, -0.16, 0.0, -2.44, 0.0, 2.23, 0.79], [0.6, -0.16, 0.0, -2.0, 0.0, 2.23, 0.79])
WARM = 2.0
"""Seconds of a block of `cost` that do not count."""
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
READ = """
import json, os, sys, urllib.request as u
os.nice(19)
for line in u.urlopen(sys.argv[1] + '/events'):
    told = json.loads(line[6:]) if line.startswith(b'data: ') else {}
    for c in (told.get('pictures') or {'cameras': {}})['cameras'].values():
        u.urlopen(sys.argv[1] + '/picture/' + c['file']).read()
"""
"""Reads what a page would: changes, and each picture once."""


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


@contextlib.contextmanager
def logged(folder: Path) -> Iterator[EpisodeLog]:
    """The log of a Panda and a thing."""
    with EpisodeLog(folder) as log:
        log.event("start", schema=1, task="bench", instruction="swing")
        log.event("robot", body="panda", shoulder=[-0.66, 0.0, 1.245, 1.0, 0.0, 0.0, 0.0], period=0.05)
        poses, boxes = {"mug_1": [0.1, 0.1, 0.95, 1, 0, 0, 0]}, {"mug_1": [[0.05, 0.05, 0.9], [0.15, 0.15, 1.0]]}
        log.event("scene", objects={"mug_1": "mug"}, symbols={}, poses=poses, boxes=boxes)
        yield log


def command(log: EpisodeLog, step: int, q: Any, tool: Any) -> None:
    """A control period as runs log it."""
    values = {"displacement": np.zeros(6), "opening": 0.04, "fingers": 0.04}
    log.event("command", step=step, stage="move", q=np.asarray(q), tool=np.asarray(tool), **values)


def latency(n: int, viewers: int, seed: int) -> Iterator[Row]:
    """From a line in the log to another picture."""
    from playwright.sync_api import sync_playwright

    rng, written, pages = np.random.default_rng(seed), [], []
    with tempfile.TemporaryDirectory() as there, sync_playwright() as playwright:
        folder = Path(there) / "run"
        with logged(folder) as log, viewer(folder) as address:
            for _ in range(viewers):
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                page = browser.new_page(viewport={"width": 1280, "height": 800})
                page.goto(address)
                page.locator(".labels span").first.wait_for(state="attached", timeout=30_000)
                pages.append(page)
            for page in pages:
                page.evaluate(WATCH)
            time.sleep(1.0)
            for step in range(n):
                time.sleep(rng.uniform(0.25, 0.45))
                written.append(1000 * time.time())
                command(log, step, POSTURES[step % 2], [0.0, 0.3 * (step % 2), 1.1])
            time.sleep(1.0)
            for number, page in enumerate(pages, 1):
                shown = page.evaluate("window.seen")
                for at, until in zip(written, [*written[1:], written[-1] + 1000.0], strict=True):
                    took = next((s - at for s in shown if at < s < until), None)
                    values = {} if took is None else {"ms": took}
                    yield Row(f"latency, viewer {number}", took is not None, values, "never shown")
                page.context.browser.close()


def cost(pairs: int, seconds: float, seed: int) -> Iterator[Row]:
    """A control period's work with a page and without, by pairs of blocks."""
    environment, rng = LiberoEnvironment(find("mug_in_drawer"), seed=0), np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as there, contextlib.closing(environment):
        for pair in range(pairs):
            found = dict[bool, tuple[float, float]]()
            for on in rng.permutation([False, True]).tolist():
                environment.reset(seed=0)
                found[on] = _swing(environment, Path(there) / f"{pair}-{on}", on, seconds)
            clock, own = (100 * (found[True][k] - found[False][k]) / environment.period for k in (0, 1))
            yield Row("cost", None, {"% by the clock": clock, "% of the processor": own})


@contextlib.contextmanager
def _watched(environment: Any, folder: Path) -> Iterator[None]:
    """With a page that is read, and pictures."""
    with viewer(folder) as address:
        reader = subprocess.Popen([sys.executable, "-c", READ, address], stderr=subprocess.DEVNULL)
        try:
            with pictured(environment, folder, lambda line: None):
                until = time.monotonic() + 60.0
                while not (folder / "view" / "pictures.json").exists() and time.monotonic() < until:
                    environment.stop()  # until there are pictures
                    time.sleep(0.05)
                yield
        finally:
            reader.kill()
            reader.wait()


def _swing(environment: Any, folder: Path, on: bool, seconds: float) -> tuple[float, float]:
    """Seconds of a control period in a block by the clock, and of the processor that this process used for one."""
    work, used = list[float](), 0.0
    with logged(folder) as log, _watched(environment, folder) if on else contextlib.nullcontext():
        due = time.monotonic()
        for step in range(round((seconds + WARM) / environment.period)):
            begun, used = time.perf_counter(), used if work else time.process_time()
            state = environment.observe()
            environment.command(np.array([0.0, 0.02 * np.sin(0.15 * step), 0.0, 0.0, 0.0, 0.0]), 0.04)
            command(log, step, state.q, state.T_world_tool[:3, 3])
            if step * environment.period >= WARM:
                work.append(time.perf_counter() - begun)
            due += environment.period
            time.sleep(max(0.0, due - time.monotonic()))
        return statistics.fmean(work), (time.process_time() - used) / len(work)


def bench(
    only: tuple[str, ...] = ("latency", "cost"),
    n: int = 200,
    viewers: int = 2,
    pairs: int = 10,
    seconds: float = 8.0,
    seed: int = 0,
) -> Iterator[Row]:
    """The events of latency, and the pairs of blocks of `seconds` of cost."""
    if CHROMIUM is None:
        raise SystemExit("no Chromium: `make browser` as root installs it")
    rendering.prepare(video=False, may=True)
    if "latency" in only:
        yield from latency(n, viewers, seed)
    if "cost" in only:
        yield from cost(pairs, seconds, seed)
