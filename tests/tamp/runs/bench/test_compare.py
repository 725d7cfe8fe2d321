"""Regressions: told from chance, by pairs."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from tamp.errors import InputError
from tamp.runs.bench.compare import compare
from tamp.runs.bench.records import EpisodeRecord
from tests.page_episodes import record


def run(*verdicts: bool) -> list[EpisodeRecord]:
    return [record("s", 0, k, success=ok) for k, ok in enumerate(verdicts)]


@pytest.mark.parametrize(
    ("lost", "gained", "regressed"),
    [(0, 0, False), (4, 0, False), (5, 0, True), (6, 1, False), (8, 1, True), (0, 9, False)],
)
def test_a_regression_is_more_losses_than_chance_gives(lost: int, gained: int, regressed: bool) -> None:
    old = run(*[True] * lost, *[False] * gained, *[True] * 30)
    new = run(*[False] * lost, *[True] * gained, *[True] * 30)
    result = compare(old, new)
    assert (len(result.lost), len(result.gained), result.regressed) == (lost, gained, regressed)
    n = lost + gained
    expected = binomtest(lost, n, 0.5, alternative="greater").pvalue if n else 1.0
    assert result.p_value == pytest.approx(expected)
    assert f"{lost} lost, {gained} gained" in str(result)
    either_way = binomtest(lost, n, 0.5).pvalue if n else 1.0
    assert result.two_sided == pytest.approx(either_way)
    assert (result.solved, result.neither) == (30, 0)


def test_only_what_both_have_is_compared() -> None:
    result = compare(run(True, True), run(False))
    assert result.pairs == 1 and len(result.lost) == 1
    assert compare(run(False, True), run(False, True)).neither == 1


def test_runs_with_nothing_in_common_are_refused() -> None:
    with pytest.raises(InputError, match="no episode in common"):
        compare(run(True), [])
