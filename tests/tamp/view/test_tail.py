"""A log that grows, is cut, is spoilt, or is written by nobody any more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tamp.errors import InputError
from tamp.runs.episode_log import EpisodeLog
from tamp.view.board import Told
from tamp.view.hub import Hub
from tamp.view.page import orders_of
from tamp.view.state import View
from tamp.view.tail import Followed, Tail, followed, newest, written
from tests.page_episodes import success, write


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


def test_a_viewer_is_told_what_is_new_to_it(tmp_path: Path) -> None:
    folder = write(tmp_path / "e", [])
    hub, early, late = Hub(Followed(folder)), Told(), Told()
    hub.look()
    log = folder / "episode.jsonl"
    told = json.loads(hub.board.wait(early, 0.0) or "{}")
    assert told["head"]["state"] == "interrupted"  # nobody writes it
    with log.open("a") as file:
        file.writelines(json.dumps(e) + "\n" for e in success()[:20])
    while hub.look():
        pass
    news, all_of_it = (json.loads(hub.board.wait(told, 0.0) or "{}") for told in (early, late))
    assert "solids" not in news and {"solids", "plan", "facts", "path"} <= all_of_it.keys()
    assert news["path"] == all_of_it["path"] and len(news["path"][""][1]) > 5
    assert hub.board.wait(early, 0.0) == ""


def test_the_run_that_begins_later_is_turned_to(tmp_path: Path) -> None:
    hub, told = Hub(Followed(base=tmp_path)), Told()
    hub.look()
    assert json.loads(hub.board.wait(told, 0.0) or "{}")["head"]["state"] == "waiting"
    write(tmp_path / "20260101-000000-first", success())
    write(tmp_path / "20260101-000001-second", success()[:3])
    os.utime(tmp_path / "20260101-000000-first" / "episode.jsonl")
    hub._looked = -1.0
    hub.look()
    assert hub.log == newest(tmp_path) == tmp_path / "20260101-000001-second" / "episode.jsonl"
    assert "run" in json.loads(hub.board.wait(told, 0.0) or "{}")


def test_orders_are_taken_of_a_session_that_goes_on_on_this_machine_alone() -> None:
    told = View(listens=Path("orders"))
    assert orders_of(told, "goes on", local=True) == {"takes": True, "why": ""}
    for view, life, local in ((told, "gone", True), (told, "goes on", False), (View(), "goes on", True)):
        refused = orders_of(view, life, local)
        assert not refused["takes"] and refused["why"]
    assert "there are no pictures" in orders_of(told, "gone", local=True, pictures=False)["why"]


def test_what_is_no_run_is_said(tmp_path: Path) -> None:
    write(tmp_path / "runs" / "e", success())
    (tmp_path / "notes.txt").write_text("hello")
    for wrong, says in (
        (tmp_path / "no", "does not exist"),
        (tmp_path / "runs", "such as"),
        (tmp_path / "notes.txt", "not an"),
    ):
        with pytest.raises(InputError, match=says):
            followed(wrong, wait=False)
    assert followed(tmp_path / "no", wait=True).log() is None
