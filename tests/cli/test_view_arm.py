"""`tamp view` of an arm as a user sees it: an emulated arm, a detector, and the page in a real browser."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import imageio.v3 as iio
import numpy as np
import pytest

from motion.poses import Array
from tests import forked
from tests.browsing import CHROMIUM, NO_CHROMIUM
from tests.emulated import LIFE, Emulator, running

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
BENCH = ROOT / "problems" / "xarm" / "bench.toml"
VIEW = [sys.executable, "-c", "from cli.main import main; main()", "view", "--seconds", LIFE]
LEFT, RIGHT = np.radians([-120, 0, -60, 0, 60, 0]), np.radians([40, 0, -60, 0, 60, 0])


class Shown:
    """A page in a browser, the arm that it shows, and where its detector writes."""

    def __init__(self, page: Any, emulator: Emulator, seen: Path, wrong: list[str]) -> None:
        self.page, self.emulator, self.wrong = page, emulator, wrong
        self._seen = seen

    def detect(self, label: str, age: float = 0.0) -> None:
        thing = {"label": label, "confidence": 0.87, "xyz_mm": [400, 100, 40]}
        with self._seen.open("a") as lines:
            lines.write(json.dumps({"time": time.time() - age, "objects": [thing]}) + "\n")

    def says(self, text: str) -> None:
        self.page.get_by_text(text).locator("visible=true").first.wait_for(timeout=30_000)

    def picture_at(self, q: Array) -> Array:
        """The picture (height, width, 3) of the arm at `q`, once it is there and stays the same."""
        self.emulator.ask(teleport=[float(v) for v in q])
        self.says(f"{np.degrees(q[0]):.2f}°")
        last = self._picture()
        for _ in range(30):
            now = self._picture()
            if np.array_equal(now, last):
                break
            last = now
        return now

    def _picture(self) -> Array:
        shot = self.page.locator("#space").screenshot()
        return np.asarray(iio.imread(shot, extension=".png"))[..., :3].astype(int)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    if not CHROMIUM:
        pytest.skip(NO_CHROMIUM)
    from playwright.sync_api import sync_playwright

    folder = tmp_path_factory.mktemp("view")
    world, seen = folder / "world.toml", folder / "seen.jsonl"
    world.write_text(BENCH.read_text().replace("tcp://127.0.0.1:5556", seen.name))
    with running() as emulator, sync_playwright() as playwright:
        there = ("--world", world, "--host", emulator.host, "--page-port", "0", "--json", "--seconds", LIFE)
        viewer = forked.Begun("view", *there)
        address = json.loads(viewer.first_line())["page"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        wrong: list[str] = []
        page.on(
            "console",
            lambda m: wrong.append(m.text) if m.type in ("error", "warning") and "GL Driver" not in m.text else None,
        )
        page.on("pageerror", lambda e: wrong.append(str(e)))
        page.on("request", lambda r: None if r.url.startswith(address) else wrong.append(f"asks for {r.url}"))
        page.goto(address)
        yield Shown(page, emulator, seen, wrong)
        browser.close()
        viewer.send_signal(signal.SIGTERM)
        assert viewer.wait(10) == 0


def test_the_arm_is_drawn_where_it_is(shown: Shown) -> None:
    _, left, right, again = (shown.picture_at(q) for q in (RIGHT, LEFT, RIGHT, LEFT))  # there is room for both
    changed = np.abs(left - right).max(axis=2) > 10
    assert 0.01 < changed.mean() < 0.5
    assert np.array_equal(left, again)


def test_the_page_says_what_the_arm_says(shown: Shown) -> None:
    for text in ("xarm6", "stopped, mode 0 (position)", "no error", "-60.00°"):
        shown.says(text)
    shown.emulator.ask(fault="collision")
    shown.says("C31, Collision")


def test_what_is_seen_is_on_the_page(shown: Shown) -> None:
    shown.says("cannot read")
    shown.detect("cup", age=5)
    shown.page.get_by_text("The places as text").click()
    for text in ("cup", "sure 0.87", "0.400 0.100 0.040", "seen, old"):
        shown.says(text)
    before = shown.picture_at(LEFT)
    shown.detect("cup {alert(1)} <b>")
    shown.says("cup {alert(1)} <b>")
    assert np.any(before != shown.picture_at(LEFT))


def test_a_picture_that_is_old_says_so_and_goes_on(shown: Shown) -> None:
    shown.emulator.ask(fault="freeze", seconds=0)
    shown.says("no report for")
    shown.emulator.ask(clear="faults")
    shown.page.get_by_text("no report for").wait_for(state="hidden", timeout=30_000)


def test_a_page_is_there_before_the_arm_and_the_detector(tmp_path: Path) -> None:
    viewer = _started("--world", str(BENCH), "--host", "127.0.64.1", "--page-port", "0")
    assert viewer.stdout is not None
    line = viewer.stdout.readline()
    found = re.fullmatch(r"xarm6 at 127\.0\.64\.1: http://127\.0\.0\.1:(\d+)(/[\w-]+/)\n", line)
    assert found, line
    with socket.create_connection(("127.0.0.1", int(found[1])), timeout=5) as client:
        client.sendall(f"GET {found[2]} HTTP/1.1\r\nHost: 127.0.0.1:{found[1]}\r\n\r\n".encode())
        assert client.recv(12) == b"HTTP/1.0 200"
    viewer.send_signal(signal.SIGINT)
    rest, errors = viewer.communicate(timeout=20)
    assert (viewer.returncode, rest, errors) == (130, "", "tamp: interrupted\n")


def _started(*options: str) -> subprocess.Popen[str]:
    return subprocess.Popen([*VIEW, *options], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
