"""Sentences as tokens: those of one scene behind one prefix, each of which sees the prefix and itself alone."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from llm.reader.constrained_decoding import OWN, TASK, question, setting_text
from llm.reader.program import Effect, Handled, NotAProgram, Program, read_program
from llm.reader.sentences import Sentence
from llm.reader.setting import Member, NotASetting, Setting, read_setting

Encode = Callable[[str], list[int]]
BEGINS = f"<|im_start|>system\n{TASK}<|im_end|>\n<|im_start|>user\n"
ANSWERS = "<|im_end|>\n<|im_start|>assistant\n"
"""What stands before a setting, and between a question and its answer, in the chat's own marks."""
IGNORED = -100
"""The label of a token that is not learnt."""


@dataclass(frozen=True)
class Packed:
    """Tokens, their positions and segments (0: the prefix, which all see), and what each has to be followed by."""

    tokens: tuple[int, ...]
    positions: tuple[int, ...]
    segments: tuple[int, ...]
    labels: tuple[int, ...]


@dataclass(frozen=True)
class Batch:
    """Sentences of one scene, and those that are shown as examples of it."""

    sentences: tuple[Sentence, ...]
    shown: tuple[Sentence, ...] = ()


def batches(sentences: Sequence[Sentence], most: int, rng: random.Random) -> list[Batch]:
    """At most so many sentences of one scene each, in a drawn order, each scene's things drawn anew; of some the first
    are examples."""
    scenes: dict[Setting, list[Sentence]] = {}
    for s in sentences:
        scenes.setdefault(replace(s.setting, now=""), []).append(s)
    found = list[Batch]()
    for setting, some in scenes.items():
        shown = shuffled(setting, rng)
        rng.shuffle(some)
        for n in range(0, len(some), most):
            these = [replace(s, setting=replace(shown, now=s.setting.now)) for s in some[n : n + most]]
            found.append(_with_examples(_joined(changed(these, rng), rng), rng))
    rng.shuffle(found)
    return found


def _joined(sentences: tuple[Sentence, ...], rng: random.Random) -> tuple[Sentence, ...]:
    """The sentences, of which now and then two that ask for something are one that asks for both."""
    plain = [
        s for s in sentences if not s.setting.now and all(isinstance(x, Effect | Handled) for x in s.program.lines)
    ]
    if rng.random() >= JOINED or len(plain) < 2:
        return sentences
    two = rng.sample(plain, 2)
    words = rng.choice(BOTH).join((two[0].words.rstrip(".!"), two[1].words))
    one, other = (s.program for s in two)
    both = Program((*one.lines, *other.lines), (*one.texts, *other.texts))
    return (*(s for s in sentences if s not in two), replace(two[0], words=words, program=both))


def _with_examples(sentences: tuple[Sentence, ...], rng: random.Random) -> Batch:
    plain = [s for s in sentences if not s.setting.now]
    shown = tuple(plain[: rng.randint(2, OWN)]) if rng.random() < EXAMPLES and len(plain) > 2 * OWN - 2 else ()
    return Batch(tuple(s for s in sentences if s not in shown), shown)


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


def packed(batch: Batch, encode: Encode, end: int) -> Packed:
    """A batch as tokens; `end` is the one that ends an answer."""
    start = encode(BEGINS + setting_text(batch.sentences[0].setting, batch.shown))
    tokens, positions, segments, labels = list(start), list(range(len(start))), [0] * len(start), [IGNORED] * len(start)
    for n, sentence in enumerate(batch.sentences, 1):
        asked = encode(question(sentence.setting.now, sentence.words) + ANSWERS)
        answer = [*encode(str(sentence.program)), end]
        tokens += asked + answer
        positions += range(len(start), len(start) + len(asked) + len(answer))
        segments += [n] * (len(asked) + len(answer))
        labels += [*[IGNORED] * len(asked), *answer]
    return Packed(tuple(tokens), tuple(positions), tuple(segments), tuple(labels))


JOINED, BOTH = 0.5, (". ", ". And ", ", and ", "; ", ", also: ", ". Oh, and ")
"""In how many batches two sentences become one, and what stands between them."""
EXAMPLES = 0.25
"""In how many batches some sentences are examples for the others, as those of a domain's own folder are."""
AWAY, DOUBLED, TOLD = 0.2, 0.08, 0.45
"""In how many batches a thing that words name is taken away, there are two of it, or two that words tell apart."""
MOST = 3
"""Things of which there are two in one batch that words tell apart."""
SIDES = ("left", "right")
PAIRS = (SIDES, ("front", "back"), ("upper", "lower"), ("big", "small"), ("red", "blue"))
"""What is said before the names of two things that are otherwise called alike."""
NEAR = ("next to the {}", "by the {}", "near the {}", "beside the {}", "close to the {}")
"""What is said after the name of a thing for where it is."""


