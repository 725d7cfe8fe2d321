"""Goals: ground formulas over the domain's predicates and the scene's symbols, and what must be left alone.

A goal is read from PDDL with `and or not imply forall exists =`. Quantifiers are spelled out over the scene when it is
read, so that nothing downstream sees more than `and`, `or` and negated atoms. What is asked for one after the other is
a tuple of goals.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tamp.errors import InputError, Refusal
from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.formula import Formula, Not, alternatives, conjunction, conjuncts, literals, missing, ways
from tamp.model.goal_grounding import Reader
from tamp.model.goal_syntax import tree, valid
from tamp.model.state import WorldState

UNTOUCHABLE = "untouchable"
"""The predicate by which a domain respects what is to be left alone."""

MOST_ALTERNATIVES = 8
"""Alternatives of a goal that are planned for one by one."""


@dataclass(frozen=True)
class Goal:
    """A formula that is to hold, and the symbols of what must not be moved or operated on the way."""

    formula: Formula
    untouched: tuple[str, ...] = ()

    @classmethod
    def of(cls, parts: Iterable[Formula], untouched: tuple[str, ...] = ()) -> Goal:
        """All of the parts."""
        return cls(conjunction(parts), untouched)

    def __str__(self) -> str:
        return str(self.formula)

    @property
    def parts(self) -> tuple[Formula, ...]:
        """What has to hold together: the parts of a conjunction, else the formula itself."""
        return conjuncts(self.formula)

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The atoms that it asks for, those of alternatives too; all of it for a conjunction of atoms."""
        return tuple(x for x in literals(self.formula) if isinstance(x, Atom))

    @property
    def mentioned(self) -> tuple[Atom, ...]:
        """Every atom that it speaks of, to be true or to be false."""
        return tuple(dict.fromkeys(x.atom if isinstance(x, Not) else x for x in literals(self.formula)))

    @property
    def symbols(self) -> tuple[str, ...]:
        """Every symbol that it speaks of."""
        return tuple(dict.fromkeys(s for a in self.mentioned for s in a.args))

    def missing(self, state: WorldState) -> tuple[Formula, ...]:
        """The parts that do not hold in `state`."""
        return missing(self.formula, state.atoms)

    def alternatives(self) -> tuple[Goal, ...]:
        """The goals without `or` of which any one will do; the goal itself where they are too many."""
        if ways(self.formula) > MOST_ALTERNATIVES:
            return (self,)
        return tuple(replace(self, formula=conjunction(some)) for some in alternatives(self.formula)) or (self,)

    def rules(self, domain: Domain, state: WorldState) -> frozenset[Atom]:
        """The facts that keep the planner from touching what is to be left alone.

        Raises Refusal where the domain has no predicate that says it of such a thing.
        """
        predicate = domain.predicates.get(UNTOUCHABLE)
        kinds = [kind for _, kind in predicate.parameters] if predicate else []
        for name in self.untouched:
            if len(kinds) != 1 or name not in state.symbols or not domain.is_a(state.symbols[name], kinds[0]):
                said = f"({UNTOUCHABLE} ?o - {state.symbols.get(name, 'object')})"
                raise Refusal(f"{name} cannot be left alone: the domain {domain.name} has no {said}", "no goal")
        return frozenset(Atom(UNTOUCHABLE, (name,)) for name in self.untouched)


def parse_goal(
    text: str,
    domain: Domain,
    symbols: Mapping[str, str],
    *,
    ranged: Mapping[str, str] | None = None,
    untouched: Iterable[str] = (),
) -> Goal:
    """A goal from PDDL.

    `symbols` maps the names that can be said to types; `ranged` are those that quantifiers speak of, by default all.
    `untouched` names what is to be left alone. Raises InputError with the column (from 1) of what is wrong and what
    would be valid there.
    """
    check_form(text, domain)
    for name in untouched:
        if name not in symbols:
            raise InputError(f"no {name!r} in the scene that could be left alone; {valid(name, symbols)}")
    formula = Reader(domain, symbols, ranged).formula(tree(text), {})
    return Goal(formula, tuple(dict.fromkeys(untouched)))


def check_form(text: str, domain: Domain) -> None:
    """What `parse_goal` finds wrong without a scene: parentheses, predicates, types, how many arguments."""
    Reader(domain).formula(tree(text), {})


def in_pddl(goals: Sequence[Goal]) -> str | list[str]:
    """A goal as a formula, a sequence as a list of formulas."""
    return str(goals[0]) if len(goals) == 1 else list(map(str, goals))
