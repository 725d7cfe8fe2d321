"""An instruction to an arm cut into clauses, in the order in which they are done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from llm.arm_mentions import Mention, mark_mentions
from llm.arm_numbers import SPELT, Marked, Number, marked
from llm.arm_words import FILLER, PLAIN
from llm.spelling import mended
from llm.words import instruction

_THEN = (
    r"(?:and )?(?:just |only )?then|and after(?:wards)?|(?:and )?(?:just |only |right )?after (?:that|which|this)|"
    r"afterwards|followed by|finally|lastly|and|n|but"
)
_FIRST = r"but first|(?:but )?before that|preceded by"
_AFTER = r"(?:right |just |only )?after|as soon as|once|when|having|while|whilst|following"
_BEFORE = r"before|prior to"
_BORDER = re.compile(rf"[,;.:?!]| - |\b(?:{_FIRST}|{_THEN}|{_AFTER}|{_BEFORE}|until)\b")
_ONE = re.compile(
    r"(?<=second )one\b|(?<=third )one\b|(?<=(?:near|clos)est )one\b|"
    r"\bone(?= (?:that|which|nearest|closest|you|near|by)\b)"
)
_OF_ALL = re.compile(r"\b(?:out )?of all (?:of )?(?:the )?@\d+ *,?")
_ASIDE = re.compile(r" *, *(?:(?:at|by) )?(#\d+) *(?=[,.;!?]|$)")
"""A number that is said between commas: "above the cup, 60 mm, and"."""
_NO_COMMA = re.compile(
    rf"^(\s*(?:{_AFTER}|{_BEFORE}) .*?(?<!you)(?<!it)(?<!arm)(?<!tool)(?<!robot)(?<!have)(?<!to)(?<!or)(?<!and)) "
    r"(?=(?:please )?(?:go|move|touch|tap|poke|lift|raise|rise|wait|pause|hover|approach|return|head|visit|come)\b)"
)
_STOPS = frozenset(".;!?")
_SPELT = frozenset(re.findall(r"[a-z]{4,}", f"{_THEN} {_FIRST} {_AFTER} {_BEFORE}")) | FILLER
"""Words besides that slips of the pen may be meant for."""


@dataclass(frozen=True)
class Clause:
    """A part of an instruction: as the model reads it, and what stands in it.

    `bare`: in lower case and without articles but "a"; `@2` is the third mention, `#0 ` and `&0 ` are numbers and
    poses. In `text` places and things have the world's names, lengths are in mm and times in s. `joined` is what
    stands before it, from the clause before. `heads`: it only names what the next one is about.
    """

    bare: str
    text: str
    mentions: tuple[Mention, ...] = ()
    numbers: tuple[Number, ...] = ()
    poses: tuple[tuple[float, ...], ...] = ()
    joined: tuple[str, ...] = ()
    heads: bool = False

    @property
    def backward(self) -> bool:
        """Whether it may speak of what was spoken of before."""
        return not self.mentions or re.search(r"\b(?:it|there|them|that one|its)\b", self.bare) is not None

    def by_mark(self, number: int) -> Mention:
        """What a mark stands for: 2 for `@2`."""
        return dict(zip(map(int, re.findall(r"@(\d+)", self.bare)), self.mentions, strict=True))[number]

    @property
    def things(self) -> tuple[str, ...]:
        """Labels of the things that it names."""
        return tuple(dict.fromkeys(m.what for m in self.mentions if m.is_thing))

    @property
    def places(self) -> tuple[str, ...]:
        """Names of the places that it names."""
        return tuple(dict.fromkeys(m.what for m in self.mentions if not m.is_thing))


@dataclass(frozen=True)
class Spoken:
    """An instruction: the whole as the model reads it, with marks, the same without articles (`bare`), and its
    clauses in the order in which they are done."""

    text: str
    bare: str
    marked: str
    clauses: tuple[Clause, ...]
    mentions: tuple[Mention, ...] = ()


def spoken(text: str, names: Sequence[str], labels: Sequence[str]) -> Spoken:
    """Cut up an instruction.

    Refusal for words that fit several places or things, and for strange units; InputError when it is empty or too
    long.
    """
    plain = _unnumbered(instruction(text).replace("’", "'"))
    named, mentions = mark_mentions(mended(plain, [*names, *labels], [*PLAIN, *_SPELT, *SPELT]), names, labels)
    said = marked(_named_again(" ".join(named.split()), mentions))
    said = replace(said, text=_beside(_parted(said.text)))
    clauses, at, joined = list[Clause](), 0, list[str]()
    for border in [*_BORDER.finditer(said.text), None]:
        piece = said.text[at : border.start() if border else None]
        if not all(w in FILLER for w in re.findall(r"[@#&]\d+|[^\W_]+", piece)):
            clauses.append(replace(_clause(piece, said, mentions), joined=tuple(joined)))
            joined = []
        if border:
            joined.append(border[0].strip())
            at = border.end()
    in_order = tuple(_as_done(_headed(_shared(clauses))))
    return Spoken(_shown(said.text, said, mentions), _bare(said.text), said.text, in_order, mentions)


def _unnumbered(text: str) -> str:
    """The text with a full stop for "(1)", and for "1." where it begins with that."""
    text = re.sub(r"(?:^|\s)\(\d{1,2}\)", ". ", text)
    return re.sub(r"(?:^|\s)\d{1,2}[.)]\s", ". ", text) if re.match(r"1[.)]\s", text) else text


def _parted(text: str) -> str:
    """The text with the comma that is missing in "after waiting go home"."""
    return re.sub(r"[^.;!?]+", lambda m: m[0] if "," in m[0] else _NO_COMMA.sub(r"\1, ", m[0], count=1), text)


def _beside(text: str) -> str:
    """The text with "at" for the comma before a number that is said between commas, unless that follows another."""

    def at(found: re.Match[str]) -> str:
        return found[0] if re.search(r"#\d+\s*$", text[: found.start()]) else f" at {found[1]}"

    return _ASIDE.sub(at, text)


def _named_again(text: str, mentions: tuple[Mention, ...]) -> str:
    """The text with the mark of the last thing for "one" in "the second one" and "the one nearest to the bin"; and
    without "of all the cups" before that."""

    def thing(found: re.Match[str]) -> str:
        marks = [m for m in re.findall(r"@(\d+)", text[: found.start()]) if mentions[int(m)].is_thing]
        return f"@{marks[-1]}" if marks else found[0]

    return _OF_ALL.sub("", _ONE.sub(thing, text))


def _clause(piece: str, said: Marked, mentions: tuple[Mention, ...]) -> Clause:
    return Clause(
        _bare(piece),
        _shown(piece, said, mentions),
        tuple(mentions[int(n)] for n in re.findall(r"@(\d+)", piece)),
        tuple(said.numbers[int(n)] for n in re.findall(r"#(\d+)", piece)),
        tuple(said.poses[int(n)] for n in re.findall(r"&(\d+)", piece)),
    )


def _shared(clauses: list[Clause]) -> list[Clause]:
    """The clauses; one that speaks of the same height or time as another has its number."""
    out, before = list[Clause](), tuple[Number, ...]()
    for c in clauses:
        same = not c.numbers and re.search(r"\bsame (?:height|distance|time|altitude|clearance|way|again)\b", c.bare)
        now = replace(c, numbers=before[-1:]) if same and before else c
        out.append(now)
        before = now.numbers or before
    return out


def _headed(clauses: list[Clause]) -> list[Clause]:
    """The clauses; those before a colon or a dash only name what the next one is about."""
    pairs = zip(clauses, [*clauses[1:], None], strict=True)
    return [
        replace(c, heads=bool(n and {":", "-"} & {*n.joined} and not c.numbers and not (c.mentions and n.mentions)))
        for c, n in pairs
    ]


def _as_done(clauses: list[Clause]) -> list[Clause]:
    """Sentence by sentence: "before X, Y" is Y, X; "Y after X" is X, Y; "Y, but first X and Z" is X, Z, Y."""
    out, sentence, last, first = list[Clause](), list[Clause](), list[Clause](), False
    for n, c in enumerate(clauses):
        if _STOPS & {*c.joined}:
            out, sentence, last, first = [*out, *sentence, *last], [], [], False
        joint = c.joined[-1] if c.joined else ""
        ends = n + 1 == len(clauses) or bool(_STOPS & {*clauses[n + 1].joined})
        first = first or bool(re.fullmatch(_FIRST, joint) or (joint == "but" and re.search(r"\bfirst\b", c.bare)))
        after = re.fullmatch(_AFTER, joint) and (len(c.joined) == 1 or ends)
        if re.fullmatch(_BEFORE, joint) and (not sentence or len(c.joined) > 1) and not ends:
            last.append(c)
        elif sentence and (first or after):
            sentence.insert(-1, c)
        else:
            sentence.append(c)
    return [*out, *sentence, *last]


def _bare(text: str) -> str:
    return " ".join(re.sub(r"\b(the|my|your)\b", " ", text).split())


def _shown(text: str, said: Marked, mentions: tuple[Mention, ...]) -> str:
    """Marks turned back to words: the world's names, and numbers with mm and s."""
    text = re.sub(r"@(\d+)", lambda m: mentions[int(m[1])].what, text)
    text = re.sub(r"#(\d+)", lambda m: f"{(n := said.numbers[int(m[1])]).value:g} {n.unit}".strip(), text)
    text = re.sub(r"&(\d+)", lambda m: _pose(said.poses[int(m[1])]), text)
    return " ".join(re.sub(r"\s+([,;.:?!])", r"\1", text).split())


def _pose(six: tuple[float, ...]) -> str:
    numbers = [f"{n:g}" for n in six]
    return f"xyz {' '.join(numbers[:3])} rpy {' '.join(numbers[3:])}"
