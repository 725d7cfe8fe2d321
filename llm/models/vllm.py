"""vLLM in this process, for a GPU, or a CPU with vLLM's build for it."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field
from typing import Any

from llm.models.chat import ANSWER, checked, conversation, require, term, too_long, turn
from llm.models.model import Completion, Grammar, Prompt
from tamp.errors import InputError


@dataclass(eq=False)
class VllmInProcess:
    """A hub name or a folder of safetensors. `context` 0: as much as the model was made for.

    Threads may share one; they take turns. vLLM itself keeps what prompts begin with evaluated.
    """

    model: str
    sees: bool = False
    taught: bool = field(default=False, init=False)
    context: int = 0
    name: str = field(init=False)
    _llm: Any = field(default=None, init=False, repr=False)
    _turn: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False)

    def __post_init__(self) -> None:
        require("vllm")
        self.name = self.model

    def load(self) -> VllmInProcess:
        """Load now instead of at the first question. InputError when vLLM cannot."""
        with self._turn:
            if self._llm is None:
                self._llm = self._loaded()
        return self

    def _loaded(self) -> Any:
        from vllm import LLM

        options: dict[str, Any] = {"limit_mm_per_prompt": {"image": 1}} if self.sees else {}
        if self.context:
            options["max_model_len"] = self.context
        try:
            # Answers are a few tokens long: graphs would take longer to compile than they ever save.
            return LLM(model=self.model, seed=0, enforce_eager=True, **options)
        except (OSError, ValueError, RuntimeError) as e:
            raise InputError(f"{self.model}: vLLM cannot load it: {' '.join(str(e).split())[:400]}") from e

    def complete(self, prompt: Prompt, begun: str, pattern: str | Grammar) -> Completion:
        """Go on after `begun` with a match of `pattern`."""
        with self._turn:
            self.load()
            return self._complete(prompt if self.sees else prompt.unseen(), begun, pattern)

    def _complete(self, prompt: Prompt, begun: str, pattern: str | Grammar) -> Completion:
        from outlines.models.vllm_offline import VLLMOfflineTypeAdapter
        from vllm.sampling_params import SamplingParams, StructuredOutputsParams

        self._measure(prompt, begun)
        # outlines' own generator takes no image here and returns no probabilities.
        held_to = VLLMOfflineTypeAdapter().format_output_type(term(pattern))
        sampling = SamplingParams(
            temperature=0.0,
            seed=0,
            max_tokens=ANSWER,
            logprobs=0,  # of the chosen token; vLLM counts them after it has struck out what the pattern forbids
            structured_outputs=StructuredOutputsParams(**held_to),
        )
        try:
            (result,) = self._llm.chat(conversation(prompt, begun), sampling, use_tqdm=False, **turn(begun))
        except ValueError as e:
            raise InputError(f"{self.name}: vLLM does not take the prompt: {' '.join(str(e).split())[:400]}") from e
        (answer,) = result.outputs
        known = [chosen[token].logprob for token, chosen in zip(answer.token_ids, answer.logprobs, strict=True)]
        return Completion(checked(answer.text, pattern, self.name), min(1.0, math.exp(sum(known))))

    def _measure(self, prompt: Prompt, begun: str) -> None:
        """InputError for a prompt without room for an answer; what an image takes is for vLLM to say."""
        context = self._llm.model_config.max_model_len
        chat = conversation(prompt.unseen(), begun)
        tokens = self._llm.get_tokenizer().apply_chat_template(chat, tokenize=True, return_dict=True, **turn(begun))
        if (size := len(tokens["input_ids"])) > context - ANSWER:
            raise too_long(self.name, size, context)
