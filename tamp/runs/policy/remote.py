"""A policy elsewhere, behind a server or in its own process: the messages, both ends of the channel, the process.

The process gets observations and the instruction and can see nothing else. It is kept for many episodes, ends with
the process that started it, and is replaced when it hangs or dies.

Messages and answers, over any channel:

    {"reset": {"instruction": …, "calibration": …, "seed": …, "look": true, "given": false,
               "names": …}}   -> {"reset": true}
    {"agentview_image": …, "robot0_joint_pos": …, …}                     -> {"actions": (1, 7), "outcome": …}
    {"end": true}                                                        -> {"outcome": …}

To a client that said `look` at reset the answer to an observation without pictures may be {"look": true}, which it
answers with {"images": …} of that very moment. One that said `given`, instead of an instruction, is asked for the
goals, {"given": scene}, and answers {"goals": […], "untouched": […]} or {"refused": why, "kind": …}; of the kind
`unmatched` where something is not seen. An error is {"error": why}, and the next message is answered.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.errors import InputError, Refusal, TampError
from tamp.perception.camera_calibration import Calibration, calibration_from
from tamp.quiet import debugging
from tamp.runs.bench.workers import no_interrupts
from tamp.runs.policy.policy import Diary, Given, More, Policy
from tamp.wire import Channel, pack, unpack

PATIENCE = 600.0
"""Seconds that one answer may take, planning and a model's reading included, before the process counts as hung."""
ORPHANED = 1.0
"""Seconds between two looks whether the process that started it is still there."""
ENDING = 2.0
"""Seconds that it may take to end before it is killed."""
SEALED = ("libero", "robosuite")
"""Modules that the policy's process may not have: the task and its simulation."""
LONGEST = 4000
"""Characters of an error, which may hold what was sent."""
RESET = {"instruction", "calibration", "seed", "look", "given", "names"}

Make = Callable[[Diary], Policy]
"""Makes a policy that writes into a diary."""


class PolicyFault(TampError):
    """The policy went wrong, or is gone; `traceback` says where, if that is known."""

    exit_code = 1

    def __init__(self, message: str, traceback: str | None = None) -> None:
        super().__init__(message)
        self.traceback = traceback


Entry = tuple[str, str, Any]
"""What a policy noted: `event`, `write` or `told`, its name, and what it holds."""


@dataclass(eq=False)
class RemotePolicy:
    """See `tamp.runs.policy.policy.Policy`. What it notes goes to `hear`, in order, before `act` returns."""

    channel: Channel
    hear: Callable[[Entry], None] = lambda entry: None
    outcome: dict[str, Any] | None = None
    _more: More | None = None
    _given: Given | None = None

    def reset(
        self,
        instruction: str | None,
        calibration: Calibration,
        *,
        seed: int = 0,
        more: More | None = None,
        given: Given | None = None,
        names: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Begin an episode."""
        self.outcome, self._more, self._given = None, more, given
        sent = {"instruction": instruction, "calibration": calibration.as_dict(), "seed": seed, "names": names or {}}
        self._ask({"reset": {**sent, "look": more is not None, "given": given is not None}})

    def act(self, observation: Mapping[str, Any]) -> Array:
        """The action (7,). InputError for an observation that cannot be used, PolicyFault where the policy fails."""
        answer = self._ask(observation)
        self.outcome = answer["outcome"]
        return np.array(answer["actions"][0])

    def end(self) -> dict[str, Any] | None:
        """Stop; what the episode came to."""
        self.outcome = self._ask({"end": True})["outcome"]
        return self.outcome

    def _ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        try:
            self.channel.send(message)
            while True:
                answer = self.channel.receive()
                if "look" in answer and self._more is not None:
                    self.channel.send({"images": dict(self._more())})
                elif "given" in answer and self._given is not None:
                    self.channel.send(_goals(self._given, answer["given"]))
                else:
                    break
        except EOFError as e:
            raise PolicyFault(f"the policy is gone: {e}") from e
        for what, name, data in answer.get("diary", ()):
            self.hear((what, name, data))
        if "error" in answer:
            if "traceback" in answer:
                raise PolicyFault(str(answer["error"]), str(answer["traceback"]))
            raise InputError(str(answer["error"]))
        return answer


def _goals(given: Given, scene: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        return given(scene)
    except Refusal as e:
        return {"refused": str(e), "kind": e.kind}


@dataclass(eq=False)
class _Pipe:
    """One end of a pipe as a channel: see `tamp.wire.Channel`. `gone` says why there is no answer."""

    connection: Connection
    patience: float | None = None
    gone: Callable[[], str] = lambda: "the other end is closed"

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message."""
        try:
            self.connection.send_bytes(pack(message))
        except OSError as e:
            raise EOFError(self.gone()) from e

    def receive(self) -> dict[str, Any]:
        """The next message. EOFError when it takes longer than `patience`."""
        try:
            if not self.connection.poll(self.patience):
                raise EOFError(f"it did not answer within {self.patience:g} s")
            return unpack(self.connection.recv_bytes())
        except (EOFError, OSError) as e:
            raise EOFError(str(e) or self.gone()) from e


@dataclass(eq=False)
class PolicyProcess:
    """Starts the process when it is first needed. `make`, which has to be picklable, makes the policy there."""

    make: Make
    patience: float = PATIENCE
    _process: BaseProcess | None = None
    _connection: Connection | None = None
    _policy: RemotePolicy | None = None

    def policy(self, hear: Callable[[Entry], None]) -> RemotePolicy:
        """The policy, for an episode: in the process that was there before, if that is well."""
        if self._policy is None or self._process is None or not self._process.is_alive():
            self.close()
            self._start()
        assert self._policy is not None
        self._policy.hear = hear
        return self._policy

    def close(self) -> None:
        """End the process. What hangs is killed; the next episode gets another one."""
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.join(ENDING)
            if self._process.is_alive():
                self._process.kill()
                self._process.join()
        self._process = self._connection = self._policy = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, self.make, os.getpid()), name="policy", daemon=True)
        resource_tracker.ensure_running()  # `start` would do it inside, and unblocks the interrupt when it does
        with no_interrupts():
            process.start()
        theirs.close()
        self._process = process

        def gone() -> str:
            process.join(ENDING)
            return f"its process ended (exit code {process.exitcode})"

        self._policy = RemotePolicy(_Pipe(self._connection, self.patience, gone))


