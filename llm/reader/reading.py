"""Words in a setting to a program, by a language model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from llm.model import Grammar, Model, Prompt
from llm.reader.expanding import Expanded, expanded
from llm.reader.grammar import grammar
from llm.reader.program import Program, read_program
from llm.reader.prompt import prompt
from llm.reader.sentences import Sentence
from llm.reader.setting import Setting
from llm.words import content


@dataclass(frozen=True)
class Answer:
    """A program, what it comes to, and the model's probability for it."""

    program: Program
    comes_to: Expanded
    probability: float


def read(words: str, setting: Setting, model: Model, examples: Sequence[Sentence] = ()) -> Answer:
    """What the words ask for. `examples` are shown to a model that was not taught the form."""
    chat = replace(prompt(setting, words), examples=tuple(map(_example, examples)))
    answer = model.complete(chat, "", Grammar(grammar(setting, words)))
    program = read_program(answer.text, setting)
    return Answer(program, expanded(program), answer.probability)


def nearest(words: str, sentences: Sequence[Sentence], most: int) -> tuple[Sentence, ...]:
    """The sentences that have most in common with some words, the nearest last."""
    said = Counter(content(words))

    def common(s: Sentence) -> float:
        other = Counter(content(s.words))
        return (said & other).total() / max(1, (said | other).total())

    return tuple(reversed(sorted(sentences, key=common, reverse=True)[:most]))


def _example(sentence: Sentence) -> tuple[str, str]:
    shown: Prompt = prompt(sentence.setting, sentence.words)
    return shown.question, str(sentence.program)
