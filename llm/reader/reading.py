"""Words in a setting to a program, by a language model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from llm import tuning
from llm.models.model import Completion, Grammar, Model, Prompt
from llm.reader import program as form
from llm.reader.expanding import BETWEEN, Expanded, expanded
from llm.reader.grammar import grammar
from llm.reader.program import NotAProgram, Program, Quote, calls, read_program
from llm.reader.sentences import Sentence, read_sentences
from llm.reader.setting import Setting
from tamp.errors import InputError, Refusal

SURE = 0.5
"""Confidence below which an answer is asked back."""
OWN, SHOWN = 5, 8
"""Examples of a domain's own that a model is shown at most, and of all that one is shown that was not taught the
form."""


@dataclass(frozen=True)
class Answer:
    """A program, what it comes to, and the model's probability for it; `other` asks for the next likeliest."""

    program: Program
    comes_to: Expanded
    probability: float
    other: Callable[[], Answer | None] = lambda: None


def read(
    words: str, setting: Setting, model: Model, own: Sequence[Sentence] = (), image: bytes | None = None
) -> Answer:
    """What the words ask for. The model is shown the nearest of a domain's `own` sentences and, unless it was taught
    them, of those that adapters are tuned with. Refusal for words that it makes nothing of."""
    if model.taught:
        chat = prompt(setting, words, own if len(own) <= OWN else nearest(words, own, OWN))
    else:
        chat = untaught_prompt(setting, words, nearest(words, (*taught(), *own), SHOWN))
    chat = replace(chat, image=image)
    said = model.complete(chat, "", Grammar(grammar(setting, words)))
    try:
        return _answer(said, setting)
    except NotAProgram as e:
        raise Refusal(f"the instruction was not understood: {e}", "unclear") from e


def _answer(said: Completion, setting: Setting) -> Answer:
    def own(name: str) -> Sequence[str]:
        return () if setting.member(name) is None else (name,)

    program = unquoted(read_program(said.text, setting), own, setting)

    def other() -> Answer | None:
        try:
            return None if said.other is None else _answer(said.other(), setting)
        except NotAProgram:
            return None

    return Answer(program, expanded(program), said.probability, other)


FIT, MOST = (0.98, 1.57, -0.70), 0.9995
"""Of the logarithms of a probability and of what is missing to 1: fitted to the 473 held-out sentences, of which the
shipped adapter reads 416 rightly (AUC 0.90, Brier score 0.069)."""


def confidence(probability: float) -> float:
    """How often answers of a probability are right."""
    p = min(max(probability, 1.0 - MOST), MOST)
    constant, certain, open_ = FIT
    return 1.0 / (1.0 + math.exp(-(constant + certain * math.log(p) + open_ * math.log(1.0 - p))))


def unquoted(program: Program, called: Callable[[str], Sequence[str]], setting: Setting) -> Program:
    """A program without the quotations that something is `called`: its name, or one of some names."""
    text = str(program)
    for quote in {a for c in calls(program.lines) for a in c.arguments if isinstance(a, Quote)}:
        names = called(re.sub(r"^(the|a|an|my|your) ", "", quote.words.lower()))
        which = names[0] if len(names) == 1 else f"which of {' or '.join(names)}"
        try:
            text = str(read_program(text.replace(str(quote), which), setting)) if names else text
        except NotAProgram:
            continue
    return read_program(text, setting)


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


LONGEST = 8_000
"""Characters of an instruction."""
_TYPED = {
    ord(c): typed
    for some, typed in (("\u2018\u2019\u201b\u2032\u02bc", "'"), ("\u201c\u201d\u201e\u2033", '"'))
    for c in some
}
_TYPED |= {ord(c): "-" for c in "\u2010\u2011\u2012\u2013\u2014"}
"""What word processors make of quotes and dashes, and what is typed."""


def instruction(text: str) -> str:
    """The instruction with single spaces and typed quotes and dashes; InputError when it is empty or too long."""
    words = " ".join(text.translate(_TYPED).split())
    if not words:
        raise InputError('the instruction is empty; say for example: tamp solve "put the mug in the drawer"')
    if len(text) > LONGEST:
        raise InputError(f"the instruction has {len(text):,} characters; at most {LONGEST:,} are read")
    return words


def split(text: str) -> list[str]:
    """The words of a text in lower case, without an s at their end."""
    return [w if w.endswith("ss") else w.removesuffix("s") for w in re.findall(r"[a-z0-9]+", text.lower())]


TASK = "Write down what the person asks the robot for, in the form that you have learnt."

UNTAUGHT = f"Write down what the person asks the robot for. {form.__doc__}"
"""What a model is told that has not learnt the form."""


def setting_text(setting: Setting, own: Sequence[Sentence] = ()) -> str:
    """A setting without what is being done, which changes, and sentences of the domain's own."""
    examples = (f"such as: {s.words} => {BETWEEN.join(map(str, s.program.lines))}\n" for s in own)
    return f"{replace(setting, now='')}\n{''.join(examples)}"


def question(now: str, words: str) -> str:
    """What follows a setting's text, up to the answer, in the chat's own marks."""
    return f"{_asked(now, words)}<|im_end|>\n<|im_start|>assistant\n"


def _asked(now: str, words: str) -> str:
    return f"{f'now: {now}{chr(10)}' if now else ''}said: {words}"


def prompt(setting: Setting, words: str, own: Sequence[Sentence] = ()) -> Prompt:
    """The chat that a model is asked with that has learnt the form."""
    begins = setting_text(setting, own)
    return Prompt(TASK, (), f"{begins}{_asked(setting.now, words)}", begins=begins, taught=True)


def untaught_prompt(setting: Setting, words: str, examples: Sequence[Sentence]) -> Prompt:
    """The chat that another model is asked with: what the form is, and examples."""
    begins = setting_text(setting)
    shown = tuple((f"{setting_text(s.setting)}{_asked(s.setting.now, s.words)}", str(s.program)) for s in examples)
    return Prompt(UNTAUGHT, shown, f"{begins}{_asked(setting.now, words)}", begins=begins)
