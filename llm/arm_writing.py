"""The model writes: for every clause its steps."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from llm import arm_words as english
from llm.arm_checks import excess, missing, refuse_absent, refuse_unsayable
from llm.arm_clauses import Clause, spoken
from llm.arm_prompt import prompt
from llm.arm_steps import STANDING, Step, Used, finished, left, options, which
from llm.model import Model, Prompt
from tamp.errors import Refusal
from tamp.planning import Tell, untold

LONGEST = 4
"""Steps of a clause at most."""
IMPOSSIBLE = '"impossible"'
import os
FREE = os.environ.get("FREE", "1") == "1"
CARRY = os.environ.get("CARRY", "1") == "1"


def write_plan(
    text: str, names: Sequence[str], labels: Sequence[str], model: Model, tell: Tell = untold
) -> dict[str, Any]:
    said = spoken(text, names, labels)
    there = f"things: {', '.join(labels) or 'none'}; places: {', '.join(names) or 'none'}"
    refuse_unsayable(said, there)
    refuse_absent(said, there)
    places = [m.what for m in said.mentions if not m.is_thing]
    things = [m.what for m in said.mentions if m.is_thing]
    writer = _Writer(model, prompt(said.text, places, things), tell)
    for n, clause in enumerate(said.clauses):
        writer.write(clause, said.clauses[n + 1 :])
    if not writer.steps:
        raise Refusal(f"the instruction names nothing to go to; {there}", "unclear")
    named = {w for s in writer.steps for w in (s.get("label"), s.get("name"), s.get("ref", {}).get("named"))}
    if unnamed := [m.said for m in said.mentions if m.what not in named]:
        raise Refusal(f"the instruction was not understood: {unnamed[0]!r} is in no step", "unclear")
    directly = any(english.DIRECTLY.search(c.bare) for c in said.clauses)
    return {"goal": text, "steps": finished(writer.steps, directly)}


@dataclass
class _Writer:
    model: Model
    asked: Prompt
    tell: Tell
    begun: str = "["
    steps: list[Step] = field(default_factory=list)
    gone: list[Step] = field(default_factory=list)

    def write(self, clause: Clause, following: tuple[Clause, ...]) -> None:
        """One clause; asked again, with the reason, when something speaks against the answer."""
        opened = f'{self.begun}{{"said": {json.dumps(clause.text, ensure_ascii=False)}, "steps": ['
        its, asked, wrong = self._its(clause, following), self.asked, None
        if clause.heads:
            self.begun, self.gone = f"{opened}]}}, ", self.gone + _spoken_of(clause)
            return
        for narrow in (False, True) if FREE else (True,):
            text, steps = self._attempt(clause, following, opened, its, asked, narrow)
            wrong = next((w for s in steps if (w := excess(clause, s))), None) or missing(clause, steps, bool(its))
            if not wrong:
                break
            self.tell("objection", clause=clause.text, reply=text, message=wrong)
            if CARRY:
                asked = self.asked.corrected(f"{opened}{text}}}]", f"Wrong: {wrong}. Give the whole list anew.")
        else:
            raise Refusal(f"the instruction was not understood: {wrong}", "unclear")
        self.begun = f"{opened}{text}}}, "
        self.steps += steps
        self.gone += [s for s in steps if s["action"] not in STANDING] or _spoken_of(clause)

    def _its(self, clause: Clause, following: tuple[Clause, ...]) -> list[Step]:
        """What it can stand for: the last thing or place that was gone to, and the last thing; else the next."""
        if not clause.backward:
            return []
        if not self.gone:
            return next((some for c in following if (some := _spoken_of(c))), [])
        last = [] if "pose" in self.gone[-1] else self.gone[-1:]
        return last + [s for s in self.gone if "label" in s and s not in last][-1:]

    def _attempt(
        self, clause: Clause, following: tuple[Clause, ...], opened: str, its: list[Step], asked: Prompt, narrow: bool
    ) -> tuple[str, list[Step]]:
        """What the model says, and the steps of it; with `narrow` only what nothing speaks against."""
        used, steps, text = Used(), list[Step](), ""
        while not text.endswith("]"):
            ways: dict[str, tuple[Step, Used] | None] = {}
            for step, then in _possible(clause, used, steps, its, narrow):
                now = [*steps, step]
                if not left(clause, then) and not (narrow and missing(clause, now, bool(its))):
                    ways[json.dumps(step, ensure_ascii=False) + "]"] = step, then
                if len(now) < LONGEST and _possible(clause, then, now, its, narrow):
                    ways[json.dumps(step, ensure_ascii=False) + ", "] = step, then
            if not steps:
                ways |= dict.fromkeys([IMPOSSIBLE + "]"])
                carried = bool(following) and not following[0].mentions and not clause.numbers
                if (carried or not left(clause, used)) and not (narrow and missing(clause, [], bool(its))):
                    ways |= dict.fromkeys(["]"])
            if not ways:
                raise Refusal(f"the instruction was not understood: {_odd(clause, used, its)}", "unclear")
            told = self.model.complete(asked, opened + text, _one_of(ways)).text
            text += told
            if told.startswith(IMPOSSIBLE):
                raise Refusal(f"{clause.text!r} cannot be said in a plan", "beyond")
            if way := ways[told]:
                steps.append(way[0])
                used = way[1]
        return text, steps


def _spoken_of(clause: Clause) -> list[Step]:
    """A step to what a clause names, if anything."""
    return [s for s, _ in options(clause, Used(), []) if "label" in s or "name" in s][:1]


def _odd(clause: Clause, used: Used, its: list[Step]) -> str:
    rest = left(clause, used)
    return f"{rest[0]!r} in {clause.text!r}" if rest else missing(clause, [], bool(its)) or repr(clause.text)


def _possible(
    clause: Clause, used: Used, steps: list[Step], its: list[Step], narrow: bool
) -> list[tuple[Step, Used]]:
    """Steps that may come next in a clause."""
    now = [s for s in steps[-1:] if "label" in s or "name" in s] or its
    if steps and steps[-1]["action"] == "SLEEP":
        return []  # "hover over it for two seconds": the wait comes after what it is said of
    gone = [which(s) for s in steps if "label" in s]
    return [
        (s, u)
        for s, u in options(clause, used, now)
        if s not in steps
        and not (s["action"] == "APPROACH_OBJECT" and which(s) in gone)
        and not (narrow and excess(clause, s))
    ]


def _one_of(texts: Iterable[str]) -> str:
    return "(" + "|".join(re.escape(t).replace("\\ ", " ") for t in texts) + ")"
