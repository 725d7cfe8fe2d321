"""A language model as planner: it names the skills one after another, the domain says whether they can be done.

Nothing is put right behind its back. The schema lets it say only skills that there are, of things of the right types;
that a step is possible, gets somewhere and that all of them reach the goal is checked, and what is wrong goes back to
it in words.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from typing import Any

from llm.models.model import Logged, Model, Prompt
from llm.planner.skill_prompt import prompt, question
from llm.planner.skill_schema import LONGEST, read_step, step_pattern, step_schema, written
from tamp.model.atoms import GroundAction
from tamp.pddl.planner import Plan, PlanResult, PlanStatus, Tell, untold
from tamp.pddl.simulation import Course, Fault, reaches

NAME = "qwen"
"""What `--planner` calls it, whichever model `--llm` names."""

ATTEMPTS = 3
"""Plans that a model may propose for one problem."""

MORE, END = ",", "]"

Refused = set[tuple[GroundAction | None, ...]]
"""What was wrong in earlier answers: steps of which the last must not follow the others. None is the list's end."""


@dataclass(frozen=True)
class Proposal:
    """One answer: its text, its steps up to the one that is wrong, and what is wrong.

    The fault's kind is `json`, `unknown`, `precondition`, `loop`, `length`, `goal` or `needless`.
    """

    text: str
    actions: tuple[GroundAction, ...]
    fault: Fault | None = None


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
        model, asked, refused, message = Logged(self.model, tell), prompt(problem), Refused(), ""
        for attempt in range(1, ATTEMPTS + 1):
            given = propose(model, asked, problem, refused)
            error, message = (given.fault.kind, given.fault.message) if given.fault else (None, "")
            tell("plan_attempt", attempt=attempt, error=error, message=message, reply=given.text)
            if given.fault is None:
                return PlanResult(PlanStatus.FOUND, Plan(given.actions), time.perf_counter() - start)
            if error in ("precondition", "loop", "needless"):
                refused.add(given.actions)
            elif error == "goal":
                refused.add((*given.actions, None))
            asked = asked.corrected(given.text, objection(given.fault, problem))
        message = f"no valid plan from {self.model.name} in {ATTEMPTS} attempts; the last one: {message}"
        return PlanResult(PlanStatus.GAVE_UP, None, time.perf_counter() - start, message)


def propose(model: Model, asked: Prompt, problem: Any, refused: Refused) -> Proposal:
    """One answer, each step followed when it is said: the list ends at the first that cannot be taken."""
    course, actions, text = Course.of(problem), tuple[GroundAction, ...](), "["
    while not text.endswith(END):
        if len(actions) == LONGEST:
            message = f"the plan goes on after {LONGEST} steps, the most there may be"
            return _wrong(text, actions, Fault("length", message))
        # A step a completion: the expression stays as small as one step's, and after a fault nothing more is decoded.
        said = model.complete(asked, text, _pattern(problem, actions, refused)).text.rstrip()
        text += said
        if said.strip() == END:
            break
        step = read_step(said.strip()[:-1], problem)
        if isinstance(step, Fault):
            return _wrong(text, actions, replace(step, message=f"step {len(actions) + 1}: {step.message}"))
        followed = course.follow(step)
        actions = (*actions, step)
        if isinstance(followed, Fault):
            return _wrong(text, actions, replace(followed, message=f"step {len(actions)}: {followed.message}"))
        course = followed
    if missing := course.missing():
        message = f"after the last step the goal's {' '.join(missing)} does not hold"
        return _wrong(text, actions, Fault("goal", message, missing))
    for n, action in enumerate(actions, 1):
        if reaches([*actions[: n - 1], *actions[n:]], problem):
            message = f"step {n}: {action} is needless, the goal is reached without it"
            return _wrong(text, actions[:n], Fault("needless", message))
    return Proposal(text, actions)


def objection(fault: Fault, problem: Any) -> str:
    """What a model is told about its wrong answer: the fault, and which skills bring about what is missing."""
    hints = [
        f"{literal} is made by {', '.join(by)}." for literal in fault.literals if (by := _makers(literal, problem))
    ]
    return "\n".join([" ".join([f"Wrong: {fault.message}.", *hints]), "Give the whole list anew.", question(problem)])


def _wrong(text: str, actions: tuple[GroundAction, ...], fault: Fault) -> Proposal:
    return Proposal(text if text.endswith(END) else text.removesuffix(MORE) + END, actions, fault)


def _pattern(problem: Any, said: tuple[GroundAction, ...], refused: Refused) -> str:
    """The regular expression of a step and what follows it; the list may end at once as well.

    A greedy model would say again what was refused after the same steps: that is left out.
    """
    after = {r[len(said) :] for r in refused if r[: len(said)] == said}
    unended = sorted({s[0] for s in after if s[1:] == (None,) and s[0] is not None})
    steps = step_schema(problem, [*unended, *(s[0] for s in after if len(s) == 1 and s[0] is not None)])
    ways = [f"{step_pattern(steps)}({MORE}|{END})"] if steps["anyOf"] else []
    ways += [f"{re.escape(written(step, problem))}{MORE}" for step in unended if (step,) not in after]
    if said:
        return f" ({'|'.join(ways)})"  # the space belongs to the step's first token
    return "|".join([*ways, *([END] if (None,) not in after or not ways else [])])


def _makers(literal: str, problem: Any) -> list[str]:
    """Operators with an effect that can make a literal, in PDDL, true."""
    wanted = not literal.startswith("(not ")
    predicate = literal.removeprefix("(not ").strip("()").split()[0]
    return [
        a.name
        for a in problem.actions
        if any(e.fluent.fluent().name == predicate and e.value.is_true() == wanted for e in a.effects)
    ]
