"""A language model as planner: it names the skills one after another, the domain says whether they can be done.

Nothing is put right behind its back. The schema lets it say only skills that there are, of things of the right types;
that a step is possible, gets somewhere and that all of them reach the goal is checked, and what is wrong goes back to
it in words.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from llm.models.model import Logged, Model, Prompt
from llm.planner.skill_prompt import prompt, question
from llm.planner.skill_schema import LONGEST, SchemaError, only, read_step, step_pattern, step_schema
from tamp.model.atoms import GroundAction
from tamp.planning.engine import Plan, PlanResult, PlanStatus, Tell, untold
from tamp.plans.validation import Course, Fault, reaches

NAME = "qwen"
"""What `--planner` calls it, whichever model `--llm` names."""

ATTEMPTS = 3
"""Plans that a model may propose for one problem."""

MORE, END = ",", "]"


@dataclass(frozen=True)
class Proposal:
    """One answer: its text, its steps as far as they could be followed, and what is wrong with it.

    `error` is None when nothing is, else `json`, `unknown`, `precondition`, `loop`, `length`, `goal` or `needless`;
    `message` names the step and what is wrong, `missing` are the literals that do not hold.
    """

    text: str
    actions: tuple[GroundAction, ...]
    error: str | None = None
    message: str = ""
    missing: tuple[str, ...] = ()

    @property
    def refused(self) -> tuple[tuple[GroundAction, ...], GroundAction | None] | None:
        """What cannot be said after which steps, None for the end; nothing when it was not understood."""
        if self.error in ("precondition", "loop", "needless"):
            return self.actions[:-1], self.actions[-1]
        return (self.actions, None) if self.error == "goal" else None


Refused = set[tuple[tuple[GroundAction, ...], GroundAction | None]]
"""What the validator refused in earlier answers, see `Proposal.refused`."""


@dataclass(frozen=True)
class SkillPlanner:
    """A planner that asks `model`. The same question gets the same plan where the model is greedy."""

    model: Model
    name: str = NAME
    ties_by_name: bool = False
    attempts: int = ATTEMPTS

    def solve(self, problem: Any, tell: Tell = untold) -> PlanResult:
        """A plan that was followed to the goal in symbols, or GAVE_UP with what was wrong with the last one.

        Prompts, replies and every attempt go to `tell`.
        """
        start = time.perf_counter()
        model, asked, refused = Logged(self.model, tell), prompt(problem), Refused()
        for attempt in range(1, self.attempts + 1):
            given = propose(model, asked, problem, refused)
            tell("plan_attempt", attempt=attempt, error=given.error, message=given.message, reply=given.text)
            if given.error is None:
                return PlanResult(PlanStatus.FOUND, Plan(given.actions), time.perf_counter() - start)
            refused |= {given.refused} if given.refused is not None else set()
            asked = asked.corrected(given.text, objection(given, problem))
        message = f"no valid plan from {self.model.name} in {self.attempts} attempts; the last one: {given.message}"
        return PlanResult(PlanStatus.GAVE_UP, None, time.perf_counter() - start, message)


def propose(model: Model, asked: Prompt, problem: Any, refused: Refused) -> Proposal:
    """One answer, each step followed when it is said: the list ends at the first that cannot be taken."""
    course, actions, begun = Course.of(problem), list[GroundAction](), "["
    while True:
        # A step a completion: the expression stays as small as one step's, and after a fault nothing more is decoded.
        said = model.complete(asked, begun, _pattern(problem, tuple(actions), refused)).text
        begun += said
        step, end = said.strip()[:-1], said.strip()[-1:]
        if step or end != END:
            try:
                action = read_step(step, problem)
            except SchemaError as e:
                return _wrong(begun, actions, e.kind, f"step {len(actions) + 1}: {e}")
            followed = course.follow(action)
            actions.append(action)
            if isinstance(followed, Fault):
                return _wrong(begun, actions, followed.kind, f"step {len(actions)}: {followed.message}", followed)
            course = followed
        if end == END:
            break
        if len(actions) == LONGEST:
            return _wrong(begun, actions, "length", f"the plan goes on after {LONGEST} steps, the most there may be")
    if missing := course.missing():
        unreached = Fault("goal", f"after the last step the goal's {' '.join(missing)} does not hold", missing)
        return _wrong(begun, actions, unreached.kind, unreached.message, unreached)
    for i, action in enumerate(actions):
        if reaches([*actions[:i], *actions[i + 1 :]], problem):
            message = f"step {i + 1}: {action} is needless, the goal is reached without it"
            return Proposal(begun, tuple(actions[: i + 1]), "needless", message)
    return Proposal(begun, tuple(actions))


def objection(given: Proposal, problem: Any) -> str:
    """What a model is told about its wrong answer: the fault, and which skills bring about what is missing."""
    hints = [f"{literal} is made by {', '.join(by)}." for literal in given.missing if (by := _makers(literal, problem))]
    return "\n".join([" ".join([f"Wrong: {given.message}.", *hints]), "Give the whole list anew.", question(problem)])


def _wrong(text: str, actions: list[GroundAction], error: str, message: str, fault: Fault | None = None) -> Proposal:
    whole = text if text.endswith(END) else text.removesuffix(MORE) + END
    return Proposal(whole, tuple(actions), error, message, fault.literals if fault else ())


def _pattern(problem: Any, said: tuple[GroundAction, ...], refused: Refused) -> str:
    """The regular expression of a step and what follows it; the list may end at once as well.

    A greedy model would say again what was refused after the same steps: that is left out.
    """
    unended = [s[-1] for s, what in refused if what is None and s and s[:-1] == said]
    steps = step_schema(problem, [*unended, *(what for s, what in refused if s == said and what is not None)])
    ways = [f"{step_pattern(steps)}({MORE}|{END})"] if steps["anyOf"] else []
    ways += [f"{step_pattern(only(step, problem))}{MORE}" for step in unended if (said, step) not in refused]
    if said:
        return f" ({'|'.join(ways)})"  # the space belongs to the step's first token
    return "|".join([*ways, *([END] if ((), None) not in refused or not ways else [])])


def _makers(literal: str, problem: Any) -> list[str]:
    """Operators with an effect that can make a literal, in PDDL, true."""
    wanted = not literal.startswith("(not ")
    predicate = literal.removeprefix("(not ").strip("()").split()[0]
    return [
        a.name
        for a in problem.actions
        if any(e.fluent.fluent().name == predicate and e.value.is_true() == wanted for e in a.effects)
    ]
