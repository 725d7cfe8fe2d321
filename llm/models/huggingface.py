"""transformers in this process: any model of the hub, for text only or for images too."""

from __future__ import annotations

import io
import math
from typing import Any

from llm.models.language_model import ANSWER, Completion, InProcess, Message, Prompt, checked, one_line, require
from tamp.errors import InputError


class Transformers(InProcess):
    """`name` is of the hub, or a folder of safetensors. Greedy, on a GPU when there is one; every question evaluates
    its whole prompt."""

    def __init__(self, name: str, sees: bool = False, context: int = 0) -> None:
        for library in ("transformers", "torch", *(["PIL"] if sees else [])):
            require(library)
        super().__init__(name, sees, context)

    def _load(self) -> None:
        import outlines
        import torch
        import transformers
        from outlines.backends.llguidance import LLGuidanceBackend

        kind = transformers.AutoModelForImageTextToText if self.sees else transformers.AutoModelForCausalLM
        reader = transformers.AutoProcessor if self.sees else transformers.AutoTokenizer
        try:
            self._reader = reader.from_pretrained(self.name)
            model = kind.from_pretrained(self.name, dtype="auto")
        except (OSError, ValueError, ImportError) as e:
            raise InputError(f"{self.name}: transformers cannot load it: {one_line(e)}") from e
        self._model = model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
        # One backend for all questions: making it reads the whole vocabulary of the model.
        self._backend = LLGuidanceBackend(outlines.from_transformers(self._model, self._reader))
        self.context = self.context or model.config.get_text_config().max_position_embeddings

    def _complete(self, prompt: Prompt, grammar: str) -> Completion:
        text = self._reader.apply_chat_template(_laid_out(prompt), tokenize=False, add_generation_prompt=True)
        tokenizer = self._reader.tokenizer if self.sees else self._reader
        self.check_length(len(tokenizer(text)["input_ids"]))
        inputs = self._reader(text=text, return_tensors="pt", **_image(prompt)).to(self._model.device)
        # Not through outlines' generator: that returns no probabilities.
        reply = self._model.generate(
            **inputs,
            logits_processor=[self._backend.get_cfg_logits_processor(grammar)],
            max_new_tokens=ANSWER,
            do_sample=False,
            output_scores=True,
            return_dict_in_generate=True,
        )
        answer = tokenizer.decode(reply.sequences[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
        probability = math.prod(float(scores[0].softmax(dim=-1).max()) for scores in reply.scores)
        return Completion(checked(answer, grammar, self.name), probability)


def _laid_out(prompt: Prompt) -> list[Message]:
    """The chat for a template of the hub, where an image is a placeholder before the question."""
    chat = prompt.messages()
    for message in chat:
        if isinstance(message["content"], list):
            message["content"] = [{"type": "image"}, {"type": "text", "text": prompt.question}]
    return chat


def _image(prompt: Prompt) -> dict[str, Any]:
    """The prompt's image, if there is one, as a processor of the hub takes it."""
    if prompt.image is None:
        return {}
    from PIL import Image

    return {"images": [Image.open(io.BytesIO(prompt.image))]}
