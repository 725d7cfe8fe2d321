"""What a model is told of plans for an arm: the task, and worked examples from invented worlds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from llm.arm_clauses import Spoken
from llm.model import Prompt

TASK = """You turn an instruction into steps of a robot arm, as JSON: for every part of the instruction, in the order \
in which it is done, the steps that it asks for.
- APPROACH_OBJECT: go above a thing, over it, near it; hover. MOVE_TO_OBJECT: go to a thing, touch it, reach it.
- APPROACH_NAMED: go above a place. MOVE_TO_NAMED: go to a place, be there.
- RETREAT_Z: go straight up, away from where the arm is; 80 unless the length is said.
- SLEEP: wait. MOVE_TO_POSE: go to x y z roll pitch yaw.
Each part has only steps that it asks for; [] where it asks for none. ["impossible"] where it asks for what these \
steps cannot do: to grasp, hold, push, turn, look, go sideways or down, repeat, or decide."""


def _s(action: str, **fields: Any) -> dict[str, Any]:
    return {"action": action, **fields}


def _near(ref: str) -> dict[str, Any]:
    return {"selector": "nearest", "ref": {"named": ref}}


Steps = list[dict[str, Any]] | None
Part = tuple[str, Steps]
"""Words of an instruction, and the steps that they ask for; None where no steps can do it."""
EXAMPLES: tuple[tuple[tuple[str, ...], tuple[str, ...], str, tuple[Part, ...]], ...] = (
    (
        ("dock",),
        ("lemon",),
        "go over the lemon, touch it and come back up, then to the dock.",
        (
            ("go over the lemon", [_s("APPROACH_OBJECT", label="lemon")]),
            ("touch it", [_s("MOVE_TO_OBJECT", label="lemon")]),
            ("come back up", [_s("RETREAT_Z", dz_mm=80)]),
            ("to the dock", [_s("MOVE_TO_NAMED", name="dock")]),
        ),
    ),
    (
        ("tray",),
        ("hammer",),
        "hover 60 mm above the third hammer from the tray for 2 s, then make it 30 mm",
        (
            (
                "hover 60 mm above the third hammer from the tray for 2 s",
                [
                    _s("APPROACH_OBJECT", label="hammer", **_near("tray"), index=2, hover_mm=60),
                    _s("SLEEP", seconds=2),
                ],
            ),
            ("make it 30 mm", [_s("APPROACH_OBJECT", label="hammer", **_near("tray"), index=2, hover_mm=30)]),
        ),
    ),
    (
        ("dock", "shelf"),
        ("lemon", "hammer"),
        "before you visit the shelf, rise by 40 mm and tap the hammer and the lemon",
        (
            ("rise by 40 mm", [_s("RETREAT_Z", dz_mm=40)]),
            ("tap the hammer", [_s("MOVE_TO_OBJECT", label="hammer")]),
            ("the lemon", [_s("MOVE_TO_OBJECT", label="lemon")]),
            ("you visit the shelf", [_s("MOVE_TO_NAMED", name="shelf")]),
        ),
    ),
    ((), ("lemon",), "peel the lemon", (("peel the lemon", None),)),
    (
        ("dock", "tray"),
        ("hammer",),
        "move from the tray to just over the dock once you have reached the hammer with the best score",
        (
            (
                "you have reached the hammer with the best score",
                [_s("MOVE_TO_OBJECT", label="hammer", selector="highest_conf")],
            ),
            (
                "move from the tray to just over the dock",
                [_s("MOVE_TO_NAMED", name="tray"), _s("APPROACH_NAMED", name="dock")],
            ),
        ),
    ),
    (
        (),
        ("lemon", "hammer"),
        "check the lemon: from 200 mm up, go down onto it, rest there for 3 s; clear off by 50 mm.",
        (
            ("check the lemon", []),
            ("from 200 mm up", [_s("APPROACH_OBJECT", label="lemon", hover_mm=200)]),
            ("go down onto it", [_s("MOVE_TO_OBJECT", label="lemon")]),
            ("rest there for 3 s", [_s("SLEEP", seconds=3)]),
            ("clear off by 50 mm", [_s("RETREAT_Z", dz_mm=50)]),
        ),
    ),
    (
        ("shelf",),
        ("hammer",),
        "reach xyz 10 -20 300 rpy 180 0 0, and press the hammer that lies nearest the shelf; keep going until it moves",
        (
            (
                "reach xyz 10 -20 300 rpy 180 0 0",
                [_s("MOVE_TO_POSE", pose={"xyz_mm": [10, -20, 300], "rpy_deg": [180, 0, 0]})],
            ),
            ("press the hammer that lies nearest the shelf", [_s("MOVE_TO_OBJECT", label="hammer", **_near("shelf"))]),
            ("keep going", None),
        ),
    ),
    ((), (), "touch the kettle", (("touch the kettle", [_s("MOVE_TO_OBJECT", label="kettle")]),)),
)


IMPOSSIBLE = '"impossible"'
"""What a model says of a clause that no steps can do."""


def opening(said: str) -> str:
    """How the part of an answer begins that is about a clause."""
    return f'{{"said": {json.dumps(said, ensure_ascii=False)}, "steps": ['


def prompt(said: Spoken) -> Prompt:
    """What is asked of a model: the instruction, with the places and things that it names."""
    places = [m.what for m in said.mentions if not m.is_thing]
    things = [m.what for m in said.mentions if m.is_thing]
    examples = tuple((_question(t, n, o), f"[{', '.join(_part(*p) for p in parts)}]") for n, o, t, parts in EXAMPLES)
    return Prompt(TASK, examples, _question(said.text, places, things))


def _part(said: str, steps: Steps) -> str:
    """A part of an answer."""
    inside = IMPOSSIBLE if steps is None else json.dumps(list(steps), ensure_ascii=False)[1:-1]
    return f"{opening(said)}{inside}]}}"


def _question(text: str, names: Sequence[str], labels: Sequence[str]) -> str:
    there = (", ".join(dict.fromkeys(some)) or "none" for some in (names, labels))
    return "Places: {}\nThings: {}\nInstruction: {}".format(*there, text)
