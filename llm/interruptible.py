"""A model that somebody may stop waiting for."""

from __future__ import annotations

from llm.backends.load import load
from llm.model import Completion, Grammar, Model, Prompt
from tamp.errors import Refusal
from tamp.execution.process import Cancelled
from tamp.planning.refinement import never
from tamp.quiet import hush_warnings


class DroppedError(Refusal):
    """Nobody wants to know any more what the words mean."""


class Interruptible:
    """A model that is not asked further when nobody wants the answer any more."""

    def __init__(self, model: Model, cancelled: Cancelled) -> None:
        self.name, self.sees, self.taught = model.name, model.sees, model.taught
        self._model, self._cancelled = model, cancelled

    def complete(self, prompt: Prompt, begun: str, pattern: str | Grammar) -> Completion:
        """The model's answer. DroppedError when nobody wants it."""
        if self._cancelled():
            raise DroppedError("nobody wants to know any more", "dropped")
        return self._model.complete(prompt, begun, pattern)


def interruptible(llm: str, cancelled: Cancelled | None = None, model: Model | None = None) -> Interruptible:
    """The model of that name, or the one that is loaded already; what warns of its age is not heard from then on."""
    hush_warnings()
    return Interruptible(model or load(llm), cancelled or never)
