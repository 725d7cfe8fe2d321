"""A language model decides what a robot does next: it is shown the state, and answers with one command.

The grammar lets it say only what can be started, stopped and skipped now. Examples are the worked ones of the model as
planner, gone through step by step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from llm.models.language_model import Logged, Model, Prompt, one_of
from llm.models.load import load as load_model
from llm.planner.skill_planner import EXAMPLES, borne_out, question, skill
from tamp.agent.director import DecisionRequest
from tamp.model.atoms import GroundAction
from tamp.model.domain import Domain
from tamp.model.events import Journal
from tamp.model.state import problem_of
from tamp.pddl.domain_file import load
from tamp.pddl.simulation import Course
from tamp.planning.assistant import Assistant
from tamp.planning.deliberation import Ready, Thought
from tamp.planning.refinement import never
from tamp.quiet import hush_warnings
from tamp.worker_process import Cancelled

SKIPS = ("skip 1", "skip 3")
END = "end"
SHOWN = EXAMPLES[1:5]
"""The examples that are gone through: no more, since evaluating what every question begins with takes minutes once."""
LAST = 4
"""Orders of before that are shown."""
TASK = (
    "You decide what a robot does, one command at a time. You are shown the state and the goal. Commands:\n"
    "start ACTION: begin an action\n"
    "stop ACTION: end one that is stuck or is not wanted\n"
    "skip SECONDS: wait while an action that goes well goes on\n"
    "end: everything in the goal holds\n"
    "An action is moving, acting, done or failed. What it needs must hold when it is started.\nActions:\n"
)


@dataclass(eq=False)
class Advisor:
    """Decides in this process, while the caller waits; `journal` keeps prompts, replies and decisions."""

    model: Model
    domain: Domain
    journal: Journal
    cancelled: Cancelled = never

    @cached_property
    def _shots(self) -> tuple[tuple[str, str], ...]:
        return tuple(shots(self.domain))

    def decide(self, asked: DecisionRequest) -> str:
        """The command, as it is typed; empty where none is left."""
        facts = asked.goal.rules(self.domain, asked.state)
        problem = problem_of(self.domain, asked.state.with_facts(facts), asked.goal.parts)
        valid = commands(problem, asked)
        command = next(iter(valid), "")
        if len(valid) > 1:
            task = TASK + "\n".join(skill(a) for a in problem.actions)
            prompt = Prompt(task, self._shots, _shown(Course.of(problem), asked.summary, asked.before))
            model = Logged(self.model, self.journal.event, self.cancelled)
            command = model.complete(prompt, one_of(valid)).text
        self.journal.event("decision", command=command, not_again=sorted(asked.not_again))
        return command

    def __call__(self, asked: DecisionRequest) -> Ready[str]:
        """The command, at once."""
        return Ready(self.decide(asked))

    def close(self) -> None:
        """Nothing is to be ended."""


def commands(problem: Any, asked: DecisionRequest) -> list[str]:
    """What can be said now: to start what the domain allows where nothing runs, else to stop or to wait."""
    from unified_planning.engines import UPSequentialSimulator

    if asked.running:
        said = [*SKIPS, *(f"stop {name}" for name in asked.running)]
    else:
        simulator = UPSequentialSimulator(problem)
        applicable = simulator.get_applicable_actions(simulator.get_initial_state())
        said = [*(f"start {GroundAction(a.name, tuple(map(str, given)))}" for a, given in applicable), END]
    return [s for s in said if s not in asked.not_again]


def shots(domain: Domain) -> Iterator[tuple[str, str]]:
    """The examples that the domain bears out, as questions and answers: each step, a wait in the first, and the end."""
    for number, (own, plan) in enumerate(borne_out(SHOWN, domain.parsed)):
        course, summary, before = Course.of(own), "Actions: []", list[tuple[str, str]]()
        for step, action in enumerate(plan):
            yield _shown(course, summary, before), f"start {action}"
            if number == step == 0:
                going = [(f"start {action}", "taken")]
                yield _shown(course, f"Actions: [{action} (moving, 0.9s)]", going), SKIPS[-1]
            followed = course.follow(action)
            assert isinstance(followed, Course), f"the example was followed before: {own}"
            course, summary = followed, f"Actions: [{action} (done, 4.1s)]"
            before.append((f"start {action}", "done"))
        yield _shown(course, summary, before), END


def _shown(course: Course, summary: str, before: Sequence[tuple[str, str]]) -> str:
    """The question in words: what there is, holds and is wanted, what goes on, what was done, what is missing. What can
    be said is left to the grammar: with the commands listed here, the model took others of them."""
    done = "; ".join(f"{order}: {became}" for order, became in before[-LAST:])
    missing = " ".join(course.missing())
    lines = [question(course.now()), summary, f"Before: {done or 'nothing'}", f"Missing: {missing or 'nothing'}"]
    return "\n".join(lines)


class ParallelDecider:
    """Decides in a process of its own, which is started, and loads the model, at once."""

    def __init__(self, llm: str, domain: str, journal: Journal) -> None:
        self._decider = Assistant(partial(_advisor, llm, domain), "deciding", journal)
        self.close = self._decider.close

    def __call__(self, asked: DecisionRequest) -> Thought[str]:
        """The command, once it is decided."""
        return self._decider.ask("decide", asked)


def _advisor(llm: str, domain: str, journal: Journal, cancelled: Cancelled) -> Advisor:
    hush_warnings()
    return Advisor(load_model(llm), load(domain), journal, cancelled)
