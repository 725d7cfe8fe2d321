"""The question put to the model: what to write, worked examples about other things, the scene, the words."""

from __future__ import annotations

from collections import Counter

from llm.forms import Sayable
from llm.logic_words import is_involved
from llm.meaning_examples import LOGIC, PLAIN
from llm.model import Prompt
from llm.referents import GENERIC
from llm.words import content, mentioned, mentioned_in_part

TASK = (
    "Say how things are to be when the instruction has been carried out, fact by fact, as [thing] is word [other "
    'thing]. Say things in the instruction\'s own words, with all that tells which one is meant; for "it", "them", '
    '"there" the thing that is meant. Say "is not" for what must not be, "or" between alternatives, "then" before what '
    'comes later, "untouched" for what is to be left alone. Say only what is asked for, not how things are already. '
    "Say unclear to what is no instruction, depends on what may or may not be, or is reported."
)
LEAST_LISTED = 2
"""Things that the words have phrases for, below which all that there are go into the question."""


def meaning_prompt(text: str, can: Sayable) -> Prompt:
    """The chat that asks for the meaning of the instruction `text`; a simple one needs fewer examples to be read."""
    words = ", ".join(dict.fromkeys(f.words for f in can.asked))
    examples = LOGIC if is_involved(text) else PLAIN
    shown = tuple((_question(e.here, e.words, e.instruction), e.meaning) for e in examples)
    return Prompt(TASK, shown, _question(_inventory(text, can), words, text))


def _question(here: str, words: str, text: str) -> str:
    return f"Here: {here}\nWords: {words}\n{text}"


def _inventory(text: str, can: Sayable) -> str:
    """What the words may be about, once, in the instruction's own words: a small model reads better what is short."""
    said = Counter(content(text))
    heard = [s for s in can.state.symbols if mentioned_in_part(can.words.calling(s), said)]
    every = len(heard) < LEAST_LISTED or not GENERIC.isdisjoint(said)
    return ", ".join(dict.fromkeys(_heard(s, said, can) for s in (can.state.symbols if every else heard)))


def _heard(symbol: str, said: Counter[str], can: Sayable) -> str:
    """The longest phrase that the words have for `symbol` and for no other of its type, else its name."""
    words, kinds = can.words, can.state.symbols
    own = [
        p
        for p in words.calling(symbol)
        if [s for s in words.phrases[p] if kinds.get(s) == kinds[symbol]] == [symbol] and mentioned(p, said)
    ]
    return max(own, key=len, default=words.name[symbol])
