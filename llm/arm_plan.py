"""An instruction to an arm's action plan: a model says step after step, held to the world's names and labels."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from llm import words
from llm.arm_schema import RETREAT_MM, step_schema
from llm.lexicon import nouns
from llm.model import Model, Prompt
from tamp.errors import Refusal
from tamp.xarm.contract import breaches

LONGEST = 20
"""Steps of a plan at most."""
MORE, END = ", ", "]}"
_SPACE = "[ ]?"

_TASK = f"""You write motion plans for a robot arm as JSON. A plan is a list of steps, in the order of the instruction.
- APPROACH_OBJECT: go above a thing. MOVE_TO_OBJECT: go to it, touch it.
- APPROACH_NAMED: go above a place. MOVE_TO_NAMED: go to a place.
- RETREAT_Z: lift straight up, by {RETREAT_MM} mm unless the instruction says how far.
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


_OF_ARMS = ("arm", "tool", "robot", "gripper", "hand", "pose", "position", "height", "seconds")
"""What instructions speak of besides the things and places of a world."""
_SURE = "surest|(most )?(certain|confident|likely)|best"
_WHICH = re.compile(rf"\b(nearest|closest|farthest|second|third|fourth|fifth|{_SURE})\b")
"""Words that say which one, and not what it is."""


def write_plan(text: str, names: Sequence[str], labels: Sequence[str], model: Model) -> dict[str, Any]:
    """The plan that a model makes of an instruction.

    Refusal for an instruction that speaks of a thing that is not the world's, and for an answer that goes on for too
    long or breaks the contract.
    """
    labels = heard(text, names, labels)
    pattern = f"({_pattern(step_schema(names, labels, text))})({MORE}|{END.replace('}', '[}]').replace(']', '[]]', 1)})"
    asked = _prompt(text, names, labels)
    said = _begun(text)
    for _ in range(LONGEST):
        said += model.complete(asked, said, pattern).text
        if said.endswith(END):
            plan: dict[str, Any] = json.loads(said)
            if wrong := breaches(plan):
                raise Refusal(f"the model's plan breaks the contract: {wrong[0]}", "contract")
            return plan
    raise Refusal(f"the model's plan has more than {LONGEST} steps", "length")


def heard(text: str, names: Sequence[str], labels: Sequence[str]) -> list[str]:
    """The labels that an instruction speaks of, all when it speaks of none. Refusal when it names what is not there."""
    known = [word for name in (*names, *(n for label in labels for n in nouns(label))) for word in words_of(name)]
    plain = " ".join(_WHICH.sub("", text.lower()).split())
    if strange := words.absent(plain, [*known, *labels, *_OF_ARMS]):
        there = f"things: {', '.join(labels) or 'none'}; places: {', '.join(names) or 'none'}"
        raise Refusal(f"there is no {' and no '.join(strange)} here; {there}", "absent")
    said = Counter(words.content(text))
    spoken = [label for label in labels if any(words.mentioned(noun, said) for noun in (label, *nouns(label)))]
    return spoken or list(labels)


def words_of(name: str) -> list[str]:
    """The words of a name as it is written in a world file."""
    return re.findall(r"[a-z0-9]+", name.lower())


def _begun(text: str) -> str:
    return f'{{"goal": {json.dumps(text)}, "steps": ['


def _prompt(text: str, names: Sequence[str], labels: Sequence[str]) -> Prompt:
    examples = tuple((_question(t, n, o), f"{_begun(t)}{json.dumps(steps)[1:-1]}{END}") for n, o, t, steps in EXAMPLES)
    return Prompt(_TASK, examples, _question(text, names, labels))


def _question(text: str, names: Sequence[str], labels: Sequence[str]) -> str:
    return f"Places: {', '.join(names) or 'none'}\nThings: {', '.join(labels) or 'none'}\nInstruction: {text}"


def _pattern(schema: dict[str, Any]) -> str:
    from outlines.types.dsl import JsonSchema, to_regex

    return str(to_regex(JsonSchema(schema, whitespace_pattern=_SPACE)))
