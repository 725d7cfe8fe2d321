"""What is asked of a language model, whatever runs it: go on with an answer, within a regular expression."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

Message = dict[str, Any]
"""A message as chat APIs take it: `role` and `content`."""


@dataclass(frozen=True)
class Prompt:
    """A chat: what to do, worked examples as (question, answer), and the question.

    `begins` is what its question shares with others that may follow; `taught`: it is of the kind that an adapter has
    learnt to answer. `corrections` are earlier answers to it, each with what was wrong with it. `image` is a PNG that
    goes along with the question, for a model that can see.
    """

    system: str
    examples: tuple[tuple[str, str], ...]
    question: str
    corrections: tuple[tuple[str, str], ...] = ()
    image: bytes | None = None
    begins: str = ""
    taught: bool = False

    def corrected(self, answer: str, objection: str) -> Prompt:
        """The same chat after a wrong answer."""
        return replace(self, corrections=(*self.corrections, (answer, objection)))

    def unseen(self) -> Prompt:
        """The same chat without its image, for a model that cannot see."""
        return replace(self, image=None)

    def messages(self) -> list[Message]:
        """As a chat API takes it; the image as a data URL beside the question's text."""
        chat: list[Message] = [{"role": "system", "content": self.system}]
        for question, answer in self.examples:
            chat += [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
        chat.append({"role": "user", "content": self._question()})
        for answer, objection in self.corrections:
            chat += [{"role": "assistant", "content": answer}, {"role": "user", "content": objection}]
        return chat

    def _question(self) -> str | list[dict[str, Any]]:
        if self.image is None:
            return self.question
        url = f"data:image/png;base64,{base64.b64encode(self.image).decode('ascii')}"
        return [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": self.question}]


@dataclass(frozen=True)
class Completion:
    """What the model wrote, and how likely it held that to be among what was allowed (0 to 1). `other` asks for the
    likeliest of what it might have written instead, of who can say that."""

    text: str
    probability: float = 1.0
    other: Callable[[], Completion] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Grammar:
    """What an answer is held to where a regular expression would be too long: a grammar in Lark's syntax."""

    text: str


class Model(Protocol):
    """A language model that can be held to a regular expression, or to a grammar.

    `sees`: prompts may carry an image, so it is worth drawing one; a model that does not see never gets it. `taught`:
    it has an adapter for the reader's form, and needs no examples of it.
    """

    name: str
    sees: bool = False
    taught: bool = False

    def complete(self, prompt: Prompt, begun: str, pattern: str | Grammar) -> Completion:
        """Go on after `begun`, the part of the answer that stands already, with a match of `pattern`.

        InputError when the model cannot be had: its weights are missing, its server does not answer, or the
        prompt is longer than it reads.
        """
        ...


class Logged:
    """Passes on what it is asked; `tell` takes the events `prompt`, once for each that is new, and `reply`.

    An image is not among them: whoever took it keeps it.
    """

    def __init__(self, model: Model, tell: Callable[..., None]) -> None:
        self.name, self.sees, self.taught = model.name, model.sees, model.taught
        self._model, self._tell = model, tell
        self._prompt: Prompt | None = None

    def complete(self, prompt: Prompt, begun: str, pattern: str | Grammar) -> Completion:
        """The model's answer."""
        if prompt != self._prompt:
            self._prompt = prompt
            self._tell("prompt", model=self.name, taught=self.taught, messages=prompt.unseen().messages())
        return self._told(self._model.complete(prompt, begun, pattern), begun)

    def _told(self, answer: Completion, begun: str) -> Completion:
        self._tell("reply", begun=begun, text=answer.text, probability=round(answer.probability, 4))
        other = answer.other
        return answer if other is None else replace(answer, other=lambda: self._told(other(), begun))
