"""The conversation: a question, an answer, and the answer sent back while something speaks against it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from llm.decoding import Clause, decode
from llm.grammar import Language, language
from llm.model import Model, Prompt
from llm.offers import offered
from llm.phrases import Vocabulary
from llm.prompt import prompt
from llm.reference import narrowed
from llm.review.answer import Objection
from llm.review.objections import objections
from llm.words import unused
from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.goal import Goal, parse_goal
from tamp.model.state import WorldState, problem_of
from tamp.perception import relative_places
from tamp.planning.engine import Planner, PlanStatus, Tell

RETRIES = 3
"""Times that the model is asked again."""


@dataclass(frozen=True)
class Question:
    """An instruction about a scene. `state` is what of the `whole` of it goes into the question.

    `planner` judges whether a goal can be reached, None for no judgement.
    """

    text: str
    words: Vocabulary
    state: WorldState
    whole: WorldState
    domain: Domain
    image: bytes | None = None
    planner: Planner | None = None

    def language(self, again: bool = False) -> Language:
        """What may be said in answer."""
        return language(self.domain, self.state, self.words, self.text, again=again)

    def goal(self, parts: tuple[tuple[Atom, ...], ...], allowed: Language) -> Goal:
        """The conjunction of what is said, through the same check that a written goal gets."""
        atoms = tuple(m for some in parts for a in some if (m := allowed.meant(a)))
        return parse_goal(str(Goal.of(atoms)), self.domain, self._symbols)

    def unsolvable(self, goal: Goal) -> bool:
        """Whether it is proven that no plan reaches a goal."""
        if self.planner is None:
            return False
        problem = problem_of(self.domain, replace(self.whole, symbols=self._symbols), goal.parts)
        return self.planner.solve(problem).status is PlanStatus.UNSOLVABLE

    @property
    def _symbols(self) -> dict[str, str]:
        return self.whole.symbols | relative_places.symbols(self.words.things)


@dataclass(frozen=True)
class Attempt:
    """An answer: the `number`th, from 1; what it was an answer to, and what speaks against it."""

    number: int
    prompt: Prompt
    clauses: tuple[Clause, ...]
    allowed: Language
    objections: tuple[Objection, ...]

    @property
    def reply(self) -> str:
        """What the model said, as far as it was taken."""
        return "; ".join(c.text for c in self.clauses)

    @property
    def probability(self) -> float:
        """The model's probability for it."""
        return prod(c.probability for c in self.clauses)

    @property
    def badness(self) -> tuple[int, int]:
        """What is to be least: grave objections, then others."""
        return sum(o.grave for o in self.objections), len(self.objections)


def ask(question: Question, model: Model, tell: Tell) -> Attempt:
    """The model's answer. While something speaks against it, it is asked again with the reason, three times at most.

    What speaks against answers goes to `tell`. Raises Refusal when nothing can be done with any of them.
    """
    allowed = question.language()
    if not allowed.heads():
        raise Refusal(f"the domain {question.domain.name} has no goal for anything in the scene", "no goal")
    asked, least = replace(prompt(question.text, allowed, question.state), image=question.image), 1
    attempts: list[Attempt] = []
    while len(attempts) <= RETRIES and allowed.heads():
        answer = _review(Attempt(len(attempts) + 1, asked, decode(model, asked, allowed, least), allowed, ()), question)
        attempts.append(answer)
        if not answer.objections:
            break
        for o in answer.objections:
            tell("objection", attempt=answer.number, error=o.kind, message=o.reason, reply=answer.reply, grave=o.grave)
        least = max(o.least for o in answer.objections)
        allowed = _what_is_left(question, attempts)
        asked = asked.corrected(f"{answer.reply}.", answer.objections[0].reason)
    best = min(attempts, key=lambda a: a.badness)
    _refuse(best, question)
    return best


def _review(answer: Attempt, question: Question) -> Attempt:
    """An answer with what speaks against it; without the clauses that alone are at fault."""
    clauses, allowed = narrowed(answer.clauses, question.text, answer.allowed), answer.allowed
    found = objections(question.text, clauses, allowed)
    # A small model goes on when all is said, about what nobody named.
    strange = [o for o in found if o.strange]
    sound = tuple(c for c in clauses if not any(o.is_about(c.atoms[0]) for o in strange))
    if sound and len(sound) < len(clauses) and len(left := objections(question.text, sound, allowed)) < len(found):
        clauses, found = sound, left
    sayable = not any(o.grave for o in found) and all(allowed.meant(c.atoms[0]) for c in clauses)
    if sayable and question.unsolvable(question.goal(tuple(c.meaning for c in clauses), allowed)):
        wrong = tuple(a for c in clauses for a in c.atoms)
        found = (Objection("unsolvable", "No plan reaches that.", wrong), *found)
    return replace(answer, clauses=clauses, objections=found)


def _what_is_left(question: Question, attempts: list[Attempt]) -> Language:
    """What may be said apart from what was objected to; with what holds already, when nobody named what was said."""
    made = [o for a in attempts for o in a.objections]
    wrong, barred = {a for o in made for a in o.wrong}, {s for o in made for s in o.barred}
    return question.language(again=any(o.kind == "unmentioned" for o in made)).excluding(wrong, barred)


def _refuse(answer: Attempt, question: Question) -> None:
    """Refusal of an answer that nothing can be done with."""
    here = offered(question.text, (), question.words)
    if strange := [o.strange for o in answer.objections if o.strange]:
        named = " or ".join(strange)
        unread = ", ".join(f'"{w}"' for w in unused(question.text, answer.reply))
        left = f", and of its words this reading leaves out {unread}" if unread else ""
        message = f'read as "{answer.reply}", but the instruction does not name {named}{left}; {here}'
        raise Refusal(message, "absent")
    if any(o.kind == "unsolvable" for o in answer.objections):
        raise Refusal(f'no plan reaches "{answer.reply}" from how things are; {here}', "unsolvable")
    if grave := [o.reason for o in answer.objections if o.grave]:
        against = "; ".join(f"{reason[:1].lower()}{reason[1:].removesuffix('.')}" for reason in grave)
        raise Refusal(f'the nearest to the instruction is "{answer.reply}", but: {against}; {here}', "unclear")
    if beyond := [c.text for c in answer.clauses if answer.allowed.meant(c.atoms[0]) is None]:
        message = f'"{beyond[0]}" cannot be a goal: the domain {question.domain.name} has no predicate for it'
        raise Refusal(message, "no goal")
