"""Sentences of a scene in which a thing is taken away, or doubled, with the programs that are right then."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from llm.reader.program import NotAProgram, read_program
from llm.reader.sentences import Sentence
from llm.reader.setting import Member, NotASetting, Setting, read_setting

AWAY, DOUBLED = 0.3, 0.15
"""How many batches lose a thing that their words name, and in how many there are two of it."""
SIDES = ("left", "right")


def changed(sentences: Sequence[Sentence], rng: random.Random) -> tuple[Sentence, ...]:
    """Sentences of one scene as they are or, now and then, of the same scene with one thing less or more."""
    drawn = rng.random()
    if drawn > AWAY + DOUBLED:
        return tuple(sentences)
    setting = replace(sentences[0].setting, now="")
    named = [m for m in setting.members if _apart(m, setting) and any(_argument(m.name, s) for s in sentences)]
    if not named:
        return tuple(sentences)
    thing = rng.choice(named)
    twins = () if drawn < AWAY else tuple(f"{side} {thing.name}" for side in SIDES)
    members = [t for m in setting.members for t in (_called(m, twins) if m is thing else (m,))]
    try:
        other = read_setting(str(replace(setting, members=tuple(members))))
    except NotASetting:
        return tuple(sentences)
    program = f"which of {' or '.join(twins)}" if twins else f'"{thing.name}"'
    return tuple(_in_other(sentences, thing.name, program, other)) or tuple(sentences)


def _called(thing: Member, names: Sequence[str]) -> tuple[Member, ...]:
    return tuple(replace(thing, name=name) for name in names)


def _apart(thing: Member, setting: Setting) -> bool:
    """Whether nothing else is said to be at a thing, or is called by its name and more."""
    others = [m for m in setting.members if m is not thing]
    return not any(thing.name in text for m in others for text in (m.name, *m.facts))


def _argument(name: str, sentence: Sentence) -> re.Match[str] | None:
    """Where a thing that the words name is an argument of its own, the only place where the program has it."""
    text, words = str(sentence.program), sentence.words.lower()
    once = text.count(name) == 1 and name not in sentence.setting.now and words.count(name) == 1
    if not once or any(side in words.split() for side in SIDES) or re.search(r"\b(if|keep|back|drop)\b", text):
        return None
    return re.search(rf"(?:(?<=\()|(?<=, )){re.escape(name)}(?=[,);])", text)


def _in_other(sentences: Sequence[Sentence], name: str, instead: str, setting: Setting) -> Iterator[Sentence]:
    """Those that still have a right program in a setting without a thing."""
    for s in sentences:
        text = str(s.program)
        if found := _argument(name, s):
            text = text[: found.start()] + instead + text[found.end() :]
        elif name in text or name in s.words.lower() or name in s.setting.now:
            continue
        here = replace(setting, now=s.setting.now)
        try:
            yield replace(s, setting=here, program=read_program(text, here))
        except NotAProgram:
            continue
