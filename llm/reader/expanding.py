"""What a program comes to, thing by thing: the same for all ways of writing the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations, product

from llm.reader.program import (
    Argument,
    Call,
    Drop,
    Effect,
    Handled,
    If,
    Line,
    NamedThings,
    Program,
    Quote,
    read_program,
)
from llm.reader.setting import Setting

Literal = tuple[str, tuple[str, ...], bool]
"""A predicate, its arguments, and whether it is to hold."""
Clause = frozenset[frozenset[Literal]]
"""Alternatives, each of what holds together."""


def sorting_key(clause: Clause) -> list[list[Literal]]:
    """By which clauses are in the same order in every process."""
    return sorted(map(sorted, clause))


@dataclass
class Expanded:
    """Milestones in order, of clauses that all hold; `first`: those before what is being done now. `asks` are the
    things of which one is meant, `absent` what is not here, `cannot` what cannot be said."""

    milestones: list[list[Clause]] = field(default_factory=lambda: [[]])
    first: list[list[Clause]] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)
    back: set[str] = field(default_factory=set)
    dropped: set[Clause] = field(default_factory=set)
    dropped_actions: list[str] = field(default_factory=list)
    drops_all: bool = False
    stops: bool = False
    actions: list[str] = field(default_factory=list)
    conditions: set[tuple[frozenset[Clause], frozenset[Clause], frozenset[Clause]]] = field(default_factory=set)
    asks: set[frozenset[str]] = field(default_factory=set)
    absent: set[str] = field(default_factory=set)
    cannot: set[str] = field(default_factory=set)

    @property
    def kind(self) -> str:
        """`goal`, or why there is none: `absent`, `ask`, `cannot`, `nothing`, `stop`."""
        if self.stops:
            return "stop"
        if self.cannot or self.absent:
            return "cannot" if self.cannot else "absent"
        if self.asks:
            return "ask"
        return "goal" if any(self._asked) else "nothing"

    @property
    def _asked(self) -> tuple[object, ...]:
        steps, first = ([set(step) for step in some if step] for some in (self.milestones, self.first))
        dropped = self.dropped, self.dropped_actions, self.drops_all
        return steps, first, self.kept, self.back, *dropped, self.actions, self.conditions

    def same(self, other: Expanded) -> bool:
        """Whether two programs ask for the same; of what is refused, the words for it may differ."""
        if self.kind != other.kind:
            return False
        if self.kind in ("absent", "cannot", "nothing", "stop"):
            return True
        if self.kind == "ask":
            return self.asks == other.asks
        return self._asked == other._asked


def expanded(program: Program) -> Expanded:
    """What a program comes to."""
    found = Expanded()
    part = found.milestones
    for line in program.lines:
        part = _take(line, found, part)
    return found


def _take(line: Line, found: Expanded, part: list[list[Clause]]) -> list[list[Clause]]:
    """Enter a line; the list of milestones that the next one goes into."""
    match line:
        case "first" | "then" as word:
            part = found.first if word == "first" else found.milestones
            part.append([])
        case "stop":
            found.stops = True
        case Quote(words):
            found.cannot.add(words)
        case Handled(word, things):
            (found.kept if word == "keep" else found.back).update(_known(things, found))
        case Drop(None):
            found.drops_all = True
        case Drop(Effect((only,))) if only.acts:
            found.dropped_actions += _actions(only, found)
        case Drop(Effect() as effect):
            found.dropped.update(_clauses(effect, found))
        case If(Quote(words)):
            found.cannot.add(words)
        case If(Call() as call, effects, otherwise):
            sides = [frozenset(c for e in some for c in _clauses(e, found)) for some in (effects, otherwise)]
            found.conditions.add((frozenset(_call(call, found)), sides[0], sides[1]))
        case Effect((only,)) if only.acts:
            found.actions += _actions(only, found)
        case Effect():
            part[-1] += _clauses(line, found)
        case _:
            pass
    return part


def _actions(call: Call, found: Expanded) -> list[str]:
    """An action of each of some things, with its options in a fixed order."""
    options = f"; {', '.join(sorted(call.options))}" if call.options else ""
    each = product(*(_known(a, found) for a in call.arguments))
    return [f"{call.form.name}({', '.join(names)}{options})" for names in each]


def _clauses(effect: Effect, found: Expanded) -> Iterator[Clause]:
    """An effect as clauses that all hold. Of several calls one is to hold, whole."""
    each = [list(_call(c, found)) for c in effect.calls]
    if len(each) == 1:
        yield from each[0]
    else:
        yield frozenset(frozenset().union(*some) for clauses in each for some in product(*clauses))


def _call(call: Call, found: Expanded) -> Iterator[Clause]:
    """Clauses for all and each, with the alternatives that any and numbers leave. Of several things none is related to
    itself: all that go into a box are all but the box."""
    spread = [_spread(a, call.holds, found) for a in call.arguments]
    several = any(some or len(every) > 1 for every, some in spread)
    for outer in product(*(every for every, _ in spread)):
        each = product(*(some if one is None else [(one,)] for one, (_, some) in zip(outer, spread, strict=True)))
        ways = [list(product(*way)) for way in each]
        left = [way for way in ways if not several or all(len({*names}) == len(names) for names in way)]
        if left:
            yield frozenset(frozenset((call.form.name, names, call.holds) for names in way) for way in left)


def _spread(argument: Argument, holds: bool, found: Expanded) -> tuple[list[str | None], list[tuple[str, ...]]]:
    """Names for each of which something holds, or [None] and the alternatives of names."""
    names = _known(argument, found)
    how = argument.how if isinstance(argument, NamedThings) else "all"
    if how == "any" and holds:
        return [None], [(n,) for n in names]
    if how.isdigit() and holds:
        return [None], list(combinations(names, int(how)))
    return list(names), []


def _known(argument: Argument, found: Expanded) -> tuple[str, ...]:
    """The names of an argument; what is absent or open is noted."""
    if isinstance(argument, Quote):
        found.absent.add(argument.words)
        return (str(argument),)
    if argument.how == "which":
        if len(argument.names) > 1:
            found.asks.add(frozenset(argument.names))
        return argument.names[:1]
    return argument.names


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


def _returned(clause: Clause, change: Expanded) -> bool:
    """Whether a clause moves something that is to go back."""
    return any(names[0] in change.back for way in clause for _, names, _ in way if names)
