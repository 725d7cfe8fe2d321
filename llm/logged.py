"""A model whose prompts and replies are written down as they come, refused ones too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from llm.model import Completion, Grammar, Model, Prompt


@dataclass
class Logged:
    """Passes on what it is asked; `tell` takes the events `prompt`, once for each that is new, and `reply`.

    An image is not among them: whoever took it keeps it.
    """

    model: Model
    tell: Callable[..., None]
    name: str = field(init=False)
    sees: bool = field(init=False)
    taught: bool = field(init=False)
    prompt: Prompt | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.name, self.sees, self.taught = self.model.name, self.model.sees, self.model.taught

    def complete(self, prompt: Prompt, begun: str, pattern: str | Grammar) -> Completion:
        """The model's answer."""
        if prompt != self.prompt:
            self.prompt = prompt
            self.tell("prompt", model=self.name, taught=self.taught, messages=prompt.unseen().messages())
        answer = self.model.complete(prompt, begun, pattern)
        self.tell("reply", begun=begun, text=answer.text, probability=round(answer.probability, 4))
        return answer
