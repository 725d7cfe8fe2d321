"""The question put to the model: what to write, worked examples about other things, the scene, the words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from llm.forms import Sayable
from llm.model import Prompt
from llm.words import content, mentioned

TASK = (
    "Say how things are to be when the instruction has been carried out, fact by fact, as [thing] is word [other "
    'thing]. Say things in the instruction\'s own words, with all that tells which one is meant; for "it", "them", '
    '"there" the thing that is meant. Say "is not" for what must not be, "or" between alternatives, "then" before what '
    'comes later, "untouched" for what is to be left alone. Say only what is asked for, not how things are already. '
    "[unclear: …] for what is no instruction, cannot be known, or is reported."
)


@dataclass(frozen=True)
class Example:
    """What there is, the words that can be said of it, an instruction, and its meaning."""

    here: str
    words: str
    instruction: str
    meaning: str


EXAMPLES: tuple[Example, ...] = (
    Example(
        "doll at the corner of the sofa, sofa, toy chest, lid, lamp",
        "in, on, open, closed",
        "grab the doll from sofa corner and drop it into the toy chest",
        "[the doll from sofa corner] is in [the toy chest].",
    ),
    Example(
        "stool, fireplace, rug",
        "on, in, to the left of, to the front of",
        "could you slide the stool to the front of the fireplace, please?",
        "[the stool] is to the front of [the fireplace].",
    ),
    Example(
        "hat, bench, peg",
        "on, in, held",
        "don't leave the hat on the bench",
        "[the hat] is not on [the bench].",
    ),
    Example(
        "scarf, left locker, right locker, bench",
        "on, in, open, closed, turned on, turned off",
        "lay the scarf in the left locker, then shut it",
        "[the scarf] is in [the left locker]; then [the left locker] is closed.",
    ),
    Example(
        "glove on the stool, glove on the shelf, stool, shelf, crate",
        "on, in, held",
        "pick up the glove on the stool and place it in the crate",
        "[the glove on the stool] is in [the crate].",
    ),
    Example(
        "red candle, white candle, left green candle, right green candle, piano",
        "on, in, open, closed",
        "all the candles but the red one go on the piano",
        "[all candles except the red one] are on [the piano].",
    ),
    Example(
        "heater, kettle, cup",
        "on, open, closed, turned on, turned off",
        "switch on the heater and set the kettle of tea on it",
        "[the heater] is turned on; [the kettle of tea] is on [the heater].",
    ),
    Example(
        "lamp, crate, shelf, vase",
        "on, in, open, closed",
        "put the lamp in the crate or on the shelf, whichever is easier, but leave the vase alone",
        "[the lamp] is in [the crate] or on [the shelf]; [the vase] is untouched.",
    ),
    Example(
        "window, curtain",
        "open, closed, turned on",
        "if it rains tomorrow, shut the window",
        "[unclear: if it rains tomorrow].",
    ),
    Example(
        "suitcase, blue towel, grey towel, bed",
        "on, in, open, closed",
        "open the suitcase, pack both towels inside. Afterwards close it again",
        "[the suitcase] is open; then [both towels] are in [the suitcase]; then [the suitcase] is closed.",
    ),
    Example("lantern, hook", "on, in, held", "lift the lantern", "[the lantern] is held."),
    Example(
        "tall fern, small fern, rose bed, pot",
        "watered, planted in, ripe",
        "Make sure every fern gets some water; not the roses though",
        "[every fern] is watered; [the roses] are not watered.",
    ),
    Example("phone, bed", "on, in, open", "my sister said to put the phone on the bed", "[unclear: my sister said]."),
    Example(
        "cup on the sink, cup between the sink and the door, sink, door, tray",
        "on, in, open",
        "what stands between door and sink, the cup, must go to the tray",
        "[the cup between door and sink] is on [the tray].",
    ),
    Example(
        "clock, radiator, shelf",
        "on, in, open, closed",
        "Stand the clock anywhere except on the radiator.",
        "[the clock] is not on [the radiator].",
    ),
    Example(
        "kite, rake, spade, shed",
        "on, in, held",
        "everything except the rake belongs in the shed",
        "[everything except the rake] is in [the shed].",
    ),
    Example(
        "left boot, right boot, mat, box",
        "on, in, open",
        "the left boot belongs on the mat, and the other one in the box",
        "[the left boot] is on [the mat]; [the other boot] is in [the box].",
    ),
    Example(
        "cushion, stool, basket, cat",
        "on, in, to the right of, held",
        "take the cushion and put it to the right of the basket. Don't touch the cat",
        "[the cushion] is to the right of [the basket]; [the cat] is untouched.",
    ),
    Example(
        "drum next to the sofa, drum on the shelf, sofa, rug",
        "on, in, next to",
        "Onto the rug goes the drum that is sitting by the sofa",
        "[the drum by the sofa] is on [the rug].",
    ),
)
"""Invented, and far from any benchmark's wording: a test compares them with LIBERO's instructions."""


def meaning_prompt(text: str, can: Sayable) -> Prompt:
    """The chat that asks for the meaning of the instruction `text`."""
    words = ", ".join(dict.fromkeys(f.words for f in can.forms))
    shown = tuple((_question(e.here, e.words, e.instruction), e.meaning) for e in EXAMPLES)
    return Prompt(TASK, shown, _question(_inventory(text, can), words, text))


def _question(here: str, words: str, text: str) -> str:
    return f"Here: {here}\nWords: {words}\n{text}"


def _inventory(text: str, can: Sayable) -> str:
    """Everything that can be named, once, in the instruction's own words where it has any."""
    said = Counter(content(text))
    return ", ".join(dict.fromkeys(_heard(s, said, can) for s in can.state.symbols))


def _heard(symbol: str, said: Counter[str], can: Sayable) -> str:
    """The longest phrase that the words have for `symbol` and for no other of its type, else its name."""
    words, kinds = can.words, can.state.symbols
    own = [
        p
        for p in words.calling(symbol)
        if [s for s in words.phrases[p] if kinds.get(s) == kinds[symbol]] == [symbol] and mentioned(p, said)
    ]
    return max(own, key=len, default=words.name[symbol])