def changed(sentences: Sequence[Sentence], rng: random.Random) -> tuple[Sentence, ...]:
    """Sentences of one scene as they are or, now and then, of the same scene with one thing less or more."""
    drawn, done = rng.random(), tuple(sentences)
    own = frozenset(m.name for m in sentences[0].setting.members)
    if drawn < AWAY:
        return _with_other(done, rng, _away, own)
    if not sentences[0].setting.can_be:  # labels of an arm's camera: how many there are of one is not known
        return done
    if drawn < AWAY + DOUBLED:
        return _with_other(done, rng, _doubled, own)
    for _ in range(MOST if drawn < AWAY + DOUBLED + TOLD else 0):
        done = _with_other(done, rng, _distinguished, own)
    return done


@dataclass(frozen=True)
class _Other:
    """What a thing becomes: other things, what is said where it was named, what is written there."""

    members: tuple[Member, ...]
    said: str
    program: str


def _away(thing: Member, setting: Setting, rng: random.Random) -> _Other:
    return _Other((), thing.name, f'"{thing.name}"')


def _doubled(thing: Member, setting: Setting, rng: random.Random) -> _Other:
    names = [f"{side} {thing.name}" for side in SIDES]
    return _Other(tuple(replace(thing, name=name) for name in names), thing.name, f"which of {' or '.join(names)}")


def _distinguished(thing: Member, setting: Setting, rng: random.Random) -> _Other:
    """Two of a thing, and words that say which: by what is before its name, or by where it is."""
    apart = [pair for pair in PAIRS if not {*pair} & {*thing.name.split()}]
    first, second = rng.sample(rng.choice(apart or PAIRS), 2)
    marks = [m.name for m in setting.members if m is not thing and " the " not in m.name]
    if len(marks) < 2:
        return _Other((thing,), thing.name, thing.name)
    here, there = rng.sample(marks, 2)
    ends = rng.sample((here, there), 2)
    where = "between the {} and the {}".format(*ends) if rng.random() < 0.3 else rng.choice(NEAR).format(here)
    if rng.random() < 0.4:
        names, said = (f"{first} {thing.name}", f"{second} {thing.name}"), f"{first} {thing.name}"
    elif rng.random() < 0.5:
        names, said = (f"{first} {thing.name}", f"{second} {thing.name}"), f"{thing.name} {where}"
    else:
        names = (f"{thing.name} {NEAR[0].format(here)}", f"{thing.name} {NEAR[0].format(there)}")
        said = f"{thing.name} {rng.choice(NEAR).format(here)}"
    fact = f"between the {here} and the {there}" if where.startswith("between") else NEAR[0].format(here)
    facts = ((*thing.facts, fact), (*thing.facts, NEAR[0].format(there)))
    both = [replace(thing, name=name, facts=fact) for name, fact in zip(names, facts, strict=True)]
    return _Other(tuple(rng.sample(both, 2)), said, names[0])


def _with_other(
    sentences: tuple[Sentence, ...],
    rng: random.Random,
    change: Callable[[Member, Setting, random.Random], _Other],
    own: frozenset[str],
) -> tuple[Sentence, ...]:
    """The sentences with a thing changed that some of them name, one of the scene's `own`."""
    setting = replace(sentences[0].setting, now="")
    alone = [m for m in setting.members if m.name in own and _apart(m, setting)]
    named = [m for m in alone if any(_argument(m.name, s) for s in sentences)]
    if not named or len(own) < 5:
        return sentences
    thing = rng.choice(named)
    other = change(thing, setting, rng)
    members = [t for m in setting.members for t in (other.members if m is thing else (m,))]
    try:
        now = read_setting(str(replace(setting, members=tuple(members))))
    except NotASetting:
        return sentences
    return tuple(_in_other(sentences, thing.name, other, now)) or sentences


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


def _in_other(sentences: Sequence[Sentence], name: str, other: _Other, setting: Setting) -> Iterator[Sentence]:
    """Those that still have a right program in a setting in which a thing is another."""
    for s in sentences:
        text, words = str(s.program), s.words
        if found := _argument(name, s):
            text = text[: found.start()] + other.program + text[found.end() :]
            at = words.lower().index(name)
            words = words[:at] + other.said + words[at + len(name) :]
        elif name in text or name in words.lower() or name in s.setting.now:
            continue
        here = replace(setting, now=s.setting.now)
        try:
            yield replace(s, setting=here, words=words, program=read_program(text, here))
        except NotAProgram:
            continue
