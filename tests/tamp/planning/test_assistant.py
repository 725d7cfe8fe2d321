"""Who reads or decides in a process of its own: answers, refusals, and what was noted on the way to either."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tamp.errors import Refusal
from tamp.model.events import Journal
from tamp.planning.assistant import Assistant, JournalBuffer
from tamp.worker_process import Cancelled


@dataclass
class Clerk:
    """JournalBuffer what it hears, and refuses what is not polite."""

    journal: Journal
    cancelled: Cancelled

    def hear(self, text: str) -> str:
        """The text in capitals."""
        self.journal.event("heard", text=text)
        if "please" not in text:
            raise Refusal("not polite", "rude")
        return text.upper()


@pytest.fixture
def assistant() -> Iterator[Assistant]:
    clerk = Assistant(Clerk, "clerk", JournalBuffer())
    yield clerk
    clerk.close()


def test_what_is_noted_comes_with_answers_and_with_refusals(assistant: Assistant) -> None:
    assert assistant.ask("hear", "a cup, please").wait() == "A CUP, PLEASE"
    with pytest.raises(Refusal, match="not polite"):
        assistant.ask("hear", "a cup").wait()
    assert isinstance(assistant.journal, JournalBuffer)
    assert [told["text"] for _, _, told in assistant.journal.taken()] == ["a cup, please", "a cup"]
