"""What an episode came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tamp.runs.episode import Result


@dataclass(frozen=True)
class EpisodeResult:
    """What an episode came to. It is true where it came out as was asked for.

    `reached`: what was asked for holds in the end, by the simulator's state. `task`: LIBERO's own check, where its task
    was what was asked for, else None. `success` is `task`, or `reached` where that is None; `lasting`, whether it was
    looked at once more after standing still, and is still so. `stage` (goal, perception, plan, refinement, execution,
    …) and `reason` say why it was not seen to be done. `goal` and `plan` are in PDDL, `executed` are the actions that
    were carried out. `steps` are control periods up to the last release or push, `total_steps` all; `seconds` is what
    each stage took. `touched` are things that were touched without being meant, with the number of periods, `shifted`
    those that were moved so.
    `out` is the folder of the episode, None where none is kept.
    """

    success: bool
    reached: bool
    task: bool | None
    lasting: bool
    goal: tuple[str, ...]
    untouched: tuple[str, ...]
    plan: tuple[str, ...]
    executed: tuple[str, ...]
    steps: int
    total_steps: int
    seconds: Mapping[str, float]
    stage: str | None
    reason: str | None
    touched: Mapping[str, int]
    shifted: tuple[str, ...]
    perception: str
    out: Path | None

    def __bool__(self) -> bool:
        return self.success and (self.task is None or self.stage is None)

    @classmethod
    def of(cls, result: Result) -> EpisodeResult:
        """The result of a run as it is now."""
        given: dict[str, Any] = {f.name: getattr(result, f.name) for f in fields(cls)}
        goal, out = given["goal"], given["out"]
        given["goal"] = () if goal is None else (goal,) if isinstance(goal, str) else tuple(goal)
        given["out"] = Path(out) if out else None
        for name in ("untouched", "plan", "executed", "shifted"):
            given[name] = tuple(given[name])
        for name in ("seconds", "touched"):
            given[name] = dict(given[name])
        return cls(**given)
