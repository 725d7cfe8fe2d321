"""transformers in this process: any model of the hub, text only or with eyes."""

from __future__ import annotations

import io
import threading
from dataclasses import dataclass, field
from typing import Any

from llm.models.chat import ANSWER, checked, processor, require, too_long
from llm.models.model import Completion, Grammar, Message, Prompt
from tamp.errors import InputError


@dataclass
class _Confidence:
    """A logits processor, and the probability of the likeliest token among those it leaves, step after step."""

    held_to: Any
    product: float = 1.0

    def __call__(self, tokens: Any, scores: Any) -> Any:
        scores = self.held_to(tokens, scores)
        self.product *= float(scores[0].float().softmax(dim=-1).max())
        return scores

    def reset(self) -> None:
        """As outlines' generator asks before an answer."""
        self.held_to.reset()
        self.product = 1.0


@dataclass(eq=False)
class Transformers:
    """A hub name or a folder of safetensors. `context` 0: as much as the model was made for.

    Greedy, on a GPU when there is one. Every step evaluates its whole prompt. Threads may share one; they take turns.
    """

    model: str
    sees: bool = False
    taught: bool = field(default=False, init=False)
    context: int = 0
    name: str = field(init=False)
    _outlines: Any = field(default=None, init=False, repr=False)
    _backend: Any = field(default=None, init=False, repr=False)
    _reader: Any = field(default=None, init=False, repr=False)
    _turn: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False)

    def __post_init__(self) -> None:
        for library in ("transformers", "torch", *(["PIL"] if self.sees else [])):
            require(library)
        self.name = self.model

    def load(self) -> Transformers:
        """Load now instead of at the first question. InputError when it cannot be had."""
        with self._turn:
            if self._outlines is None:
                self._load()
        return self

    def _load(self) -> None:
        import outlines
        import torch
        import transformers
        from outlines.backends.llguidance import LLGuidanceBackend

        kind = transformers.AutoModelForImageTextToText if self.sees else transformers.AutoModelForCausalLM
        reader = transformers.AutoProcessor if self.sees else transformers.AutoTokenizer
        try:
            self._reader = reader.from_pretrained(self.model)
            model = kind.from_pretrained(self.model, dtype="auto")
        except (OSError, ValueError, ImportError) as e:
            raise InputError(f"{self.model}: transformers cannot load it: {' '.join(str(e).split())[:400]}") from e
        model = model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
        self._outlines = outlines.from_transformers(model, self._reader)
        # The chat is laid out here, as outlines' template does not go on with an answer that has begun.
        self._outlines.type_adapter.has_chat_template = False
        self._backend = LLGuidanceBackend(self._outlines)
        self.context = self.context or model.config.get_text_config().max_position_embeddings

    def complete(self, prompt: Prompt, begun: str, pattern: str | Grammar) -> Completion:
        """Go on after `begun` with a match of `pattern`."""
        with self._turn:
            self.load()
            return self._complete(prompt if self.sees else prompt.unseen(), begun, pattern)

    def _complete(self, prompt: Prompt, begun: str, pattern: str | Grammar) -> Completion:
        from outlines import Generator

        text = self._reader.apply_chat_template(_laid_out(prompt), tokenize=False, add_generation_prompt=True) + begun
        size = len(self._outlines.hf_tokenizer(text)["input_ids"])
        if size > self.context - ANSWER:
            raise too_long(self.name, size, self.context)
        confidence = _Confidence(processor(self._backend, pattern))
        answer = Generator(self._outlines, processor=confidence)
        asked = [text, *_picture(prompt)] if self.sees else text
        reply = answer(asked, max_new_tokens=ANSWER, do_sample=False)
        return Completion(checked(reply, pattern, self.name), confidence.product)


def _laid_out(prompt: Prompt) -> list[Message]:
    """The chat for a template of the hub, where an image is a placeholder beside the question."""
    chat = prompt.messages()
    for message in chat:
        if isinstance(message["content"], list):
            message["content"] = [{"type": "image"}, {"type": "text", "text": prompt.question}]
    return chat


def _picture(prompt: Prompt) -> list[Any]:
    """The prompt's image as outlines takes it, if there is one."""
    if prompt.image is None:
        return []
    from outlines.inputs import Image
    from PIL import Image as Reader

    return [Image(Reader.open(io.BytesIO(prompt.image)))]
