"""What a policy answers to messages, over any channel.

    {"reset": {"instruction": …, "calibration": …, "seed": …, "look": true, "given": false,
               "names": …}}   -> {"reset": true}
    {"agentview_image": …, "robot0_joint_pos": …, …}                     -> {"actions": (1, 7), "outcome": …}
    {"end": true}                                                        -> {"outcome": …}

To a client that said `look` at reset the answer to an observation without pictures may be {"look": true}, which it
answers with {"images": …} of that very moment. One that said `given`, instead of an instruction, is asked what is
wanted of the scene, {"given": scene}, and answers {"goals": […], "untouched": […]} or {"refused": why, "kind": …}; of
the kind `unmatched` where something is not seen. What is wrong is {"error": why}, and the next message is heard.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tamp.errors import InputError, Refusal, TampError
from tamp.model.events import Event, Publish
from tamp.perception.camera_calibration import calibration_from
from tamp.planning.planner_process import Notes
from tamp.runs.policy.policy import Policy
from tamp.wire import Channel

LONGEST = 4000
"""Characters of an error, which may hold what was sent."""
RESET = {"instruction", "calibration", "seed", "look", "given", "names"}


@dataclass(eq=False)
class Diary(Notes):
    """What was tried, found and done, in order, until it is sent. `also` is told the session's events at once."""

    also: Publish = lambda event: None

    def take(self, event: Event) -> None:
        """Keep an event of the session."""
        self.entries.append(("told", event.kind, event.data()))
        self.also(event)


Make = Callable[[Diary], Policy]
"""Makes a policy that writes into a diary."""


def _names_thing(told: Any) -> bool:
    return isinstance(told, list | tuple) and 1 <= len(told) <= 2 and all(isinstance(t, str) for t in told)


@dataclass(eq=False)
class Answering:
    """A policy, and the diary that it writes; `tells`: the diary is sent along."""

    policy: Policy
    diary: Diary = field(default_factory=Diary)
    tells: bool = False
    check: Callable[[], None] = lambda: None
    """Is asked after each answer; raises where the policy may not go on."""

    def run(self, channel: Channel) -> None:
        """Answer until there is nobody any more."""
        try:
            while True:
                try:
                    answer = self._answer(channel.receive(), channel)
                    self.check()
                except TampError as e:
                    answer = {"error": " ".join(str(e)[:LONGEST].split())}
                except EOFError:
                    raise
                except Exception as e:  # whoever asked is told; the next episode begins anew
                    trace = traceback.format_exc()[-LONGEST:]
                    answer = {"error": f"{type(e).__name__}: {e}"[:LONGEST], "traceback": trace}
                entries = self.diary.taken()
                channel.send({**answer, "diary": entries} if self.tells else answer)
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

    def _reset(self, told: Any, channel: Channel) -> None:
        if not isinstance(told, Mapping):
            raise InputError(f"reset holds {type(told).__name__}; valid: a map with {', '.join(sorted(RESET))}")
        if unknown := sorted(str(k)[:80] for k in set(told) - RESET):
            raise InputError(f"reset has no {unknown[0]!r}; valid: {', '.join(sorted(RESET))}")
        instruction, seed = told.get("instruction"), told.get("seed", 0)
        if not isinstance(instruction, str | None):
            raise InputError(f"reset: instruction is {str(instruction)[:80]!r}; valid: words")
        if not isinstance(seed, int) or seed < 0:
            raise InputError(f"reset: seed is {str(seed)[:80]!r}; valid: a whole number from 0 on")
        calibrated = told.get("calibration") or {}
        if not isinstance(calibrated, Mapping):
            raise InputError(f"reset: calibration is {type(calibrated).__name__}; valid: a map")
        calibration = calibration_from(calibrated)
        more = (lambda: self._more(channel)) if told.get("look") else None
        given = (lambda scene: self._given(scene, channel)) if told.get("given") else None
        names = told.get("names") or {}
        if not isinstance(names, Mapping) or not all(_names_thing(v) for v in names.values()):
            raise InputError("names holds no map from words to a category of the library, and a region of it")
        self.policy.reset(instruction, calibration, seed=seed, more=more, given=given, names=names)

    def _more(self, channel: Channel) -> Mapping[str, Any]:
        """The pictures of this moment, from a client that can take them."""
        channel.send({"look": True})
        answer = channel.receive()
        if not isinstance(answer.get("images"), dict):
            raise InputError(f"asked to look, the client said {', '.join(answer) or 'nothing'}; valid: images")
        return dict(answer["images"])

    def _given(self, scene: Mapping[str, Any], channel: Channel) -> Mapping[str, Any]:
        """What is wanted, from a client that gives goals."""
        channel.send({"given": scene})
        answer = channel.receive()
        if "refused" in answer:
            raise Refusal(str(answer["refused"]), str(answer.get("kind", "no goal")))
        if not isinstance(answer.get("goals"), list):
            raise InputError(f"asked what is wanted, the client said {', '.join(answer) or 'nothing'}; valid: goals")
        return answer
