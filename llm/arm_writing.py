"""The model writes: for every clause its steps."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from llm import arm_words as english
from llm.arm_clauses import Clause, spoken
from llm.arm_prompt import prompt
from llm.arm_steps import Step, Used, left, options, strangers
from llm.model import Model
from tamp.errors import Refusal

LONGEST = 4
_SPACE = "[ ]?"


def write_plan(text: str, names: Sequence[str], labels: Sequence[str], model: Model) -> dict[str, Any]:
    said = spoken(text, names, labels)
    there = f"things: {', '.join(labels) or 'none'}; places: {', '.join(names) or 'none'}"
    asked = prompt(
        said.plain,
        [m.what for m in said.mentions if not m.is_thing],
        [m.what for m in said.mentions if m.is_thing],
    )
    rest, begun, steps = list(said.clauses), "[", list[Step]()
    it: Step | None = None
    free = english.ORDERING.search(said.marked) is not None
    while rest:
        if free and len(rest) > 1:
            texts = "|".join(re.escape(json.dumps(c.text, ensure_ascii=False)).replace("\\ ", " ") for c in rest)
            begun += '{"said": '
            quoted = model.complete(asked, begun, f"({texts})").text
            clause = next(c for c in rest if json.dumps(c.text, ensure_ascii=False) == quoted)
            begun += quoted
        else:
            clause = rest[0]
            begun += f'{{"said": {json.dumps(clause.text, ensure_ascii=False)}'
        rest.remove(clause)
        begun, some = _clause(clause, asked, begun + ', "steps":', it, model, there)
        steps += some
        it = next((s for s in reversed(steps) if "label" in s or "name" in s), None)
        begun += "}, "
    if not steps:
        raise Refusal("the instruction asks for no motion", "unclear")
    return {"goal": text, "steps": finished(steps, text)}


def _clause(
    clause: Clause, asked: Any, begun: str, it: Step | None, model: Model, there: str
) -> tuple[str, list[Step]]:
    used = Used()
    begun += " ["
    steps: list[Step] = []
    strange = strangers(clause)
    for _ in range(LONGEST):
        some = options(clause, used, steps[-1] if steps and ("label" in steps[-1] or "name" in steps[-1]) else it)
        ways: list[tuple[str, Step | None, Used | None]] = []
        for step, then in some:
            ends = [", "] if left(clause, then) else ["]", ", "]
            if len(steps) == LONGEST - 1:
                ends = ["]"]
            ways += [(json.dumps(step) + e, step, then) for e in ends]
        if not steps:
            if not left(clause, used):
                ways.append(("]", None, None))
            ways.append(('"impossible"]', None, None))
            for s in strange:
                for a in ("MOVE_TO_OBJECT", "APPROACH_OBJECT"):
                    ways.append((json.dumps({"action": a, "label": s}) + "]", {"absent": s}, None))
        elif not left(clause, used):
            pass
        if not ways:
            raise Refusal(f"not understood: {left(clause, used)}", "unclear")
        pattern = "|".join(re.escape(w).replace("\\ ", " ") for w, _, _ in ways)
        told = model.complete(asked, begun, f"({pattern})").text
        begun += told
        _, step, then = next(w for w in ways if w[0] == told)
        if told.startswith('"imp'):
            raise Refusal(f"{clause.text!r} cannot be said in a plan", "beyond")
        if step is None:
            return begun, steps
        if "absent" in step:
            raise Refusal(f"there is no {step['absent']} here; {there}", "absent")
        steps.append(step)
        used = then
        if told.endswith("]"):
            return begun, steps
    raise Refusal(f"not understood: {left(clause, used)}", "unclear")


def finished(steps: list[Step], text: str) -> list[Step]:
    """Defaults filled in; a thing is approached before it is touched."""
    directly = english.STRAIGHT.search(text.lower()) is not None
    out: list[Step] = []
    for s in steps:
        which = {"labels": [s["label"]], "selector": s.get("selector", "nearest")} if "label" in s else {}
        if "ref" in s:
            which["ref"] = s["ref"]
        if which:
            which["index"] = s.get("index", 0)
        match s["action"]:
            case "APPROACH_OBJECT":
                new = {"action": s["action"], **which, "hover_mm": s.get("hover_mm", 80)}
            case "MOVE_TO_OBJECT":
                at = next((t for t in reversed(out) if t["action"] not in ("SLEEP", "RETREAT_Z")), None)
                here = at is not None and {k: v for k, v in at.items() if k in which} == which
                if not here and not directly:
                    out.append({"action": "APPROACH_OBJECT", **which, "hover_mm": 80})
                new = {"action": s["action"], **which}
            case "APPROACH_NAMED":
                new = s | {"hover_mm": s.get("hover_mm", 80)}
            case _:
                new = s
        if not out or new != out[-1] or s["action"] in ("RETREAT_Z", "SLEEP"):
            out.append(new)
    return out
