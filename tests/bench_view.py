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
from tamp.runs.episode_log import EpisodeLog
from tests.bench import Row
from tests.browsing import CHROMIUM

TAMP = [sys.executable, "-c", "import sys; from cli.main import main; sys.exit(main())"]
POSTURES = ([0.0, -0.16, 0.0, -2.44, 0.0, 2.23, 0.79], [0.6, -0.16, 0.0, -2.0, 0.0, 2.23, 0.79])
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


def latency(n: int, viewers: int, seed: int) -> Iterator[Row]:
    """From a line in the log to another picture."""
    from playwright.sync_api import sync_playwright

    rng, written = np.random.default_rng(seed), []
    with tempfile.TemporaryDirectory() as there, sync_playwright() as playwright:
        folder = Path(there) / "run"
        with EpisodeLog(folder) as log, viewer(folder) as address:
            begin(log)
            pages = [page_of(playwright, address) for _ in range(viewers)]
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
    from tamp.backends.libero.environment import LiberoEnvironment
    from tamp.backends.libero.tasks import find

    environment, rng = LiberoEnvironment(find("mug_in_drawer"), seed=0), np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as there:
        for pair in range(pairs):
            found = dict[bool, tuple[float, float]]()
            for on in rng.permutation([False, True]).tolist():
                environment.reset(seed=0)
                work, own = _swing(environment, Path(there) / f"{pair}-{on}", on, seconds)
                found[on] = statistics.fmean(work), own / len(work)
            clock, processor = (
                100 * (with_ - without) / environment.period
                for without, with_ in zip(found[False], found[True], strict=True)
            )
            yield Row("cost", None, {"% by the clock": clock, "% of the processor": processor})
    environment.close()


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


def _swing(environment: Any, folder: Path, on: bool, seconds: float) -> tuple[list[float], float]:
    """Seconds of work of each control period of a block, and seconds of the processor that this process used for all
    of them; the first two seconds do not count."""
    from tamp.runs.camera_pictures import pictured

    work, used = list[float](), 0.0
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(EpisodeLog(folder))
        begin(log)
        if on:
            stack.enter_context(_reader(stack.enter_context(viewer(folder))))
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
