"""Plans from instructions, with models that say what the test wants them to."""

import json
import re
from dataclasses import dataclass, field

import pytest

from llm.arm_plan import END, EXAMPLES, LONGEST, write_plan
from llm.model import Completion
from tamp.errors import Refusal
from tamp.xarm.contract import breaches

NAMES = ["home", "above_table", "bin_drop"]
LABELS = ["cup", "bottle", "wine glass"]
SEED = "approach the closest cup, touch it, lift, and go home"


@dataclass
class Wishes:
    """Says of its wishes the first that the pattern allows, over and over; fails the test where it allows none."""

    wishes: tuple[str, ...]
    name: str = "wishes"
    sees: bool = False
    asked: list = field(default_factory=list)

    def complete(self, prompt, begun, pattern):
        self.asked.append((prompt, begun))
        for wish in self.wishes:
            if re.fullmatch(pattern, wish):
                return Completion(wish)
        raise AssertionError(f"none of the wishes is allowed after {begun[-80:]!r}")


def thing(action, label, **fields):
    return json.dumps({"action": action, "labels": [label], "selector": "nearest", "index": 0, **fields})


def actions(plan):
    return [s["action"] for s in plan["steps"]]


def test_the_instruction_of_the_contract_with_a_model_that_says_the_right_thing():
    lift = '{"action": "RETREAT_Z", "dz_mm": 80}'
    model = Wishes((thing("APPROACH_OBJECT", "cup", hover_mm=80), thing("MOVE_TO_OBJECT", "cup"), lift, END, ", "))
    plan = write_plan(SEED, NAMES, LABELS, model)
    assert actions(plan) == ["APPROACH_OBJECT", "MOVE_TO_OBJECT", "RETREAT_Z", "MOVE_TO_NAMED"]
    assert plan["goal"] == SEED
    assert breaches(plan) == []


def test_a_model_that_wants_to_end_at_once_cannot():
    go_on = tuple(thing(a, "cup", **f) for a, f in (("APPROACH_OBJECT", {"hover_mm": 80}), ("MOVE_TO_OBJECT", {})))
    model = Wishes((END, '{"action": "MOVE_TO_NAMED", "name": "home"}', '{"action": "RETREAT_Z", "dz_mm": 80}', *go_on))
    plan = write_plan(SEED, NAMES, LABELS, model)
    assert set(actions(plan)) == {"APPROACH_OBJECT", "MOVE_TO_OBJECT", "RETREAT_Z", "MOVE_TO_NAMED"}


def test_a_model_that_wants_to_go_on_for_ever_cannot():
    model = Wishes((", ", thing("MOVE_TO_OBJECT", "cup"), thing("APPROACH_OBJECT", "cup", hover_mm=80)))
    assert actions(write_plan("go to the cup", NAMES, LABELS, model)) == ["APPROACH_OBJECT", "MOVE_TO_OBJECT"]


@pytest.mark.parametrize("steps", [LONGEST, LONGEST + 1])
def test_there_are_at_most_so_many_steps(steps):
    text = ", ".join(f"lift {n + 1} mm" for n in range(steps))
    if steps <= LONGEST:
        assert len(write_plan(text, [], [], Wishes(()))["steps"]) == steps
        return
    with pytest.raises(Refusal) as told:
        write_plan(text, [], [], Wishes(()))
    assert told.value.kind == "length"


@pytest.mark.parametrize("text", ["touch the fork", "pick up the cup", "wait a bit", "touch the cup and come back"])
def test_what_is_refused_is_not_put_to_the_model(text):
    with pytest.raises(Refusal):
        write_plan(text, NAMES, LABELS, Wishes(()))


def test_where_only_one_thing_can_be_meant_the_model_is_not_asked():
    model = Wishes(())
    assert actions(write_plan("hover 5 cm over the glass", NAMES, LABELS, model)) == ["APPROACH_OBJECT"]
    assert model.asked == []


@pytest.mark.parametrize("label", ['Bob\'s "cup"', "杯子", "tür", "a\\b", "café [1]"])
def test_labels_are_written_as_they_are(label):
    plan = write_plan(f"hover over the {label}", [], ["cup", label], Wishes(()))
    assert plan["steps"][0]["labels"] == [label]
    assert label in plan["goal"]


def test_the_examples_keep_to_the_contract_and_are_of_no_world_that_ships():
    for names, labels, text, steps in EXAMPLES:
        assert breaches({"goal": text, "steps": steps}) == []
        assert not {*names, *labels} & {*NAMES, *LABELS, "bowl", "banana"}


def test_going_down_onto_a_thing_is_touching_it():
    model = Wishes((END, ", "))
    plan = write_plan("go over the bottle, then lower onto it and come back up", NAMES, LABELS, model)
    assert actions(plan) == ["APPROACH_OBJECT", "MOVE_TO_OBJECT", "RETREAT_Z"]
