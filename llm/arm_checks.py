"""What speaks against an instruction to an arm, or against what a model made of a clause of it."""

from __future__ import annotations

import re

from llm import arm_words as english
from llm.arm_clauses import Clause, Spoken
from llm.arm_mentions import Mention
from llm.arm_steps import Step
from tamp.errors import Refusal


def refuse_unsayable(said: Spoken) -> None:
    """Refusal of what the contract has no words for, and of a thing or place that is not the world's."""

    def shown(found: str) -> str:
        return re.sub(r"@(\d+)?", lambda m: said.mentions[int(m[1])].said if m[1] else "", found).strip()

    asked = english.PURPOSE.sub("", said.bare)
    for pattern, why in english.BEYOND:
        if found := re.search(pattern, asked):
            raise Refusal(f"{shown(found[0])!r} cannot be said in a plan: {why}", "beyond")
    if found := english.NEGATED.search(said.bare):
        raise Refusal(f"{found[0]!r} cannot be said in a plan: say what is to be done", "beyond")
    if found := english.NOWHERE.search(said.bare):
        raise Refusal(f"{found[0]!r} does not say where to: name a place, or say up", "unclear")
    for near in re.finditer(rf"@(\d+) (?:(?:that|which) is |that's )?{english.RELATED} @(\d+)", said.bare):
        first, second = (said.mentions[int(n)] for n in near.groups())
        if first.is_thing and second.is_thing and not near[0].startswith(f"@{near[1]} to @"):
            message = f"{shown(near[0])!r}: a thing can be nearest to a place, not to another thing"
            raise Refusal(message, "beyond")
    for clause in said.clauses:
        if any(n.value < 0 for n in clause.numbers):
            raise Refusal(f"{clause.text!r}: heights, lifts and waits are not negative", "beyond")


def refuse_absent(said: Spoken, there: str) -> None:
    """Refusal of what is named and is no place and no thing of the world."""
    strange = [s for text in english.PURPOSE.split(said.marked)[::2] for s in _strangers(text, said.mentions)]
    if strange:
        raise Refusal(f"there is no {' and no '.join(strange)} here; {there}", "absent")
    if odd := [s for c in said.clauses for s in _verbs(c)]:
        raise Refusal(f"the instruction was not understood: what is {odd[0]!r}?", "unclear")


def _strangers(text: str, mentions: tuple[Mention, ...]) -> list[str]:
    """Noun phrases of a text with its articles that are not the world's: "fork", and "red cup" where cups are."""
    tokens = re.findall(r"[@#&]\d+|[^\W_]+|[^\w\s]", text.replace("-", " "))
    out, leads = list[str](), False
    for n, token in enumerate(tokens):
        if leads and token.isalpha() and token not in english.PLAIN and token not in english.LEADS:
            if not token.endswith("ly"):
                out.append(_phrase(tokens[n:], mentions))
            leads = False
        elif token == "home":
            out.append(token)
        else:
            leads = token in english.LEADS or (leads and token in english.WHICH)
    return out


def _verbs(clause: Clause) -> list[str]:
    """Unknown words right before a thing: "red cup", "water the cup"."""
    out = []
    for found in re.finditer(r"([^\W\d_]+) @(\d+)", clause.bare):
        mention = clause.by_mark(int(found[2]))
        if mention.is_thing and not _is_known(found[1]):
            out.append(f"{found[1]} {mention.said}")
    return out


def _is_known(word: str) -> bool:
    """Whether a word is one of those that instructions are made of."""
    known = word in english.PLAIN or word in english.LEADS or word in english.WHICH or word.endswith("ly")
    motions = (english.LIFT, english.HOVER, english.TOUCH, english.DOWN, english.WAITS, english.GOES, english.SUREST)
    return known or word in english.COURTESY or any(m.fullmatch(word) for m in motions)


def _phrase(tokens: list[str], mentions: tuple[Mention, ...]) -> str:
    ends = (n for n, t in enumerate(tokens) if not t.isalpha() or t in english.PLAIN)
    end = next(ends, len(tokens))
    noun = [mentions[int(t[1:])].said for t in tokens[end : end + 1] if t.startswith("@")]
    return " ".join(tokens[:end] + noun)


