"""An object in a process of its own, asked without waiting for it: for what takes longer than a control period.

It runs at a lower priority than the process that asks. A question whose answer is not needed any more is cancelled: the
object can look whether the question that it works on is one.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from tamp.errors import InputError, Refusal, TampError

NICENESS = 5
"""How much a process gives way, by default, to the one that asks."""
ORPHANED = 1.0
"""Seconds between two looks whether the asking process is still there."""
POLLED = 0.01
"""Seconds between two looks of who waits for an answer."""
ENDING = 2.0
"""Seconds that it may take to end before it is killed."""

Cancelled = Callable[[], bool]
"""Whether the answer to the present question is not needed any more."""
Make = Callable[[Cancelled], Any]
"""Makes the object, in its process. Has to be picklable."""


class ProcessGone(TampError):
    """The process ended, by itself or because it was killed, and will not answer."""

    exit_code = 1


@dataclass(eq=False)
class PendingAnswer:
    """A question that was asked: see `tamp.planning.deliberation.Thought`. `convert` is applied to the answer once, and
    may raise in its place."""

    process: Process
    number: int
    convert: Callable[[Any], Any] = lambda value: value
    _answer: tuple[bool, Any] | None = None

    def done(self) -> bool:
        """Whether there is an answer, or none will come."""
        if self._answer is None and (found := self.process.answer(self.number)) is not None:
            try:
                self._answer = (True, self.convert(found[1])) if found[0] else found
            except TampError as e:
                self._answer = (False, e)
        return self._answer is not None

    def result(self) -> Any:
        """The answer; raises what the object raised, or ProcessGone."""
        assert self._answer is not None, "not done"
        good, value = self._answer
        if good:
            return value
        raise value

    def wait(self) -> Any:
        """The result, however long it takes."""
        while not self.done():
            time.sleep(POLLED)
        return self.result()

    def cancel(self) -> None:
        """Nobody wants to know any more."""
        self.process.cancel(self.number)


@dataclass(eq=False)
class Process:
    """Runs `make()` in a process called `name`; its methods are called by name, one at a time, in the order asked."""

    make: Make
    name: str
    niceness: int = NICENESS
    """How much it gives way to the one that asks."""
    _number: int = 0
    _answers: dict[int, tuple[bool, Any]] = field(default_factory=dict)
    _closed: bool = False

    def __post_init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._questions: Any = context.Queue()
        self._replies, reply = context.Pipe(duplex=False)
        self._unwanted = context.Value("L", 0)
        self._process = context.Process(
            target=_serve,
            args=(self.make, os.getpid(), self.niceness, self._questions, reply, self._unwanted),  # it may be gone soon
            name=self.name,
            daemon=True,
        )
        self._process.start()
        reply.close()

    def ask(self, method: str, *args: Any, convert: Callable[[Any], Any] = lambda value: value) -> PendingAnswer:
        """Call a method there. Returns at once."""
        return PendingAnswer(self, self._put(method, args, True), convert)

    def tell(self, method: str, *args: Any) -> None:
        """Call a method there whose answer is not needed, nor whether it went well."""
        self._put(method, args, False)

    def _put(self, method: str, args: tuple[Any, ...], wants_answer: bool) -> int:
        self._number += 1
        self._questions.put((self._number, method, args, wants_answer))
        return self._number

    def cancel(self, number: int) -> None:
        """Everything asked up to a number is not wanted any more."""
        self._unwanted.value = max(self._unwanted.value, number)

    def answer(self, number: int) -> tuple[bool, Any] | None:
        """Whether a question was answered well, and the answer or the error; None as long as there is none."""
        while number not in self._answers:
            try:
                if not self._replies.poll():
                    return None if self._process.is_alive() else (False, self._gone())
                answered, good, value = self._replies.recv()
            except (EOFError, OSError):
                return False, self._gone()
            if answered == number or answered > self._unwanted.value:
                self._answers[answered] = (good, value)
        return self._answers.pop(number)

    def close(self) -> None:
        """End the process; whatever it does is lost."""
        if self._closed:
            return
        self._closed = True
        self.cancel(self._number)
        with contextlib.suppress(ValueError, OSError):
            self._questions.put(None)
        self._process.join(ENDING)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._questions.cancel_join_thread()
        self._questions.close()
        self._replies.close()

    def _gone(self) -> ProcessGone:
        return ProcessGone(f"the process for {self.name} ended (exit code {self._process.exitcode})")


def _plain(error: Exception) -> Exception:
    """An error that says the same and can be sent: those of some modules hold what cannot."""
    if isinstance(error, Refusal):
        return Refusal(str(error), error.kind, error.lacks)
    if isinstance(error, TampError):
        return InputError(str(error))
    return RuntimeError(f"{type(error).__name__}: {error}")


def _serve(make: Make, parent: int, niceness: int, questions: Any, replies: Connection, unwanted: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(niceness)
    number = 0
    made = make(lambda: unwanted.value >= number or os.getppid() != parent)
    while os.getppid() == parent:
        try:
            question = questions.get(timeout=ORPHANED)
        except queue.Empty:
            continue
        if question is None:
            return
        number, method, args, wants_answer = question
        try:
            answer = (number, True, getattr(made, method)(*args))
        except Exception as e:  # it is raised where the question was asked
            answer = (number, False, _plain(e))
        if wants_answer:
            with contextlib.suppress(BrokenPipeError):
                replies.send(answer)
