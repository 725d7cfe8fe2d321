"""A live session from Python: whoever gives orders, and is told, is passed in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tamp.api.arm_configs import LiveConfig
from tamp.api.live import Callbacks, Words, begun
from tamp.errors import InputError
from tamp.runs.episode import Result
from tamp.runs.episode_log import read


def run(tmp_path: Path, *orders: str) -> tuple[Result, list[dict[str, Any]], list[str]]:
    shown: list[dict[str, Any]] = []
    said: list[str] = []
    known: list[str] = []

    def gives(words: Words) -> Iterator[str]:
        known.extend(words())
        yield from orders

    session = begun(LiveConfig(backend="fake", clock="paused", out=tmp_path / "run"))
    result = session(Callbacks(said.append, shown.append, gives, "a program"))
    assert {"start", "say", "pick"} <= set(known), "what orders can be made of"
    return result, shown, said


def test_a_session_takes_orders_of_a_program_and_tells_it_what_happens(tmp_path: Path) -> None:
    result, shown, said = run(tmp_path, "start (pick box_1 table)", '{"start": "(pick box_9 table)"}', "skip -1")
    assert result.success and (result.goal, result.reason, result.out) == (None, None, str(tmp_path / "run"))
    assert result.steps > 10 and result.seconds["session"] > 0.5
    stages = [e["stage"] for e in shown if e.get("name") == "(pick box_1 table)"]
    assert stages == ["moving", "acting", "done"]
    refused = [e for e in shown if e["event"] == "command" and not e["taken"]]
    assert [e["command"] for e in refused] == ["start (pick box_9 table)"]
    assert [line for line in said if line.startswith("no: ")] == [
        "no: -1.0 is nothing to skip; valid: seconds from 0 to 3600"
    ]
    log = read(tmp_path / "run" / "episode.jsonl")
    assert (log[0]["event"], log[-1]["event"], log[-1]["success"]) == ("start", "outcome", True)


def test_what_cannot_be_is_said_before_anything_is_built(tmp_path: Path) -> None:
    wrong: dict[str, dict[str, Any]] = {
        "no scene 'packed/99'": {"backend": "fake", "scene": "packed/99"},
        "--decider script needs": {"backend": "fake", "decider": "script"},
        "--clock paused are for simulated": {"backend": "xarm", "clock": "paused"},
    }
    for message, options in wrong.items():
        with pytest.raises(InputError, match=message):
            begun(LiveConfig(**options))
