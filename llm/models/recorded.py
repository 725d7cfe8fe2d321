"""Replies of an earlier run, read from its log: the same questions get the same answers, without any weights."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

from llm.models.chat import checked, fits, quoted
from llm.models.model import Completion, Grammar, Message, Model, Prompt
from tamp.errors import InputError
from tamp.runs import episode_log


class Recorded(Model):
    """Answers as the log of an episode has it. Messages are kept as digests, so a long run's log takes little memory.

    A picture is no part of the question: logs do not hold it. Where the same question was answered differently, as
    a model that is not greedy may, the first answer that the pattern allows counts.
    """

    def __init__(self, path: Path) -> None:
        """InputError when the log cannot be read, or has no replies. A digest may stand for a prompt's messages."""
        self.name = str(path)
        self._replies: dict[tuple[str, str], list[Completion]] = {}
        asked = None
        for e in episode_log.read(path):
            try:
                if e["event"] == "prompt":
                    self.taught |= e.get("taught", False)
                    asked = e["digest"] if "digest" in e else digest(e["messages"])
                elif e["event"] == "reply" and asked is not None:
                    known = self._replies.setdefault((asked, e["begun"]), [])
                    reply = Completion(e["text"], e["probability"])
                    known += [reply] if reply not in known else []
                elif e["event"] == "reply":
                    raise InputError(f"{path}: a reply comes before any prompt")
            except KeyError as missing:
                raise InputError(f"{path}: an event `{e['event']}` without {missing}") from None
        if not self._replies:
            raise InputError(f"{path} has no reply of a model; valid: the log of an episode with language")

    def complete(self, prompt: Prompt, begun: str, pattern: str | Grammar) -> Completion:
        """What was answered. InputError when it was never asked, or when the pattern no longer allows it."""
        known = self._replies.get((digest(prompt.unseen().messages()), begun))
        if known is None:
            raise InputError(f"{self.name} has no reply to {_told(prompt, begun)}: record it anew, or name a model")
        allowed = next((r for r in known if fits(r.text, pattern)), known[0])
        checked(allowed.text, pattern, self.name, "; the grammar has changed since: record it anew")
        others = known[known.index(allowed) + 1 :]
        return replace(allowed, other=lambda: others[0]) if others else allowed


def _told(prompt: Prompt, begun: str) -> str:
    """A question for people: its last line, and how far the conversation has got."""
    corrections, last = len(prompt.corrections), prompt.question.rstrip().rpartition("\n")[2]
    again = f" (after {corrections} correction{'s' * (corrections > 1)})" if corrections else ""
    after = f" that goes on after {quoted(begun)}" if begun else ""
    return f"{quoted(last)}{again}{after}"


def digest(messages: list[Message]) -> str:
    """What tells one chat from another."""
    return hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()[:32]
