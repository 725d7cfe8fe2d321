"""llama.cpp in this process: the default model backend."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from llm.models.language_model import ANSWER, Completion, InProcess, Message, Prompt
from llm.models.weights import models_dir
from tamp.errors import InputError
from tamp.files.replacing import replacing
from tamp.quiet import debugging

CONTEXT = 4096
"""Tokens of context; a prompt and its answer must fit."""


def threads(used_by_others: float = 0.0) -> int:
    """Threads to use: `$TAMP_LLM_THREADS`, else the cores that are free; never more than there are.

    A thread that shares its core with another process delays all the others at every step: with one of two cores
    busy, two threads are a hundred times slower than one.
    """
    available = len(os.sched_getaffinity(0))
    wanted = os.environ.get("TAMP_LLM_THREADS", "")
    if not wanted:
        return max(1, available - max(0, round(used_by_others)))
    if not wanted.isdigit() or int(wanted) < 1:
        raise InputError(f"TAMP_LLM_THREADS={wanted!r}; valid: 1 to {available}")
    return min(int(wanted), available)


@dataclass
class _Confidence:
    """A logits processor that multiplies the probabilities of the likeliest tokens. At the step `instead` it makes the
    model take the second likeliest token. `closest` is the step where that one comes closest, with its probability."""

    instead: int | None = None
    product: float = 1.0
    closest: tuple[float, int] = (0.0, 0)
    _steps: int = 0

    def __call__(self, tokens: Any, logits: Any) -> Any:
        scores = np.asarray(logits, dtype=np.float64).ravel()
        second, first = np.partition(scores, -2)[-2:]
        likely = 1.0 / np.exp(scores[np.isfinite(scores)] - first).sum()
        share = float(likely * np.exp(second - first))
        self.closest = max(self.closest, (share, self._steps))
        if self._steps == self.instead:
            logits[..., int(scores.argmax())] = -np.inf
            likely = share
        self.product *= float(likely)
        self._steps += 1
        return logits


class LlamaCpp(InProcess):
    """A GGUF model in this process, decoding greedily. What a prompt `begins` with is evaluated once and kept on disk.

    `adapter` is a file of low-rank weights (LoRA) for it.
    """

    def __init__(self, name: str, path: Path, context: int = CONTEXT, adapter: Path | None = None) -> None:
        super().__init__(name, context=context)
        self.path, self.adapter, self.taught = path, adapter, adapter is not None
        self._adapter_on = False
        self._prefilled: tuple[str, tuple[tuple[str, str], ...], str] | None = None

    def _load(self) -> None:
        self._load_before = _time_of_others()
        import llama_cpp
        import outlines
        from outlines.backends.llguidance import LLGuidanceBackend

        if not debugging():
            _silence()
        try:
            self._llama = llama_cpp.Llama(str(self.path), n_ctx=self.context, n_threads=1, seed=0, verbose=False)
        except ValueError as e:
            raise InputError(f"{self.path}: not a model that llama.cpp can load ({e})") from e
        if self.adapter is not None:
            found = llama_cpp.llama_adapter_lora_init(self._llama._model.model, str(self.adapter).encode())
            if not found:  # a null pointer, which the library's own loading takes for an adapter
                why = "is it there, another model's, or not all of it?"
                raise InputError(f"{self.adapter}: not an adapter that {self.path.name} can take; {why}")
            self._adapters = (llama_cpp.llama_adapter_lora_p_ctypes * 1)(found)
        # One backend for all questions: making it reads the whole vocabulary of the model.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # llguidance calls what llama.cpp has renamed
            self._backend = LLGuidanceBackend(outlines.from_llamacpp(self._llama, chat_mode=False))
        self._format = _chat_format(self._llama)

    def _set_adapter(self, taught: bool) -> None:
        """Switch the adapter on for prompts of the kind that it was tuned with, off for others."""
        import llama_cpp

        if taught != self._adapter_on:
            one = (ctypes.c_float * 1)(1.0)
            llama_cpp.llama_set_adapters_lora(self._llama._ctx.ctx, self._adapters, int(taught), one)
            self._llama.reset()
            self._adapter_on, self._prefilled = taught, None

    def _prefill(self, prompt: Prompt) -> None:
        """Evaluate what the next questions begin with too, or read its state from an earlier process."""
        import llama_cpp

        chat = self._format(prompt.messages())
        begins = self._llama.tokenize(chat[: chat.rindex(prompt.question) + len(prompt.begins)].encode(), special=True)
        weights = (self.path, self.adapter) if self._adapter_on and self.adapter is not None else (self.path,)
        files = tuple((path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in weights)
        key = hashlib.sha256(repr((files, llama_cpp.__version__, tuple(begins))).encode()).hexdigest()[:32]
        path = models_dir() / "prompts" / f"{key}.state"
        if not _read(self._llama, begins, path):
            self._llama.reset()
            self._llama.eval(begins)
            with contextlib.suppress(OSError, InputError):
                _write(self._llama, begins, path)

    def _use_free_cores(self) -> None:
        """Set the number of threads to the cores that were free since the last question."""
        from llama_cpp import llama_set_n_threads

        (before, spent), self._load_before = self._load_before, _time_of_others()
        now, by_now = self._load_before
        n = threads((by_now - spent) / (now - before) if now - before > 0.05 else 0.0)  # too close to tell
        llama_set_n_threads(self._llama.ctx, n, n)

    def _complete(self, prompt: Prompt, grammar: str) -> Completion:
        text = self._format(prompt.messages())
        self.check_length(len(self._llama.tokenize(text.encode(), special=True)))
        self._use_free_cores()
        self._set_adapter(prompt.taught and self.taught)
        if self._prefilled != (begins := (prompt.system, prompt.examples, prompt.begins)):
            self._prefill(prompt)
            self._prefilled = begins
        return self._answer(text, grammar, _Confidence())

    def _answer(self, text: str, grammar: str, confidence: _Confidence) -> Completion:
        from llama_cpp import LogitsProcessorList

        # Not through outlines' generator: that forgets the evaluated prompt after every answer.
        reply = self._llama.create_completion(
            text,
            max_tokens=ANSWER,
            temperature=0.0,
            logits_processor=LogitsProcessorList([self._backend.get_cfg_logits_processor(grammar), confidence]),
        )

        def other() -> Completion:
            with self._turn:
                return self._answer(text, grammar, _Confidence(confidence.closest[1]))

        return Completion(reply["choices"][0]["text"], confidence.product, other)


@cache
def _silence() -> Any:
    """Silence llama.cpp, which logs its own warnings, one for each layer of an adapter, as errors. Keep what is
    returned: it is the callback."""
    import llama_cpp

    silent = llama_cpp.llama_log_callback(lambda level, text, data: None)
    llama_cpp.llama_log_set(silent, None)
    return silent


def _time_of_others() -> tuple[float, float]:
    """Now, and the core-seconds that other processes have used so far; 0 without /proc."""
    try:
        fields = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:9]
    except OSError:
        return time.monotonic(), 0.0
    user, nice, system, _idle, _wait, irq, softirq, _steal = (int(f) for f in fields)
    total = (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
    return time.monotonic(), total - time.process_time()


def _chat_format(llama: Any) -> Callable[[list[Message]], str]:
    """The model's own chat template, ready for the assistant's turn."""
    from llama_cpp.llama_chat_format import Jinja2ChatFormatter

    template = llama.metadata.get("tokenizer.chat_template")
    if template is None:
        raise InputError("the model file has no chat template: take an instruct model")
    formatter = Jinja2ChatFormatter(
        template=template,
        eos_token=llama.detokenize([llama.token_eos()], special=True).decode(),
        bos_token="",
    )
    return lambda messages: str(formatter(messages=messages).prompt)


KEPT = 8
"""Files that are kept, the last used ones."""


def _read(llama: Any, tokens: Sequence[int], path: Path) -> bool:
    """Bring `llama` to the state after `tokens`; False where the file is missing or spoilt."""
    import llama_cpp

    if not path.is_file():
        return False
    out, count = (llama_cpp.llama_token * len(tokens))(), ctypes.c_size_t()
    size = llama_cpp.llama_state_seq_load_file(llama.ctx, os.fsencode(path), 0, out, len(tokens), ctypes.byref(count))
    if size == 0 or list(out[: count.value]) != list(tokens):
        path.unlink(missing_ok=True)
        return False
    llama.input_ids[: len(tokens)] = tokens
    llama.n_tokens = len(tokens)
    with contextlib.suppress(OSError):
        path.touch()
    return True


def _write(llama: Any, tokens: Sequence[int], path: Path) -> None:
    """Write the state after `tokens`, and delete the oldest files."""
    import llama_cpp

    path.parent.mkdir(parents=True, exist_ok=True)
    array = (llama_cpp.llama_token * len(tokens))(*tokens)
    with replacing(path) as partial:
        if not llama_cpp.llama_state_seq_save_file(llama.ctx, os.fsencode(partial), 0, array, len(tokens)):
            raise OSError(f"llama.cpp cannot write {path}")
    kept = sorted(path.parent.glob("*.state"), key=lambda p: p.stat().st_mtime, reverse=True)
    for old in kept[KEPT:]:
        old.unlink(missing_ok=True)
