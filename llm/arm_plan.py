"""An instruction to an arm's action plan: a model writes it clause by clause, and is asked again where checks object.

What it may write are steps of the contract with the names, labels and numbers of the clause (`arm_steps`). What
speaks against them (`arm_checks`) is told to it, and what it may write then is narrowed to what nothing speaks
against. Where nothing is left, the instruction is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from llm import arm_words as english
from llm.arm_checks import excess, missing
from llm.arm_clauses import Clause, Spoken, spoken
from llm.arm_prompt import IMPOSSIBLE, opening, prompt
from llm.arm_refusals import refuse_absent, refuse_unsayable
from llm.arm_steps import STANDING, Step, Used, finished, is_repeated, left, options
from llm.model import Model, Prompt
from tamp.backends.xarm.contract import breaches, unread
from tamp.errors import Refusal
from tamp.planning.engine import Tell, untold

LONGEST = 4
"""Steps of a clause at most."""
MOST = 30
"""Clauses of an instruction at most."""


def write_plan(
    text: str, names: Sequence[str], labels: Sequence[str], model: Model, tell: Tell = untold
) -> dict[str, Any]:
    """The plan that a model makes of an instruction. What is objected to its answers goes to `tell`.

    Refusal for an instruction that names what is not the world's, that can mean several things, that the contract
    has no words for or that is too long, and where no answer stands up to the checks. InputError when it is empty.
    """
    said = spoken(text, names, labels)
    there = f"things: {', '.join(labels) or 'none'}; places: {', '.join(names) or 'none'}"
    refuse_unsayable(said)
    refuse_absent(said, there)
    if len(said.clauses) > MOST:
        raise Refusal(f"the instruction asks for {len(said.clauses)} things; at most {MOST} are read", "length")
    writer = _Writer(model, prompt(said), tell)
    for n, clause in enumerate(said.clauses):
        writer.write(clause, said.clauses[n + 1 :])
    _refuse_unused(said, writer.steps, there)
    directly = any(english.DIRECTLY.search(c.bare) for c in said.clauses)
    plan = {"goal": text, "steps": finished(writer.steps, directly)}
    if wrong := breaches(plan) or unread(plan):
        raise Refusal(f"the model's plan breaks the contract: {wrong[0]}", "contract")
    return plan


@dataclass
class _Writer:
    """What is written so far. `gone`: a step to each thing and place that was spoken of, the last one last."""

    model: Model
    asked: Prompt
    tell: Tell
    begun: str = "["
    steps: list[Step] = field(default_factory=list)
    gone: list[Step] = field(default_factory=list)

    def write(self, clause: Clause, following: tuple[Clause, ...]) -> None:
        """The steps of a clause. Refusal when something speaks against two answers."""
        opened, text, steps = self.begun + opening(clause.text), "]", list[Step]()
        if not clause.heads:
            text, steps = self._answer(clause, opened, self._its(clause, following), _is_about(clause, following))
        self.begun = f"{opened}{text}}}, "
        self.steps += steps
        self.gone += [s for s in steps if s["action"] not in STANDING] or _spoken_of(clause)

    def _answer(self, clause: Clause, opened: str, its: list[Step], carried: bool) -> tuple[str, list[Step]]:
        """What the model says that nothing speaks against, and the steps of it."""
        asked, wrong = self.asked, None
        for narrow in (False, True):
            text, steps = _attempt(self.model, asked, opened, _Room(clause, its, carried, narrow))
            wrong = next((w for s in steps if (w := excess(clause, s))), None) or missing(clause, steps, bool(its))
            if wrong is None and not text.endswith("]"):
                wrong = f"not all that is said is in a step of {clause.text!r}"
            if wrong is None:
                return text, steps
            self.tell("objection", clause=clause.text, reply=text, message=wrong)
            asked = self.asked.corrected(f"{opened}{text}}}]", f"Wrong: {wrong}. Give the whole list anew.")
        raise Refusal(f"the instruction was not understood: {wrong}", "unclear")

    def _its(self, clause: Clause, following: tuple[Clause, ...]) -> list[Step]:
        """Steps to what "it" can be: the last that was spoken of, and the last thing; else the first that will be."""
        if not clause.backward:
            return []
        if not self.gone:
            return next((some for c in following if (some := _spoken_of(c))), [])
        last = [] if "pose" in self.gone[-1] else self.gone[-1:]
        return last + [s for s in self.gone if "label" in s and s not in last][-1:]


@dataclass(frozen=True)
class _Room:
    """What may be said of a clause. `its`: see `_Writer._its`; `carried`: the next clause says what is done with what
    it names; `narrow`: only what nothing speaks against."""

    clause: Clause
    its: list[Step]
    carried: bool
    narrow: bool

    def ways(self, steps: list[Step], used: Used) -> dict[str, tuple[Step, Used] | None]:
        """What may be said next, with its step and what is used then."""
        out: dict[str, tuple[Step, Used] | None] = {}
        for step, then in self._next(steps, used):
            now, text = [*steps, step], json.dumps(step, ensure_ascii=False)
            if not left(self.clause, then) and self._may_end(now):
                out[f"{text}]"] = step, then
            if len(now) < LONGEST and self._next(now, then):
                out[f"{text}, "] = step, then
        if not steps:
            out[f"{IMPOSSIBLE}]"] = None
            if (self.carried or not left(self.clause, used)) and self._may_end([]):
                out["]"] = None
        return out

    def _may_end(self, steps: list[Step]) -> bool:
        return not (self.narrow and missing(self.clause, steps, bool(self.its)))

    def _next(self, steps: list[Step], used: Used) -> list[tuple[Step, Used]]:
        if steps and steps[-1]["action"] == "SLEEP":
            return []  # "hover over it for two seconds": the wait comes after what it is said of
        its = [s for s in steps[-1:] if "label" in s or "name" in s] or self.its
        some = [(s, u) for s, u in options(self.clause, used, its) if not is_repeated(s, steps)]
        return [(s, u) for s, u in some if not (self.narrow and excess(self.clause, s))]


def _attempt(model: Model, asked: Prompt, opened: str, room: _Room) -> tuple[str, list[Step]]:
    """One answer of the model, step by step; without its end where it leads to nothing that takes up all that is said.
    Refusal when it holds the clause to be impossible."""
    used, steps, text = Used(), list[Step](), ""
    while not text.endswith("]"):
        ways = room.ways(steps, used)
        if not steps and set(ways) == {f"{IMPOSSIBLE}]"}:
            why = missing(room.clause, [], bool(room.its)) or f"what is {left(room.clause, used)[0]!r}?"
            raise Refusal(f"the instruction was not understood: {why}", "unclear")
        if not ways:
            return text, steps
        told = model.complete(asked, opened + text, _one_of(ways)).text
        text += told
        if told.startswith(IMPOSSIBLE):
            raise Refusal(f"{room.clause.text!r} cannot be said in a plan", "beyond")
        if way := ways[told]:
            steps, used = [*steps, way[0]], way[1]
    return text, steps


def _is_about(clause: Clause, following: tuple[Clause, ...]) -> bool:
    """Whether what a clause names may be dealt with in the next one."""
    return bool(following) and not following[0].mentions and not clause.numbers


def _spoken_of(clause: Clause) -> list[Step]:
    """A step to what a clause is about, if it names anything: with as much as it says, and nothing against it."""
    some = [(s, used) for s, used in options(clause, Used(), []) if "label" in s or "name" in s]
    return [s for s, _ in sorted(some, key=lambda way: (bool(excess(clause, way[0])), len(left(clause, way[1]))))][:1]


def _refuse_unused(said: Spoken, steps: list[Step], there: str) -> None:
    """Refusal when something is named that is in no step."""
    if not steps:
        raise Refusal(f"the instruction names nothing to go to; {there}", "unclear")
    used = {what for s in steps for what in (s.get("label"), s.get("name"), s.get("ref", {}).get("named"))}
    if unused := [m.said for m in said.mentions if m.what not in used]:
        raise Refusal(f"the instruction was not understood: {unused[0]!r} is in no step", "unclear")


def _one_of(texts: Iterable[str]) -> str:
    """The regular expression of some texts."""
    return f"({'|'.join(re.escape(t).replace(chr(92) + ' ', ' ') for t in texts)})"
