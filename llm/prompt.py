"""The question put to the model: what to do, worked examples about other things, the scene, the words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from llm.forms import Form
from llm.grammar import Language
from llm.model import Prompt
from llm.words import content, mentioned
from tamp.model.state import WorldState

Said = tuple[str, str, str]
"""A clause: what it is about, the predicate, and the other thing or ""."""


@dataclass(frozen=True)
class Example:
    """An instruction and the goal that it asks for. Shown when the domain has the predicates."""

    instruction: str
    goal: tuple[Said, ...]


EXAMPLES: tuple[Example, ...] = (
    Example(
        "grab the doll from sofa corner and drop it into the toy chest",
        (("the doll at the corner of the sofa", "in", "the toy chest"),),
    ),
    Example("slide the stool to the right of the fireplace", (("the stool", "to-the-right-of", "the fireplace"),)),
    Example(
        "carry the vase near the window to the piano",
        (("the vase next to the window", "on", "the piano"),),
    ),
    Example("lift the lantern", (("the lantern", "holding", ""),)),
    Example("switch the radio off", (("the radio", "turned-off", ""),)),
    Example(
        "lay the scarf in the left locker, then shut it",
        (("the scarf", "in", "the left locker"), ("the left locker", "closed", "")),
    ),
    Example(
        "open the suitcase and pack the towel inside",
        (("the suitcase", "open", ""), ("the towel", "in", "the suitcase")),
    ),
    Example(
        "switch on the heater and set the kettle of tea on it",
        (("the heater", "turned-on", ""), ("the kettle of tea", "on", "the heater")),
    ),
    Example(
        "both the hat and the umbrella belong on the bench",
        (("the hat", "on", "the bench"), ("the umbrella", "on", "the bench")),
    ),
    Example("stand all the candles on the piano", (("the candles", "on", "the piano"),)),
)
"""Invented, and far from any benchmark's wording: a test compares them with LIBERO's instructions."""


def prompt(text: str, language: Language, state: WorldState) -> Prompt:
    """The chat that asks for the goal of the instruction `text`."""
    known = {f.predicate: f for f in language.forms}
    shown = [e for e in EXAMPLES if all(p in known for _, p, _ in e.goal)]
    return Prompt(
        system=_task([f for f in language.forms if f.in_domain]),
        examples=tuple((e.instruction, answer(e.goal, known)) for e in shown),
        question=f"(Here are only: {_inventory(text, language, state)}.)\n{text}",
    )


def answer(goal: tuple[Said, ...], known: dict[str, Form]) -> str:
    """A goal in the words of the answer language: "the towel is in the suitcase."."""
    clauses = []
    for subject, predicate, other in goal:
        verb = "are" if subject.endswith("s") else "is"
        clauses.append(" ".join(filter(None, (subject, verb, known[predicate].words, other))))
    return "; ".join(clauses) + "."


def _task(forms: list[Form]) -> str:
    sayings = ", ".join(f'"… is {f.words}{" …" if len(f.types) > 1 else ""}"' for f in forms)
    return (
        f"Say how things are when the instruction has been carried out. Use {sayings}. "
        "Say only what the instruction asks for."
    )


def _inventory(text: str, language: Language, state: WorldState) -> str:
    """Everything that a goal can name, once, in the instruction's own words where it has any."""
    said = Counter(content(text))
    named = {s for atoms in language.atoms.values() for a in atoms for s in a.args}
    return ", ".join(dict.fromkeys(_heard(s, said, language, state) for s in state.symbols if s in named))


def _heard(symbol: str, said: Counter[str], language: Language, state: WorldState) -> str:
    """The longest phrase that the words have for `symbol` and for no other of its type, else its name."""
    words, kind = language.vocabulary, state.symbols[symbol]
    own = [
        p
        for p in words.calling(symbol)
        if [s for s in words.phrases[p] if state.symbols.get(s) == kind] == [symbol] and mentioned(p, said)
    ]
    return max(own, key=len, default=words.name[symbol])
