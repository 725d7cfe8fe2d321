"""Changes of a plan as a list, and as lines for people: steps that go, and actions that come."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Literal, NamedTuple


@dataclass(frozen=True)
class Edit:
    """One change of a plan. Numbers are those of the given plan's steps, from 1; actions are in PDDL.

    `add` has `action` before step `before`, which is one more than there are steps for the end; `leave out` has `step`;
    `replace` has `action` in place of `step`. What comes before the same step comes in the order of the changes.
    """

    kind: Literal["add", "leave out", "replace"]
    step: int | None = None
    action: str | None = None
    before: int | None = None


class Line(NamedTuple):
    """A line of a plan with its changes: `sign` is `+` for what comes, `-` for what goes, else a space; `number` is
    that of the given plan's step, None for what comes."""

    sign: str
    number: int | None
    text: str


def changed(steps: Sequence[str], edits: Sequence[Edit]) -> list[Line]:
    """The steps of a plan with what comes and what goes. The plan after the changes is what has not the sign `-`."""
    come, instead, gone = defaultdict[int, list[str]](list), dict[int, str](), set[int]()
    for e in edits:
        if e.before is not None:
            come[e.before].append(e.action or "")
        elif e.step is not None:
            gone.add(e.step)
            if e.action is not None:
                instead[e.step] = e.action
    lines = list[Line]()
    for number, step in enumerate(steps, 1):
        lines += [Line("+", None, action) for action in come[number]]
        lines.append(Line("-" if number in gone else " ", number, step))
        lines += [Line("+", None, instead[number])] if number in instead else []
    return [*lines, *(Line("+", None, action) for action in come[len(steps) + 1])]


@dataclass(frozen=True)
class Repair:
    """What would make a plan valid: in `words`, as `edits`, and as the `lines` of the plan with them.

    All are empty where nothing is known that would, and for a valid plan; `why_none` says why.
    """

    words: str = ""
    edits: tuple[Edit, ...] = ()
    lines: tuple[Line, ...] = field(default=(), repr=False)
    why_none: str = ""

    @classmethod
    def of(cls, edits: Sequence[Edit], steps: Sequence[str]) -> Repair:
        """Of changes of a plan with these steps, after which it is valid."""
        return cls(_words(edits, len(steps)), tuple(edits), tuple(changed(steps, edits)))

    @property
    def steps(self) -> list[str]:
        """The plan after the changes."""
        return [line.text for line in self.lines if line.sign != "-"]

    def shown(self, around: int = 1) -> Iterator[str]:
        """The lines as text: the sign, the step's number, the step. Of the steps that stay those that have a change at
        most `around` lines away, and `…` for the rest."""
        changes = [n for n, line in enumerate(self.lines) if line.sign != " "]
        near = {n + d for n in changes for d in range(-around, around + 1)}
        width, left_out = len(str(max((line.number or 0 for line in self.lines), default=0))), False
        for n, line in enumerate(self.lines):
            if n in near:
                yield f"{line.sign} {line.number or '':>{width}} {line.text}"
            elif not left_out:
                yield "…"
            left_out = n not in near


def _words(edits: Sequence[Edit], length: int) -> str:
    if len(edits) != 1:
        return f"valid with {len(edits)} changes"
    (e,) = edits
    where = "at the end" if e.before == length + 1 else f"before step {e.before}"
    return {
        "add": f"valid with {e.action} {where}",
        "leave out": f"valid without step {e.step}",
        "replace": f"valid with {e.action} as step {e.step}",
    }[e.kind]


def edits_between(steps: Sequence[str], after: Sequence[str]) -> list[Edit]:
    """The changes that make a plan of `steps` another one. What stays, stays in its order."""
    edits = list[Edit]()
    for tag, begin, end, first, last in SequenceMatcher(None, steps, after, autojunk=False).get_opcodes():
        if tag != "equal":
            both = min(end - begin, last - first)
            edits += [Edit("replace", begin + n + 1, after[first + n]) for n in range(both)]
            edits += [Edit("add", None, action, end + 1) for action in after[first + both : last]]
            edits += [Edit("leave out", n + 1) for n in range(begin + both, end)]
    return edits
