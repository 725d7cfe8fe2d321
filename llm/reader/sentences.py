"""Files of sentences with their programs, scene by scene: what a reader is taught with and measured on.

    ## any title
    cups [item]: blue cup (on table), red cup (on table)
    tables [surface]: table
    can be: on(item, surface), holding(item)

    # take the red one
    holding(red cup)

    now: holding(red cup)
    # no, the other
    drop holding(red cup)
    holding(blue cup)

Blank lines separate blocks. `now:` is for the sentence below it alone.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from llm import tuning
from llm.reader.program import NotAProgram, Program, read_program
from llm.reader.setting import NotASetting, Setting, read_setting
from tamp.errors import InputError


@dataclass(frozen=True)
class Sentence:
    """What is said in a setting, and the program that a careful person makes of it. `line` is where it stands."""

    setting: Setting
    words: str
    program: Program
    line: int


def read_sentences(path: Path) -> tuple[Sentence, ...]:
    """All of a file. InputError with every line that is wrong."""
    found, wrong = list[Sentence](), list[str]()
    setting: Setting | None = None
    text = path.read_text(encoding="utf-8")
    for some in re.finditer(r"(?:^.*\S.*$\n?)+", text, re.MULTILINE):  # blocks between blank lines
        line, block = text.count("\n", 0, some.start()) + 1, some[0].strip()
        try:
            if block.startswith("## "):
                setting = None
                setting = read_setting(block.partition("\n")[2])
            elif setting is not None:
                found.append(_sentence(block, setting, line))
        except (NotASetting, NotAProgram) as e:
            wrong.append(f"{path}:{line}: {e}")
    if wrong:
        raise InputError(*wrong)
    return tuple(found)


def _sentence(block: str, setting: Setting, line: int) -> Sentence:
    lines = block.splitlines()
    if lines[0].startswith("now: "):
        now = lines.pop(0).removeprefix("now: ")
        read_program(now.replace(" / ", "\n"), setting)
        setting = replace(setting, now=now)
    said = [text.removeprefix("# ") for text in lines if text.startswith("# ")]
    if not said:
        raise NotAProgram(f"{lines[0]!r}: no words; valid: # what is said, and its program below")
    return Sentence(setting, " ".join(said), read_program("\n".join(lines[len(said) :]), setting), line)


@cache
def domain_sentences(domain: Path) -> tuple[Sentence, ...]:
    """The sentences beside a domain's file: how people speak of it."""
    path = domain.parent / "sentences.txt"
    return read_sentences(path) if path.is_file() else ()


@cache
def taught() -> tuple[Sentence, ...]:
    """The sentences that adapters are tuned with."""
    return tuple(s for file in sorted(tuning.SENTENCES.glob("*.txt")) for s in read_sentences(file))


def nearest(words: str, sentences: Sequence[Sentence], most: int) -> tuple[Sentence, ...]:
    """The sentences that have most in common with some words, rare ones counting more, the nearest last."""
    rarity = _rarity(tuple(s.words for s in sentences))
    heard = set(split(words))

    def common(s: Sentence) -> float:
        other = set(split(s.words))
        both, either = (sum(rarity.get(w, 0.0) for w in some) for some in (heard & other, heard | other))
        return both / either if either else 0.0

    return tuple(reversed(sorted(sentences, key=common, reverse=True)[:most]))


@cache
def _rarity(texts: tuple[str, ...]) -> dict[str, float]:
    """By word, the logarithm of how many texts there are to one that has it."""
    count = Counter(w for text in texts for w in set(split(text)))
    return {w: math.log(len(texts) / n) for w, n in count.items()}


def split(text: str) -> list[str]:
    """The words of a text in lower case, without an s at their end."""
    return [w if w.endswith("ss") else w.removesuffix("s") for w in re.findall(r"[a-z0-9]+", text.lower())]
