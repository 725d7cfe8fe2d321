"""`tamp report --prompts`: what a language model got wrong, by type, from episodes' logs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from cli.output import emit_json
from tamp import InputError
from tamp.api import language
from tamp.quiet import quiet_stdout

if TYPE_CHECKING:
    from llm.failures import Failure, Group, Report

LONGEST = 240
"""Characters shown of a reply, a message or a reason; --json has them whole."""

Cause = tuple[str, str]
"""The stage at which an episode failed, and why."""


def report_prompts(paths: list[Path], form: str, tree: str | None, examples: int, json_output: bool) -> int:
    """Print the failures that are in the logs of runs and episodes."""
    if form != "text" or tree is not None:
        raise InputError("--prompts makes no table: --format and --tree are not for it; valid: --examples, --json")
    found, otherwise = language.failures_in(paths)
    with quiet_stdout() as out:
        if json_output:
            told = [{"stage": stage, "reason": reason, "episodes": n} for (stage, reason), n in otherwise.most_common()]
            emit_json(found.as_dict(examples) | {"otherwise": told}, out)
        else:
            _text(found, examples, out)
            _otherwise(otherwise, paths, out)
    return 0


def _otherwise(causes: Counter[Cause], paths: list[Path], out: TextIO) -> None:
    """What failed and lies not with the language model: by stage and reason, the most frequent first."""
    if not causes:
        return
    shown = " ".join(map(str, paths))
    out.write(f"\n{_count(causes.total(), 'episode')} failed for other reasons (tamp report {shown}):\n")
    for (stage, reason), n in causes.most_common():
        out.write(f"{n:5} {stage}: {_shown(reason)}\n")


def _text(found: Report, examples: int, out: TextIO) -> None:
    out.write(f"{_count(found.logs, 'log')}, {found.language} with an instruction to read\n")
    if found.language:
        out.write(f"  asked the model in {found.asked}\n")
        out.write(f"  a goal in {found.goal}\n")
    if found.refused:
        out.write(f"  rightly refused in {found.refused}\n")
    if found.plans:
        first = f"{found.found_first} of {found.plans} ({100 * found.found_first / found.plans:.0f} %)"
        out.write(f"{_count(found.plans, 'plan')} asked for: {found.found} found, at the first attempt {first}\n")
    groups = found.groups()
    if not groups:
        out.write("\nno failure lies with the language model\n")
        return
    out.write(f"\n{'times':>5} {'episodes':>8} {'mended':>6}  failure\n")
    for group in groups:
        _group(group, examples, out)


def _group(group: Group, examples: int, out: TextIO) -> None:
    event, error = group.name
    mended = ", ".join(f"{n} mended by {how}" for how, n in group.mended.items())
    told = f"{event}: {error}{f' ({mended})' if mended else ''}"
    out.write(f"{len(group.failures):5} {group.episodes:8} {sum(group.mended.values()):6}  {told}\n")
    for f in group.examples(examples):
        _example(f, out)


def _example(f: Failure, out: TextIO) -> None:
    attempt = f", attempt {f.attempt}" if f.attempt else ""
    mended = f", mended by {f.mended}" if f.mended else ""
    out.write(f"        {f.episode}{attempt}{mended}\n")
    for label, text in (("asked", f.instruction), ("reply", f.reply), ("wrong", f.message)):
        if text:
            out.write(f"          {label}  {_shown(text)}\n")


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[:LONGEST] + "…"


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"
