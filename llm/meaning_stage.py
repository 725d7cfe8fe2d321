"""From an instruction to goals: the model writes its meaning, the scene expands it, checks object.

An objection never leads to another answer: there is no goal then, and the reason names the words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from llm.determiners import quantified
from llm.expansion import Expanded, Expander
from llm.forms import Sayable, sayable
from llm.logic_words import logic_words
from llm.meaning import Meaning, read_meaning
from llm.meaning_checks import objections
from llm.meaning_grammar import MeaningGrammar, write_meaning
from llm.meaning_prompt import meaning_prompt
from llm.model import Completion, Model, Prompt
from llm.naming import Guess, Namer
from llm.phrases import Vocabulary
from llm.referents import Reader
from tamp.errors import Refusal
from tamp.model.domain import Domain
from tamp.model.goal import Goal, parse_goal
from tamp.model.state import WorldState, problem_of
from tamp.perception import relative_places
from tamp.planning.engine import Planner, PlanStatus

LEAST = 0.03
"""Probability of a reply below which it is not taken."""
SURE = 0.7
"""Probability of a guess at what a word means below which it is asked about."""
Goals = tuple[Goal, ...]


@dataclass(frozen=True)
class Reading:
    """Goals one after the other; what the words of a thing were taken to mean, where they fit several: `chosen`."""

    goals: Goals
    chosen: str = ""


@dataclass(frozen=True)
class Understanding:
    """The `readings` of an instruction, the likeliest first; the model's reply to it, and its guesses at words."""

    readings: tuple[Reading, ...]
    reply: Completion
    guesses: tuple[Guess, ...] = ()

    @property
    def probability(self) -> float:
        """The model's, for its reply and for every guess."""
        likely = self.reply.probability
        for guess in self.guesses:
            likely *= guess.probability
        return likely


@dataclass
class Stage:
    """Understands one instruction `text` about a scene."""

    text: str
    words: Vocabulary
    state: WorldState
    domain: Domain
    model: Model
    planner: Planner | None = None
    image: bytes | None = None
    can: Sayable = field(init=False)
    reader: Reader = field(init=False)
    namer: Namer = field(init=False)

    def __post_init__(self) -> None:
        self.can = sayable(self.domain, self.state, self.words, self.text)
        self.reader, self.namer = Reader(self.words), Namer(self.model, self.words, self.text)

    @property
    def prompt(self) -> Prompt:
        """The chat that asks for the meaning."""
        return replace(meaning_prompt(self.text, self.can), image=self.image)

    def write(self) -> Completion:
        """The meaning in the model's words."""
        return write_meaning(self.model, self.prompt, MeaningGrammar(self.text, self.can, self.reader))

    def understand(self, reply: Completion) -> Understanding:
        """What a reply makes of the instruction. Refusal, with the words that stopped it, where that is not certain."""
        meaning = quantified(read_meaning(reply.text), self.text)
        if meaning.unclear:
            stopped = [f'"{w.said}" ({w.kind})' for w in logic_words(self.text)]
            raise Refusal(f"no goal can be made of that{': ' if stopped else ''}{', '.join(stopped)}", "unclear")
        readings = self._readings(meaning)
        guesses = tuple(g for g in self.namer.guesses.values() if g.symbols)
        self._refuse_unsure(reply, guesses)
        reachable = tuple(r for r in readings if self.is_reachable(r))
        if not reachable:
            raise Refusal(f"no plan reaches {readings[0].goals[-1]} from how things are", "unsolvable")
        return Understanding(reachable, reply, guesses)

    def _refuse_unsure(self, reply: Completion, guesses: tuple[Guess, ...]) -> None:
        for guess in guesses:
            if guess.probability < SURE:
                message = f'by "{guess.words}", do you mean the {guess.called}? Say which thing'
                raise Refusal(message, "unsure", (guess.words,))
        if reply.probability < LEAST:
            plain = re.sub(r"[\[\]]|\.$", "", reply.text)
            raise Refusal(f'the instruction was not understood for certain; the nearest is "{plain}"', "unsure")

    def _readings(self, meaning: Meaning) -> tuple[Reading, ...]:
        """One for each of the things that the words for one of them fit equally well."""
        expanded = Expander(self.text, self.can, self.reader, self.namer).expand(meaning)
        if against := objections(self.text, meaning, expanded, self.can):
            raise Refusal(f"the instruction was not understood: {'; '.join(against)}", "beyond")
        if not expanded.milestones:
            raise Refusal("the instruction asks for nothing", "unclear")
        if not expanded.several:
            return (Reading(self._checked(expanded)),)
        (referent, symbols), *_ = expanded.several
        found = list[Reading]()
        for symbol in symbols:
            expander = Expander(self.text, self.can, self.reader, self.namer, {referent.words: symbol})
            named = f"{referent.words}: {self.words.name.get(symbol, symbol)}"
            found.append(Reading(self._checked(expander.expand(meaning)), named))
        return tuple({r.goals: r for r in reversed(found)}.values())[::-1]

    def _checked(self, expanded: Expanded) -> Goals:
        """The goals, through the same check that written ones get."""
        symbols = self.state.symbols | relative_places.symbols(self.words.things)
        left = tuple(s for s in expanded.untouched if s in self.state.symbols)
        return tuple(parse_goal(str(f), self.domain, symbols, untouched=left) for f in expanded.milestones)

    def is_reachable(self, reading: Reading) -> bool:
        """Whether no goal of a reading is proven to have no plan."""
        return self.planner is None or all(self._has_plan(goal, self.planner) for goal in reading.goals)

    def _has_plan(self, goal: Goal, planner: Planner) -> bool:
        known = replace(self.state, symbols=self.state.symbols | relative_places.symbols(self.words.things))
        known = known.with_facts(goal.rules(self.domain, known))
        problems = (problem_of(self.domain, known, some.parts) for some in goal.alternatives())
        return any(planner.solve(p).status is not PlanStatus.UNSOLVABLE for p in problems)
