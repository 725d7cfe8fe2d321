"""Numbers of instructions to an arm: what is read, and what is rather refused than misread."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.arm_numbers import marked
from tamp.errors import Refusal


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lift 80mm", [(80, "mm")]),
        ("lift 80 millimetres", [(80, "mm")]),
        ("hover 6 cm over it", [(60, "mm")]),
        ("hover 12-cm over it", [(120, "mm")]),
        ("up 0.07 m", [(70, "mm")]),
        ("up .5 m", [(500, "mm")]),
        ("up 1,000 mm", [(1000, "mm")]),
        ("up 2 inches", [(50.8, "mm")]),
        ("minus 5 cm", [(-50, "mm")]),
        ("-5 cm", [(-50, "mm")]),
        ("−5 cm", [(-50, "mm")]),
        ("hover 60 above", [(60, "")]),
        ("wait 1.5 s", [(1.5, "s")]),
        ("wait two seconds", [(2, "s")]),
        ("wait half a minute", [(30, "s")]),
        ("wait a minute and a half", [(90, "s")]),
        ("two and a half seconds", [(2.5, "s")]),
        ("wait a second, then go", [(1, "s")]),
        ("for twenty-five seconds", [(25, "s")]),
        ("two hundred fifty mm", [(250, "mm")]),
        ("500 ms", [(0.5, "s")]),
        ("a two-second break", [(2, "s")]),
        ("a hundred mm", [(100, "mm")]),
        ("a quarter of a minute", [(15, "s")]),
        ("half a second", [(0.5, "s")]),
        ("up 5 cm. wait 2 s.", [(50, "mm"), (2, "s")]),
    ],
)
def test_a_number_is_read_with_its_unit(text, said):
    assert [(n.value, n.unit) for n in marked(text).numbers] == said


@pytest.mark.parametrize("text", ["second-nearest @0", "the second nearest @0", "2nd closest @0", "third @0", "one"])
def test_an_order_is_no_number(text):
    assert marked(text).numbers == ()


@pytest.mark.parametrize(
    "text", ["80% sure", "1e3 mm", "3 feet", "6th @0", "turn 45 degrees", "5x", "1.2.3 mm", "10/2 cm", "0x10"]
)
def test_what_has_digits_and_is_no_number_with_a_known_unit_is_refused(text):
    with pytest.raises(Refusal) as told:
        marked(text)
    assert told.value.kind == "unclear"


@pytest.mark.parametrize(
    "text",
    [
        "400 0 250 180 0 90",
        "400, 0, 250, 180, 0, 90",
        "x=400 y=0 z=250 roll=180 pitch=0 yaw=90",
        "x 400 y 0 z 250 mm, roll 180 pitch 0 yaw 90 degrees",
        "xyz (400, 0, 250) rpy (180, 0, 90)",
        "[400, 0, 250] mm with rpy [180, 0, 90]°",
        "x 40 cm, y 0 cm, z 25 cm, with roll 180, pitch 0 and yaw 90 degrees",
        "(0.4, 0, 0.25) m, roll 180 pitch 0 yaw 90",
    ],
)
def test_six_numbers_in_a_row_are_a_pose(text):
    read = marked(f"go to {text} then lift 5 cm")
    assert read.poses == ((400, 0, 250, 180, 0, 90),)
    assert [n.value for n in read.numbers] == [50]


def test_the_numbers_of_a_pose_in_another_order_are_refused():
    with pytest.raises(Refusal, match="x y z roll pitch yaw"):
        marked("z 250 y 0 x 400 roll 180 pitch 0 yaw 0")


@given(st.integers(-9999, 9999), st.sampled_from(["mm", " mm", " cm", "cm", " m", " s", " seconds", " min"]))
def test_a_number_is_what_it_says(value, unit):
    scale = {"mm": 1, "cm": 10, "m": 1000, "s": 1, "seconds": 1, "min": 60}[unit.strip()]
    assert [n.value for n in marked(f"by {value}{unit} now").numbers] == [value * scale]
