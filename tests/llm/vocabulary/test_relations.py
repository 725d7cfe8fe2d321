import pytest

from llm.vocabulary.phrases import gap, templates


def said(builders, positions, marks=(), which=0):
    group = [builders["item"](f"cup_{i}", "cup", x, y) for i, (x, y) in enumerate(positions)]
    landmarks = {name: builders["item"](name, name, x, y) for name, x, y in marks}
    return templates(group[which], group, landmarks, builders["scene"](*group, *landmarks.values()))


@pytest.mark.parametrize(("which", "words"), [(0, "left {}"), (1, "right {}")])
def test_right_is_plus_y(builders, which, words):
    assert words in said(builders, [(0.3, -0.2), (0.3, 0.2)], which=which)


@pytest.mark.parametrize(("which", "words"), [(0, "front {}"), (1, "back {}")])
def test_front_is_plus_x(builders, which, words):
    assert words in said(builders, [(0.3, 0.0), (0.0, 0.0)], which=which)


def test_no_side_is_said_when_they_are_level(builders):
    assert not {"left {}", "right {}"} & set(said(builders, [(0.3, 0.0), (0.0, 0.01)]))


def test_the_middle_of_three(builders):
    row = [(0.3, -0.3), (0.3, 0.0), (0.3, 0.3)]
    assert "middle {}" in said(builders, row, which=1)
    assert "middle {}" not in said(builders, row, which=0)


@pytest.mark.parametrize(("which", "name"), [(0, "front {}"), (1, "middle {}"), (2, "back {}")])
def test_the_name_is_by_the_axis_on_which_they_are_spread(builders, which, name):
    """From the front to the back, a little to the left and right of one another, and one beside a lamp."""
    cups = [(0.3, 0.0), (0.0, 0.08), (-0.3, -0.08)]
    assert said(builders, cups, [("lamp", 0.3, 0.12)], which)[0] == name


def test_next_to_the_nearer_one_only(builders):
    cups, marks = [(0.0, 0.0), (0.0, 0.4)], [("lamp", 0.0, -0.12)]
    assert "{} next to the lamp" in said(builders, cups, marks, 0)
    assert "{} next to the lamp" not in said(builders, cups, marks, 1)


def test_next_to_neither_when_both_are_as_near(builders):
    assert "{} next to the lamp" not in said(builders, [(0.0, -0.12), (0.0, 0.12)], [("lamp", 0.0, 0.0)])


def test_between_needs_to_be_on_the_line(builders):
    marks = [("lamp", 0.0, -0.2), ("vase", 0.0, 0.2)]
    assert "{} between the lamp and the vase" in said(builders, [(0.0, 0.0), (0.4, 0.0)], marks, 0)
    assert "{} between the lamp and the vase" not in said(builders, [(0.0, 0.0), (0.4, 0.0)], marks, 1)
    assert "{} between the lamp and the vase" not in said(builders, [(0.0, 0.0), (0.02, 0.05)], marks, 0)


def test_the_center_of_the_table(builders):
    assert "{} in the middle of the table" in said(builders, [(0.02, 0.02), (0.3, 0.3)], which=0)
    assert "{} in the middle of the table" not in said(builders, [(0.02, 0.02), (0.3, 0.3)], which=1)


def test_gap_is_between_the_boxes(builders):
    a, b = builders["item"]("a", "cup", 0.0, 0.0), builders["item"]("b", "cup", 0.0, 0.2)
    assert gap(a, b) == pytest.approx(0.12)
    assert gap(a, builders["item"]("c", "cup", 0.0, 0.05)) == 0.0
