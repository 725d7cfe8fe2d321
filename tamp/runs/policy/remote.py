"""A policy elsewhere, as if it were here: in a process of its own, or behind a server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.errors import InputError, Refusal, TampError
from tamp.perception.camera_calibration import Calibration
from tamp.runs.policy.policy import Given, More
from tamp.wire import Channel


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
        told = {"instruction": instruction, "calibration": calibration.as_dict(), "seed": seed, "names": names or {}}
        self._ask({"reset": {**told, "look": more is not None, "given": given is not None}})

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
                    self.channel.send(self._say(answer["given"]))
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

    def _say(self, scene: Mapping[str, Any]) -> Mapping[str, Any]:
        assert self._given is not None
        try:
            return self._given(scene)
        except Refusal as e:
            return {"refused": str(e), "kind": e.kind}
