"""`make bench-view`: how soon a page shows what a run logs.

Joint values are appended to a log at drawn moments while `viewers` pages are open, each in a headless Chromium of its
own: milliseconds until a page's picture of the arm is another one, seen one frame after it was drawn.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tamp.backends.libero import rendering
from tamp.runs.episode_log import EpisodeLog
from tests.bench import Row
from tests.browsing import CHROMIUM
from tests.emulated import TAMP

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


def bench(n: int = 200, viewers: int = 2, seed: int = 0) -> Iterator[Row]:
    """A row a line in the log and page."""
    from playwright.sync_api import sync_playwright

    if CHROMIUM is None:
        raise SystemExit("no Chromium: `make browser` as root installs it")
    rendering.prepare(video=False, may=True)
    rng, written, pages = np.random.default_rng(seed), [], []
    with tempfile.TemporaryDirectory() as there, sync_playwright() as playwright:
        folder = Path(there) / "run"
        with EpisodeLog(folder) as log, viewer(folder) as address:
            log.event("start", schema=1, task="bench", instruction="swing")
            log.event("robot", body="panda", shoulder=[-0.66, 0.0, 1.245, 1.0, 0.0, 0.0, 0.0], period=0.05)
            poses, boxes = {"mug_1": [0.1, 0.1, 0.95, 1, 0, 0, 0]}, {"mug_1": [[0.05, 0.05, 0.9], [0.15, 0.15, 1.0]]}
            log.event("scene", objects={"mug_1": "mug"}, symbols={}, poses=poses, boxes=boxes)
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
                values = {"displacement": np.zeros(6), "opening": 0.04, "fingers": 0.04, "q": POSTURES[step % 2]}
                log.event("command", step=step, stage="move", tool=[0.0, 0.3 * (step % 2), 1.1], **values)
            time.sleep(1.0)
            for number, page in enumerate(pages, 1):
                shown = page.evaluate("window.seen")
                for at, until in zip(written, [*written[1:], written[-1] + 1000.0], strict=True):
                    took = next((s - at for s in shown if at < s < until), None)
                    found = {} if took is None else {"ms": took}
                    yield Row(f"latency, viewer {number}", took is not None, found, "never shown")
                page.context.browser.close()
