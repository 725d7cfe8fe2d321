"""Lengths and angles: those that can only be in another unit are refused, and no others."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from tamp.files.quantities import is_number, not_degrees, not_metres, not_millimetres, not_radians

LENGTHS = st.lists(st.floats(0.02, 3.0).flatmap(lambda v: st.sampled_from((v, -v))), min_size=1, max_size=6)


@given(LENGTHS)
def test_lengths_on_a_table_are_taken_in_their_unit_and_refused_in_the_other(metres: list[float]) -> None:
    millimetres = [1000 * v for v in metres]
    assert not not_metres(metres, 5.0) and not not_millimetres(millimetres, 5.0)
    assert "millimetres?" in not_metres(millimetres, 5.0) and "metres?" in not_millimetres(metres, 5.0)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=6), st.sampled_from((2, 4, 5)))
def test_quarters_of_a_half_turn_are_taken_for_what_they_are(quarters: list[int], digits: int) -> None:
    radians, degrees = [round(n * math.pi / 4, digits) for n in quarters], [45.0 * n for n in quarters]
    assert not not_radians(radians) and not not_degrees(degrees)
    if any(quarters) and digits > 2:
        assert "radians?" in not_degrees(radians) and "degrees?" in not_radians(degrees)


def test_no_number_is_one_that_no_float_holds() -> None:
    assert not any(map(is_number, (math.nan, math.inf, -math.inf, 10**400, "1", None, True, [1])))
    assert all(map(is_number, (0, -1.5, 10**30)))