def _work(connection: Connection, make: Make, parent: int) -> None:
    """The process's life: messages in, answers out, until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    if not debugging():
        warnings.simplefilter("ignore")  # of the libraries that perceive and read
    channel, diary = _Pipe(connection), Diary()
    try:
        policy = make(diary)
    except Exception as e:  # the answer to the first message
        with contextlib.suppress(EOFError):
            channel.receive()
            channel.send(error_message(e))
        return
    Answering(policy, diary, sends_diary=True, check=_check_sealed).run(channel)


def _check_sealed() -> None:
    """InputError where the simulation can be reached from in here."""
    if found := [name for name in SEALED if name in sys.modules]:
        raise InputError(f"the policy's process has loaded {found[0]}, which knows the task: this does not count")


def _end_with(parent: int) -> None:
    """End at once when the process that started this one is gone, whatever is going on."""
    while os.getppid() == parent:
        time.sleep(ORPHANED)
    os._exit(1)


@dataclass(eq=False)
class Answering:
    """A policy, and the diary that it writes. `sends_diary`: what was noted goes along with each answer; `check` is
    called after each answer, and raises where the policy may not go on."""

    policy: Policy
    diary: Diary = field(default_factory=Diary)
    sends_diary: bool = False
    check: Callable[[], None] = lambda: None

    def run(self, channel: Channel) -> None:
        """Answer until the channel is closed."""
        try:
            while True:
                try:
                    answer = self._answer(channel.receive(), channel)
                    self.check()
                except EOFError:
                    raise
                except Exception as e:  # the client gets it; the next episode begins anew
                    answer = error_message(e)
                entries = self.diary.taken()
                channel.send({**answer, "diary": entries} if self.sends_diary else answer)
        except (EOFError, OSError):
            return
        finally:
            self.policy.end()

    def _answer(self, message: dict[str, Any], channel: Channel) -> dict[str, Any]:
        if "reset" in message:
            self._reset(message["reset"], channel)
            return {"reset": True}
        if "end" in message:
            outcome = self.policy.end()
            return {"outcome": outcome.as_dict() if outcome else None}
        action, outcome = self.policy.act(message), self.policy.outcome
        return {"actions": action[None], "outcome": outcome.as_dict() if outcome else None}

    def _reset(self, sent: Any, channel: Channel) -> None:
        if not isinstance(sent, Mapping):
            raise InputError(f"reset holds {type(sent).__name__}; valid: a map with {', '.join(sorted(RESET))}")
        if unknown := sorted(str(k)[:80] for k in set(sent) - RESET):
            raise InputError(f"reset has no {unknown[0]!r}; valid: {', '.join(sorted(RESET))}")
        instruction, seed, names = sent.get("instruction"), sent.get("seed", 0), sent.get("names") or {}
        calibrated = sent.get("calibration") or {}
        for name, good, valid in (
            ("instruction", isinstance(instruction, str | None), "words"),
            ("seed", isinstance(seed, int) and seed >= 0, "a whole number from 0 on"),
            ("calibration", isinstance(calibrated, Mapping), "a map"),
            ("names", _are_names(names), "a map from words to a category of the library, and a region of it"),
        ):
            if not good:
                raise InputError(f"reset: {name} is {str(sent[name])[:80]!r}; valid: {valid}")
        more = (lambda: self._more(channel)) if sent.get("look") else None
        given = (lambda scene: self._given(scene, channel)) if sent.get("given") else None
        calibration = calibration_from(calibrated)
        self.policy.reset(instruction, calibration, seed=seed, more=more, given=given, names=names)

    def _more(self, channel: Channel) -> Mapping[str, Any]:
        """The pictures of this moment, from a client that can take them."""
        return dict(self._ask(channel, {"look": True}, "images", dict)["images"])

    def _given(self, scene: Mapping[str, Any], channel: Channel) -> Mapping[str, Any]:
        """The goals, from a client that gives them."""
        return self._ask(channel, {"given": scene}, "goals", list)

    def _ask(self, channel: Channel, message: Mapping[str, Any], key: str, kind: type) -> dict[str, Any]:
        """The client's answer, which has a value of this kind at `key`. Refusal where it refuses."""
        channel.send(message)
        answer = channel.receive()
        if "refused" in answer:
            raise Refusal(str(answer["refused"]), str(answer.get("kind", "no goal")))
        if not isinstance(answer.get(key), kind):
            raise InputError(f"asked for {key}, the client sent {', '.join(answer) or 'nothing'}; valid: {key}")
        return answer


def error_message(error: Exception) -> dict[str, Any]:
    """What a client gets for an error: with a traceback where it is none of tamp's own."""
    if isinstance(error, TampError):
        return {"error": " ".join(str(error)[:LONGEST].split())}
    trace = "".join(traceback.format_exception(error))[-LONGEST:]
    return {"error": f"{type(error).__name__}: {error}"[:LONGEST], "traceback": trace}


def _are_names(sent: Any) -> bool:
    return isinstance(sent, Mapping) and all(
        isinstance(v, list | tuple) and 1 <= len(v) <= 2 and all(isinstance(t, str) for t in v) for v in sent.values()
    )
