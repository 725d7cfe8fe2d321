"""`tamp xarm view` as a user sees it: an emulated arm, a detector, and the page in a real browser."""

from __future__ import annotations

import json
import re
import shutil
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

from motion.poses import Array, inverse, pose
from tamp.backends.xarm.view.scene import FIELD, Scene, parts, scene_of
from tamp.backends.xarm.workcell import read_workcell
from tests.emulated import Emulator, running

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
BENCH = ROOT / "problems" / "xarm" / "bench.toml"
VIEW = [sys.executable, "-c", "from cli.main import main; main()", "xarm", "view", "--seconds", "120"]
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
NO_CHROMIUM = "no Chromium: `make browser` as root installs it, else: sudo apt-get install chromium"
FLAGS = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-quic")
WIDTH, HEIGHT = 960, 420
LEFT, RIGHT = np.radians([-120, 0, -60, 0, 60, 0]), np.radians([40, 0, -60, 0, 60, 0])
"""Configurations in which the arm hides nothing of where it is in the other."""


class Shown:
    """A page in a browser, the arm that it shows, and where its detector writes."""

    def __init__(self, page: Any, emulator: Emulator, seen: Path, requests: list[str], address: str) -> None:
        self.page, self.emulator, self.requests, self.address = page, emulator, requests, address
        self._seen = seen

    def detect(self, label: str, age: float = 0.0) -> None:
        thing = {"label": label, "confidence": 0.87, "xyz_mm": [400, 100, 40]}
        with self._seen.open("a") as lines:
            lines.write(json.dumps({"time": time.time() - age, "objects": [thing]}) + "\n")

    def says(self, text: str) -> None:
        self.page.get_by_text(text).locator("visible=true").first.wait_for(timeout=30_000)

    def picture_at(self, q: Array, unlike: Array | None = None) -> Array:
        """The picture (height, width, 3) of the arm at `q`, once it is there and stays the same: the page fades in,
        and a slow machine draws later than it says. `unlike` is one that it cannot be."""
        self.emulator.ask(teleport=[float(v) for v in q])
        self.says(f"{np.degrees(q[0]):.2f}°")
        half, last = (slice(None), slice(0, WIDTH // 2)), self._picture()
        for _ in range(30):
            now = self._picture()
            drawn = (now[HEIGHT // 2 :, : WIDTH // 2] < 150).any()  # where nothing but the picture is
            if drawn and np.array_equal(now, last) and (unlike is None or np.any(now[half] != unlike[half])):
                break
            last = now
        return now

    def _picture(self) -> Array:
        return np.asarray(iio.imread(self.page.screenshot(), extension=".png"))[..., :3].astype(int)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    if not CHROMIUM:
        pytest.skip(NO_CHROMIUM)
    from playwright.sync_api import sync_playwright

    folder = tmp_path_factory.mktemp("view")
    world, seen = folder / "world.toml", folder / "seen.jsonl"
    world.write_text(BENCH.read_text().replace("tcp://127.0.0.1:5556", seen.name))
    with running() as emulator, sync_playwright() as playwright:
        viewer = _started("--world", str(world), "--host", emulator.host, "--page-port", "0", "--json")
        assert viewer.stdout is not None
        address = json.loads(viewer.stdout.readline())["page"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.on("websocket", lambda socket_: requests.append(socket_.url))
        page.goto(address)
        yield Shown(page, emulator, seen, requests, address)
        browser.close()
        viewer.send_signal(signal.SIGTERM)
        assert viewer.wait(10) == 0


def test_the_arm_is_drawn_where_it_is(shown: Shown) -> None:
    left = shown.picture_at(LEFT)
    right = shown.picture_at(RIGHT, unlike=left)
    changed = np.abs(left - right).max(axis=2) > 10
    bench = scene_of(read_workcell(BENCH))
    for q in (LEFT, RIGHT):
        x, y = _pixel(bench, _forearm(bench, q))
        assert changed[y - 3 : y + 4, x - 3 : x + 4].mean() > 0.9
    x, y = _pixel(bench, np.array([0.0, 0.0, 0.15]))  # the column turns on the spot
    assert left[y, x].max() < 250 and not changed[y - 4 : y + 5, x - 4 : x + 5].any()


def test_the_page_says_what_the_arm_says(shown: Shown) -> None:
    for text in ("xarm6", "stopped, mode 0 (position)", "no error", "-60.00°"):
        shown.says(text)
    shown.emulator.ask(fault="collision")
    shown.says("C31, Collision")


def test_what_is_seen_is_on_the_page(shown: Shown) -> None:
    shown.says("cannot read")
    shown.detect("cup", age=5)
    for text in ("cup", "0.87", "400 100 40", "old"):
        shown.says(text)
    shown.detect("cup {alert(1)} <b>")
    shown.says("cup {alert(1)} <b>")


def test_a_picture_that_is_old_says_so_and_goes_on(shown: Shown) -> None:
    shown.emulator.ask(fault="freeze", seconds=0)
    shown.says("no report for")
    shown.emulator.ask(clear="faults")
    shown.page.get_by_text("no report for").wait_for(state="hidden", timeout=30_000)


def test_the_page_needs_nothing_from_elsewhere(shown: Shown) -> None:
    where = re.escape(shown.address.removeprefix("http"))
    assert len(shown.requests) >= 2
    assert [url for url in shown.requests if not re.match(rf"(blob:)?(http|ws){where}/", url)] == []


def test_a_page_is_there_before_the_arm_and_the_detector(tmp_path: Path) -> None:
    viewer = _started("--world", str(BENCH), "--host", "127.0.64.1", "--page-port", "0")
    assert viewer.stdout is not None
    line = viewer.stdout.readline()
    found = re.fullmatch(r"xarm6 at 127\.0\.64\.1: http://127\.0\.0\.1:(\d+)\n", line)
    assert found, line
    with socket.create_connection(("127.0.0.1", int(found[1])), timeout=5) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: page\r\n\r\n")
        assert client.recv(12) == b"HTTP/1.1 200"
    viewer.send_signal(signal.SIGINT)
    rest, errors = viewer.communicate(timeout=20)
    assert (viewer.returncode, rest, errors) == (130, "", "tamp: interrupted\n")


def test_a_port_in_use_is_one_clear_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        viewer = _started("--world", str(BENCH), "--page-port", str(port))
        out, errors = viewer.communicate(timeout=20)
    assert (viewer.returncode, out) == (2, "")
    assert errors.startswith(f"tamp: error: cannot serve the page at 127.0.0.1:{port}: Address already in use; valid: ")
    assert errors.count("\n") == 1


def test_viser_is_needed_for_the_page_and_nothing_else() -> None:
    page = "import tamp.backends.xarm.view.page"
    without = f"import sys; sys.modules['viser'] = None; {page}; from cli.main import main; main()"
    command = [sys.executable, "-c", without, "xarm", "view", "--world", str(BENCH)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == 'tamp: xarm view needs viser: pip install "tamp-toolkit[view]"'


def _started(*options: str) -> subprocess.Popen[str]:
    return subprocess.Popen([*VIEW, *options], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _forearm(scene: Scene, q: Array) -> Array:
    """A point (3,) in the forearm, next to the wrist, base frame."""
    rod = [r for r in scene.rods if r.part == 4][-1]
    T = parts(scene.arm, q)[rod.part]
    return np.asarray(T[:3, :3] @ ((rod.p + rod.q) / 2) + T[:3, 3])


def _pixel(scene: Scene, p_base: Array) -> tuple[int, int]:
    """Where a point (3,) is in the first view."""
    back = (scene.eye - scene.middle) / np.linalg.norm(scene.eye - scene.middle)
    right = np.cross([0.0, 0.0, 1.0], back)
    right /= np.linalg.norm(right)
    T_base_eye = pose(scene.eye, np.column_stack([right, np.cross(back, right), back]))
    x, y, z, _ = inverse(T_base_eye) @ [*p_base, 1.0]
    scale = HEIGHT / 2 / np.tan(FIELD / 2) / -z
    return round(WIDTH / 2 + scale * x), round(HEIGHT / 2 - scale * y)