def excess(clause: Clause, step: Step) -> str | None:
    """Why a step is none that its clause asks for, in words; None when nothing speaks against it."""
    words, action = _asked(clause), step["action"]
    own = step.get("label") in clause.things or step.get("name") in clause.places
    if action == "RETREAT_Z" and not english.MAY_LIFT.search(words):
        return f"nothing asks for a lift in {clause.text!r}"
    if action == "RETREAT_Z" and english.OVER.search(words.partition("@")[0].rstrip()) and clause.mentions:
        return f"{clause.text!r} goes above something, and does not lift from it"
    if action == "MOVE_TO_OBJECT":
        if english.NOT_TOUCHED.search(clause.bare) and not english.TOUCH.search(words):
            return f"{clause.text!r} asks not to touch"
        if english.HOVER.search(words) and not english.DOWN.search(words) and not english.TOUCH.search(words):
            return f"{clause.text!r} does not ask to touch anything"
        if not own and not english.BACK_TO_IT.search(words):
            return f"{clause.text!r} does not ask to touch anything"
    if action in ("MOVE_TO_NAMED", "APPROACH_NAMED") and step["name"] in references(clause):
        return f"{step['name']} only says which thing in {clause.text!r}"
    if "label" in step and own and (near := references(clause)) and step.get("ref", {}).get("named") not in near:
        return f"{clause.text!r} says nearest to {near[0]}" if "index" in step or "selector" not in step else None
    if action == "APPROACH_OBJECT":
        if english.NO_HOVER.search(clause.bare):
            return f"{clause.text!r} asks not to hover"
        if not own and not english.HOVER.search(words) and not ("hover_mm" in step and english.HIGH.search(words)):
            return f"{clause.text!r} does not ask to go above anything"
        if not own and english.LIFT.search(words) and not english.HOVER.search(words):
            return f"{clause.text!r} asks for a lift"
    if action == "APPROACH_NAMED" and not english.HOVER.search(words) and "hover_mm" not in step:
        return f"{clause.text!r} does not ask to go above a place"
    if action == "MOVE_TO_NAMED" and own and _is_over(clause, step["name"]):
        return f"{clause.text!r} asks to go above {step['name']}"
    if action == "SLEEP" and not english.WAITS.search(words) and not _has_unit(clause, step["seconds"]):
        return f"{step['seconds']:g} belongs to nothing in {clause.text!r}: a pose is six numbers, x y z roll pitch yaw"
    if action == "SLEEP" and english.NO_WAIT.search(words) and not english.WAIT.search(words):
        return f"{clause.text!r} asks for no wait: say for example: wait 2 seconds"
    return None


def _asked(clause: Clause) -> str:
    """The words of a clause without what it asks not to do."""
    return english.NO_HOVER.sub("", english.NOT_TOUCHED.sub("", clause.bare))


def references(clause: Clause) -> list[str]:
    """The places of a clause that say which thing is meant."""
    out = []
    for found in english.REFERRED.finditer(clause.bare):
        one, near = (int(n) for n in found.groups() if n is not None)
        if clause.by_mark(one).is_thing and not clause.by_mark(near).is_thing:
            out.append(clause.by_mark(near).what)
    return out


def _has_unit(clause: Clause, seconds: float) -> bool:
    return any(n.unit == "s" and n.value == seconds for n in clause.numbers)


def _is_over(clause: Clause, name: str) -> bool:
    """Whether a place is to be gone above."""
    spots = zip(re.finditer(r"@\d+", clause.bare), clause.mentions, strict=True)
    return any(m.what == name and english.OVER.search(clause.bare[: at.start()].rstrip()) for at, m in spots)


def missing(clause: Clause, steps: list[Step], it: bool) -> str | None:
    """What a clause asks for and no step of it does. `it`: something was spoken of before."""
    words, done = _asked(clause), {s["action"] for s in steps}
    hovers = english.HOVER.search(words) is not None
    strange = [w for w in re.findall(r"(?<![@#&\w])[^\W\d_]+", english.PURPOSE.sub("", words)) if not _is_known(w)]
    if not steps and strange:
        return f"nothing is done in {clause.text!r}"
    if not steps and english.GOES.search(words):
        return f"nothing is done in {clause.text!r}"
    if english.LIFT.search(words) and "RETREAT_Z" not in done and not (hovers and (clause.mentions or it)):
        return f"nothing lifts in {clause.text!r}"
    onto = english.ONTO.search(words) and not hovers
    if (english.TOUCH.search(words) or onto) and clause.things and "MOVE_TO_OBJECT" not in done:
        return f"nothing is touched in {clause.text!r}"
    if english.TOUCH.search(words) and "MOVE_TO_OBJECT" not in done and it:
        return f"nothing is touched in {clause.text!r}"
    above = {"APPROACH_OBJECT", "APPROACH_NAMED"}
    if hovers and not english.DIRECTLY.search(words) and not done & above and (clause.mentions or it):
        return f"nothing is gone above in {clause.text!r}"
    if english.WAIT.search(words) and "SLEEP" not in done:
        return f"how long to wait is not said in {clause.text!r}; for example: wait 2 seconds"
    if english.ORDINAL.search(words) and not any(s.get("index") for s in steps):
        return f"the {english.ORDINAL.findall(words)[0]} what? It is not said in {clause.text!r}"
    return None
