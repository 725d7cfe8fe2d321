"""What an instruction to an arm bears out: its places and things in their order, and the numbers of each motion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from llm import arm_words as english
from llm.arm_mentions import Mention, mark_mentions
from llm.arm_numbers import Marked, marked
from llm.words import instruction
from tamp.errors import Refusal

HOVER_MM = RETREAT_MM = 80.0
"""The contract's own hover, which is also how far an arm lifts that is not told how far."""


@dataclass(frozen=True)
class Target:
    """A place, or a thing: the `index`th nearest to the place `ref`, else to the tool, or the surest.

    `hovers`: the heights in mm that were said for it. `above`: it may be meant to go above it, `over`: it is.
    `touched`: the instruction asks to touch just this, or to go to just this place after having been above it;
    `at_once`: with nothing between being above it and touching it.
    `said_in`, `touched_in`: in which clauses.
    """

    what: str
    is_thing: bool
    index: int = 0
    ref: str | None = None
    surest: bool = False
    hovers: tuple[float, ...] = (HOVER_MM,)
    above: bool = False
    over: bool = False
    touched: bool = False
    at_once: bool = False
    said_in: float = 0
    touched_in: float = 0


@dataclass(frozen=True)
class Reading:
    """Targets, lifts (mm), waits (s) and poses (mm and degrees), each in the order in which they are said.

    `in_order`: the targets are gone to in this order. `touches`: a thing may be touched, and has to be, or not at
    all; `directly`: without approaching it first. `lifts_due`: how many of the lifts have to be. `lifted_in`,
    `waited_in`, `posed_in`: the clause of each; clauses are in the order in which they are done.
    """

    targets: tuple[Target, ...]
    lifts: tuple[float, ...]
    waits: tuple[float, ...]
    poses: tuple[tuple[float, ...], ...]
    in_order: bool
    may_touch: bool
    must_touch: bool
    directly: bool
    lifts_due: int
    lifted_in: tuple[int, ...]
    waited_in: tuple[float, ...]
    posed_in: tuple[int, ...]


def read(text: str, names: Sequence[str], labels: Sequence[str]) -> Reading:
    """What an instruction says. Refusal for what is not there, can be several, or has no place in a plan.

    InputError when it is empty or too long.
    """
    plain = instruction(text).replace("’", "'")
    spoken, mentions = mark_mentions(plain, names, labels)
    said = marked(" ".join(spoken.split()))
    bare = " ".join(re.sub(r"\b(the|my|your)\b", " ", said.text).split())
    there = f"things: {', '.join(labels) or 'none'}; places: {', '.join(names) or 'none'}"
    _refuse_beyond(bare, mentions)
    _refuse_absent(said.text, mentions, there)
    return _Reader(bare, said, mentions, there).reading()


def _refuse_absent(spoken: str, mentions: tuple[Mention, ...], there: str) -> None:
    """Refusal when something is named that is not the world's."""
    tokens = re.findall(r"[@#&]\d+|[^\W_]+|[^\w\s]", spoken.replace("-", " "))
    strange, leads = list[str](), False
    for n, token in enumerate(tokens):
        if leads and token.isalpha() and token not in english.PLAIN and token not in english.LEADS:
            if not token.endswith("ly"):
                strange.append(_phrase(tokens[n:], mentions))
            leads = False
        elif token == "home":
            strange.append(token)
        else:
            leads = token in english.LEADS or (leads and english.WHICH.fullmatch(token) is not None)
    if strange:
        raise Refusal(f"there is no {' and no '.join(strange)} here; {there}", "absent")


def _phrase(tokens: list[str], mentions: tuple[Mention, ...]) -> str:
    """The noun phrase that some words begin with: "red cup"."""
    ends = (n for n, t in enumerate(tokens) if not t.isalpha() or t in english.PLAIN)
    end = next(ends, len(tokens))
    noun = [mentions[int(t[1:])].said for t in tokens[end : end + 1] if t.startswith("@")]
    return " ".join(tokens[:end] + noun)


