"""`tamp report --prompts`: what a language model got wrong, by type, from episodes' logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from cli.output import Output, counted
from tamp.api import language

if TYPE_CHECKING:
    from llm.failures import FailureReport, Group

LONGEST = 240
"""Characters shown of a reply, a message or a reason; --json has them whole."""

Cause = tuple[str, str]
"""The stage at which an episode failed, and why."""


def report_prompts(paths: list[Path], examples: int, out: Output) -> int:
    """Print the failures that are in the logs of runs and episodes."""
    found, otherwise = language.failures_in(paths)
    causes = [{"stage": stage, "reason": reason, "episodes": n} for (stage, reason), n in otherwise.most_common()]
    lines = chain(_lines(found, examples), _otherwise(otherwise, paths))
    out.answer(found.as_dict(examples) | {"otherwise": causes}, lines)
    return 0


def _otherwise(causes: Counter[Cause], paths: list[Path]) -> Iterator[str]:
    """What failed and lies not with the language model: by stage and reason, the most frequent first."""
    if not causes:
        return
    shown = " ".join(map(str, paths))
    yield f"\n{counted(causes.total(), 'episode')} failed for other reasons (tamp report {shown}):"
    for (stage, reason), n in causes.most_common():
        yield f"{n:5} {stage}: {_shown(reason)}"


def _lines(found: FailureReport, examples: int) -> Iterator[str]:
    yield f"{counted(found.logs, 'log')}, {found.language} with an instruction to read"
    if found.language:
        yield f"  asked the model in {found.asked}"
        yield f"  a goal in {found.goal}"
    if found.refused:
        yield f"  rightly refused in {found.refused}"
    if found.plans:
        first = f"{found.found_first} of {found.plans} ({100 * found.found_first / found.plans:.0f} %)"
        yield f"{counted(found.plans, 'plan')} asked for: {found.found} found, at the first attempt {first}"
    groups = found.groups()
    if not groups:
        yield "\nno failure lies with the language model"
        return
    yield f"\n{'times':>5} {'episodes':>8} {'mended':>6}  failure"
    for group in groups:
        yield from _group(group, examples)


def _group(group: Group, examples: int) -> Iterator[str]:
    event, error = group.name
    mended = ", ".join(f"{n} mended by {how}" for how, n in group.mended.items())
    what = f"{event}: {error}{f' ({mended})' if mended else ''}"
    yield f"{len(group.failures):5} {group.episodes:8} {sum(group.mended.values()):6}  {what}"
    for f in group.examples(examples):
        attempt = f", attempt {f.attempt}" if f.attempt else ""
        repaired = f", mended by {f.mended}" if f.mended else ""
        yield f"        {f.episode}{attempt}{repaired}"
        for label, text in (("asked", f.instruction), ("reply", f.reply), ("wrong", f.message)):
            if text:
                yield f"          {label}  {_shown(text)}"


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[:LONGEST] + "…"
