"""Sentences as tokens: those of one scene behind one prefix, each of which sees the prefix and itself alone."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from llm.reader.prompt import question, setting_text
from llm.reader.sentences import Sentence
from llm.reader.setting import Setting
from llm.tuning.changed import changed

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
