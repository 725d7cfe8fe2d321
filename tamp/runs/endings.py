"""How episodes ended, from their logs: of `tamp solve`, `live`, `bench` and of an arm."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from tamp.runs import episode_log

T = TypeVar("T")

Verdict = Literal["success", "no", "interrupted", "error"]

LAST = ("outcome", "scored")
"""Events with which an episode ends by itself; `scored`: a goal that was only decoded."""


@dataclass(frozen=True)
class Ending:
    """What an episode came to. `said` are the words that were read, None without any; `goal` is PDDL, a list for goals
    one after the other, or what an arm was told. `verdict` is `interrupted` where the log breaks off.

    `reached` and `task` are the two verdicts of a run (docs/episodes.md), None where they were not asked for or not
    found; `task_asked` tells these two apart. `steps` are those of the outcome, or as far as the log goes; `seconds` is
    the time that the log covers.
    """

    episode: str
    said: str | None
    goal: str | list[str] | None
    verdict: Verdict
    reached: bool | None
    task: bool | None
    task_asked: bool | None
    perception: str | None
    steps: int | None
    seconds: float
    stage: str | None
    reason: str | None


def read_ending(log: Path) -> Ending:
    """How the episode of a log ended. InputError when it cannot be read, or is no log."""
    events = episode_log.read(log)
    return ending(log.parent.name if log.name == episode_log.LOG else log.name, events)


def ending(episode: str, events: list[dict[str, Any]]) -> Ending:
    """How the episode with these events ended. What is not of its kind, in a log that was edited, is left out."""
    last = next((e for e in reversed(events) if e["event"] in LAST), None)
    broken = next((e for e in reversed(events) if e["event"] == "error"), None)
    end = last or {}
    verdict, stage, reason = _verdict(last, broken)
    goals = (end.get("goal"), _latest(events, "goal", "goal"), _latest(events, "start", "goal"))
    steps = (end.get("steps"), _latest(events, "command", "step"))
    seen = (end.get("perception"), *(e.get("perception") for e in events))
    return Ending(
        episode=episode,
        said=_first(str, _latest(events, "instruction", "text")),
        goal=_first(str, *goals) or _first(list, *goals),
        verdict=verdict,
        reached=_first(bool, end.get("reached")),
        task=_first(bool, end.get("task")),
        task_asked=end["task"] is not None if "task" in end else None,
        perception=_first(str, *seen),
        steps=_first(int, *steps),
        seconds=max((e["t"] for e in events if isinstance(e.get("t"), int | float)), default=0.0),
        stage=stage,
        reason=reason,
    )


def _verdict(last: dict[str, Any] | None, broken: dict[str, Any] | None) -> tuple[Verdict, str | None, str | None]:
    """The verdict, the stage and the reason of what is no success."""
    if last is not None:
        verdict: Verdict = "success" if last.get("success") is True else "no"
        return verdict, _first(str, last.get("stage"), last.get("kind")), _first(str, last.get("reason"))
    if broken is not None:
        return "error", None, _first(str, broken.get("message"))
    return "interrupted", None, None


def _latest(events: list[dict[str, Any]], kind: str, key: str) -> Any:
    return next((e[key] for e in reversed(events) if e["event"] == kind and e.get(key) is not None), None)


def _first(kind: type[T], *values: Any) -> T | None:
    """The first of the values that is of a kind, and not empty words."""
    return next((v for v in values if isinstance(v, kind) and v != ""), None)
