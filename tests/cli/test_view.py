"""`tamp view` as somebody sees it: a log that grows, in a browser, on a phone's screen and on a large one."""

from __future__ import annotations

import fcntl
import http.client
import itertools
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import imageio.v3 as iio
import numpy as np
import pytest

from motion.poses import Array
from tamp.data import data_dir
from tamp.runs.camera_pictures import FOLDER, INDEX, index, put
from tests import forked
from tests.browsing import fits_and_reads, is_walked_by_keys, until
from tests.emulated import LIFE, Emulator, running
from tests.page_episodes import PLAN, success, with_chest, write

pytestmark = pytest.mark.process

TAMP = [sys.executable, "-c", "import sys; from cli.main import main; sys.exit(main())"]


@contextmanager
def viewing(*options: object) -> Iterator[str]:
    """Where the page of a viewer is; it has nothing to complain of, and ends when it is told to."""
    viewer = forked.Begun("view", "--page-port", "0", "--seconds", LIFE, "--json", *options)
    line = viewer.first_line()
    assert line, viewer.errors.read_text()
    yield json.loads(line)["page"]
    viewer.send_signal(signal.SIGTERM)
    errors = re.sub(r"SDK_VERSION: .*\n", "", viewer.errors.read_text())  # which the arm's SDK prints
    assert (viewer.wait(10), errors) == (0, "")


@contextmanager
def written(run: Path) -> Iterator[Callable[[list[dict[str, Any]]], None]]:
    """Appends events to a run's log, as whoever writes it."""
    with (run / "episode.jsonl").open("a") as log:
        fcntl.flock(log, fcntl.LOCK_EX)

        def append(events: list[dict[str, Any]]) -> None:
            log.writelines(json.dumps(e) + "\n" for e in events)
            log.flush()

        yield append


def says(page: Any, place: str, text: str) -> None:
    page.locator(place).get_by_text(text).first.wait_for(timeout=10_000)


def test_a_run_is_seen_as_it_goes_on_by_two_at_once(tmp_path: Path, opened: Callable[..., Any]) -> None:
    events = with_chest()
    run = write(tmp_path / "e", [e for e in events if e["t"] < 4.0])
    with viewing(run) as address, written(run) as append:
        large, phone = opened(address), opened(address, 360, "dark")
        says(large, "#step-1", PLAN[0])
        until(lambda: large.locator(".labels span").count())
        before = large.locator("#space").screenshot()
        large.close()  # whoever goes is not missed
        append([e for e in events if 4.0 <= e["t"] < 5.5])
        says(phone, "#step-1", "(open drawer_1)")
        phone.get_by_text("The places as text").click()
        row = phone.locator("tr", has=phone.get_by_text("chest_drawer", exact=True))
        assert row.locator("td").all_inner_texts()[:3] == ["drawer", "closed", "open"]
        says(phone, ".actions [aria-current=step]", PLAN[1])
        again = opened(address)
        says(again, ".actions [aria-current=step]", PLAN[1])
        assert until(lambda: again.locator("#space").screenshot() != before)
        append([e for e in events if e["t"] >= 5.5])
        for page in (phone, again):
            says(page, "#verdict", "It succeeded by LIBERO's check.")
            says(page, "[data-part=now]", "3 of 3 actions were done.")
            says(page, "[data-part=now]", f"tamp report {run} --html page.html")
            until(lambda page=page: page.locator("#step").is_visible())  # it is the page of the report now
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert phone.locator("details", has_text="The places as text").first.get_attribute("open") is not None


def test_what_is_asked_for_by_another_name_is_not_answered(tmp_path: Path) -> None:
    with viewing(write(tmp_path / "e", success())) as address:
        host, _, secret = address.removeprefix("http://").partition("/")
        for asked, path, headers, expected in (
            ("GET", f"/{secret}", {"Host": host}, 200),
            ("GET", "/", {"Host": host}, 403),
            ("GET", "/events", {"Host": host}, 403),
            ("GET", f"/{secret}", {"Host": "evil.example:80"}, 403),
            ("POST", f"/{secret}order", {"Host": host, "Origin": f"http://{host}"}, 200),
            ("POST", f"/{secret}order", {"Host": host, "Origin": "http://evil.example"}, 403),
            ("POST", f"/{secret}order", {"Host": host}, 403),
            ("POST", "/order", {"Host": host, "Origin": f"http://{host}"}, 403),
        ):
            connection = http.client.HTTPConnection(host, timeout=10)
            connection.request(asked, path, "{}", headers)
            assert connection.getresponse().status == expected
            connection.close()


