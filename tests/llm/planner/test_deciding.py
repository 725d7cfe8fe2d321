"""What a model that decides can say, and how it is shown what there is to say."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from llm.models.language_model import Completion, Prompt, fits
from llm.planner.deciding import END, SKIPS, Advisor, ParallelDecider, commands, shots
from tamp.agent.director import DecisionRequest
from tamp.model.atoms import Atom
from tamp.model.goal import Goal
from tamp.model.state import WorldState, problem_of
from tamp.pddl.domain_file import load
from tamp.planning.assistant import JournalBuffer

SYMBOLS = {"cup": "item", "shelf": "surface", "chest": "drawer"}
STATE = WorldState(SYMBOLS, frozenset({
    Atom("hand-empty"), Atom("on", ("cup", "shelf")), Atom("clear", ("cup",)), Atom("closed", ("chest",)),
}))  # fmt: skip
GOAL = Goal(Atom("in", ("cup", "chest")))
TABLETOP = load("tabletop")


def question(*running: str, not_again: frozenset[str] = frozenset(), state: WorldState = STATE) -> DecisionRequest:
    return DecisionRequest(GOAL, state, "Actions: []", running, (), not_again)


def said(asked: DecisionRequest) -> list[str]:
    return commands(problem_of(TABLETOP, asked.state, asked.goal.parts), asked)


def test_what_can_be_started_is_what_the_domain_allows_now() -> None:
    assert set(said(question())) == {"start (pick cup shelf)", "start (open-drawer chest)", END}
    held = WorldState(SYMBOLS, frozenset({Atom("holding", ("cup",)), Atom("open", ("chest",))}))
    assert set(said(question(state=held))) == {"start (place-on cup shelf)", "start (place-in cup chest)", END}


def test_while_something_runs_it_can_be_stopped_or_waited_for() -> None:
    assert said(question("(pick cup shelf)")) == [*SKIPS, "stop (pick cup shelf)"]


def test_what_led_nowhere_is_not_offered_again() -> None:
    assert "start (pick cup shelf)" not in said(question(not_again=frozenset({"start (pick cup shelf)"})))


class Greedy:
    """Says the first thing that the grammar allows of some."""

    name, sees, taught = "greedy", False, False

    def __init__(self, *likes: str) -> None:
        self.likes = likes
        self.shown = ""

    def complete(self, prompt: Prompt, grammar: str) -> Completion:
        self.shown = prompt.question
        return Completion(next(like for like in self.likes if fits(like, grammar)))


def decided(asked: DecisionRequest, *likes: str) -> tuple[str, str]:
    model = Greedy(*likes)
    return Advisor(model, TABLETOP, JournalBuffer()).decide(asked), model.shown


def test_the_grammar_holds_the_model_to_what_can_be_said() -> None:
    command, shown = decided(question(), "start (place-in cup chest)", "start (open-drawer chest)")
    assert command == "start (open-drawer chest)"
    assert shown.endswith("Missing: (in cup chest)")


@pytest.mark.process
def test_one_answer_or_none_needs_no_model(tmp_path: Path) -> None:
    """Nor does it in a process of its own, where the model is the replies of an earlier run."""
    every = frozenset({"start (pick cup shelf)", "start (open-drawer chest)", END})
    assert decided(question(not_again=every)) == ("", "")
    replies = tmp_path / "r.jsonl"
    replies.write_text('{"event": "prompt", "digest": ""}\n{"event": "reply", "text": "", "probability": 1}\n')
    decider = ParallelDecider(str(replies), str(TABLETOP.path), JournalBuffer())
    thought = decider(question(not_again=every - {END}))
    while not thought.done():
        time.sleep(0.05)
    assert thought.result() == END
    decider.close()


def test_examples_are_answered_by_what_can_be_said_then_and_reach_their_goal() -> None:
    shown = list(shots(TABLETOP))
    assert len(shown) > 10
    assert all((answer == END) == asked.endswith("Missing: nothing") for asked, answer in shown)
    assert {answer.split()[0] for _, answer in shown} == {"start", "skip", END}
