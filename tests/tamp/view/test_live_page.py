"""A page that is kept up to date from a log that grows, is cut, is spoilt, or is written by nobody any more."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tamp.runs.episode_log import EpisodeLog
from tamp.view.live_page import LivePage
from tamp.view.log_source import LogSource, Tail, newest, written
from tamp.view.page_layout import Layout
from tests.page_episodes import MARKUP, PLAN, event, failure, success, with_chest, write

LAYOUT = Layout.of()


@contextmanager
def going_on(folder: Path, events: list[dict[str, Any]], local: bool = True) -> Iterator[LivePage]:
    """The page of a run whose log somebody writes."""
    log = write(folder, events) / "episode.jsonl"
    with log.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        page = LivePage(LogSource(folder, local=local), LAYOUT)
        brought_up(page)
        yield page


def brought_up(page: LivePage) -> LivePage:
    page._looked = -1.0
    while page.look():
        pass
    return page


def text(page: LivePage, part: str) -> str:
    return str(json.loads(page.board.parts[f"#{part}"]))


def until(t: float) -> list[dict[str, Any]]:
    return [e for e in success() if e["t"] <= t]


def test_half_a_line_waits_for_its_other_half(tmp_path: Path) -> None:
    log = tmp_path / "episode.jsonl"
    tail = Tail(log)
    assert tail.more() == []
    log.write_text('{"event": "start", "t": 0}\n{"event": "sta')
    assert [e["event"] for e in tail.more()] == ["start"] and tail.cut
    with log.open("a") as file:
        file.write('te", "t": 1}\nno event\n{"t": 1}\n')
    assert [e["event"] for e in tail.more()] == ["state"]
    assert (tail.cut, tail.spoilt, tail.more()) == (False, 2, [])


def test_a_log_is_being_written_until_its_writer_is_gone_however_it_goes(tmp_path: Path) -> None:
    with EpisodeLog(tmp_path / "one") as log:
        assert written(log.folder / "episode.jsonl")
    assert not written(log.folder / "episode.jsonl")
    writes = "import sys, time, pathlib; from tamp.runs.episode_log import EpisodeLog as Log; "
    writes += "log = Log(pathlib.Path(sys.argv[1])); print(flush=True); time.sleep(60)"
    writer = subprocess.Popen([sys.executable, "-c", writes, str(tmp_path / "two")], stdout=subprocess.PIPE)
    assert writer.stdout is not None and writer.stdout.readline()
    assert written(tmp_path / "two" / "episode.jsonl")
    writer.kill()
    writer.wait()
    assert not written(tmp_path / "two" / "episode.jsonl")


def test_a_viewer_gets_what_is_new_to_it(tmp_path: Path) -> None:
    page = LivePage(LogSource(write(tmp_path / "e", [])), LAYOUT)
    early, late = dict[str, str](), dict[str, str]()
    page.look()
    first = json.loads(page.board.wait(early, 0.0) or "{}")
    assert "interrupted" in first["#head"]  # nobody writes it
    with (tmp_path / "e" / "episode.jsonl").open("a") as file:
        file.writelines(json.dumps(e) + "\n" for e in with_chest()[:20])
    brought_up(page)
    news, whole = (json.loads(page.board.wait(viewer, 0.0) or "{}") for viewer in (early, late))
    assert "path" not in news and {"path", "scene", "state", "#actions", "#failures"} <= whole.keys()
    assert "#model" in whole and len(whole["path"]) > 5
    assert page.board.wait(early, 0.0) == ""


def test_the_run_that_begins_later_is_turned_to(tmp_path: Path) -> None:
    page, viewer = LivePage(LogSource(base=tmp_path), LAYOUT), dict[str, str]()
    page.look()
    assert "waiting" in json.loads(page.board.wait(viewer, 0.0) or "{}")["#head"]
    write(tmp_path / "20260101-000000-first", success())
    write(tmp_path / "20260101-000001-second", success()[:3])
    os.utime(tmp_path / "20260101-000000-first" / "episode.jsonl")
    brought_up(page)
    assert page.source.log == newest(tmp_path) == tmp_path / "20260101-000001-second" / "episode.jsonl"
    assert "run" in json.loads(page.board.wait(viewer, 0.0) or "{}")


def test_a_run_in_the_middle_of_its_plan(tmp_path: Path) -> None:
    activity = event("activity", 5.31, name=PLAN[1], stage="moving", seconds=0.3, why="")
    with going_on(tmp_path / "e", [*until(5.3), activity]) as page:
        actions = text(page, "actions")
        assert [actions.count(word) for word in ("done", "acting", "planned")] == [1, 1, 1]
        assert "put the mug in the drawer" in text(page, "head") and "It goes on." in text(page, "head")
        assert PLAN[1] in text(page, "now") and "since 5.0" in text(page, "now")
        assert "(in mug_1 drawer_1)" in text(page, "asked") and "<code>(open drawer_1)</code> is true now" in actions
        assert "whole" not in page.board.parts


def test_markup_of_a_log_is_text_in_every_part(tmp_path: Path) -> None:
    page = brought_up(LivePage(LogSource(write(tmp_path / "e", failure())), LAYOUT))
    parts = [name for name in page.board.parts if name.startswith("#")]
    assert len(parts) >= 7 and not any("<img" in text(page, name[1:]) for name in parts)
    assert "&lt;img src=x" in text(page, "head")


@pytest.mark.parametrize("value", [None, 3, "x", [], {}, [None], [None] * 7, float("nan"), {"a": {}}, MARKUP])
def test_fields_of_the_wrong_kind_are_left_out(value: object, tmp_path: Path) -> None:
    odd = [event("robot", 0.0, body="panda", shoulder=[0.0] * 6, period=1), event("listens", 1, path="orders")]
    events = [e | {key: value} for e in (*with_chest(), *odd) for key in e.keys() - {"event"}]
    page = brought_up(LivePage(LogSource(write(tmp_path / "e", [*until(4.5), *events])), LAYOUT))
    assert page.story.steps


def test_orders_are_taken_of_a_session_that_goes_on_on_this_machine_alone(tmp_path: Path) -> None:
    listens = event("listens", 0.1, path=str(tmp_path / "orders"))
    with going_on(tmp_path / "a", [*until(1.0), listens]) as page:
        assert page.board.parts["orders"] == "true" and page.order({"skip": 2})["why"].endswith("listen any more")
    assert brought_up(page).board.parts["orders"] == "false" and "It is over" in text(page, "now")
    with going_on(tmp_path / "b", [*until(1.0), listens], local=False) as page:
        assert page.board.parts["orders"] == "false" and "127.0.0.1 alone" in text(page, "now")
        assert page.order({"skip": 2}) == {"taken": False, "why": "no session takes orders now"}
    with going_on(tmp_path / "c", until(1.0)) as page:
        assert page.board.parts["orders"] == "false" and "tamp live --view" in text(page, "now")
