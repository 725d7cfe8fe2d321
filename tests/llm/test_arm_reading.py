"""What an instruction to an arm bears out, and the honest no to what a plan has no words for."""

import pytest

from llm.arm_reading import read
from tamp.errors import InputError, Refusal

NAMES = ["home", "above_table", "bin_drop"]
LABELS = ["cup", "bottle", "bowl", "wine glass"]


def reading(text, names=NAMES, labels=LABELS):
    return read(text, names, labels)


def whats(text):
    return [t.what for t in reading(text).targets]


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("touch the fork", "absent", "no fork here; things: cup, bottle, bowl, wine glass; places: home"),
        ("touch fork", "absent", "no fork here"),
        ("hover over the red cup", "absent", "no red cup here"),
        ("go to the charging dock", "absent", "no charging dock here"),
        ("approach the cup and then the spoon", "absent", "no spoon"),
        ("touch another cup", "absent", "no another cup"),
        ("pick up the cup", "beyond", "nothing for the hand"),
        ("lift the bottle", "beyond", "nothing for the hand"),
        ("touch the cup and put it in the bin", "beyond", "nothing for the hand"),
        ("close the gripper", "beyond", "nothing for the hand"),
        ("bring the cup home", "beyond", "nothing for the hand"),
        ("touch the farthest cup", "beyond", "no such direction"),
        ("move 5 cm to the left", "beyond", "no such direction"),
        ("go down 5 cm", "beyond", "no such direction"),
        ("lower the arm", "beyond", "no such direction"),
        ("touch every cup", "beyond", "a list of steps"),
        ("touch the cup twice", "beyond", "a list of steps"),
        ("rotate the tool", "beyond", "no such motion"),
        ("touch the cup or the bowl", "beyond", "no alternatives"),
        ("do not go home", "beyond", "what is to be done"),
        ("touch the cup next to the bottle", "beyond", "not to another thing"),
        ("touch the cup nearest to the bowl", "beyond", "not to another thing"),
        ("lift by -5 cm", "beyond", "not negative"),
        ("touch the cup and come back", "unclear", "where to"),
        ("touch the cup and return", "unclear", "where to"),
        ("wait a moment", "unclear", "how long"),
        ("go to 400, 0, 250", "unclear", "a pose is six numbers"),
        ("move at 50 mm/s to the cup", "unclear", "cannot be read"),
        ("don't approach the cup", "beyond", "what is to be done"),
        ("approach the cup without touching it, then touch the bowl", "beyond", "leave out"),
        ("touch the nearest cup and then the second nearest", "unclear", "the second what?"),
        ("touch the cup with a timeout of 10 seconds", "beyond", "no such limit"),
        ("go home via the bin", "beyond", "no such limit or way"),
        ("go above the bin in a second", "unclear", "is no wait"),
        ("touch it", "unclear", "names nothing to go to"),
        ("hello", "unclear", "names nothing to go to"),
    ],
)
def test_what_a_plan_cannot_say_is_refused_with_why(text, kind, says):
    with pytest.raises(Refusal) as told:
        reading(text)
    assert (told.value.kind, says in str(told.value)) == (kind, True), str(told.value)


@pytest.mark.parametrize("text", ["go home", "touch the cup and come back home"])
def test_home_is_a_place_only_where_the_world_has_one(text):
    assert "home" in whats(text)
    with pytest.raises(Refusal) as told:
        reading(text, names=["dock"])
    assert told.value.kind == "absent"


def test_a_glass_is_the_wine_glass_where_there_is_no_other():
    assert whats("touch the glass") == ["wine glass"]
    with pytest.raises(Refusal) as told:
        reading("touch the glass", labels=["wine glass", "water glass"])
    assert told.value.kind == "ambiguous"
    assert "wine glass or water glass" in str(told.value)


def test_a_world_whose_detector_lists_no_labels_says_so():
    with pytest.raises(Refusal, match="things: none"):
        reading("touch the cup", labels=[])


@pytest.mark.parametrize("text", ["", "  \n", "touch the cup " * 200])
def test_an_empty_or_endless_instruction_is_bad_input(text):
    with pytest.raises(InputError):
        reading(text)


@pytest.mark.parametrize(
    ("text", "due", "lifts"),
    [
        ("touch the cup", 0, ()),
        ("lift", 1, (80,)),
        ("touch the cup and go up", 1, (80,)),
        ("touch the cup and come back up", 1, (80,)),
        ("touch the cup, then retreat 10 cm", 1, (100,)),
        ("raise the tool by 5 cm, wait 1 s, raise it by 2 cm", 2, (50, 20)),
        ("go up to the cup", 0, ()),
        ("go over the cup and back up, then home", 1, (80,)),
        ("hover 5 cm above the cup", 0, ()),
    ],
)
def test_the_arm_goes_up_only_where_that_is_asked(text, due, lifts):
    assert (reading(text).lifts_due, reading(text).lifts) == (due, lifts)


def test_each_number_goes_to_the_motion_that_it_was_said_of():
    told = reading("hover 6 cm over the cup, touch it, lift 12 cm, wait 2 s, hover at 30 over the bin")
    assert [(t.what, t.hovers) for t in told.targets] == [("cup", (60,)), ("bin_drop", (30,))]
    assert (told.lifts, told.waits) == ((120,), (2,))
    assert reading("approach the cup, 10 cm above it").targets[0].hovers == (100,)


@pytest.mark.parametrize(
    ("text", "index", "ref", "surest"),
    [
        ("touch the cup", 0, None, False),
        ("touch the second-nearest cup", 1, None, False),
        ("touch the 3rd closest cup", 2, None, False),
        ("touch the third cup from home", 2, "home", False),
        ("touch the cup nearest to the bin", 0, "bin_drop", False),
        ("touch the second nearest cup relative to the bin drop", 1, "bin_drop", False),
        ("touch the cup you are most sure of", 0, None, True),
        ("wait one second, touch the cup", 0, None, False),
    ],
)
def test_which_thing_is_meant(text, index, ref, surest):
    told = reading(text).targets
    assert [(t.what, t.index, t.ref, t.surest) for t in told] == [("cup", index, ref, surest)]


def test_a_place_after_a_thing_is_not_always_what_it_is_near_to():
    assert [(t.what, t.ref) for t in reading("touch the cup, then go to the bin").targets] == [
        ("cup", None),
        ("bin_drop", None),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "touch the cup, then go home",
        "after touching the cup, go home",
        "before going home, touch the cup",
        "go home after touching the cup",
        "touch the cup before going home",
        "once you have touched the cup, go home",
    ],
)
def test_what_is_done_first_comes_first(text):
    assert whats(text) == ["cup", "home"]
    assert reading(text).in_order


def test_a_thing_is_touched_without_approach_only_where_that_is_said():
    assert reading("go directly to the cup").directly
    assert reading("touch the cup without hovering first").directly
    assert not reading("touch the cup and go directly home").directly
    assert not reading("go directly above the cup").directly


@pytest.mark.parametrize(
    "text",
    ["approach the cup but do not touch it", "don't touch the cup, just hover over it", "never touch the cup"],
)
def test_what_is_not_to_be_touched_is_not(text):
    told = reading(text)
    assert not told.may_touch
    assert not any(t.touched for t in told.targets)
