"""What an instruction to an arm bears out: its places and things in their order, and the numbers of each motion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

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

    `hovers`: the heights in mm that were said for it. `above`: it may be meant to go above it. `touched`: the
    instruction asks to touch just this; `at_once`: with nothing between being above it and touching it.
    """

    what: str
    is_thing: bool
    index: int = 0
    ref: str | None = None
    surest: bool = False
    hovers: tuple[float, ...] = (HOVER_MM,)
    above: bool = False
    touched: bool = False
    at_once: bool = False


@dataclass(frozen=True)
class Reading:
    """Targets, lifts (mm), waits (s) and poses (mm and degrees), each in the order in which they are said.

    `in_order`: the targets are gone to in this order. `touches`: a thing may be touched, and has to be, or not at
    all; `directly`: without approaching it first. `lifts_due`: how many of the lifts have to be.
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

    def reading(self) -> Reading:
        targets, lifts, waits = list[Target](), list[float](), list[float]()
        due, loose = 0, list[float]()
        text, in_order = english.ordered(self.text)
        for clause in english.CLAUSE.split(text):
            heights, ups, seconds = self._numbers(clause)
            cues = english.LIFT.findall(clause)
            new = self._targets(clause)
            waits += seconds
            if ups or cues:
                lifts += ups or [RETREAT_MM]
                due += bool(ups) or not (new and english.HOVER.search(clause))
            if new:
                hovers = tuple([*heights, *loose]) or (HOVER_MM,)
                above = bool(heights or loose or english.HOVER.search(clause))
                new = [replace(t, hovers=hovers, above=above) for t in new]
                targets += [_as(targets[-1], t) for t in new] if targets and english.NO_VERB.match(clause) else new
                loose = []
            elif heights and targets:
                targets[-1] = replace(targets[-1], hovers=tuple(heights), above=True)
            else:
                loose += heights
            if not new and targets and targets[-1].is_thing and english.TOUCH.search(english.NOT_TOUCHED.sub("", clause)):
                targets[-1] = replace(targets[-1], touched=True)
        if loose:
            raise Refusal(f"{loose[0]:g} belongs to nothing: a pose is six numbers, x y z roll pitch yaw", "unclear")
        if english.WAIT.search(self.text.replace("stop", "")) and not waits:
            raise Refusal("how long to wait is not said; for example: wait 2 seconds", "unclear")
        merged = _merged(targets)
        if not (merged or lifts or waits or self.said.poses):
            raise Refusal(f"the instruction names nothing to go to; {self.there}", "unclear")
        touch = english.NOT_TOUCHED.sub("", self.text)
        must = english.TOUCH.search(touch) is not None
        return Reading(
            merged,
            tuple(lifts),
            tuple(waits),
            self.said.poses,
            in_order=in_order,
            may_touch=must or (touch == self.text and english.REACH.search(touch) is not None),
            must_touch=must,
            directly=any(not n or self.mentions[int(n)].is_thing for n in english.DIRECTLY.findall(self.text)),
            lifts_due=due,
        )

    def _numbers(self, clause: str) -> tuple[list[float], list[float], list[float]]:
        """Heights to hover at, lifts, and seconds of a clause."""
        numbers = [self.said.numbers[int(n)] for n in re.findall(r"#(\d+)", clause)]
        waits = english.WAIT.search(clause) is not None and not english.HOVER.search(clause)
        seconds = [n.value for n in numbers if n.unit == "s" or (not n.unit and waits)]
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
            before = clause[: found.start()].rstrip()
            if not mention.is_thing and out and out[-1].is_thing and _is_reference(before):
                out[-1] = replace(out[-1], ref=mention.what)
                continue
            ordinal = english.ORDINAL.findall(clause[: found.end()])
            last = ordinal[-1] if ordinal and re.search(rf"\b{ordinal[-1]}( \w+)* ?$", before) else "first"
            touched = re.search(rf"{english.TOUCH.pattern}(?: (?:\w+))*$", before) is not None
            surest = mention.is_thing and english.SUREST.search(clause) is not None
            index = english.ORDINALS[last]
            out.append(
                Target(mention.what, mention.is_thing, index, surest=surest, touched=touched, at_once=touched)
            )
        return out


def _is_reference(before: str) -> bool:
    """Whether a place that follows is what the thing before it is near to."""
    near = re.search(rf"@\d+((?: [a-z]+)*)$", before)
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
    return replace(t, above=before.above, touched=before.touched, at_once=before.at_once)


def _merged(targets: Sequence[Target]) -> tuple[Target, ...]:
    """Targets of which none is the one before it spoken of again."""
    out: list[Target] = []
    for t in targets:
        before = out[-1] if out else None
        if before and (t.what, t.index, t.ref, t.surest) == (before.what, before.index, before.ref, before.surest):
            heights = tuple(h for some in (before.hovers, t.hovers) for h in some if some != (HOVER_MM,))
            out[-1] = replace(before, hovers=heights or (HOVER_MM,), above=t.above or before.above)
            out[-1] = replace(out[-1], touched=t.touched or before.touched)
        else:
            out.append(t)
    return tuple(out)
