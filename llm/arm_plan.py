"""An instruction to an arm's action plan: a model says step after step, held to the world's names and labels."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from llm.arm_reading import Reading, read
from llm.arm_schema import Progress, Step, choices, missing, step_schema
from llm.model import Model, Prompt
from tamp.errors import Refusal
from tamp.xarm.contract import breaches

LONGEST = 20
"""Steps of a plan at most."""
MORE, END = ", ", "]}"
_SPACE = "[ ]?"

_TASK = """You write motion plans for a robot arm as JSON. A plan is a list of steps, in the order of the instruction.
- APPROACH_OBJECT: go above a thing. MOVE_TO_OBJECT: go to it, touch it.
- APPROACH_NAMED: go above a place. MOVE_TO_NAMED: go to a place.
- RETREAT_Z: lift straight up, by 80 mm unless the instruction says how far.
- SLEEP: wait. MOVE_TO_POSE: go to numbers that the instruction gives.
Say which thing: "nearest" unless the most certain one is asked for; with "ref" when it is nearest to a place; index 0 \
is the first, 1 the second. hover_mm is 80 unless the instruction says another height. Say no step that is not asked \
for; before touching a thing, approach it."""

Example = tuple[tuple[str, ...], tuple[str, ...], str, list[dict[str, Any]]]


def _thing(action: str, label: str, index: int = 0, ref: str = "", **fields: Any) -> dict[str, Any]:
    near: dict[str, Any] = {"ref": {"named": ref}} if ref else {}
    return {"action": action, "labels": [label], "selector": "nearest", **near, "index": index, **fields}


EXAMPLES: tuple[Example, ...] = (
    (
        ("dock", "shelf"),
        ("hammer", "lemon"),
        "Go over the lemon, touch it and come back up, then to the dock",
        [
            _thing("APPROACH_OBJECT", "lemon", hover_mm=80),
            _thing("MOVE_TO_OBJECT", "lemon"),
            {"action": "RETREAT_Z", "dz_mm": 80},
            {"action": "MOVE_TO_NAMED", "name": "dock"},
        ],
    ),
    (
        ("dock", "tray"),
        ("hammer", "lemon"),
        "hover 60 mm above the third hammer from the tray, wait 2 seconds",
        [_thing("APPROACH_OBJECT", "hammer", 2, "tray", hover_mm=60), {"action": "SLEEP", "seconds": 2}],
    ),
    (
        ("dock",),
        ("hammer", "lemon"),
        "touch the most certain hammer, then home to the dock",
        [
            _thing("APPROACH_OBJECT", "hammer", hover_mm=80) | {"selector": "highest_conf"},
            _thing("MOVE_TO_OBJECT", "hammer") | {"selector": "highest_conf"},
            {"action": "MOVE_TO_NAMED", "name": "dock"},
        ],
    ),
    (
        ("dock", "tray"),
        ("hammer",),
        "move up by 12 cm and then over the tray",
        [{"action": "RETREAT_Z", "dz_mm": 120}, {"action": "APPROACH_NAMED", "name": "tray", "hover_mm": 80}],
    ),
)
"""Invented: their places and things are of no world that ships."""


def write_plan(text: str, names: Sequence[str], labels: Sequence[str], model: Model) -> dict[str, Any]:
    """The plan that a model makes of an instruction.

    Refusal for an instruction that names what is not the world's, that can mean several things or that the contract
    has no words for, and for an answer that goes on for too long or breaks the contract.
    """
    reading = read(text, names, labels)
    asked, said, done = _prompt(text, reading), _begun(text), Progress()
    for _ in range(LONGEST):
        step, done = _next(asked, said, choices(reading, done), model)
        said += step
        if _is_end(asked, said, reading, done, model):
            plan: dict[str, Any] = json.loads(said + END)
            if wrong := breaches(plan):
                raise Refusal(f"the model's plan breaks the contract: {wrong[0]}", "contract")
            return plan
        said += MORE
    raise Refusal(f"the plan has more than {LONGEST} steps", "length")


def _next(asked: Prompt, said: str, some: list[tuple[Step, Progress]], model: Model) -> tuple[str, Progress]:
    """What the model says of the steps that may come next, and what is done then."""
    if len(some) == 1:
        return json.dumps(some[0][0], ensure_ascii=False), some[0][1]
    told = model.complete(asked, said, pattern_of([step for step, _ in some])).text
    step = json.loads(told)
    return told, next(then for allowed, then in some if allowed == step)


def _is_end(asked: Prompt, said: str, reading: Reading, done: Progress, model: Model) -> bool:
    """Whether the plan is to end here, which is the model's to say where it may end and may go on."""
    left, due = choices(reading, done), missing(reading, done)
    if due and not left:
        raise Refusal(f"the instruction was not understood: {due[0]} is in no step", "unclear")
    if due or not left:
        return not due
    return model.complete(asked, said, f"({MORE}|{re.escape(END)})").text == END


def pattern_of(steps: list[Step]) -> str:
    """The regular expression of one of some steps."""
    from outlines.types.dsl import JsonSchema, to_regex

    return str(to_regex(JsonSchema(step_schema(steps), whitespace_pattern=_SPACE)))


def _begun(text: str) -> str:
    return f'{{"goal": {json.dumps(text, ensure_ascii=False)}, "steps": ['


def _prompt(text: str, reading: Reading) -> Prompt:
    names = [t.what for t in reading.targets if not t.is_thing]
    labels = [t.what for t in reading.targets if t.is_thing]
    examples = tuple((_question(t, n, o), f"{_begun(t)}{json.dumps(steps)[1:-1]}{END}") for n, o, t, steps in EXAMPLES)
    return Prompt(_TASK, examples, _question(text, list(dict.fromkeys(names)), list(dict.fromkeys(labels))))


def _question(text: str, names: Sequence[str], labels: Sequence[str]) -> str:
    return f"Places: {', '.join(names) or 'none'}\nThings: {', '.join(labels) or 'none'}\nInstruction: {text}"
