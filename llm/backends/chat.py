"""What the backends share: going on with an answer, holding it to its pattern, and what to say when that fails."""

from __future__ import annotations

import importlib.util
import re

from llm.model import Message, Prompt
from tamp.errors import InputError

ANSWER = 128
"""Tokens kept for an answer."""

SHOWN = 80
"""Characters of a strange reply that a message quotes."""


def conversation(prompt: Prompt, begun: str) -> list[Message]:
    """The chat, ending with the part of the answer that stands already, if any."""
    return prompt.messages() + ([{"role": "assistant", "content": begun}] if begun else [])


def turn(begun: str) -> dict[str, bool]:
    """How vLLM and transformers are told whether the last message is to be gone on with or answered."""
    return {"continue_final_message": bool(begun), "add_generation_prompt": not begun}


def checked(text: str, pattern: str, who: str, advice: str = "") -> str:
    """`text`, when it is a whole match of `pattern`; whoever wrote it may not have been held to it."""
    if re.fullmatch(pattern, text):
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
