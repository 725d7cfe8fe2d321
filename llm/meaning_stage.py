"""From an instruction with words of logic to goals: the model writes its meaning, the scene expands it, checks object.

An objection never leads to another answer: there is no goal then, and the reason names the words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from llm.expansion import Expanded, Expander
from llm.forms import Sayable, sayable
from llm.meaning import Meaning, read_meaning
from llm.meaning_checks import objections
from llm.meaning_grammar import MeaningGrammar, write_meaning
from llm.meaning_prompt import meaning_prompt
from llm.model import Model, Prompt
from llm.phrases import Vocabulary
from llm.referents import Reader
from tamp import beside
from tamp.domain import Domain
from tamp.errors import Refusal
from tamp.goal import Goal, parse_goal
from tamp.planning import Planner, PlanStatus, Tell
from tamp.state import WorldState, problem_of

LEAST = 0.1
"""Probability of a reply below which it is not taken."""


@dataclass(frozen=True)
class Understood:
    """Goals one after the other, the reply that they were made of, and the model's probability for it."""

    goals: tuple[Goal, ...]
    reply: str
    prompt: Prompt
    probability: float


def understand(
    text: str, words: Vocabulary, state: WorldState, domain: Domain, model: Model, planner: Planner | None, tell: Tell
) -> Understood:
    """What an instruction asks for. Refusal, with the words that stopped it, where that is not certain."""
    can, reader = sayable(domain, state, words, text), Reader(words)
    asked = meaning_prompt(text, can)
    reply = write_meaning(model, asked, MeaningGrammar(text, can, reader))
    try:
        goals = _goals(text, read_meaning(reply.text), can, reader, domain)
        if reply.probability < LEAST:
            raise Refusal(f'the instruction was not understood for certain; the nearest is "{reply.text}"', "unsure")
        for goal in goals:
            _refuse_unreachable(goal, state, words, domain, planner)
    except Refusal as e:
        tell("objection", attempt=1, error=e.kind, message=str(e), reply=reply.text, grave=True)
        raise
    return Understood(goals, reply.text, asked, reply.probability)


def _goals(text: str, meaning: Meaning, can: Sayable, reader: Reader, domain: Domain) -> tuple[Goal, ...]:
    if meaning.unclear:
        raise Refusal(f'no goal can be made of "{meaning.unclear[0]}"', "unclear")
    expanded = Expander(text, can, reader).expand(meaning)
    if against := objections(text, meaning, expanded, can):
        raise Refusal(f"the instruction was not understood: {'; '.join(against)}", "beyond")
    if expanded.several:
        referent, symbols = expanded.several[0]
        named = " or ".join(can.words.name.get(s, s) for s in symbols)
        raise Refusal(f'"{referent}" can be {named}; say which', "ambiguous")
    if not expanded.milestones:
        raise Refusal("the instruction asks for nothing", "unclear")
    return _checked(expanded, can, domain)


def _checked(expanded: Expanded, can: Sayable, domain: Domain) -> tuple[Goal, ...]:
    """The goals, through the same check that written ones get."""
    symbols = can.state.symbols | beside.symbols(can.words.things)
    left = tuple(s for s in expanded.untouched if s in can.state.symbols)
    return tuple(parse_goal(str(f), domain, symbols, untouched=left) for f in expanded.milestones)


def _refuse_unreachable(
    goal: Goal, state: WorldState, words: Vocabulary, domain: Domain, planner: Planner | None
) -> None:
    """Refusal of a goal that is proven to have no plan."""
    if planner is None:
        return
    known = replace(state, symbols=state.symbols | beside.symbols(words.things))
    known = known.with_facts(goal.rules(domain, known))
    for alternative in goal.alternatives():
        problem = problem_of(domain, known, alternative.parts)
        if planner.solve(problem).status is not PlanStatus.UNSOLVABLE:
            return
    raise Refusal(f"no plan reaches {goal} from how things are", "unsolvable")