def test_a_port_that_is_taken_and_a_folder_that_is_no_run_are_said_in_a_line(tmp_path: Path) -> None:
    with viewing(write(tmp_path / "e", success())) as address:
        port = address.split(":")[2].partition("/")[0]
        for options, says_ in (
            ([str(tmp_path / "e"), "--page-port", port], "the port is in use"),
            ([str(tmp_path)], "holds no"),
        ):
            done = forked.tamp("view", *options)
            assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
            assert says_ in done.stderr and "valid:" in done.stderr


def accessible(page: Any) -> None:
    """On a phone's screen and a large one, in light and dark."""
    for width, scheme in itertools.product((360, 1280), ("light", "dark")):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        fits_and_reads(page)


def test_orders_go_to_the_session_and_its_answer_comes_back(tmp_path: Path, opened: Callable[..., Any]) -> None:
    live = [*TAMP, "live", "--backend", "fake", "--decider", "person", "--listen", "orders", "--seconds", LIFE]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    session = subprocess.Popen([*live, "--out", "run"], cwd=tmp_path, **pipes)
    try:
        with viewing(tmp_path / "run", "--wait") as address:
            page = opened(address, 360)
            page.get_by_role("button", name="Skip 2 s").wait_for(timeout=60_000)
            put(
                tmp_path / "run" / FOLDER,
                "front.jpg",
                iio.imwrite("<bytes>", np.zeros((8, 8, 3), np.uint8), extension=".jpg"),
            )
            camera = {
                "file": "front.jpg",
                "size": [8, 8],
                "K": [9, 9, 4, 4],
                "T_world_camera": [*np.eye(4)[:3].ravel()],
            }
            put(tmp_path / "run" / FOLDER, INDEX, index(1, {"front": camera}))
            page.get_by_label("What the camera front sees").wait_for(timeout=10_000)
            accessible(page)
            is_walked_by_keys(page)
            before = page.locator("#space").screenshot()
            page.locator("#space").press("ArrowLeft")
            assert page.locator("#space").screenshot() != before
            page.get_by_label("Next instruction").fill("wave, please")
            page.keyboard.press("Enter")
            says(page, "[data-part=asked]", "say 'wave, please'")
            says(page, "[data-part=asked]", "taken")
            page.get_by_role("button", name="Stop").click()
            says(page, "#answer", "stop: taken")
            assert session.stdin is not None
            session.stdin.close()  # it ends once nothing runs
            says(page, "#no-orders", "It is over")
            assert not page.get_by_role("button", name="Stop").is_visible()
    finally:
        session.kill()


BENCH = data_dir("problems") / "xarm" / "bench.toml"
LEFT, RIGHT = np.radians([-120, 0, -60, 0, 60, 0]), np.radians([40, 0, -60, 0, 60, 0])


def picture(page: Any) -> Array:
    """The 3-D view, pixels (height, width, 3)."""
    shot = page.locator("#space").screenshot()
    return np.asarray(iio.imread(shot, extension=".png"))[..., :3].astype(int)


def picture_at(page: Any, emulator: Emulator, q: Array) -> Array:
    """The 3-D view of the arm at `q`, once it is there and stays the same."""
    emulator.ask(teleport=[float(v) for v in q])
    says(page, "body", f"{np.degrees(q[0]):.2f}°")
    last = picture(page)
    for _ in range(30):
        now = picture(page)
        if np.array_equal(now, last):
            break
        last = now
    return now


def test_an_arm_is_shown_with_its_reports_and_what_its_detector_sees(
    tmp_path: Path, opened: Callable[..., Any]
) -> None:
    world, seen = tmp_path / "world.toml", tmp_path / "seen.jsonl"
    world.write_text(BENCH.read_text().replace("tcp://127.0.0.1:5556", seen.name))
    with running() as emulator, viewing("--world", world, "--host", emulator.host) as address:
        page = opened(address)
        for text in ("xarm6", "stopped, mode 0 (position)", "no error", "cannot read"):
            says(page, "body", text)
        _, left, right, again = (picture_at(page, emulator, q) for q in (RIGHT, LEFT, RIGHT, LEFT))  # room for both
        changed = np.abs(left - right).max(axis=2) > 10
        assert 0.01 < changed.mean() < 0.5 and np.array_equal(left, again)
        thing = {"label": "cup {alert(1)} <b>", "confidence": 0.87, "xyz_mm": [400, 100, 40]}
        seen.write_text(json.dumps({"time": time.time() - 5, "objects": [thing]}) + "\n")
        page.get_by_text("The places as text").click()
        for text in ("cup {alert(1)} <b>", "sure 0.87", "0.400 0.100 0.040", "seen, old"):
            says(page, "[data-part=places]", text)
        assert np.any(left != picture_at(page, emulator, LEFT))
        emulator.ask(fault="freeze", seconds=0)
        says(page, "body", "no report for")
        emulator.ask(clear="faults")
        page.get_by_text("no report for").wait_for(state="hidden", timeout=30_000)
        emulator.ask(fault="collision")
        says(page, "body", "C31, Collision")
