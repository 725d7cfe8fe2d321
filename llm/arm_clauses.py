"""An instruction to an arm cut into the clauses that a model takes one after another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from llm import arm_words as english
from llm.arm_mentions import Mention, mark_mentions
from llm.arm_numbers import Marked, Number, marked
from llm.words import instruction


@dataclass(frozen=True)
class Clause:
    """A part of an instruction: as the model reads it, and what stands in it.

    `marked`: in lower case, `@2` for the third mention, `#0 ` and `&0 ` for numbers and poses. In `text` mentions
    have the world's names, and lengths are in mm.
    """

    marked: str
    text: str
    mentions: tuple[Mention, ...]
    numbers: tuple[Number, ...]
    poses: tuple[tuple[float, ...], ...]

    @property
    def things(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(m.what for m in self.mentions if m.is_thing))

    @property
    def places(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(m.what for m in self.mentions if not m.is_thing))

    @property
    def indices(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(english.ORDINALS[o] for o in english.ORDINAL.findall(self.bare)))

    @property
    def bare(self) -> str:
        return " ".join(re.sub(r"\b(the|my|your)\b", " ", self.marked).split())


@dataclass(frozen=True)
class Spoken:
    """An instruction: its clauses in the order of its words; `plain` is the whole as the model reads it."""

    plain: str
    marked: str
    clauses: tuple[Clause, ...]
    mentions: tuple[Mention, ...]


def spoken(text: str, names: Sequence[str], labels: Sequence[str]) -> Spoken:
    """Cut up an instruction. Refusal for words that fit several places or things, and for strange units."""
    plain = instruction(text).replace("’", "'")
    named, mentions = mark_mentions(plain, names, labels)
    said = marked(" ".join(named.split()))
    whole = re.sub(r"\s+([,;.:?!])", r"\1", said.text)
    pieces = [p.strip(" -,") for p in english.CLAUSE.split(whole)]
    clauses = [_clause(p, said, mentions) for p in pieces if not english.is_filler(p)]
    return Spoken(_shown(whole, said, mentions), whole, tuple(clauses), mentions)


def _clause(piece: str, said: Marked, mentions: tuple[Mention, ...]) -> Clause:
    return Clause(
        piece,
        _shown(piece, said, mentions),
        tuple(mentions[int(n)] for n in re.findall(r"@(\d+)", piece)),
        tuple(said.numbers[int(n)] for n in re.findall(r"#(\d+)", piece)),
        tuple(said.poses[int(n)] for n in re.findall(r"&(\d+)", piece)),
    )


def _shown(text: str, said: Marked, mentions: tuple[Mention, ...]) -> str:
    """Marks turned back to words: the world's names, and numbers with mm and s."""
    text = re.sub(r"@(\d+)", lambda m: mentions[int(m[1])].what, text)
    text = re.sub(r"#(\d+)", lambda m: f"{(n := said.numbers[int(m[1])]).value:g} {n.unit}".strip(), text)
    text = re.sub(r"&(\d+)", lambda m: _pose(said.poses[int(m[1])]), text)
    return " ".join(re.sub(r"\s+([,;.:?!])", r"\1", text).split())


def _pose(six: tuple[float, ...]) -> str:
    numbers = [f"{n:g}" for n in six]
    return f"xyz {' '.join(numbers[:3])} rpy {' '.join(numbers[3:])}"
