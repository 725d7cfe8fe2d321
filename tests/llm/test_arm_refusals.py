"""Instructions to an arm that are refused before a model is asked, each with why."""

import pytest

from llm.arm_clauses import spoken
from llm.arm_refusals import refuse_absent, refuse_unsayable
from tamp.errors import Refusal

NAMES = ["home", "above_table", "bin_drop"]
LABELS = ["cup", "bottle", "bowl", "wine glass"]


def judge(text, names=NAMES, labels=LABELS):
    said = spoken(text, names, labels)
    refuse_unsayable(said)
    refuse_absent(said, "things: cup")


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("touch the fork", "absent", "no fork here; things: cup"),
        ("touch fork", "absent", "no fork here"),
        ("hover over the red cup", "absent", "no red cup here"),
        ("go to the charging dock", "absent", "no charging dock here"),
        ("approach the cup and then the spoon", "absent", "no spoon"),
        ("pick up the cup", "beyond", "nothing for the hand"),
        ("lift the bottle", "beyond", "nothing for the hand"),
        ("touch the bottle, then lift it to the bin", "beyond", "nothing for the hand"),
        ("touch the cup and put it in the bin", "beyond", "nothing for the hand"),
        ("close the gripper", "beyond", "nothing for the hand"),
        ("bring the cup home", "beyond", "nothing for the hand"),
        ("touch the highest cup", "beyond", "told by its label"),
        ("touch the farthest cup", "beyond", "no such direction"),
        ("touch the left cup", "beyond", "no such direction"),
        ("move 5 cm to the left", "beyond", "no such direction"),
        ("go down 5 cm", "beyond", "no such direction"),
        ("lower the arm", "beyond", "no such direction"),
        ("touch every cup", "beyond", "a list of steps"),
        ("touch the cup twice", "beyond", "a list of steps"),
        ("wait till the cup is gone", "beyond", "a list of steps"),
        ("rotate the tool", "beyond", "no such motion"),
        ("touch the cup or the bowl", "beyond", "no alternatives"),
        ("touch the cup, no sorry, I meant the bowl", "beyond", "takes nothing back"),
        ("go to bin_drop but don't touch the cup", "beyond", "don't touch cup"),
        ("drop the arm onto the table", "absent", "only above_table"),
        ("do not go home", "beyond", "what is to be done"),
        ("don't approach the cup", "beyond", "what is to be done"),
        ("touch the cup next to the bottle", "beyond", "not to another thing"),
        ("touch the cup nearest to the bowl", "beyond", "not to another thing"),
        ("hover over the cup in the bin", "beyond", "told by its label"),
        ("lift by -5 cm", "beyond", "not negative"),
        ("rise to 30 cm", "beyond", "say by how much"),
        ("touch the cup with a timeout of 10 seconds", "beyond", "no such limit"),
        ("go home via the bin", "beyond", "no such limit or way"),
        ("touch the cup and come back", "unclear", "where to"),
        ("touch the cup and return", "unclear", "where to"),
        ("raise the arm a few centimetres", "unclear", "'few centimetres' is no length and no time"),
        ("touch the cup and go up a bit", "unclear", "how far is 'a bit'"),
        ("touch the bottle opener", "unclear", "what is 'bottle opener'?"),
        ("touch the bottle's cap", "beyond", "told by its label"),
        ("move the cup home", "beyond", "nothing for the hand"),
        ("water the bottle", "unclear", "what is 'water bottle'?"),
        ("move at 50 mm/s to the cup", "unclear", "cannot be read"),
    ],
)
def test_what_a_plan_cannot_say_is_refused_with_why(text, kind, says):
    with pytest.raises(Refusal) as told:
        judge(text)
    assert (told.value.kind, says in str(told.value)) == (kind, True), str(told.value)


@pytest.mark.parametrize(
    "text",
    [
        "descend on the cup until contact, touch the cup with the highest detection confidence",
        "gently tap the bowl right after you have gone home",
        "first of all go home, that's all",
        "hover at 4 cm over the bottle with the highest confidence, then touch that one",
        "touch the bottle please, and be a bit careful",
        "if you can, touch both the cup and the bowl in turn",
        "My job: hover over the cup so that I can take a photo, don't forget to wait 2 s",
        "rise to 10 cm above the cup without touching it",
        "place the tool over the bottle, raise it by 5 cm and pull back up",
        "give the cup a quick tap, then a 3 second break, then go back home",
    ],
)
def test_what_only_sounds_alike_is_not_refused(text):
    judge(text)


def test_home_is_a_place_only_where_the_world_has_one():
    judge("touch the cup and come back home")
    with pytest.raises(Refusal) as told:
        judge("go home", names=["dock"])
    assert told.value.kind == "absent"


def test_a_glass_is_the_wine_glass_where_there_is_no_other():
    judge("touch the glass")
    with pytest.raises(Refusal, match="wine glass or water glass") as told:
        judge("touch the glass", labels=["wine glass", "water glass"])
    assert told.value.kind == "ambiguous"
