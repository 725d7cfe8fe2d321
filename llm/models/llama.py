"""llama.cpp in this process: the default model backend."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from llm.models.chat import ANSWER, processor, too_long
from llm.models.model import Completion, Grammar, Message, Prompt
from llm.models.weights import models_dir
from tamp.errors import InputError
from tamp.files.replacing import replacing
from tamp.quiet import debugging

CONTEXT = 4096
"""Tokens of context; a prompt and its answer must fit."""


def threads(used_by_others: float = 0.0) -> int:
    """Threads to use: `$TAMP_LLM_THREADS`, else the cores that are free; never more than there are.

    A thread that has to share its core holds up all the others at every step: with one of two cores busy,
    two threads are a hundred times slower than one.
    """
    available = len(os.sched_getaffinity(0))
    wanted = os.environ.get("TAMP_LLM_THREADS", "")
    if not wanted:
        return max(1, available - round(used_by_others))
    if not wanted.isdigit() or int(wanted) < 1:
        raise InputError(f"TAMP_LLM_THREADS={wanted!r}; valid: 1 to {available}")
    return min(int(wanted), available)


@dataclass
class _Confidence:
    """A logits processor: the probability of the likeliest token, step after step. It changes nothing but at the step
    `instead`: there the second likeliest is taken. `closest` is the step where that is likeliest to be right."""

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


@dataclass(eq=False)
class LlamaCpp:
    """A GGUF model in this process. Greedy; what every prompt begins with is evaluated once, see `prepare`.

    Threads may share one: a completion has the model, and what it remembers of the last prompt, to itself.
    `adapter` is a file of low-rank weights that go on top.
    """

    name: str
    path: Path
    context: int = CONTEXT
    adapter: Path | None = None
    sees: bool = field(default=False, init=False)
    taught: bool = field(default=False, init=False)
    _llama: Any = field(default=None, repr=False)
    _look: tuple[float, float, float] = (0.0, 0.0, 0.0)
    _backend: Any = field(default=None, repr=False)
    _adapters: Any = field(default=None, repr=False)
    _worn: int = 0
    _begun: tuple[str, tuple[tuple[str, str], ...], str] | None = field(default=None, repr=False)
    _format: Callable[[list[Message]], str] | None = field(default=None, repr=False)
    _turn: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def __post_init__(self) -> None:
        self.taught = self.adapter is not None

    def load(self) -> LlamaCpp:
        """Load now instead of at the first question. InputError when file or library is not usable."""
        with self._turn:
            if self._llama is None:
                self._load()
        return self

    def _load(self) -> None:
        before = _busy_seconds()
        import outlines
        from llama_cpp import Llama
        from outlines.backends.llguidance import LLGuidanceBackend

        if not debugging():
            _hush()
        try:
            llama = Llama(str(self.path), n_ctx=self.context, n_threads=1, seed=0, verbose=False)
        except ValueError as e:
            raise InputError(f"{self.path}: not a model that llama.cpp can load ({e})") from e
        if self.adapter is not None:
            self._adapt(llama, self.adapter)
        # One backend for all questions: making it reads the whole vocabulary of the model.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # llguidance calls what llama.cpp has renamed
            self._backend = LLGuidanceBackend(outlines.from_llamacpp(llama, chat_mode=False))
        self._format = _chat_format(llama)
        self._llama = llama
        self._look = before

    def _adapt(self, llama: Any, adapter: Path) -> None:
        """Put an adapter on top of the weights. InputError where it is none of theirs."""
        import llama_cpp

        found = llama_cpp.llama_adapter_lora_init(llama._model.model, str(adapter).encode())
        if not found:  # a null pointer, which the library's own loading takes for an adapter
            told = "is it there, another model's, or not all of it?"
            raise InputError(f"{adapter}: not an adapter that {self.path.name} can take; {told}")
        self._adapters = (llama_cpp.llama_adapter_lora_p_ctypes * 1)(found)

    def _wear(self, taught: bool) -> None:
        """Have the adapter on for what it was taught, and for nothing else."""
        import llama_cpp

        wanted = int(taught and self._adapters is not None)
        if wanted != self._worn:
            one = (ctypes.c_float * 1)(1.0)
            llama_cpp.llama_set_adapters_lora(self._llama._ctx.ctx, self._adapters, wanted, one)
            self._llama.reset()
            self._worn, self._begun = wanted, None

    def _begin(self, prompt: Prompt) -> None:
        """Evaluate what every question begins with, or read it from an earlier process."""
        assert self._format is not None
        chat = self._format(prompt.messages())
        begins = self._llama.tokenize(chat[: chat.rindex(prompt.question) + len(prompt.begins)].encode(), special=True)
        weights = (self.path, self.adapter) if self._worn and self.adapter is not None else (self.path,)
        prepare(self._llama, begins, file_for(models_dir() / "prompts", weights, begins))

    def _take_free_cores(self) -> None:
        """Set the number of threads by what others left free since the last question."""
        from llama_cpp import llama_set_n_threads

        now = _busy_seconds()
        n = threads(_cores_in_use_by_others(self._look, now))
        llama_set_n_threads(self._llama.ctx, n, n)
        self._look = now

    def complete(self, prompt: Prompt, begun: str, pattern: str | Grammar) -> Completion:
        """Go on after `begun` with a match of `pattern`."""
        with self._turn:
            self.load()
            return self._complete(prompt.unseen(), begun, pattern)

    def _complete(self, prompt: Prompt, begun: str, pattern: str | Grammar) -> Completion:
        assert self._format is not None
        text = self._format(prompt.messages()) + begun
        size = len(self._llama.tokenize(text.encode(), special=True))
        if size > self.context - ANSWER:
            raise too_long(self.name, size, self.context)
        self._take_free_cores()
        self._wear(prompt.taught)
        if self._begun != (begins := (prompt.system, prompt.examples, prompt.begins)):
            self._begin(prompt)
            self._begun = begins
        return self._answer(text, pattern, _Confidence())

    def _answer(self, text: str, pattern: str | Grammar, confidence: _Confidence) -> Completion:
        from llama_cpp import LogitsProcessorList

        # Not through outlines' generator: that forgets the evaluated prompt after every answer.
        reply = self._llama.create_completion(
            text,
            max_tokens=ANSWER,
            temperature=0.0,
            logits_processor=LogitsProcessorList([processor(self._backend, pattern), confidence]),
        )

        def other() -> Completion:
            with self._turn:
                return self._answer(text, pattern, _Confidence(confidence.closest[1]))

        return Completion(reply["choices"][0]["text"], confidence.product, other)


@cache
def _hush() -> Any:
    """Have llama.cpp say nothing: it takes its own warnings, one for each layer of an adapter, for errors. What is
    returned has to be kept."""
    import llama_cpp

    silent = llama_cpp.llama_log_callback(lambda level, text, data: None)
    llama_cpp.llama_log_set(silent, None)
    return silent


def _busy_seconds() -> tuple[float, float, float]:
    """Now, and the core-seconds spent so far by everybody and by this process; zeros where /proc has none."""
    try:
        fields = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:9]
    except OSError:
        return time.monotonic(), 0.0, 0.0
    user, nice, system, _idle, _wait, irq, softirq, _steal = (int(f) for f in fields)
    ticks = os.sysconf("SC_CLK_TCK")
    return time.monotonic(), (user + nice + system + irq + softirq) / ticks, time.process_time()


def _cores_in_use_by_others(before: tuple[float, float, float], now: tuple[float, float, float]) -> float:
    """Cores that other processes kept busy between two looks; 0 when the looks are too close to tell."""
    elapsed, everybody, own = (b - a for a, b in zip(before, now, strict=True))
    return max(0.0, (everybody - own) / elapsed) if elapsed > 0.05 else 0.0


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


def file_for(folder: Path, weights: Sequence[Path], tokens: Sequence[int]) -> Path:
    """Where the state of `tokens` is, or would be, under a model's weights and its adapter's."""
    import llama_cpp

    files = tuple((path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in weights)
    key = (files, llama_cpp.__version__, tuple(tokens))
    return folder / f"{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}.state"


def prepare(llama: Any, tokens: Sequence[int], path: Path) -> None:
    """Bring a fresh `llama` to the state after `tokens`: from the file, else by evaluating and writing it."""
    if not _read(llama, tokens, path):
        llama.reset()
        llama.eval(list(tokens))
        with contextlib.suppress(OSError, InputError):
            _write(llama, tokens, path)


def _read(llama: Any, tokens: Sequence[int], path: Path) -> bool:
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
    import llama_cpp

    path.parent.mkdir(parents=True, exist_ok=True)
    array = (llama_cpp.llama_token * len(tokens))(*tokens)
    with replacing(path) as partial:
        if not llama_cpp.llama_state_seq_save_file(llama.ctx, os.fsencode(partial), 0, array, len(tokens)):
            raise OSError(f"llama.cpp cannot write {path}")
    kept = sorted(path.parent.glob("*.state"), key=lambda p: p.stat().st_mtime, reverse=True)
    for old in kept[KEPT:]:
        old.unlink(missing_ok=True)
