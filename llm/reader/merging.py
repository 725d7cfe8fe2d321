"""A remark in mid-work: what is being done, and what is to be done from then on."""

from __future__ import annotations

from dataclasses import replace

from llm.reader.expanding import Clause, Expanded, expanded
from llm.reader.program import read_program
from llm.reader.setting import Setting

BETWEEN = " / "
"""Stands between the lines of `now:`."""


def doing(setting: Setting) -> Expanded:
    """What is being done in a setting."""
    return expanded(read_program(setting.now.replace(BETWEEN, "\n"), setting)) if setting.now else Expanded()


def merged(work: Expanded, change: Expanded) -> Expanded:
    """The work as it is after a change. What is dropped goes wherever it is; what is new goes into the last step, or
    before the first or after the last one where the change says so. A remark that asks for nothing, or for what cannot
    be, changes nothing."""
    if change.kind in ("nothing", "absent", "cannot", "ask"):
        return work
    if change.stops or change.drops_all:
        work = Expanded()
    kept = [[c for c in step if c not in change.dropped and not _returned(c, change)] for step in work.milestones]
    steps = [step for step in kept if step] or [[]]
    now, *later = change.milestones
    steps[-1] = [*steps[-1], *(c for c in now if c not in steps[-1])]
    actions = [a for a in work.actions if a not in change.dropped_actions] + change.actions
    return replace(
        work,
        milestones=[step for step in (*change.first, *steps, *later) if step] or [[]],
        kept=work.kept | change.kept,
        back=work.back | change.back,
        conditions=work.conditions | change.conditions,
        actions=actions,
        stops=change.stops,
    )


def same_work(setting: Setting, one: Expanded, other: Expanded) -> bool:
    """Whether two answers to what is said in a setting come to the same."""
    if one.kind != other.kind or one.kind != "goal" or not setting.now:
        return one.same(other)
    work = doing(setting)
    return merged(work, one).same(merged(work, other))


def _returned(clause: Clause, change: Expanded) -> bool:
    """Whether a clause moves something that is to go back."""
    return any(names[0] in change.back for way in clause for _, names, _ in way if names)
