"""Ways to answer without the model, or without the grammar: what the rules alone come to, and chance.

Each is a model as `llm.model` has it, so that all else is the same code; `Rules` needs the whole stage.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from llm.backends.llama import LlamaCpp
from llm.meaning_stage import Stage, Understanding
from llm.model import Completion, Prompt
from llm.words import content
from tamp.errors import Refusal

SAMPLES = 300
"""Meanings that `rules` tries."""


class Chance:
    """Scores drawn at random: the largest is any of those the grammar allows, each as likely."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def __call__(self, tokens: Any, logits: Any) -> Any:
        scores = np.asarray(logits)
        allowed = np.isfinite(scores)
        scores[allowed] = self.rng.random(int(allowed.sum()))
        return scores


@dataclass
class Free:
    """The model with the grammar off: it says its whole answer at once, and the grammar only reads along."""

    model: LlamaCpp
    name: str
    sees: bool = False
    _said: tuple[Prompt, str] | None = None

    def complete(self, prompt: Prompt, begun: str, pattern: str) -> Completion:
        if self._said is None or self._said[0] != prompt:
            self.model.complete(prompt, "", "[a-z]")  # reads the prompt
            text = self.model._format(prompt.messages())  # type: ignore[misc]
            reply = self.model._llama.create_completion(text, max_tokens=96, temperature=0.0, stop=["\n"])
            self._said = (prompt, reply["choices"][0]["text"].strip())
        said = self._said[1]
        found = re.match(pattern, f" {said}"[len(begun) + (not begun.startswith(" ")) :])
        found = found or re.match(pattern, said[len(begun) :]) if said.startswith(begun) else found
        if found is None:
            raise Refusal(f"outside the grammar: {said!r}", "outside")
        return Completion(found[0])


class First:
    """Says the first that the grammar allows, and no more than it must."""

    name, sees = "first", False

    def complete(self, prompt: Prompt, begun: str, pattern: str) -> Completion:
        return Completion(self._of(re._parser.parse(pattern)))  # type: ignore[attr-defined]

    def _of(self, parsed: Any) -> str:
        return "".join(self._one(str(op), argument) for op, argument in parsed)

    def _one(self, op: str, argument: Any) -> str:
        match op:
            case "LITERAL":
                return chr(argument)
            case "BRANCH":
                return self._of(self.choice(argument[1]))
            case "SUBPATTERN":
                return self._of(argument[-1])
            case "MAX_REPEAT":
                least, most, repeated = argument
                return "".join(self._of(repeated) for _ in range(self.times(least, most)))
            case "IN":
                kind, what = self.choice(argument)
                return self._one(str(kind), what)
        raise AssertionError(op)

    def choice(self, some: list[Any]) -> Any:
        """The first."""
        return some[0]

    def times(self, least: int, most: int) -> int:
        """As few as may be."""
        return least


class Anything(First):
    """Says anything that the grammar allows."""

    name = "anything"

    def __init__(self, seed: int = 0) -> None:
        self.rng = random.Random(seed)

    def choice(self, some: list[Any]) -> Any:
        """Any."""
        return self.rng.choice(some)

    def times(self, least: int, most: int) -> int:
        """One more at most."""
        return self.rng.randint(least, min(most, least + 1))


def rules(stage: Stage) -> Understanding:
    """What the rules alone make of an instruction: of many meanings drawn at random those to which no check objects,
    and of them the one that takes up the most words in the fewest clauses. Refusal where none is left."""
    stage.model = Anything()
    best: tuple[tuple[int, int], Understanding] | None = None
    refusal = Refusal("no meaning is without objection", "unclear")
    for _ in range(SAMPLES):
        try:
            found = stage.understand(Completion(stage.write().text))
        except (Refusal, ValueError) as e:
            refusal = e if isinstance(e, Refusal) else refusal
            continue
        taken = len(set(content(found.reply.text)) & set(content(stage.text)))
        worth = (taken, -len(found.reply.text.split("; ")))
        if best is None or worth > best[0]:
            best = worth, found
    if best is None:
        raise refusal
    return best[1]
