"""What speaks against steps of a clause: what nobody asked for, and what was asked for and is not there."""

import pytest

from llm.arm_checks import excess, missing
from llm.arm_clauses import spoken

CUP, HOME = {"label": "cup"}, {"name": "home"}
TOUCH, OVER = {"action": "MOVE_TO_OBJECT", **CUP}, {"action": "APPROACH_OBJECT", **CUP}
LIFT, WAIT = {"action": "RETREAT_Z", "dz_mm": 80}, {"action": "SLEEP", "seconds": 2}
AT, ABOVE = {"action": "MOVE_TO_NAMED", **HOME}, {"action": "APPROACH_NAMED", **HOME}
NEAR = {"selector": "nearest", "ref": {"named": "home"}}


def clause(text):
    return spoken(text, ["home"], ["cup"]).clauses[-1]


@pytest.mark.parametrize(
    ("text", "step", "says"),
    [
        ("wait 2 s", LIFT, "nothing asks for a lift"),
        ("move up above the cup", LIFT, "does not lift from it"),
        ("hover over the cup", TOUCH, "does not ask to touch"),
        ("don't touch it", TOUCH, "asks not to touch"),
        ("go home", TOUCH, "does not ask to touch"),
        ("touch the cup without hovering", OVER, "asks not to hover"),
        ("wait there for 2 s", OVER, "does not ask to go above"),
        ("lift 80 mm", OVER | {"hover_mm": 80}, "does not ask to go above"),
        ("touch the cup 5 cm", OVER | {"hover_mm": 50}, "what is 50 mm"),
        ("go home", ABOVE, "does not ask to go above a place"),
        ("hover over home", AT, "asks to go above home"),
        ("touch the cup nearest to home", AT, "only says which thing"),
        ("touch the cup near home", AT, "only says which thing"),
        ("touch the cup nearest to home", TOUCH, "says nearest to home"),
        ("go over the cup in 2 s", WAIT, "asks for no wait"),
        ("move to x 2", WAIT, "belongs to nothing"),
    ],
)
def test_a_step_that_nobody_asked_for_is_objected_to(text, step, says):
    assert says in excess(clause(text), step)


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("go up", LIFT),
        ("get 80 mm clear of it", LIFT),
        ("touch the cup", TOUCH),
        ("head down to it", TOUCH),
        ("move to the cup", TOUCH),
        ("hover over the cup", OVER),
        ("80 mm above it", OVER | {"hover_mm": 80}),
        ("hight 80 mm", OVER | {"hover_mm": 80}),
        ("swing by home", AT),
        ("hover over home", ABOVE),
        ("touch the cup nearest to home", TOUCH | NEAR),
        ("wait 2", WAIT),
        ("chill for 2 s", WAIT),
    ],
)
def test_a_step_that_was_asked_for_is_not(text, step):
    assert excess(clause(text), step) is None


@pytest.mark.parametrize(
    ("text", "steps", "says"),
    [
        ("lift 80 mm", [], "nothing lifts"),
        ("lift", [OVER], "nothing lifts"),
        ("touch the cup", [OVER], "nothing is touched"),
        ("down onto the cup", [OVER], "nothing is touched"),
        ("hover over the cup", [TOUCH], "nothing is gone above"),
        ("wait", [], "how long to wait is not said"),
        ("go to the second cup", [TOUCH], "the second what?"),
        ("go hom", [], "nothing is done in 'go hom'"),
        ("go up and go down", [LIFT], "what to go down to"),
        ("sink", [], "nothing is done in 'sink'"),
    ],
)
def test_what_was_asked_for_and_is_not_there_is_objected_to(text, steps, says):
    assert any(says in (missing(clause(text), steps, it=it) or "") for it in (False, True))


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("lift", [LIFT]),
        ("rise up above the cup", [OVER]),
        ("touch the cup", [TOUCH]),
        ("touch the cup without hovering over it", [TOUCH]),
        ("hover over it for 2 s", [OVER, WAIT]),
        ("don't touch it", []),
        ("so that I can photograph it", []),
        ("touch the second cup", [TOUCH | {"index": 1}]),
    ],
)
def test_what_is_complete_is_not(text, steps):
    assert missing(clause(text), steps, it=True) is None
