"""The steps that a clause leaves room for, and what is filled in when all are said."""

import pytest

from llm.arm_clauses import spoken
from llm.arm_steps import Used, finished, left, options
from tamp.backends.xarm.contract import breaches

NAMES = ["home", "bin_drop"]
LABELS = ["cup", "bottle"]
CUP = {"action": "MOVE_TO_OBJECT", "label": "cup"}


def room(text, its=()):
    clause = spoken(text, NAMES, LABELS).clauses[-1]
    return clause, options(clause, Used(), list(its))


@pytest.mark.parametrize(
    "text",
    [
        "hover 60 mm over the second cup from the bin for 2 s",
        "touch the cup with the best score",
        "go to 400 0 250 180 0 90",
        "lift 5 cm",
        "go home",
    ],
)
def test_every_step_that_may_be_said_keeps_to_the_contract(text):
    clause, some = room(text)
    for step, _ in some:
        assert breaches({"goal": text, "steps": [step]}) == []
        assert step.get("label", "cup") in clause.things or "label" not in step
    assert any(not left(clause, then) or clause.numbers for _, then in some)


def test_numbers_are_those_of_the_clause_in_their_unit():
    _, some = room("hover 60 mm over the cup for 2 s")
    assert {s["hover_mm"] for s, _ in some if "hover_mm" in s} == {60}
    assert [s["seconds"] for s, _ in some if s["action"] == "SLEEP"] == [2]
    assert [s["dz_mm"] for s, _ in room("go up")[1] if s["action"] == "RETREAT_Z"] == [80]
    assert [s["dz_mm"] for s, _ in room("go up 3 cm")[1] if s["action"] == "RETREAT_Z"] == [30]


def test_no_pose_and_no_wait_can_be_said_where_none_is_given():
    assert not {s["action"] for s, _ in room("touch the cup")[1]} & {"MOVE_TO_POSE", "SLEEP"}
    poses = [s["pose"] for s, _ in room("go to 400 0 250 180 0 90")[1] if s["action"] == "MOVE_TO_POSE"]
    assert poses == [{"xyz_mm": [400, 0, 250], "rpy_deg": [180, 0, 90]}]


def test_it_is_the_same_thing_in_full():
    second = {"action": "APPROACH_OBJECT", "label": "cup", "selector": "nearest", "ref": {"named": "home"}, "index": 1}
    _, some = room("touch it", [second])
    assert {**second, "action": "MOVE_TO_OBJECT"} in [s for s, _ in some]


def test_what_a_clause_says_and_no_step_has_is_known():
    clause, some = room("hover 60 mm over the cup for 2 s")
    assert left(clause, Used()) == ["cup", "60 mm", "2 s"]
    then = next(u for s, u in some if s["action"] == "APPROACH_OBJECT")
    assert left(clause, then) == ["2 s"]


def test_defaults_are_filled_in_and_a_thing_is_approached_first():
    thing = {"labels": ["cup"], "selector": "nearest", "index": 0}
    touch = {"action": "MOVE_TO_OBJECT", **thing}
    above = {"action": "APPROACH_OBJECT", **thing, "hover_mm": 80}
    wait = {"action": "SLEEP", "seconds": 1}
    assert finished([CUP], directly=False) == [above, touch]
    assert finished([CUP], directly=True) == [touch]
    assert finished([{"action": "APPROACH_OBJECT", "label": "cup"}, wait, CUP], directly=False) == [above, wait, touch]
    home = {"action": "MOVE_TO_NAMED", "name": "home"}
    assert finished([CUP, home, CUP], directly=False) == [above, touch, home, above, touch]


def test_a_height_that_is_said_afterwards_is_the_height():
    over = {"action": "APPROACH_OBJECT", "label": "cup"}
    assert [s["hover_mm"] for s in finished([over, over | {"hover_mm": 40}], directly=False)] == [40]
    twice = finished([over | {"hover_mm": 200}, over | {"hover_mm": 40}], directly=False)
    assert [s["hover_mm"] for s in twice] == [200, 40]
