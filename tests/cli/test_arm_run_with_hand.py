"""`tamp xarm run` with a plan of a domain: the arm through its SDK, and a hand controller on a real socket."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli.arm_commands import run_plan
from cli.output import Output
from tamp.api.arm_configs import RunPlanConfig
from tamp.data import data_dir
from tests.emulated import Emulator, running

pytestmark = pytest.mark.process

BENCH = data_dir("problems") / "xarm"
CUPS_MM = ([420, 60, 60], [420, -120, 60])
"""The first is the nearer to above_table."""
HOME = [0, -35, -35, 0, 70, 0]
PLAN = """(go-to home)
(ready-hand)
(approach cup_1 above_table)
(touch cup_1 above_table)
(grasp cup_1 above_table)
(lift)
(go-over bin_drop)
(lower bin_drop)
(release cup_1 bin_drop)
(lift)
(go-to home)
"""
FASTER = {"= 60\n": "= 175\n", "= 300\n": "= 1145\n", "= 250\n": "= 950\n", "= 1000\n": "= 9000\n"}
"""The rates of bench.toml, and others."""


@pytest.fixture(scope="module")
def detections() -> str:
    """Where the emulator's own detector reports the cups."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        return f"tcp://127.0.0.1:{door.getsockname()[1]}"


@pytest.fixture(scope="module")
def emulator(detections: str) -> Iterator[Emulator]:
    cups = [f"--thing=cup={x},{y},{z}" for x, y, z in CUPS_MM]
    with running("xarm6", *cups, "--detections", detections) as found:
        yield found


class HandController:
    """Acknowledges events after a while, or does with them what `answer` says; notes how the arm stood meanwhile."""

    def __init__(self, emulator: Emulator, answer: Callable[[dict[str, Any]], dict[str, Any] | None]) -> None:
        self.emulator, self.answer = emulator, answer
        self.shown: list[dict[str, Any]] = []
        self.arm: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self.door = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self.door.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        self.door.settimeout(60)
        with contextlib.suppress(OSError):  # the test is over
            while True:
                connection, _ = self.door.accept()
                connection.settimeout(60)
                with connection, connection.makefile("rb") as lines:
                    for line in lines:
                        self._take(json.loads(line), connection)

    def _take(self, said: dict[str, Any], connection: socket.socket) -> None:
        self.shown.append(said)
        begin = self.emulator.state()
        time.sleep(0.15)
        self.arm.append((begin, self.emulator.state()))
        if answer := self.answer(said):
            connection.sendall(json.dumps(answer).encode() + b"\n")


def acknowledged(said: dict[str, Any]) -> dict[str, Any]:
    return {"ack": said["id"]}


Run = Callable[..., tuple[int, HandController, list[dict[str, Any]]]]


@pytest.fixture
def run(emulator: Emulator, detections: str, tmp_path: Path) -> Iterator[Run]:
    """`run(plan, answer)`: the exit code, the hand controller, and the run's log."""
    before, doors = socket.getdefaulttimeout(), []

    def carry_out(plan: str, answer: Callable[[dict[str, Any]], dict[str, Any] | None]) -> Any:
        emulator.ask(teleport=list(np.radians(HOME)))
        hand = HandController(emulator, answer)
        doors.append(hand.door)
        world, path, out = tmp_path / "world.toml", tmp_path / "plan.txt", tmp_path / "run"
        text = (BENCH / "bench.toml").read_text()
        text = text.replace("tcp://127.0.0.1:5557", hand.address).replace("tcp://127.0.0.1:5556", detections)
        for slow, fast in FASTER.items():
            text = text.replace(slow, fast)
        world.write_text(text)
        path.write_text(plan)
        arm = {"world": world, "host": emulator.host, "port": emulator.port}
        config = RunPlanConfig(path, domain="xarm", problem=BENCH / "cup_to_bin.pddl", out=out, **arm)
        code = run_plan(config, Output(None, json=False))
        lines = (out / "episode.jsonl").read_text().splitlines() if out.exists() else []
        return code, hand, [json.loads(line) for line in lines]

    yield carry_out
    socket.setdefaulttimeout(before)  # which the SDK sets for the whole process
    for door in doors:
        with contextlib.suppress(OSError):  # it wakes who waits for a connection
            door.shutdown(socket.SHUT_RDWR)
        door.close()


def position(state: dict[str, Any]) -> list[float]:
    return [float(v) for v in state["pose"][:3]]


def test_the_hand_works_between_the_movements_and_the_arm_waits_for_it(run: Run, emulator: Emulator) -> None:
    code, hand, log = run(PLAN, acknowledged)
    assert (code, log[-1]["reason"]) == (0, "")
    assert [(t["event"], t["step"], t["payload"]["action"]) for t in hand.shown] == [
        ("open", 2, "ready-hand"),
        ("close", 5, "grasp"),
        ("open", 9, "release"),
    ]
    assert position(hand.arm[1][0]) == pytest.approx(CUPS_MM[0], abs=0.5)
    assert position(hand.arm[2][0]) == pytest.approx([390, -390, 180], abs=0.5)
    for begin, end in hand.arm:
        assert (begin["started"], begin["moved_at"]) == (end["started"], end["moved_at"])
    assert [line["asked"] for line in log if line["event"] == "hand"] == ["open", "close", "open"]
    done = [line["action"] for line in log if line["event"] == "done"]
    assert [done.index("close"), len(done)] == [4, 11]
    assert emulator.state()["joints"] == pytest.approx(np.radians(HOME), abs=1e-3)


def test_a_refused_event_stops_the_run_where_the_arm_is(run: Run, emulator: Emulator) -> None:
    def refuses(said: dict[str, Any]) -> dict[str, Any]:
        return {"error": "no air", "id": said["id"]} if said["event"] == "close" else acknowledged(said)

    code, hand, log = run(PLAN, refuses)
    assert code == 1
    assert (log[-1]["kind"], log[-1]["halted"]) == ("hand", True)
    assert "step 5, close: the hand refuses 'close': no air" in log[-1]["reason"]
    assert [t["event"] for t in hand.shown] == ["open", "close"]
    time.sleep(0.3)
    after = emulator.state()
    assert after["started"] == hand.arm[-1][0]["started"]
    assert position(after) == pytest.approx(CUPS_MM[0], abs=0.5)


def test_a_stop_does_not_wait_for_the_hand(run: Run) -> None:
    def interrupts(said: dict[str, Any]) -> None:
        os.kill(os.getpid(), signal.SIGINT)  # and never answers

    begun = time.monotonic()
    code, hand, log = run(PLAN, interrupts)
    assert code == 130
    assert (log[-1]["kind"], log[-1]["halted"]) == ("stopped", True)
    assert time.monotonic() - begun < 8  # an unanswered event is given up after 10 s
    assert len(hand.shown) == 1
