"""An instruction that says plainly what is to be: the model says it in the scene's words, a review sends it back."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from llm.asking import Attempt, Question, ask
from llm.grammar import MAX_CLAUSES, Language
from llm.model import Model
from llm.offers import offered
from llm.reference import rivals
from llm.words import absent, content, mentioned_in_part
from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.formula import Formula
from tamp.model.goal import Goal
from tamp.planning.engine import Tell


@dataclass(frozen=True)
class Plainly:
    """A goal, the others that the words fit as well, all of them in words, and the answer that it was made of."""

    goal: Goal
    others: tuple[Goal, ...]
    said: tuple[str, ...]
    answer: Attempt

    @property
    def things(self) -> int:
        """How many things something is said of."""
        return len({a.args[0] for c in self.answer.clauses for a in c.meaning})

    @property
    def together(self) -> bool:
        """Whether something is said of several things at once."""
        return any(c.together for c in self.answer.clauses)


def plainly(question: Question, model: Model, tell: Tell) -> Plainly:
    """What an instruction asks for. Refusal when it is about something that is not there or cannot be a goal."""
    text, words = question.text, question.words
    if missing := absent(text, words.words()):
        raise Refusal(
            f"the scene has no {' and no '.join(missing)}; {offered(text, missing, words)}", "absent", missing
        )
    if not mentioned_in_part((*words.phrases, *words.plural), Counter(content(text))):
        raise Refusal(f"the instruction names nothing in the scene; {words.inventory()}", "nameless")
    answer = ask(question, model, tell)
    _refuse_too_much(answer)
    others = _alternatives(question, answer)
    goal = question.goal(tuple(c.meaning for c in answer.clauses), answer.allowed)
    every = question.language(again=True)  # an answer's own has lost what was objected to
    return Plainly(goal, others, tuple(_in_words(g, every) for g in (goal, *others)) if others else (), answer)


def _refuse_too_much(answer: Attempt) -> None:
    """Refusal where the words name more than fits into an answer."""
    left = next((o for o in answer.objections if o.kind == "left out"), None)
    if left and len(answer.clauses) == MAX_CLAUSES:
        raise Refusal(f"that is too much at once: {left.reason} At most {MAX_CLAUSES} parts are read", "length")


def _alternatives(question: Question, answer: Attempt) -> tuple[Goal, ...]:
    """Goals that the words fit as well as the one chosen: another thing of the same name in the same role."""
    if any(c.together for c in answer.clauses):
        return ()
    allowed = question.language(again=True)
    said = tuple(c.atoms[0] for c in answer.clauses)
    others = [r.said for r in rivals(question.text, said, allowed)]
    others += [(*said[:i], a, *said[i + 1 :]) for i, c in enumerate(answer.clauses) for a in c.atoms[1:]]
    return tuple(dict.fromkeys(question.goal(tuple((a,) for a in atoms), allowed) for atoms in others))


def _in_words(goal: Goal, allowed: Language) -> str:
    return "; ".join(in_words(a, allowed) for a in goal.atoms)


def in_words(part: Formula, allowed: Language) -> str:
    """A part of a goal as a clause, "the bowl is on the plate"; in PDDL where no clause says it."""
    said = allowed.said(part) if isinstance(part, Atom) else None
    if said is None or not any(f.predicate == said.predicate for f in allowed.forms):
        return str(part)
    first, *rest = (allowed.vocabulary.name.get(s, s) for s in said.args)
    return " ".join([allowed.form(said.predicate).head(first), *rest])
