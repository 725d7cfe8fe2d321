"""From what a program comes to, to goals over a scene's symbols, and from goals back to programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from llm.forms import Form, Sayable
from llm.reader.described import Described
from llm.reader.expanding import Clause, Expanded, Literal
from llm.reader.merging import BETWEEN
from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.formula import FALSE, Formula, Not, alternatives, conjunction, disjunction, holds, literals, negation
from tamp.model.goal import Goal

Goals = tuple[Goal, ...]


@dataclass(frozen=True, eq=False)
class Binder:
    """Binds names to symbols in one scene."""

    scene: Described
    can: Sayable

    def goals(self, found: Expanded) -> Goals:
        """Milestones in order, each with what of the earlier ones is still to hold, and what is not to be touched.
        Refusal where the program contradicts itself, or says what cannot be here."""
        untouched = tuple(dict.fromkeys(s for name in sorted(found.kept) for s in self.scene.symbols[name]))
        steps = [list(map(self._clause, dict.fromkeys(step))) for step in (*found.first, *found.milestones)]
        steps[-1] += [self._condition(*c) for c in found.conditions]
        formulas = self.milestones([s for s in steps if s])
        for formula in formulas:
            self._refuse_contradiction(formula, untouched)
        return tuple(Goal(f, untouched) for f in formulas)

    def _clause(self, clause: Clause) -> Formula:
        return disjunction(conjunction(map(self._literal, sorted(way))) for way in sorted(clause, key=sorted))

    def _condition(self, condition: frozenset[Clause], so: frozenset[Clause], otherwise: frozenset[Clause]) -> Formula:
        """What is to hold by what holds now."""
        now = holds(conjunction(map(self._clause, condition)), self.can.state.atoms)
        return conjunction(map(self._clause, sorted(so if now else otherwise, key=str)))

    def _literal(self, literal: Literal) -> Formula:
        words, names, wanted = literal
        form = self.scene.forms[words]
        args = tuple(self._symbol(name, form, n) for n, name in enumerate(names))
        atom = self.can.atom(form, args)
        if atom is None:
            raise Refusal(f'"{words}" cannot be said of {", ".join(names)} in this scene', "no goal")
        return atom if wanted else negation(atom)

    def _symbol(self, name: str, form: Form, n: int) -> str:
        """The symbol that a name stands for as argument `n` of a form."""
        own, related = self.can.symbols[form.predicate][n], self.can.argument(form, n)
        some = self.scene.symbols[name]
        return next((s for known in (own, related) for s in some if s in known), some[0])

    def _refuse_contradiction(self, formula: Formula, untouched: tuple[str, ...]) -> None:
        parts = [x for x in literals(formula) if isinstance(x, Atom)]
        moved = [a for a in parts if a.args[0] in untouched and a not in self.can.state.atoms]
        if formula == FALSE or moved:
            about = f": the {self.can.words.name.get(moved[0].args[0], moved[0].args[0])}" if moved else ""
            raise Refusal(f"the instruction contradicts itself{about}", "contradiction")

    def milestones(self, steps: Sequence[Sequence[Formula]]) -> list[Formula]:
        """Each milestone with what of the earlier ones is still to hold; without those that the next one includes."""
        out, kept = list[Formula](), list[Formula]()
        for step in steps:
            kept = [f for f in kept if not any(self._conflict(f, g) for g in step)] + list(step)
            out.append(conjunction(kept))
        return [f for i, f in enumerate(out) if i + 1 == len(out) or f != out[i + 1]]

    def _conflict(self, a: Formula, b: Formula) -> bool:
        """Whether two formulas cannot hold together: one thing in two places, open and closed, or the plain
        opposite."""
        family = {f.predicate: f.family for f in self.can.forms}
        return negation(a) == b or any(
            x != y and x.args[0] == y.args[0] and family.get(x.predicate) == family.get(y.predicate, "?") != ""
            for x in _atoms(a)
            for y in _atoms(b)
        )

    def program(self, goals: Sequence[Goal]) -> str:
        """Goals as the lines of `now:`; without what no program can say of this scene."""
        known, steps = set[str](), list[str]()
        for goal in goals:
            lines = [line for part in goal.parts if (line := self._said(part)) and line not in known]
            lines += [f"keep({name})" for name in map(self._name, goal.untouched) if name]
            lines = [line for line in dict.fromkeys(lines) if line not in known]
            known.update(lines)
            steps += [BETWEEN.join(lines)] if lines else []
        return f"{BETWEEN}then{BETWEEN}".join(steps)

    def _said(self, part: Formula) -> str:
        """A part of a goal as a line: a fact, or one of several; "" where it is neither."""
        ways = alternatives(part)
        said = [self._fact(way[0]) for way in ways if len(way) == 1]
        return " or ".join(said) if said and len(said) == len(ways) and all(said) else ""

    def _fact(self, literal: Atom | Not) -> str:
        atom = literal if isinstance(literal, Atom) else literal.atom
        for words, form in self.scene.forms.items():
            if form.predicate == atom.predicate:
                names = [self._name(s) for s in atom.args]
            elif form.side and len(atom.args) == 2 and atom.args[1].startswith(f"{form.side}-"):
                names = [self._name(atom.args[0]), self._name(atom.args[1].removeprefix(f"{form.side}-"))]
            else:
                continue
            if all(names):
                return f"{'' if isinstance(literal, Atom) else 'not '}{words}({', '.join(names)})"
        return ""

    def _name(self, symbol: str) -> str:
        return next((name for name, some in self.scene.symbols.items() if symbol in some), "")


def _atoms(formula: Formula) -> Iterator[Atom]:
    return (x for x in literals(formula) if isinstance(x, Atom))
