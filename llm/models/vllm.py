"""vLLM in this process, for a GPU, or a CPU with vLLM's build for it."""

from __future__ import annotations

import math
from typing import Any

from llm.models.language_model import ANSWER, Completion, InProcess, Prompt, checked, one_line, require
from tamp.errors import InputError


class VllmInProcess(InProcess):
    """`name` is of the hub, or a folder of safetensors; `adapter` is a folder in peft's format. vLLM itself keeps the
    beginnings of prompts evaluated."""

    def __init__(self, name: str, sees: bool = False, context: int = 0, adapter: str = "") -> None:
        require("vllm")
        super().__init__(name, sees, context)
        self.taught, self._adapter = bool(adapter), adapter

    def _load(self) -> None:
        from vllm import LLM

        options: dict[str, Any] = {"limit_mm_per_prompt": {"image": 1}} if self.sees else {}
        if self.context:
            options["max_model_len"] = self.context
        if self.taught:
            options["enable_lora"] = True
        try:
            # Answers are a few tokens long: graphs would take longer to compile than they ever save.
            self._llm = LLM(model=self.name, seed=0, enforce_eager=True, **options)
        except (OSError, ValueError, RuntimeError) as e:
            raise InputError(f"{self.name}: vLLM cannot load it: {one_line(e)}") from e
        self.context = self._llm.model_config.max_model_len

    def _complete(self, prompt: Prompt, grammar: str) -> Completion:
        from vllm.lora.request import LoRARequest
        from vllm.sampling_params import SamplingParams, StructuredOutputsParams

        text = prompt.unseen().messages()  # what an image takes is for vLLM to say
        tokens = self._llm.get_tokenizer().apply_chat_template(
            text, tokenize=True, return_dict=True, add_generation_prompt=True
        )
        self.check_length(len(tokens["input_ids"]))
        # outlines' own generator takes no image here and returns no probabilities.
        sampling = SamplingParams(
            temperature=0.0,
            seed=0,
            max_tokens=ANSWER,
            logprobs=0,  # of the chosen token; vLLM counts them after it has struck out what the grammar forbids
            structured_outputs=StructuredOutputsParams(grammar=grammar),
        )
        adapter = LoRARequest("reader", 1, self._adapter) if prompt.taught and self.taught else None
        try:
            (result,) = self._llm.chat(prompt.messages(), sampling, use_tqdm=False, lora_request=adapter)
        except ValueError as e:
            raise InputError(f"{self.name}: vLLM does not take the prompt: {one_line(e)}") from e
        (answer,) = result.outputs
        known = [chosen[token].logprob for token, chosen in zip(answer.token_ids, answer.logprobs, strict=True)]
        return Completion(checked(answer.text, grammar, self.name), min(1.0, math.exp(sum(known))))
