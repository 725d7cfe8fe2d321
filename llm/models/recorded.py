"""Replies of an earlier run, read from its log: the same questions get the same answers, without any weights."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

from llm.models.language_model import Completion, Message, Model, Prompt, checked, fits, quoted
from tamp.errors import InputError
from tamp.runs import episode_log


class RecordedModel(Model):
    """Answers as the log of an episode has it. Messages are kept as digests, so a long run's log takes little memory.

    An image is no part of the question: logs do not hold it. Where the same question was answered differently, as
    a model that is not greedy may, the first answer that the grammar allows counts.
    """

    def __init__(self, path: Path) -> None:
        """InputError when the log cannot be read, or has no replies. A digest may stand for a prompt's messages."""
        self.name = str(path)
        self._replies: dict[str, list[Completion]] = {}
        asked = None
        for e in episode_log.read(path):
            try:
                if e["event"] == "prompt":
                    self.taught |= e.get("taught", False)
                    asked = e["digest"] if "digest" in e else digest(e["messages"])
                elif e["event"] == "reply" and asked is not None:
                    known = self._replies.setdefault(asked, [])
                    reply = Completion(e["text"], e["probability"])
                    known += [reply] if reply not in known else []
                elif e["event"] == "reply":
                    raise InputError(f"{path}: a reply comes before any prompt")
            except KeyError as missing:
                raise InputError(f"{path}: an event `{e['event']}` without {missing}") from None
        if not self._replies:
            raise InputError(f"{path} has no reply of a model; valid: the log of an episode with language")

    def complete(self, prompt: Prompt, grammar: str) -> Completion:
        """The recorded answer. InputError for a question that is not in the log, or where the grammar no longer allows
        the answer."""
        known = self._replies.get(digest(prompt.unseen().messages()))
        if known is None:
            last, again = prompt.question.rstrip().rpartition("\n")[2], len(prompt.corrections)
            after = f" (after {again} correction{'s' * (again > 1)})" if again else ""
            raise InputError(f"{self.name} has no reply to {quoted(last)}{after}: record it anew, or name a model")
        allowed = next((r for r in known if fits(r.text, grammar)), known[0])
        checked(allowed.text, grammar, self.name, "; the grammar has changed since: record it anew")
        others = known[known.index(allowed) + 1 :]
        return replace(allowed, other=lambda: others[0]) if others else allowed


def digest(messages: list[Message]) -> str:
    """What tells one chat from another."""
    return hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()[:32]
