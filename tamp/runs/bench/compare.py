"""Whether one run of a benchmark is worse than another: episode by episode, by McNemar's exact test."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from tamp.errors import InputError
from tamp.runs.bench.records import EpisodeRecord
from tamp.runs.bench.scheduling import Key

LEVEL = 0.05


@dataclass(frozen=True)
class Comparison:
    """Episodes that both runs have: how many, how many of these both `solved`, those only the old run solved, and
    those only the new one did.

    `p_value` is the chance of at least so many losses among the episodes that changed, if each were as likely
    a loss as a gain (McNemar's exact test, one-sided); `two_sided` that of so large a difference either way.
    """

    pairs: int
    solved: int
    lost: tuple[Key, ...]
    gained: tuple[Key, ...]

    @property
    def p_value(self) -> float:
        """One-sided; 1 when nothing changed."""
        return _at_least(len(self.lost), len(self.lost) + len(self.gained))

    @property
    def two_sided(self) -> float:
        """Of two runs of which neither is the baseline; 1 when nothing changed."""
        k, n = max(len(self.lost), len(self.gained)), len(self.lost) + len(self.gained)
        return min(1.0, 2 * _at_least(k, n))

    @property
    def neither(self) -> int:
        """How many neither run solved."""
        return self.pairs - self.solved - len(self.lost) - len(self.gained)

    @property
    def regressed(self) -> bool:
        """Whether the new run is worse, at the 5 % level."""
        return self.p_value < LEVEL

    def __str__(self) -> str:
        verdict = "a regression" if self.regressed else "no significant regression"
        return (
            f"{self.pairs} episodes in both: {len(self.lost)} lost, {len(self.gained)} gained, "
            f"p = {self.p_value:.3g} (McNemar's exact test, one-sided, level {LEVEL:g}): {verdict}"
        )


def compare(old: list[EpisodeRecord], new: list[EpisodeRecord]) -> Comparison:
    """Compare two runs over the task and initial state that both have; InputError when they share none."""
    before = {r.key: r.success for r in old}
    both = [(r.key, before[r.key], r.success) for r in new if r.key in before]
    if not both:
        raise InputError("the baseline and this run have no episode in common")
    return Comparison(
        len(both),
        sum(a and b for _, a, b in both),
        tuple(k for k, a, b in both if a and not b),
        tuple(k for k, a, b in both if b and not a),
    )


def _at_least(k: int, n: int) -> float:
    """The chance of `k` or more of `n` where each is as likely as not."""
    return float(sum(comb(n, i) for i in range(k, n + 1)) / 2**n)
