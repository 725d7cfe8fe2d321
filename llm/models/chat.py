"""What the backends share: going on with an answer, holding it to its pattern, and what to say when that fails."""

from __future__ import annotations

import importlib.util
import re
from typing import Any

from llm.models.model import Grammar, Message, Prompt
from tamp.errors import InputError

ANSWER = 256
"""Tokens kept for an answer."""

SHOWN = 80
"""Characters of a strange reply that a message quotes."""


def conversation(prompt: Prompt, begun: str) -> list[Message]:
    """The chat, ending with the part of the answer that stands already, if any."""
    return prompt.messages() + ([{"role": "assistant", "content": begun}] if begun else [])


def turn(begun: str) -> dict[str, bool]:
    """How vLLM and transformers are told whether the last message is to be gone on with or answered."""
    return {"continue_final_message": bool(begun), "add_generation_prompt": not begun}


def term(pattern: str | Grammar) -> Any:
    """What outlines calls a pattern."""
    from outlines.types import CFG, Regex

    return CFG(pattern.text) if isinstance(pattern, Grammar) else Regex(pattern)


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


def too_long(name: str, tokens: int, context: int) -> InputError:
    """What to raise for a prompt that leaves no room for an answer."""
    return InputError(
        f"the scene and the instruction take {tokens} tokens; {name} reads {context - ANSWER} and keeps {ANSWER} "
        "for its answer"
    )


def require(library: str) -> None:
    """ModuleNotFoundError when a backend's library is not there. Imports nothing."""
    if importlib.util.find_spec(library) is None:
        raise ModuleNotFoundError(f"No module named {library!r}", name=library)
