"""A language model as planner: it answers with a plan, the domain decides whether that works.

The grammar holds it to the domain's actions with objects of the right types. That each step is possible, none is
needless and all of them reach the goal is checked by following the plan; what is wrong goes back to the model in words.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llm.models.language_model import ANSWER, Logged, Model
from llm.planner.skill_prompt import LONGEST, prompt, question
from tamp.model.atoms import GroundAction
from tamp.pddl.planner import Plan, PlanResult, PlanStatus, Tell, untold
from tamp.pddl.simulation import Course, Fault, reaches

NAME = "qwen"
"""What `--planner` calls it, whichever model `--llm` names."""

ATTEMPTS = 3
"""Plans that a model may propose for one problem."""


@dataclass(frozen=True)
class SkillPlanner:
    """A planner that asks `model`. The same question gets the same plan where the model is greedy."""

    model: Model
    name: str = NAME
    ties_by_name: bool = False

    def solve(self, problem: Any, tell: Tell = untold) -> PlanResult:
        """A plan that was followed to the goal in symbols, or GAVE_UP with what was wrong with the last one.

        Prompts, replies and every attempt go to `tell`.
        """
        start = time.perf_counter()
        model, chat, grammar, message = Logged(self.model, tell), prompt(problem), plan_grammar(problem), ""
        for attempt in range(1, ATTEMPTS + 1):
            reply = model.complete(chat, grammar).text
            actions = read_plan(reply)
            fault = actions if isinstance(actions, Fault) else find_fault(actions, problem)
            error, message = (fault.kind, fault.message) if fault else (None, "")
            tell("plan_attempt", attempt=attempt, error=error, message=message, reply=reply)
            if fault is None:
                assert not isinstance(actions, Fault)
                return PlanResult(PlanStatus.FOUND, Plan(actions), time.perf_counter() - start)
            chat = chat.corrected(reply, objection(fault, problem))
        message = f"no valid plan from {self.model.name} in {ATTEMPTS} attempts; the last one: {message}"
        return PlanResult(PlanStatus.GAVE_UP, None, time.perf_counter() - start, message)


def plan_grammar(problem: Any) -> str:
    """The grammar of plans: a JSON list of steps, each an action with objects of the types of its parameters."""
    terminals = dict[tuple[str, ...], str]()
    steps = list[str]()
    for action in problem.actions:
        objects = [tuple(o.name for o in problem.objects(p.type)) for p in action.parameters]
        if all(objects):
            names = [terminals.setdefault(some, f"OBJECT{len(terminals)}") for some in objects]
            given = [f'{_quoted(p.name)} ": " {name}' for p, name in zip(action.parameters, names, strict=True)]
            head = json.dumps(f'{{"skill": "{action.name}", "args": {{')
            steps.append(" ".join((head, ' ", " '.join(given), '"}}"')))
    some = f'step (", " step){{0,{LONGEST - 1}}}' if steps else ""
    lines = [f'start: "[" ({some})? "]"' if steps else 'start: "[]"']
    lines += [f"step: {' | '.join(steps)}"] if steps else []
    return "\n".join((*lines, *(f"{name}: {' | '.join(map(_quoted, some))}" for some, name in terminals.items())))


def _quoted(name: str) -> str:
    """A name in JSON's quotes, in those of a grammar."""
    return json.dumps(json.dumps(name))


def read_plan(text: str) -> tuple[GroundAction, ...] | Fault:
    """The actions of an answer; a Fault where it is cut off."""
    try:
        return tuple(GroundAction(step["skill"], tuple(step["args"].values())) for step in json.loads(text))
    except json.JSONDecodeError:
        return Fault("length", f"the plan does not end within {ANSWER} tokens")


def find_fault(actions: Sequence[GroundAction], problem: Any) -> Fault | None:
    """The first thing that is wrong with a plan; None if nothing. Its kind is `precondition` (a step is not possible),
    `loop` (it leads back to an earlier state), `goal` (not reached), or `needless` (reached without some step)."""
    course = Course.of(problem)
    for n, action in enumerate(actions, 1):
        followed = course.follow(action)
        if isinstance(followed, Fault):
            return Fault(followed.kind, f"step {n}: {followed.message}", followed.literals)
        course = followed
    if missing := course.missing():
        return Fault("goal", f"after the last step the goal's {' '.join(missing)} does not hold", missing)
    for n, action in enumerate(actions, 1):
        if reaches([*actions[: n - 1], *actions[n:]], problem):
            return Fault("needless", f"step {n}: {action} is needless, the goal is reached without it")
    return None


def objection(fault: Fault, problem: Any) -> str:
    """The answer to a wrong plan: the fault, and which actions bring about what is missing."""
    hints = [
        f"{literal} is made by {', '.join(by)}." for literal in fault.literals if (by := _makers(literal, problem))
    ]
    return "\n".join([" ".join([f"Wrong: {fault.message}.", *hints]), "Give the whole plan anew.", question(problem)])


def _makers(literal: str, problem: Any) -> list[str]:
    """Operators with an effect that can make a literal, in PDDL, true."""
    wanted = not literal.startswith("(not ")
    predicate = literal.removeprefix("(not ").strip("()").split()[0]
    return [
        a.name
        for a in problem.actions
        if any(e.fluent.fluent().name == predicate and e.value.is_true() == wanted for e in a.effects)
    ]