def _refuse_beyond(text: str, mentions: tuple[Mention, ...]) -> None:
    """Refusal of what the contract has no words for."""

    def shown(found: str) -> str:
        return re.sub(r"@(\d+)?", lambda m: mentions[int(m[1])].said if m[1] else "", found).strip()

    for pattern, why in english.BEYOND:
        if found := re.search(pattern, text):
            raise Refusal(f"{shown(found[0])!r} cannot be said in a plan: {why}", "beyond")
    if found := english.NEGATED.search(text):
        raise Refusal(f"{found[0]!r} cannot be said in a plan: say what is to be done", "beyond")
    if english.NOT_TOUCHED.search(text) and english.TOUCH.search(english.NOT_TOUCHED.sub("", text)):
        raise Refusal("to touch one thing and not another cannot be told apart: leave out what not to do", "beyond")
    if found := english.UNATTACHED.search(text):
        raise Refusal(f"the {found[0]} what? Name the thing; no thing beyond the fifth can be named", "unclear")
    if found := english.NOWHERE.search(text):
        raise Refusal(f"{found[0]!r} does not say where to: name a place, or say up", "unclear")
    for near in re.finditer(rf"@(\d+) (?:that is |which is )?{english.RELATED} @(\d+)", text):
        first, second = (mentions[int(n)] for n in near.groups())
        if first.is_thing and second.is_thing and not near[0].startswith(f"@{near[1]} to @"):
            message = f"{shown(near[0])!r}: a thing can be nearest to a place, not to another thing"
            raise Refusal(message, "beyond")


