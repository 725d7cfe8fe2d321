"""What is asked of a language model, whatever runs it: an answer to a chat, within a grammar.

Grammars are texts in Lark's syntax, as llguidance reads it.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import threading
from abc import abstractmethod
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self, TypeVar

from tamp.errors import InputError, Refusal

T = TypeVar("T")

Message = dict[str, Any]
"""A message as chat APIs take it: `role` and `content`."""
ANSWER = 384
"""Tokens kept for an answer."""
SHOWN = 80
"""Characters of a strange reply that a message quotes."""


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
        """As a chat API takes it; the image as a data URL before the question's text."""
        chat: list[Message] = [{"role": "system", "content": self.system}]
        for question, answer in self.examples:
            chat += [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
        asked: str | list[Message] = self.question
        if self.image is not None:
            url = f"data:image/png;base64,{base64.b64encode(self.image).decode('ascii')}"
            asked = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": self.question}]
        chat.append({"role": "user", "content": asked})
        for answer, objection in self.corrections:
            chat += [{"role": "assistant", "content": answer}, {"role": "user", "content": objection}]
        return chat


@dataclass(frozen=True)
class Completion:
    """What the model wrote, and how likely it held that to be among what was allowed (0 to 1). `other` gives the
    likeliest of what it might have written instead, None where the model cannot say."""

    text: str
    probability: float = 1.0
    other: Callable[[], Completion] | None = field(default=None, compare=False)


class Model(Protocol):
    """A language model that can be held to a grammar.

    `sees`: prompts may carry an image, so it is worth drawing one; a model that does not see never gets it. `taught`:
    it has an adapter for the reader's form, and needs no examples of it.
    """

    name: str
    sees: bool = False
    taught: bool = False

    def complete(self, prompt: Prompt, grammar: str) -> Completion:
        """An answer that the grammar allows.

        InputError when the model cannot be had: its weights are missing, its server does not answer, or the
        prompt is longer than it reads.
        """
        ...


class Logged:
    """A model whose prompts and replies go to `tell`, as the events `prompt`, once for each that is new, and `reply`.
    Images are not logged. Once `cancelled` says so it raises Refusal instead of asking."""

    def __init__(self, model: Model, tell: Callable[..., None], cancelled: Callable[[], bool] = lambda: False) -> None:
        self.name, self.sees, self.taught = model.name, model.sees, model.taught
        self._model, self._tell, self._cancelled = model, tell, cancelled
        self._prompt: Prompt | None = None

    def complete(self, prompt: Prompt, grammar: str) -> Completion:
        """The model's answer."""
        if self._cancelled():
            raise Refusal("the answer is no longer wanted", "dropped")
        if prompt != self._prompt:
            self._prompt = prompt
            self._tell("prompt", model=self.name, taught=self.taught, messages=prompt.unseen().messages())
        return self._logged(self._model.complete(prompt, grammar))

    def _logged(self, answer: Completion) -> Completion:
        self._tell("reply", text=answer.text, probability=round(answer.probability, 4))
        other = answer.other
        return answer if other is None else replace(answer, other=lambda: self._logged(other()))


class InProcess(Model):
    """A model that is loaded in this process, once, at the first question. Threads may share one; they take turns.

    `context`: tokens of prompt and answer together; 0: as many as the model was made for.
    """

    def __init__(self, name: str, sees: bool = False, context: int = 0) -> None:
        self.name, self.sees, self.context = name, sees, context
        self._loaded = False
        self._turn = threading.RLock()

    def load(self) -> Self:
        """Load now instead of at the first question. InputError when the model or its library is not usable."""
        with self._turn:
            if not self._loaded:
                self._load()
                self._loaded = True
        return self

    def complete(self, prompt: Prompt, grammar: str) -> Completion:
        """An answer that the grammar allows."""
        with self._turn:
            self.load()
            return self._complete(prompt if self.sees else prompt.unseen(), grammar)

    @abstractmethod
    def _load(self) -> None: ...

    @abstractmethod
    def _complete(self, prompt: Prompt, grammar: str) -> Completion: ...

    def check_length(self, tokens: int) -> None:
        """InputError for a prompt that leaves no room for an answer."""
        if tokens > self.context - ANSWER:
            raise InputError(
                f"the scene and the instruction take {tokens} tokens; {self.name} reads {self.context - ANSWER} and "
                f"keeps {ANSWER} for its answer"
            )


def fits(text: str, grammar: str) -> bool:
    """Whether a grammar allows a text."""
    from llguidance import LLMatcher, LLTokenizer

    matcher, data = LLMatcher(LLTokenizer("byte"), LLMatcher.grammar_from_lark(grammar)), list(text.encode())
    return bool(matcher.try_consume_tokens(data) == len(data) and matcher.is_accepting())


def checked(text: str, grammar: str, who: str, advice: str = "") -> str:
    """`text`, when the grammar allows it. InputError otherwise: not every server keeps to a grammar."""
    if fits(text, grammar):
        return text
    raise InputError(f"{who} replied outside the grammar: {quoted(text)}{advice}")


def one_of(answers: list[str]) -> str:
    """The grammar of some answers."""
    return "start: " + " | ".join(map(json.dumps, answers))


def quoted(text: str) -> str:
    """The beginning of a reply, on one line."""
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "…")


def one_line(error: object) -> str:
    """What a library or a server says of an error, on one line."""
    return " ".join(str(error).split())[:400]


def require(library: str) -> None:
    """ModuleNotFoundError when a backend's library is not there. Imports nothing."""
    if importlib.util.find_spec(library) is None:
        raise ModuleNotFoundError(f"No module named {library!r}", name=library)


def within(seconds: float, work: Callable[[], T]) -> T:
    """`work`'s result or error; TimeoutError when it takes longer.

    A client's own limit is for each read: a server that trickles keeps it waiting, and a name look-up has no limit at
    all. Work that is given up goes on in a thread of its own.
    """
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    if not wait([done], seconds).done:
        raise TimeoutError(f"no answer within {seconds:g} s")
    return done.result()
