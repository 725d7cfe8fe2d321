"""What the next step of a plan may be: only what the contract takes, and only what the instruction bears out."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm.arm_plan import pattern_of
from llm.arm_reading import read
from llm.arm_schema import Progress, choices, missing
from tamp.xarm.contract import breaches

NAMES = ["home", "above_table", 'Bob\'s "bin"', "tür_2", "slot [1]"]
LABELS = ["cup", "wine glass", "杯子", "a\\b", "café {2}"]
TEXTS = [
    "touch the {0} and lift 12 cm",
    "hover 60 mm over the {0}, wait two seconds, go to {2}",
    "touch the second-nearest {0}, then the {1} nearest to {2}",
    "go above {2}, then touch the {0} you are most sure of",
    "move to 350, -100, 200, 180, 0, 90, wait half a minute, go directly to the {1}",
    "before going to {2}, approach the {0}, lift 1.5 cm, wait 0.5 s and touch the {1}",
]


def every_plan(reading, done=None, longest=8):
    """All the plans that a model could say."""
    done = done or Progress()
    if done != Progress() and not missing(reading, done):
        yield []
    for step, then in choices(reading, done) if longest else ():
        yield from ([step, *rest] for rest in every_plan(reading, then, longest - 1))


def numbers_of(steps):
    for step in steps:
        yield from (step[f] for f in ("hover_mm", "dz_mm", "seconds") if f in step)
        yield from (n for some in step.get("pose", {}).values() for n in some)


def filled(text, a="cup", b="wine glass", place="home"):
    return text.format(a, b, place)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_whatever_the_pattern_allows_keeps_to_the_contract(data):
    a, b = data.draw(st.permutations(LABELS))[:2]
    text = filled(data.draw(st.sampled_from(TEXTS)), a, b, data.draw(st.sampled_from(NAMES)))
    reading, done, said = read(text, NAMES, LABELS), Progress(), []
    while some := choices(reading, done):
        pattern = pattern_of([step for step, _ in some])
        step = json.loads(data.draw(st.from_regex(pattern, fullmatch=True)))
        said.append(step)
        done = next(then for allowed, then in some if allowed == step)
    assert not missing(reading, done)
    assert breaches({"goal": text, "steps": said}) == []
    assert {n for s in said for n in (s.get("name"), s.get("ref", {}).get("named")) if n} <= set(NAMES)
    assert {label for s in said for label in s.get("labels", [])} <= {a, b}


@pytest.mark.parametrize(
    ("text", "said", "defaults"),
    [
        (TEXTS[0], {120}, {80}),
        (TEXTS[1], {60, 2}, set()),
        (TEXTS[2], set(), {80}),
        (TEXTS[4], {350, -100, 200, 180, 0, 90, 30}, {80}),
        (TEXTS[5], {15, 0.5}, {80}),
        ("hover 6 cm over the {0} for a second and a half, lift", {60, 1.5}, {80}),
        ("approach the 3rd nearest {0}", set(), {80}),
    ],
)
def test_numbers_are_defaults_or_stand_in_the_instruction(text, said, defaults):
    plans = list(every_plan(read(filled(text), NAMES, LABELS)))
    assert plans
    for steps in plans:
        assert said <= set(numbers_of(steps)) <= said | defaults
        assert not any("offset_mm" in step for step in steps)


@given(st.integers(1, 900), st.sampled_from(["mm", "cm"]), st.integers(1, 59), st.sampled_from(["s", "min"]))
def test_lifts_and_waits_are_the_numbers_that_were_said(length, unit, time, clock):
    reading = read(f"lift {length} {unit} and wait {time} {clock}", [], [])
    due = {length * {"mm": 1, "cm": 10}[unit], time * {"s": 1, "min": 60}[clock]}
    assert all(set(numbers_of(steps)) == due for steps in every_plan(reading))


def test_a_thing_is_touched_from_above_it():
    for steps in every_plan(read("approach the cup, wait 2 s, touch it and the wine glass", NAMES, LABELS)):
        about = [(s["action"], s["labels"]) for s in steps if "labels" in s]
        for n, (action, labels) in enumerate(about):
            assert action == "APPROACH_OBJECT" or about[n - 1] == ("APPROACH_OBJECT", labels)
    direct = list(every_plan(read("go directly to the cup", NAMES, LABELS)))
    assert [[s["action"] for s in steps] for steps in direct] == [["MOVE_TO_OBJECT"]]


@pytest.mark.parametrize(
    ("text", "action", "allowed"),
    [
        ("touch the cup and go home", "RETREAT_Z", False),
        ("touch the cup, lift and go home", "RETREAT_Z", True),
        ("hover over the cup", "MOVE_TO_OBJECT", False),
        ("approach the cup without touching it", "MOVE_TO_OBJECT", False),
        ("go to the cup", "MOVE_TO_OBJECT", True),
        ("go home, then go above the cup", "MOVE_TO_OBJECT", False),
        ("go above the cup and down to it", "MOVE_TO_OBJECT", True),
        ("go home", "APPROACH_NAMED", False),
        ("go above home", "APPROACH_NAMED", True),
        ("go over the cup and home", "APPROACH_NAMED", False),
        ("go above home", "MOVE_TO_NAMED", False),
        ("touch the cup", "SLEEP", False),
        ("go to 400 mm", "MOVE_TO_POSE", False),
    ],
)
def test_an_action_can_be_said_only_where_it_is_asked_for(text, action, allowed):
    try:
        plans = list(every_plan(read(text, ["home"], ["cup"])))
    except Exception as e:
        assert not allowed, e
        return
    assert any(s["action"] == action for steps in plans for s in steps) == allowed


@given(st.permutations(["home", "above_table", "cup", "wine glass"]))
def test_places_and_things_come_in_the_order_of_the_words(order):
    text = ", then ".join(f"go to {what}" for what in order)
    for steps in every_plan(read(text, NAMES, LABELS)):
        said = [s.get("name") or s["labels"][0] for s in steps]
        assert list(dict.fromkeys(said)) == list(order)


def test_a_place_that_is_said_twice_is_gone_above_and_then_to():
    plans = list(every_plan(read("hover over home, wait 2 s, and go to home", NAMES, LABELS)))
    assert [[s["action"] for s in steps] for steps in plans] == [["APPROACH_NAMED", "SLEEP", "MOVE_TO_NAMED"]]


def test_the_same_thing_is_said_in_the_same_words_each_time():
    """So that the executor knows it for the same: the second nearest is another one once the arm is there."""
    for steps in every_plan(read("touch the second-nearest cup relative to home", NAMES, LABELS)):
        which = {json.dumps({k: s[k] for k in ("labels", "selector", "ref", "index")}) for s in steps}
        assert len(which) == 1


def test_nothing_can_be_said_of_nothing():
    with pytest.raises(Exception, match="names nothing"):
        read("please do something nice", [], [])
    assert re.fullmatch(pattern_of([{"action": "RETREAT_Z", "dz_mm": 80}]), "") is None
