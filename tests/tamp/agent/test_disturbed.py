"""What is not as an action relies on stops it at once; a wrong look does not, and what is away may come back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from motion.timing import Trajectory
from tamp.agent.monitor import OFTEN
from tamp.agent.plan_executor import STOPS
from tamp.agent.session import Routine
from tamp.agent.tabletop import BLIND
from tamp.model.motions import Motion
from tamp.model.situation import Situation
from tamp.skills.base import Infeasible, Refinement, Tools
from tests.tamp.agent.lamps import STEPS, Press, Room, Setting, lamps


class Approach(Press):
    """Comes near first, slowly, and presses then."""

    def refine(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> Iterator[Refinement | Infeasible]:
        for found in super().refine(args, situation, tools):
            assert isinstance(found, Refinement)
            (move,) = found.segments
            assert isinstance(move, Motion)
            T, times = move.trajectory.T_world_tool, 2.0 * move.trajectory.times
            parts = (slice(0, STEPS // 2 + 1), slice(STEPS // 2, STEPS))
            ways = (Trajectory(times[p] - times[p][0], np.zeros((len(T[p]), 1)), T[p]) for p in parts)
            yield replace(found, segments=tuple(replace(move, trajectory=way) for way in ways))


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    """Two lamps, and an arm that comes near before it presses."""
    return replace(lamps(tmp_path), press=Approach())


def turn_off(name: str, room: Room) -> None:
    room.lit.discard(name)


def test_an_action_is_stopped_at_once_when_what_was_done_is_undone(setting: Setting) -> None:
    room = setting.room
    room.lit.add("torch")
    room.happens[8] = lambda room: turn_off("torch", room)
    outcome = setting.pursue("turned-on lamp", "turned-on torch")
    stopped = setting.events("interrupted")
    assert outcome.done and room.lit == {"lamp", "torch"}
    assert [e["action"] for e in stopped] == ["(press lamp)"] and "torch_knob is at 0.000" in stopped[0]["why"]
    assert stopped[0]["step"] - 8 <= OFTEN / room.period


def test_where_looking_takes_long_it_is_seen_twice_before_anything_is_stopped(setting: Setting) -> None:
    room, setting.looks_cost = setting.room, True
    room.glimpse[3] = "torch"
    assert setting.pursue("turned-on lamp").done
    assert setting.events("interrupted") == [] and room.looks >= 4


def test_something_that_never_comes_to_rest_is_put_up_with(setting: Setting) -> None:
    room = setting.room

    def flicker(room: Room) -> None:
        (room.lit.discard if "torch" in room.lit else room.lit.add)("torch")

    room.happens = dict.fromkeys(range(1, 300, 3), flicker)
    assert setting.pursue("turned-on lamp", "turned-on torch", steps=800).done
    stopped = [e["action"] for e in setting.events("interrupted")]
    assert 1 <= stopped.count("(press lamp)") <= STOPS and len(stopped) <= 2 * STOPS


def test_what_neither_the_goal_nor_the_way_has_to_do_with_stops_nothing(setting: Setting) -> None:
    setting.room.happens[5] = lambda room: room.lit.add("torch")
    assert setting.pursue("turned-on lamp").done and setting.events("interrupted") == []


@pytest.mark.parametrize(("better", "presses"), [(True, 1), (False, 2)])
def test_what_is_unclear_is_looked_at_from_elsewhere_before_it_is_done_again(
    better: bool, presses: int, setting: Setting
) -> None:
    room, asked = setting.room, []

    def clarify(names: Sequence[str]) -> Routine[bool]:
        asked.append(tuple(names))
        room.dazzled = False
        yield from ()
        return better

    setting.clarify, room.dazzled = clarify, True
    assert setting.pursue("turned-on lamp").done
    assert asked == [("lamp",)] and len(room.pressed) == len(setting.events("result")) == presses


def test_eyes_that_stay_blind_are_told_of(setting: Setting) -> None:
    room = setting.room
    room.blind = range(12, 1000)
    outcome = setting.pursue("turned-on lamp")
    failed = [e for e in setting.events("activity") if e["stage"] == "failed"]
    assert not outcome.done and failed[-1]["why"] == "the lens is covered"
    assert room.commands < 90 + BLIND / room.period
