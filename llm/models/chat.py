"""What the backends share: loading once, going on with an answer, holding it to its pattern, and errors."""

from __future__ import annotations

import importlib.util
import re
import threading
from abc import abstractmethod
from typing import Any, Self

from llm.models.model import Completion, Grammar, Message, Model, Prompt
from tamp.errors import InputError

ANSWER = 256
"""Tokens kept for an answer."""

SHOWN = 80
"""Characters of a strange reply that a message quotes."""


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

    def complete(self, prompt: Prompt, begun: str, pattern: str | Grammar) -> Completion:
        """Go on after `begun` with a match of `pattern`."""
        with self._turn:
            self.load()
            return self._complete(prompt if self.sees else prompt.unseen(), begun, pattern)

    @abstractmethod
    def _load(self) -> None: ...

    @abstractmethod
    def _complete(self, prompt: Prompt, begun: str, pattern: str | Grammar) -> Completion: ...


def conversation(prompt: Prompt, begun: str) -> list[Message]:
    """The chat, ending with the part of the answer that stands already, if any."""
    return prompt.messages() + ([{"role": "assistant", "content": begun}] if begun else [])


def turn(begun: str) -> dict[str, bool]:
    """How vLLM and transformers are told whether the last message is to be gone on with or answered."""
    return {"continue_final_message": bool(begun), "add_generation_prompt": not begun}


def structured_outputs(pattern: str | Grammar) -> dict[str, Any]:
    """A pattern as vLLM takes it, in its server and in this process."""
    from outlines.models.vllm_offline import VLLMOfflineTypeAdapter
    from outlines.types import CFG, Regex

    term = CFG(pattern.text) if isinstance(pattern, Grammar) else Regex(pattern)
    return dict(VLLMOfflineTypeAdapter().format_output_type(term))


def processor(backend: Any, pattern: str | Grammar) -> Any:
    """outlines' logits processor for a pattern."""
    if isinstance(pattern, Grammar):
        return backend.get_cfg_logits_processor(pattern.text)
    return backend.get_regex_logits_processor(pattern)


def fits(text: str, pattern: str | Grammar) -> bool:
    """Whether a text is a whole match of a pattern."""
    if not isinstance(pattern, Grammar):
        return re.fullmatch(pattern, text) is not None
    from llguidance import LLMatcher, LLTokenizer

    matcher, data = LLMatcher(LLTokenizer("byte"), LLMatcher.grammar_from_lark(pattern.text)), list(text.encode())
    return bool(matcher.try_consume_tokens(data) == len(data) and matcher.is_accepting())


def checked(text: str, pattern: str | Grammar, who: str, advice: str = "") -> str:
    """`text`, when it is a whole match of `pattern`; whoever wrote it may not have been held to it."""
    if fits(text, pattern):
        return text
    raise InputError(f"{who} replied outside the grammar: {quoted(text)}{advice}")


def quoted(text: str) -> str:
    """The beginning of a reply, on one line."""
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "…")


def one_line(error: object) -> str:
    """What a library or a server says of an error, on one line."""
    return " ".join(str(error).split())[:400]


def check_length(name: str, tokens: int, context: int) -> None:
    """InputError for a prompt that leaves no room for an answer."""
    if tokens > context - ANSWER:
        raise InputError(
            f"the scene and the instruction take {tokens} tokens; {name} reads {context - ANSWER} and keeps {ANSWER} "
            "for its answer"
        )


def require(library: str) -> None:
    """ModuleNotFoundError when a backend's library is not there. Imports nothing."""
    if importlib.util.find_spec(library) is None:
        raise ModuleNotFoundError(f"No module named {library!r}", name=library)
