"""From what a program comes to, to goals over a scene's symbols; or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from llm.expansion import milestones
from llm.forms import Form, Sayable
from llm.reader.described import Described
from llm.reader.expanding import Clause, Expanded, Literal
from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.formula import FALSE, Formula, conjunction, disjunction, holds, literals, negation
from tamp.model.goal import Goal


@dataclass(frozen=True, eq=False)
class Binder:
    """Binds names to symbols in one scene."""

    scene: Described
    can: Sayable

    def goals(self, found: Expanded) -> tuple[Goal, ...]:
        """Milestones in order, each with what of the earlier ones is still to hold, and what is not to be touched.
        Refusal where the program is no goal, or contradicts itself."""
        self._refuse(found)
        untouched = tuple(dict.fromkeys(s for name in sorted(found.kept) for s in self.scene.symbols[name]))
        steps = [list(map(self._clause, dict.fromkeys(step))) for step in found.milestones]
        steps[-1] += [self._condition(*c) for c in found.conditions]
        formulas = milestones([s for s in steps if s], self.can)
        for formula in formulas:
            self._refuse_contradiction(formula, untouched)
        return tuple(Goal(f, untouched) for f in formulas)

    def _refuse(self, found: Expanded) -> None:
        match found.kind:
            case "cannot":
                said = " and ".join(f'"{w}"' for w in sorted(found.cannot))
                can = ", ".join(map(str, self.scene.setting.can_be))
                raise Refusal(f"{said} cannot be said with what can be here: {can}", "no goal")
            case "absent":
                said = " and no ".join(sorted(found.absent))
                raise Refusal(f"the scene has no {said}; {self.can.words.inventory()}", "absent", tuple(found.absent))
            case "ask":
                some = sorted(next(iter(found.asks)))
                raise Refusal(f"which is meant: {', '.join(some[:-1])} or {some[-1]}?", "ambiguous")
            case "nothing" | "stop":
                raise Refusal("nothing is asked for that could be done", "nothing")
            case _ if found.actions or found.back or found.dropped or found.drops_all or found.first:
                raise Refusal("that is about work in progress, and there is none", "no goal")
            case _:
                pass

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
