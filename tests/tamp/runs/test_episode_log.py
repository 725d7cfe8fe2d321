"""The episode log: readable whenever it stops, and never written over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tamp.errors import InputError
from tamp.model.atoms import Atom
from tamp.runs.episode_log import EpisodeLog, new_folder, read


def test_events_are_read_back_in_order_and_as_plain_values(tmp_path: Path) -> None:
    with EpisodeLog(tmp_path / "new" / "episode") as log:
        log.event("state", atoms=frozenset({Atom("hand-empty"), Atom("clear", ("cup",))}))
        log.event("command", q=np.array([0.1234567, 1.0]), steps=np.int64(3))
    events = read(log.folder / "episode.jsonl")
    assert [e["event"] for e in events] == ["state", "command"]
    assert events[0]["atoms"] == ["(clear cup)", "(hand-empty)"]
    assert (events[1]["q"], events[1]["steps"]) == ([0.123457, 1.0], 3)
    assert events[0]["t"] <= events[1]["t"]


def test_half_a_last_line_is_left_out(tmp_path: Path) -> None:
    with EpisodeLog(tmp_path) as log:
        log.event("start", seed=0)
        log.event("goal", goal="(open chest)")
    path = tmp_path / "episode.jsonl"
    path.write_bytes(path.read_bytes()[:-10])
    assert [e["event"] for e in read(path)] == ["start"]


def test_a_broken_line_in_the_middle_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "episode.jsonl"
    path.write_text('{"event": "start"}\n{"event": \n{"event": "goal"}\n')
    with pytest.raises(InputError, match=r"episode\.jsonl:2:\d+: not JSON"):
        read(path)


def test_a_file_is_no_folder_for_an_episode(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file is a file, no folder: choose another --out"):
        EpisodeLog(tmp_path / "file")


def test_an_episode_is_not_written_over(tmp_path: Path) -> None:
    EpisodeLog(tmp_path).close()
    with pytest.raises(InputError, match="already holds an episode"):
        EpisodeLog(tmp_path)


def test_bad_input_before_anything_happened_does_not_take_the_folder(tmp_path: Path) -> None:
    for kinds in (["start"], ["start", "goal"]):
        with pytest.raises(InputError, match="mend it"), EpisodeLog(tmp_path) as log:
            for kind in kinds:
                log.event(kind)
            raise InputError("mend it")
    assert [e["event"] for e in read(tmp_path / "episode.jsonl")] == ["start", "goal", "error"]
    with pytest.raises(InputError, match="already holds an episode"):
        EpisodeLog(tmp_path)


def test_a_folder_that_cannot_be_made_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write to"):
        EpisodeLog(tmp_path / "file" / "episode")


def from_compiled_code() -> BaseException:
    """What a compiled function raises when Ctrl-C comes while it calls back."""
    error = SystemError("returned a result with an exception set")
    error.__cause__ = KeyboardInterrupt()
    return error


@pytest.mark.parametrize(
    ("error", "kind"),
    [(KeyboardInterrupt(), "interrupted"), (from_compiled_code(), "interrupted"), (InputError("so"), "error")],
)
def test_how_it_ended_is_the_last_event(error: BaseException, kind: str, tmp_path: Path) -> None:
    with pytest.raises(type(error)), EpisodeLog(tmp_path):
        raise error
    assert read(tmp_path / "episode.jsonl")[-1]["event"] == kind


KILLED = """
import sys
from pathlib import Path
from tamp.runs.episode_log import EpisodeLog
log = EpisodeLog(Path(sys.argv[1]))
for step in range(1_000_000):
    log.event("command", step=step)
    if step == 500:
        print("running", flush=True)
"""


@pytest.mark.process
def test_a_killed_run_leaves_a_readable_log(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        os.kill(process.pid, signal.SIGKILL)
    steps = [e["step"] for e in read(tmp_path / "episode.jsonl")]
    assert len(steps) > 500
    assert steps == list(range(len(steps)))


def test_folders_are_new_each_time(tmp_path: Path) -> None:
    first = new_folder(tmp_path, "cup")
    first.mkdir()
    assert new_folder(tmp_path, "cup") != first
    assert first.name.endswith("-cup")


def test_every_line_is_json_of_its_own(tmp_path: Path) -> None:
    with EpisodeLog(tmp_path) as log:
        log.event("note", text="two\nlines")
    assert json.loads((tmp_path / "episode.jsonl").read_text())["text"] == "two\nlines"
