"""Where the goal of a run comes from: for its log, and in words for those who read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

Kind = Literal["words", "option", "library", "scene", "task", "test"]


@dataclass(frozen=True)
class GoalOrigin:
    """Where a goal comes from: `words`, the `option` --goal, a program that calls the `library`, the own goal of a
    `scene`, LIBERO's of its `task`, or a `test` of a domain. `file` has it, or the words for it; empty where none has.
    """

    kind: Kind
    file: str = ""

    def as_fields(self) -> dict[str, str | None]:
        """As the `start` of a log has it."""
        return {"goal_from": self.kind, "goal_file": self.file or None}

    @property
    def in_words(self) -> str:
        """What the goal is said to come from."""
        path = Path(self.file)
        named = path.name if path.parent.name in ("", "..") else f"{path.parent.name}/{path.name}"
        words = f"the scene's own words, in {named}" if self.file else "the words that were given"
        phrases = {"words": words, "option": "--goal, in PDDL", "library": "a program, in PDDL"}
        filed = {"scene": "the scene's file", "task": "the task itself,", "test": "tamp test,"}
        return phrases.get(self.kind) or f"{filed[self.kind]} {named}"


def read_origin(start: Mapping[str, Any]) -> GoalOrigin | None:
    """What the `start` of a log says of it; None where it says nothing, as logs of before do."""
    kind: Kind | None = next((k for k in get_args(Kind) if k == start.get("goal_from")), None)
    file = start.get("goal_file")
    if kind is None:
        return None
    return GoalOrigin(kind, file if isinstance(file, str) else "")
