"""What a trial came to: a row of the table of `tamp test`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from tamp.runs.text_table import TextTable

Verdict = Literal["passed", "failed", "not tried"]


@dataclass(frozen=True)
class Trial:
    """`what` is a case's file or an operator, `goal` what was asked for; `out` is the folder of the last episode."""

    what: str
    verdict: Verdict
    scene: str = ""
    seed: int | None = None
    goal: str | list[str] | None = None
    reason: str | None = None
    plan: list[str] = field(default_factory=list)
    steps: int = 0
    seconds: float = 0.0
    out: str | None = None

    @property
    def operators(self) -> frozenset[str]:
        """The operators of a plan that was begun."""
        return frozenset(step.strip("()").split()[0] for step in self.plan if self.steps)

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return asdict(self)


COLUMNS = ("what", "scene", "seed", "verdict", "steps", "seconds", "")


def table(trials: Sequence[Trial]) -> TextTable:
    """A row a trial."""
    return TextTable(COLUMNS, tuple(map(_cells, trials)), "llrlrrl")


def _cells(trial: Trial) -> tuple[str, ...]:
    seed = "" if trial.seed is None else str(trial.seed)
    steps = str(trial.steps) if trial.scene else ""
    return (named(trial), trial.scene, seed, trial.verdict, steps, f"{trial.seconds:.1f}", trial.reason or "")


def named(trial: Trial) -> str:
    """What was tried, in words: of an operator with the goal that was found for it."""
    found = trial.goal is not None and not trial.what.endswith(".toml")
    return f"{trial.what} {trial.goal}" if found else trial.what


def told(trial: Trial) -> str:
    """A trial in one line."""
    where = f" in {trial.scene}, seed {trial.seed}" if trial.scene else ""
    return f"{named(trial)}{where}: {trial.verdict}{f': {trial.reason}' if trial.reason else ''}"
