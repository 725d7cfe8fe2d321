"""Sentences as tokens: those of one scene behind one prefix, each of which sees the prefix and itself alone."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from llm.reader.program import NotAProgram, read_program
from llm.reader.reading import question, setting_text
from llm.reader.sentences import Sentence
from llm.reader.setting import Member, NotASetting, Setting, read_setting

Encode = Callable[[str], list[int]]
IGNORED = -100
"""The label of a token that is not learnt."""


@dataclass(frozen=True)
class Packed:
    """Tokens, their positions and segments (0: the prefix, which all see), and what each has to be followed by."""

    tokens: tuple[int, ...]
    positions: tuple[int, ...]
    segments: tuple[int, ...]
    labels: tuple[int, ...]


def parted(sentences: Sequence[Sentence], share: float, seed: int = 0) -> tuple[list[Sentence], list[Sentence]]:
    """The sentences of a share of all scenes, drawn, and those of the others."""
    scenes = list(dict.fromkeys(id(s.setting.members) for s in sentences))
    kept = set(random.Random(seed).sample(scenes, round(share * len(scenes))))
    inside = [s for s in sentences if id(s.setting.members) in kept]
    return inside, [s for s in sentences if id(s.setting.members) not in kept]


def batches(sentences: Sequence[Sentence], most: int, rng: random.Random) -> list[tuple[Sentence, ...]]:
    """At most so many sentences of one scene each, in a drawn order, each scene's things drawn anew."""
    scenes: dict[Setting, list[Sentence]] = {}
    for s in sentences:
        scenes.setdefault(replace(s.setting, now=""), []).append(s)
    found = list[tuple[Sentence, ...]]()
    for setting, some in scenes.items():
        shown = shuffled(setting, rng)
        rng.shuffle(some)
        for n in range(0, len(some), most):
            these = [replace(s, setting=replace(shown, now=s.setting.now)) for s in some[n : n + most]]
            found.append(changed(these, rng))
    rng.shuffle(found)
    return found


def shuffled(setting: Setting, rng: random.Random) -> Setting:
    """The same with groups, members and what can be asked for in another order."""
    groups: dict[str, list[int]] = {}
    for n, m in enumerate(setting.members):
        groups.setdefault(f"{m.group} {sorted(m.types)}", []).append(n)
    order = list(groups.values())
    rng.shuffle(order)
    members = tuple(setting.members[n] for some in order for n in rng.sample(some, len(some)))
    can_be = tuple(rng.sample(setting.can_be, len(setting.can_be)))
    return replace(setting, members=members, can_be=can_be)


def packed(sentences: Sequence[Sentence], prefix: Encode, encode: Encode, end: int) -> Packed:
    """Sentences of one scene. `prefix` encodes the text of a setting with what comes before it, `encode` what follows
    it; `end` is the token that ends an answer."""
    start = prefix(setting_text(sentences[0].setting))
    tokens, positions, segments, labels = list(start), list(range(len(start))), [0] * len(start), [IGNORED] * len(start)
    for n, sentence in enumerate(sentences, 1):
        asked, answer = encode(question(sentence.setting.now, sentence.words)), [*encode(str(sentence.program)), end]
        tokens += asked + answer
        positions += range(len(start), len(start) + len(asked) + len(answer))
        segments += [n] * (len(asked) + len(answer))
        labels += [*[IGNORED] * len(asked), *answer]
    return Packed(tuple(tokens), tuple(positions), tuple(segments), tuple(labels))


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
