"""Camera pictures of a run: the run never waits for them, and is told once when there are none."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tamp.runs.camera_pictures import PagePictures, put
from tamp.view.live_page import LivePage
from tamp.view.log_source import LogSource
from tamp.view.page_layout import Layout
from tamp.worker_process import Cancelled


class Painter:
    """Takes its time."""

    def __init__(self, folder: Path, cancelled: Cancelled) -> None:
        self.folder = folder

    def take(self, what: str) -> None:
        if what == "nothing":
            raise ValueError("there is nothing to be seen")
        time.sleep(0.2)
        put(self.folder / "view", "front.jpg", what.encode())
        put(self.folder / "view", "pictures.json", b'{"number": 1}')


def stepped(pictures: PagePictures, until: Callable[[], bool]) -> list[float]:
    """Seconds of each step, until something is so."""
    took, end = [], time.monotonic() + 30.0
    while not until():
        assert time.monotonic() < end
        begun = time.perf_counter()
        pictures.step()
        took.append(time.perf_counter() - begun)
        time.sleep(0.01)
    return took


@pytest.mark.usefixtures("real_time")
def test_who_acts_does_not_wait_for_pictures_and_the_last_one_is_of_the_end(tmp_path: Path) -> None:
    (tmp_path / "episode.jsonl").touch()
    page, now = LivePage(LogSource(tmp_path), Layout.of()), ["begin"]
    page.look()
    pictures = PagePictures(partial(Painter, tmp_path), lambda: now[0], lambda line: None)
    took = stepped(pictures, lambda: page.picture("front.jpg") == b"begin")
    assert sorted(took)[len(took) // 2] < 0.01
    now[0] = "end"
    pictures.close()
    assert page.picture("front.jpg") == b"end"
    page.look()
    assert page.board.parts["pictures"] == '{"number": 1}'
    assert [page.picture(name) for name in ("other.jpg", "../episode.jsonl", "pictures.json", ".jpg")] == [None] * 4


def test_that_there_are_no_pictures_is_said_once(tmp_path: Path) -> None:
    said: list[str] = []
    pictures = PagePictures(partial(Painter, tmp_path), lambda: "nothing", said.append)
    stepped(pictures, lambda: bool(said))
    pictures.step()
    pictures.close()
    assert said == ["no more pictures: ValueError: there is nothing to be seen"]
