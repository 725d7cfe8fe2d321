"""Programs to steps of an arm's contract."""

from __future__ import annotations

from typing import Any

import pytest

from llm.reader.arm import ArmNames, plan_of
from tamp.errors import Refusal
from tamp.planning.assistant import JournalBuffer
from tests.llm.reader.test_bounds import Anything

NAMES = ArmNames(("home", "above_table", "bin_drop"), ("cup", "wine glass"))
CUP: dict[str, Any] = {"labels": ["cup"], "selector": "nearest", "index": 0}
GLASS: dict[str, Any] = {**CUP, "labels": ["wine glass"]}
DUE: dict[str, list[dict[str, Any]]] = {
    "go above(cup)": [{"action": "APPROACH_OBJECT", **CUP, "hover_mm": 80}],
    "go above(cup; hover 50 mm, nth 2, near bin drop)": [
        {"action": "APPROACH_OBJECT", **CUP, "index": 1, "ref": {"named": "bin_drop"}, "hover_mm": 50}
    ],
    "touch(cup)\nlift(; by 30 mm)": [
        {"action": "APPROACH_OBJECT", **CUP, "hover_mm": 80},
        {"action": "MOVE_TO_OBJECT", **CUP},
        {"action": "RETREAT_Z", "dz_mm": 30},
    ],
    "go above(cup)\nwait(; seconds 1.5)\ntouch(cup)": [
        {"action": "APPROACH_OBJECT", **CUP, "hover_mm": 80},
        {"action": "SLEEP", "seconds": 1.5},
        {"action": "MOVE_TO_OBJECT", **CUP},
    ],
    "go above(bin drop; hover 40 mm)\nthen\ngo to(home)": [
        {"action": "APPROACH_NAMED", "name": "bin_drop", "hover_mm": 40},
        {"action": "MOVE_TO_NAMED", "name": "home"},
    ],
    "keep(wine glass)\ngo above(bin drop; hover 40 mm)": [
        {"action": "APPROACH_NAMED", "name": "bin_drop", "hover_mm": 40}
    ],
    "go above(all labels)": [
        {"action": "APPROACH_OBJECT", **CUP, "hover_mm": 80},
        {"action": "APPROACH_OBJECT", **GLASS, "hover_mm": 80},
    ],
    "go to point(; x 300, y -20, z 150, roll 180, pitch 0, yaw 90)": [
        {"action": "MOVE_TO_POSE", "pose": {"xyz_mm": [300, -20, 150], "rpy_deg": [180, 0, 90]}}
    ],
}
NO_PLAN = {
    'touch("fork")': ("absent", 'no "fork"; it has: home, above_table'),
    '"the red cup"': ("beyond", "cannot be said in a plan"),
    "go to(which of home or bin drop)": ("ambiguous", "home or bin drop"),
    "keep(cup)": ("nothing", "no motion"),
    "keep(cup)\ntouch(cup)": ("contradiction", "'cup' is to be left alone"),
    "nothing": ("nothing", "no motion"),
    "go to point(; x -50)": ("unclear", "does not say y"),
    "go to point(; x 300, y -20, z 150)": ("unclear", "does not say roll"),
    "lift(; by far)": ("unclear", "'far' is no number"),
    "go above(cup; near wine glass)": ("beyond", "'wine glass' is no place"),
    "touch(cup; nth 0)": ("beyond", "'0' is no number of a thing"),
}


@pytest.mark.parametrize("program", DUE)
def test_a_program_becomes_steps(program: str, scripted) -> None:  # type: ignore[no-untyped-def]
    plan = plan_of("the red cup, a fork", NAMES, scripted(program), JournalBuffer())
    assert plan == {"goal": "the red cup, a fork", "steps": DUE[program]}


@pytest.mark.parametrize("program", NO_PLAN)
def test_what_is_no_plan_says_why(program: str, scripted) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(Refusal) as shown:
        plan_of("the red cup, a fork", NAMES, scripted(program), JournalBuffer())
    kind, words = NO_PLAN[program]
    assert shown.value.kind == kind and words in str(shown.value)


def test_what_is_unlikely_is_asked_about(scripted) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(Refusal, match=r"is this meant: go above the cup\?"):
        plan_of("the cup", NAMES, scripted("go above(cup)", 0.1), JournalBuffer())


@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_grammar_allows_comes_to_a_plan_or_a_refusal(seed: int) -> None:
    try:
        plan = plan_of("touch the cup twice, then wait 5 s", NAMES, Anything(seed), JournalBuffer())
    except Refusal:
        return
    assert plan["steps"]
