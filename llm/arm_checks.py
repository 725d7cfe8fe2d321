"""What speaks against the steps that a model gave a clause: what it does not ask for, and what it asks for besides.

A model told of it learns why; where it is held to what nothing speaks against, the same checks say what is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from llm import arm_words as english
from llm.arm_clauses import Clause
from llm.arm_steps import Step


def excess(clause: Clause, step: Step) -> str | None:
    """Why a step is none that its clause asks for, in words; None when nothing speaks against it."""
    against = {
        "RETREAT_Z": _against_lift,
        "MOVE_TO_OBJECT": _against_touch,
        "APPROACH_OBJECT": _against_hover,
        "APPROACH_NAMED": _against_place,
        "MOVE_TO_NAMED": _against_place,
        "SLEEP": _against_wait,
    }
    check = against.get(step["action"])
    return next(check(clause, step, _asked(clause)), None) if check else None


def missing(clause: Clause, steps: list[Step], it: bool) -> str | None:
    """What a clause asks for and none of its steps does, in words. `it`: something was spoken of before."""
    return next(_missing(clause, steps, _asked(clause), bool(clause.mentions) or it), None)


def _asked(clause: Clause) -> str:
    """The words of a clause without what it asks not to do."""
    return english.NO_HOVER.sub("", english.NOT_TOUCHED.sub("", clause.bare))


def _against_lift(clause: Clause, _: Step, words: str) -> Iterator[str]:
    if not english.MAY_LIFT.search(words):
        yield f"nothing asks for a lift in {clause.text!r}"
    if clause.mentions and english.OVER.search(words.partition("@")[0].rstrip()):
        yield f"{clause.text!r} goes above something, and does not lift from it"


def _against_touch(clause: Clause, step: Step, words: str) -> Iterator[str]:
    touches = english.TOUCH.search(words)
    if english.NOT_TOUCHED.search(clause.bare) and not touches:
        yield f"{clause.text!r} asks not to touch"
    over = english.HOVER.search(words) and not english.DOWN.search(words)
    elsewhere = step["label"] not in clause.things and not english.BACK_TO_IT.search(words)
    if (over and not touches) or elsewhere:
        yield f"{clause.text!r} does not ask to touch anything"
    yield from _against_reference(clause, step)


def _against_hover(clause: Clause, step: Step, words: str) -> Iterator[str]:
    hovers = english.HOVER.search(words)
    if english.NO_HOVER.search(clause.bare):
        yield f"{clause.text!r} asks not to hover"
    if step["label"] not in clause.things and not hovers:
        if "hover_mm" not in step or not english.HIGH.search(words):
            yield f"{clause.text!r} does not ask to go above anything"
        if english.LIFT.search(words):
            yield f"{clause.text!r} asks for a lift"
    if "hover_mm" in step and not hovers and not english.HIGH.search(words) and english.TOUCH.search(words):
        yield f"{clause.text!r} does not say what is {step['hover_mm']:g} mm"
    yield from _against_reference(clause, step)


def _against_reference(clause: Clause, step: Step) -> Iterator[str]:
    near = _references(clause).get(step["label"])
    if near is not None and step.get("ref", {}).get("named") != near:
        yield f"{clause.text!r} says nearest to {near}"


def _against_place(clause: Clause, step: Step, words: str) -> Iterator[str]:
    name = step["name"]
    if name not in clause.places and not english.BACK_TO_IT.search(words) and "hover_mm" not in step:
        yield f"{clause.text!r} does not ask to go to a place"
    if name in _references(clause).values():
        yield f"{name} only says which thing in {clause.text!r}"
    if step["action"] == "MOVE_TO_NAMED" and name in clause.places and _is_over(clause, name):
        yield f"{clause.text!r} asks to go above {name}"
    if step["action"] == "APPROACH_NAMED" and not english.HOVER.search(words) and "hover_mm" not in step:
        yield f"{clause.text!r} does not ask to go above a place"


def _against_wait(clause: Clause, step: Step, words: str) -> Iterator[str]:
    timed = any(n.unit == "s" and n.value == step["seconds"] for n in clause.numbers)
    if not timed and not english.WAITS.search(words):
        yield f"{step['seconds']:g} belongs to nothing in {clause.text!r}: a pose is six numbers, x y z roll pitch yaw"
    if english.NO_WAIT.search(words) and not english.WAIT.search(words):
        yield f"{clause.text!r} asks for no wait: say for example: wait 2 seconds"


def _references(clause: Clause) -> dict[str, str]:
    """The places of a clause that only say which thing is meant, by thing."""
    pairs = [(int(n) for n in found.groups() if n is not None) for found in english.REFERRED.finditer(clause.bare)]
    meant = [(clause.by_mark(one), clause.by_mark(near)) for one, near in pairs]
    return {one.what: near.what for one, near in meant if one.is_thing and not near.is_thing}


def _is_over(clause: Clause, name: str) -> bool:
    """Whether a place is to be gone above."""
    spots = zip(re.finditer(r"@\d+", clause.bare), clause.mentions, strict=True)
    return any(m.what == name and english.OVER.search(clause.bare[: at.start()].rstrip()) for at, m in spots)


def _missing(clause: Clause, steps: list[Step], words: str, about: bool) -> Iterator[str]:
    done, hovers = {s["action"] for s in steps}, english.HOVER.search(words)
    if not steps and (english.GOES.search(words) or _strange(words)):
        yield f"nothing is done in {clause.text!r}"
    if english.LIFT.search(words) and "RETREAT_Z" not in done and not (hovers and about):
        yield f"nothing lifts in {clause.text!r}"
    onto = english.ONTO.search(words) and clause.things and not hovers
    touches = english.TOUCH.search(words) and about and (clause.things or not clause.mentions)
    if (onto or touches) and "MOVE_TO_OBJECT" not in done:
        yield f"nothing is touched in {clause.text!r}"
    if words.endswith("down") and not done & {"MOVE_TO_OBJECT", "MOVE_TO_NAMED"}:
        yield f"it is not said what to go down to in {clause.text!r}"
    if hovers and about and not english.DIRECTLY.search(words) and not done & {"APPROACH_OBJECT", "APPROACH_NAMED"}:
        yield f"nothing is gone above in {clause.text!r}"
    if english.WAIT.search(words) and "SLEEP" not in done:
        yield f"how long to wait is not said in {clause.text!r}; for example: wait 2 seconds"
    if (which := english.ORDINAL.search(words)) and not any(s.get("index") for s in steps):
        yield f"the {which[0]} what? It is not said in {clause.text!r}"


def _strange(words: str) -> list[str]:
    """The words that no instruction is made of."""
    plain = english.PURPOSE.sub("", words)
    return [w for w in re.findall(r"(?<![@#&\w])[^\W\d_]+", plain) if not english.is_known(w)]
