"""What a policy answers to messages, over any channel.

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

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tamp.errors import InputError, Refusal, TampError
from tamp.perception.camera_calibration import calibration_from
from tamp.runs.policy.policy import Diary, Policy
from tamp.wire import Channel

LONGEST = 4000
"""Characters of an error, which may hold what was sent."""
RESET = {"instruction", "calibration", "seed", "look", "given", "names"}

Make = Callable[[Diary], Policy]
"""Makes a policy that writes into a diary."""


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
