"""Clause by clause: the model chooses, the grammar says among what."""

from __future__ import annotations

from dataclasses import dataclass

from llm.grammar import MAX_CLAUSES, Language, pattern
from llm.model import Model, Prompt
from tamp.model.atoms import Atom

MORE, END = ";", "."


@dataclass(frozen=True)
class Clause:
    """One clause of an answer: its text, the atoms that it can mean, and the model's probability for it.

    `together` when all of them are meant ("the bowls are on the tray"), else exactly one is.
    """

    text: str
    atoms: tuple[Atom, ...]
    probability: float
    together: bool = False

    @property
    def meaning(self) -> tuple[Atom, ...]:
        """What is asked for: the first of the atoms unless all are meant."""
        return self.atoms if self.together else self.atoms[:1]


def decode(model: Model, prompt: Prompt, language: Language, least: int = 1) -> tuple[Clause, ...]:
    """The model's answer: `least` to three clauses that do not contradict each other."""
    clauses: list[Clause] = []
    begun = ""
    while len(clauses) < MAX_CLAUSES:
        said = [a for c in clauses for a in c.meaning]
        left = language.without(said)
        if not left.heads():
            break
        n = len(clauses) + 1
        ends = END if n == MAX_CLAUSES else MORE if n < least else MORE + END
        clause, end = _clause(model, prompt, begun, left, ends)
        clauses.append(clause)
        begun += (" " if begun else "") + clause.text + end
        if end == END:
            break
    return tuple(clauses)


def _clause(model: Model, prompt: Prompt, begun: str, language: Language, ends: str) -> tuple[Clause, str]:
    """One clause and the sign of `ends` that ends it. Its subject and predicate are chosen first, then its object."""
    heads = language.heads()
    whole = {h for h, atoms in heads.items() if len(atoms[0].args) == 1}
    parts = [pattern(texts, signs) for texts, signs in ((heads.keys() - whole, ""), (whole, ends)) if texts]
    # The space before a clause belongs to its first token.
    lead = " " if begun else ""
    first = model.complete(prompt, begun, f"{lead}({'|'.join(parts)})")
    head = first.text.strip()
    if head not in heads:
        head, end = head[:-1], head[-1]
        return Clause(head, heads[head], first.probability, " are " in head), end
    tails = language.tails(head)
    second = model.complete(prompt, begun + lead + head, " " + pattern(tails, ends))
    tail, end = second.text.strip()[:-1], second.text.strip()[-1]
    return Clause(f"{head} {tail}", tails[tail], first.probability * second.probability, " are " in head), end
