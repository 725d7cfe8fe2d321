"""Plans from instructions, with models that say what the test wants them to."""

import json
import re
from dataclasses import dataclass, field

import pytest

from llm.arm_plan import MOST, write_plan
from llm.arm_prompt import IMPOSSIBLE
from llm.backends.load import load
from llm.model import Completion
from llm.weights import DEFAULT
from tamp.backends.xarm.contract import breaches
from tamp.errors import Refusal

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


def said(action, end="]", **fields):
    return json.dumps({"action": action, **fields}, ensure_ascii=False) + end


OVER, TOUCH = said("APPROACH_OBJECT", label="cup"), said("MOVE_TO_OBJECT", label="cup")
LIFT, HOME = said("RETREAT_Z", dz_mm=80), said("MOVE_TO_NAMED", name="home")


def actions(plan):
    return [s["action"] for s in plan["steps"]]


def test_the_instruction_of_the_contract_with_a_model_that_says_the_right_thing():
    class Right(Wishes):
        def complete(self, prompt, begun, pattern):
            clause = begun.rpartition('"said": ')[2]
            first = {'"approach': OVER, '"touch it': TOUCH, '"lift"': LIFT, '"go home': HOME}
            self.wishes = tuple(wish for words, wish in first.items() if clause.startswith(words))
            return super().complete(prompt, begun, pattern)

    model = Right(())
    plan = write_plan(SEED, NAMES, LABELS, model)
    assert actions(plan) == ["APPROACH_OBJECT", "MOVE_TO_OBJECT", "RETREAT_Z", "MOVE_TO_NAMED"]
    assert plan["goal"] == SEED
    assert breaches(plan) == []
    assert len(model.asked) == 4


def test_a_wrong_answer_is_objected_to_and_the_next_is_held_to_what_was_asked_for():
    told, model = [], Wishes((LIFT, OVER, HOME))
    plan = write_plan("hover over the cup and go home", NAMES, LABELS, model, lambda kind, **e: told.append((kind, e)))
    assert actions(plan) == ["APPROACH_OBJECT", "MOVE_TO_NAMED"]
    assert [e["message"] for kind, e in told if kind == "objection"] == []
    model = Wishes((TOUCH, OVER, HOME))
    plan = write_plan("hover over the cup and go home", NAMES, LABELS, model, lambda kind, **e: told.append((kind, e)))
    assert actions(plan) == ["APPROACH_OBJECT", "MOVE_TO_NAMED"]
    ((kind, event),) = told
    assert (kind, event["reply"]) == ("objection", TOUCH)
    assert event["message"] == "'hover over the cup' does not ask to touch anything"
    ((answer, objection),) = model.asked[1][0].corrections
    assert answer.endswith(f"{TOUCH}}}]")
    assert event["message"] in objection


def test_a_model_that_does_nothing_cannot_leave_out_what_is_asked_for():
    model = Wishes(("]", TOUCH, HOME))
    assert actions(write_plan("touch the cup and go home", NAMES, LABELS, model))[-2:] == [
        "MOVE_TO_OBJECT",
        "MOVE_TO_NAMED",
    ]


def test_a_model_that_wants_to_go_on_for_ever_cannot():
    going_on = tuple(said(a, ", ", label="cup") for a in ("MOVE_TO_OBJECT", "APPROACH_OBJECT"))
    model = Wishes((*going_on, TOUCH, OVER, said("RETREAT_Z", ", ", dz_mm=80), LIFT))
    assert len(write_plan("go to the cup", NAMES, LABELS, model)["steps"]) <= 4


def test_what_the_model_holds_to_be_impossible_is_refused():
    with pytest.raises(Refusal, match="'quietly praise' cannot be said in a plan") as told:
        write_plan("quietly praise, the cup", NAMES, LABELS, Wishes((f"{IMPOSSIBLE}]",)))
    assert told.value.kind == "beyond"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("approach the cup, wait, touch it", "how long to wait is not said"),
        ("go to 400, 0, 250", "400"),
        ("go above the cup in a second", "1 s"),
        ("touch it", "nothing"),
        ("go to the second, then home", "second"),
    ],
)
def test_what_no_step_can_do_is_refused_with_why(text, says):
    model = Wishes((OVER, said("APPROACH_OBJECT", ", ", label="cup"), TOUCH, HOME, "]", *_numbers()))
    with pytest.raises(Refusal) as told:
        write_plan(text, NAMES, LABELS, model)
    assert says in str(told.value), str(told.value)
    assert told.value.kind == "unclear"


def _numbers():
    return [said("SLEEP", end, seconds=n) for n in (1, 400, 0, 250) for end in ("]", ", ")]


def test_more_than_the_steps_of_a_clause_can_take_up_is_a_refusal():
    text = "hover over the wine glass 2 at 20 cm 3 wait 3 s 4 5 6"
    first = said("APPROACH_OBJECT", end=", ", label="wine glass", hover_mm=2)
    rest = [said("RETREAT_Z", end=", ", dz_mm=n) for n in (200, 3, 4)]
    with pytest.raises(Refusal, match="the instruction was not understood: "):
        write_plan(text, NAMES, LABELS, Wishes((first, *rest, f"{IMPOSSIBLE}]")))


@pytest.mark.parametrize("text", ["touch the fork", "pick up the cup", "touch the cup and come back"])
def test_what_is_refused_is_not_put_to_the_model(text):
    with pytest.raises(Refusal):
        write_plan(text, NAMES, LABELS, Wishes(()))


def test_there_are_at_most_so_many_clauses():
    text = ", ".join(f"lift {n + 1} mm" for n in range(MOST + 1))
    with pytest.raises(Refusal) as told:
        write_plan(text, [], [], Wishes(()))
    assert told.value.kind == "length"


@pytest.mark.parametrize("label", ['Bob\'s "cup"', "杯子", "tür", "a\\b", "café [1]"])
def test_labels_are_written_as_they_are(label):
    model = Wishes((said("APPROACH_OBJECT", label=label),))
    plan = write_plan(f"hover over the {label}", [], ["cup", label], model)
    assert plan["steps"][0]["labels"] == [label]
    assert label in plan["goal"]


@pytest.mark.thorough
@pytest.mark.model
def test_the_real_model_writes_the_plan_of_the_contract():
    plan = write_plan(SEED, NAMES, LABELS, load(DEFAULT))
    assert actions(plan) == ["APPROACH_OBJECT", "MOVE_TO_OBJECT", "RETREAT_Z", "MOVE_TO_NAMED"]