@dataclass
class _Reader:
    """Reads clause by clause."""

    text: str
    said: Marked
    mentions: tuple[Mention, ...]
    there: str
    targets: list[Target] = field(default_factory=list)
    lifts: list[tuple[float, int]] = field(default_factory=list)
    waits: list[tuple[float, float]] = field(default_factory=list)
    loose: list[float] = field(default_factory=list)
    lifts_due: int = 0

    def reading(self) -> Reading:
        text, in_order = english.ordered(self.text)
        clauses = english.CLAUSE.split(text)
        for number, clause in enumerate(clauses):
            self._read(clause, number if in_order else 0)
        self._check()
        touch = english.NOT_TOUCHED.sub("", self.text)
        must = english.TOUCH.search(touch) is not None
        posed = {int(p): n for n, c in enumerate(clauses) for p in re.findall(r"&(\d+)", c)}
        return Reading(
            tuple(self.targets),
            tuple(length for length, _ in self.lifts),
            tuple(seconds for seconds, _ in self.waits),
            tuple(self.said.poses[p] for p in posed),
            in_order=in_order,
            may_touch=must or (touch == self.text and english.REACH.search(touch) is not None),
            must_touch=must,
            directly=any(not n or self.mentions[int(n)].is_thing for n in english.DIRECTLY.findall(self.text)),
            lifts_due=self.lifts_due,
            lifted_in=tuple(n for _, n in self.lifts),
            waited_in=tuple(n for _, n in self.waits),
            posed_in=tuple(n if in_order else 0 for n in posed.values()),
        )

    def _read(self, clause: str, number: int) -> None:
        """Take up what a clause says."""
        heights, ups, seconds = self._numbers(clause)
        new = [replace(t, said_in=number, touched_in=number) for t in self._targets(clause)]
        hovering = english.HOVER.search(clause) is not None
        # "hover over it for two seconds": the wait comes after what it is said of.
        afterwards = 0.5 if re.search(r"@.* for #", clause) else 0
        self.waits += [(s, number + afterwards) for s in seconds]
        if ups or english.LIFT.search(clause):
            self.lifts += [(up, number) for up in ups or [RETREAT_MM]]
            # "up above the bowl" is where to go, and no lift of its own.
            self.lifts_due += bool(ups) or not (new and hovering)
        if new:
            hovers, self.loose = tuple([*heights, *self.loose]) or (HOVER_MM,), []
            new = [replace(t, hovers=hovers, above=hovers != (HOVER_MM,) or hovering) for t in new]
            if english.TO_IT.search(english.NOT_TOUCHED.sub("", clause.rpartition("@")[2])) and new[-1].is_thing:
                new[-1] = replace(new[-1], touched=True, at_once=True)
            verbless = self.targets and english.NO_VERB.match(clause)
            self._add([_as(self.targets[-1], t) for t in new] if verbless else new)
            return
        if heights and self.targets:
            self.targets[-1] = replace(self.targets[-1], hovers=tuple(heights), above=True)
        else:
            self.loose += heights
        touching = english.TO_IT.search(english.NOT_TOUCHED.sub("", clause))
        if touching and self.targets and self.targets[-1].is_thing and not self.targets[-1].touched:
            self.targets[-1] = replace(self.targets[-1], touched=True, touched_in=number)

    def _add(self, new: list[Target]) -> None:
        """Targets, of which none is the one before it spoken of again."""
        for t in new:
            before = self.targets[-1] if self.targets else None
            if before is None or (t.what, t.index, t.ref, t.surest) != (
                before.what,
                before.index,
                before.ref,
                before.surest,
            ):
                self.targets.append(t)
                continue
            heights = tuple(h for some in (before.hovers, t.hovers) for h in some if some != (HOVER_MM,))
            both = replace(before, hovers=heights or (HOVER_MM,), above=t.above or before.above)
            # "above the bin, then to the bin"
            if (t.touched and not before.touched) or (not t.is_thing and before.above and not t.above):
                both = replace(both, touched=True, touched_in=t.touched_in)
            self.targets[-1] = both

    def _check(self) -> None:
        """Refusal when what was read does not come to a plan."""
        if self.loose:
            message = f"{self.loose[0]:g} belongs to nothing: a pose is six numbers, x y z roll pitch yaw"
            raise Refusal(message, "unclear")
        if english.WAIT.search(self.text.replace("stop", "")) and not self.waits:
            raise Refusal("how long to wait is not said; for example: wait 2 seconds", "unclear")
        if not (self.targets or self.lifts or self.waits or self.said.poses):
            raise Refusal(f"the instruction names nothing to go to; {self.there}", "unclear")

    def _numbers(self, clause: str) -> tuple[list[float], list[float], list[float]]:
        """Heights to hover at, lifts, and seconds of a clause."""
        numbers = [self.said.numbers[int(n)] for n in re.findall(r"#(\d+)", clause)]
        waits = english.WAIT.search(clause) is not None and not english.HOVER.search(clause)
        seconds = [n.value for n in numbers if n.unit == "s" or (not n.unit and waits)]
        if seconds and not english.LASTS.search(clause):
            said = next(n.said for n in numbers if n.value == seconds[0])
            raise Refusal(f"{said!r} is no wait: say for example: wait 2 seconds", "unclear")
        lengths = [n for n in numbers if n.unit != "s" and (n.unit or not waits)]
        for n in lengths:
            if n.value < 0:
                raise Refusal(f"{n.said!r}: heights and lifts are up, and not negative", "beyond")
        if any(s < 0 for s in seconds):
            raise Refusal("a wait is not negative", "beyond")
        lifting = english.LIFT.search(clause) is not None and not english.HOVER.search(clause)
        values = [n.value for n in lengths]
        return ([], values, seconds) if lifting else (values, [], seconds)

    def _targets(self, clause: str) -> list[Target]:
        """What a clause goes to: its places that nothing is near to, and its things."""
        out: list[Target] = []
        for found in re.finditer(r"@(\d+)", clause):
            mention = self.mentions[int(found[1])]
            before = english.NOT_TOUCHED.sub("", clause[: found.start()]).rstrip()
            if not mention.is_thing and out and out[-1].is_thing and _is_reference(before):
                out[-1] = replace(out[-1], ref=mention.what)
                continue
            ordinal = english.ORDINAL.findall(clause[: found.end()])
            last = ordinal[-1] if ordinal and re.search(rf"\b{ordinal[-1]}( \w+)* ?$", before) else "first"
            touched = re.search(rf"{english.TOUCH.pattern}(?: (?:\w+))*$", before) is not None
            surest = mention.is_thing and english.SUREST.search(clause) is not None
            index = english.ORDINALS[last]
            over = english.OVER.search(before) is not None
            here = Target(mention.what, mention.is_thing, index, surest=surest, over=over)
            out.append(replace(here, touched=touched, at_once=touched))
        return out


def _is_reference(before: str) -> bool:
    """Whether a place that follows is what the thing before it is near to."""
    near = re.search(r"@\d+((?: [a-z]+)*)$", before)
    if near is None or not re.search(rf"\b{english.RELATED}$", near[1]):
        return False
    # "the cup from home" may be where to go from: with from, of and to, which one has to be said.
    return re.search(r"\b(near|next|clos|relative|respect|adjacent|beside|by)", near[1]) is not None or (
        english.WHICH.search(before[: near.start()].rpartition("@")[2]) is not None
    )


def _as(before: Target, t: Target) -> Target:
    """A target without a verb of its own, with what was said of the one before: "touch the cup, then the bowl"."""
    if before.is_thing != t.is_thing:
        return t
    if not t.is_thing:  # "over the bin and home" is at home
        return replace(t, above=before.above and t.what.lower() != "home")
    return replace(t, above=before.above or t.above, over=before.over, touched=before.touched, at_once=before.at_once)
