"""Plans read in the format they have, or are said to have."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tamp.errors import InputError
from tamp.files.source import Source
from tamp.pddl.plan_formats import read_plan

STEPS = [("pick", ("a", "b")), ("drop", ())]


def read(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(s.name, s.args) for s in read_plan(Source("plan", text)).steps]


@pytest.mark.parametrize(
    "text",
    [
        "(pick a b)\n(drop)\n",
        "; a comment\n\n( PICK  A b ) ; another\n(drop)\n; cost = 2 (unit cost)\n",  # Fast Downward
        "0: (pick a b)\n1: (drop)\n",
        "step    0: PICK A B\n        1: DROP\n",  # FF
        "0.0003: (PICK A B) [1.0000]\n1.0003: (DROP) [1]\n",  # LPG
        "0.00: (pick a b) [D:1.00; C:0.10]\n1.00: (drop) [D:1.00; C:0.10]\n",  # LPG with costs
        "(pick a b) (1)\n(drop) (1)\n",
        "SequentialPlan:\n    pick(a, b)\n    drop()\n",  # unified-planning
        "1. (pick a b)\n2. (drop)\n",
    ],
)
def test_a_plan_means_the_same_in_every_format(text: str) -> None:
    assert read(text) == STEPS


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("0: (pick a b)\n1: (drop)\n", "pddl"),
        ("3: (pick a b)\n4: (drop)\n", "pddl"),
        ("0: (pick a b)\n0: (drop)\n", "timed"),
        ("0.5: (pick a b)\n2: (drop)\n", "timed"),
        ("0: (pick a b) [2]\n1: (drop) [1]\n", "timed"),
        ("(pick a b)\n", "pddl"),
        ('[{"skill": "pick", "args": {}}]', "skills"),
    ],
)
def test_numbers_that_count_are_told_from_times(text: str, form: str) -> None:
    assert read_plan(Source("plan", text)).format == form


def test_times_and_lines_are_kept() -> None:
    (_, step) = read_plan(Source("plan", "0.5: (a) [1.25]\n; c\n1.5: (b x) [0.1]\n")).steps
    assert (step.line, step.start, step.duration) == (3, Fraction(3, 2), Fraction(1, 10))


@pytest.mark.parametrize(
    ("text", "place"),
    [("(pick a b", "1:1"), ("(a)\n  hello\n", "2:3"), ("(pick (a) b)", "1:1"), ("()", "1:1"), ("pick a b", "1:1")],
)
def test_what_is_no_step_is_placed(text: str, place: str) -> None:
    with pytest.raises(InputError, match=rf"^plan:{place}: not a step of a plan: .*; valid: \(pick a b\)"):
        read(text)
