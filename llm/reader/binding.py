"""From what a program comes to, to goals over a scene's symbols, and from goals back to programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from llm.reader.expanding import BETWEEN, Clause, Expanded, Literal, sorting_key
from llm.reader.setting import THING, CallSignature, Member, Setting, plural
from llm.vocabulary.forms import BELONGING, Form, Sayable
from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.formula import (
    FALSE,
    TRUE,
    Formula,
    Not,
    alternatives,
    conjunction,
    disjunction,
    holds,
    literals,
    negation,
)
from tamp.model.goal import Goal

Goals = tuple[Goal, ...]


MARKS = 5
"""Ways to single a thing out among its namesakes that are listed with it."""


@dataclass(frozen=True, eq=False)
class Binder:
    """One scene: what can be said of it as a setting, and programs over the names in it as goals over symbols."""

    domain: Domain
    can: Sayable

    @cached_property
    def forms(self) -> dict[str, Form]:
        """The forms that can be said of something here, by their words; one for each side of things."""
        possible = [f for f in self.can.forms if all(self.can.symbols[f.predicate])]
        sides = {f.side: f for f in reversed(possible) if f.side}
        return {f.words: f for f in possible if f.side is None or sides[f.side] is f}

    @cached_property
    def _kinds(self) -> dict[str, str]:
        """The types of symbols, but of those that can only be related to."""
        types = {t for f in self.forms.values() if not f.of_things for kinds in f.types for t in kinds}
        every, things = self.can.state.symbols, {*self.can.words.things}
        return {s: t for s, t in every.items() if s not in things or any(self.domain.is_a(t, some) for some in types)}

    @cached_property
    def symbols(self) -> dict[str, tuple[str, ...]]:
        """The symbols that each name of the setting stands for: a thing and the one place on or in it that is called
        alike are one; of a board first the room over it."""
        found: dict[str, list[str]] = {}
        words, kinds = self.can.words, self._kinds
        for symbol in dict.fromkeys((*kinds, *words.things)):
            owner = words.owner.get(symbol, symbol)
            on_top = owner not in kinds and owner in words.name and words.above.get(owner) == symbol
            found.setdefault(words.name[owner if on_top else symbol], []).append(symbol)
        for thing in set(words.things) & words.above.keys():
            rooms = [s for s in words.phrases.get(words.name[thing], ()) if s != thing]
            if words.above[thing] not in rooms:
                found[words.name[thing]] = [*rooms, *found[words.name[thing]]]
        return {name.replace(" and ", " & "): tuple(some) for name, some in found.items()}  # "and" is between names

    @cached_property
    def setting(self) -> Setting:
        """Things with their facts, and what can be said of them."""
        known = {t for f in self.forms.values() if not f.of_things for kinds in f.types for t in kinds}
        kinds, members = self._kinds, list[Member]()
        for name, some in self.symbols.items():
            here = {kinds[s] for s in some if s in kinds}
            types = frozenset(t for t in known if any(self.domain.is_a(kind, t) for kind in here))
            types |= {BELONGING} if any(s in self.can.words.belongs for s in some) else frozenset()
            facts = (*self._facts(some), *self._marks(some))
            members.append(Member(name, facts, types or frozenset({THING}), self._group(name, some)))
        anything = frozenset({THING})
        signatures = [
            CallSignature(words, (f.types[0], *(anything for _ in f.types[1:])) if f.of_things else f.types)
            for words, f in self.forms.items()
        ]
        return Setting(tuple(members), tuple(signatures))

    def _group(self, name: str, some: tuple[str, ...]) -> str:
        """The plural of what a thing is called apart from what tells it from others."""
        words = self.can.words
        part = any(s in words.owner and words.owner[s] not in some for s in some)
        called = [p for s in some for p in words.calling(s) if name.endswith(p) or name.startswith(p)]
        head = name if part else min(called, key=len, default=name)
        return plural(head.partition(" of the ")[0].split()[-1])

    def _facts(self, some: tuple[str, ...]) -> Iterator[str]:
        words = {f.predicate: said for said, f in self.forms.items() if not f.of_things}
        owners = [o for s in some if (o := self.can.words.owner.get(s)) and o not in some and self._name(o)]
        yield from (f"of {self._name(o)}" for o in owners[:1])
        for a in sorted(self.can.state.atoms, key=str):
            others = [self._name(s) for s in a.args[1:]]
            if a.predicate in words and a.args[0] in some and all(others):
                yield " ".join((words[a.predicate], *others))

    def _marks(self, some: tuple[str, ...]) -> Sequence[str]:
        """Where a thing is among its namesakes: "left", "next to the plate"."""
        symbol, words = some[0], self.can.words
        if not words.namesakes(symbol) or symbol in words.owner:
            return ()
        nouns = [p for p in words.calling(symbol) if len(words.phrases[p]) > 1]
        alone = [p for p in words.calling(symbol) if words.phrases[p] == (symbol,)]
        places = [f.words for f in self.can.forms if not f.of_things]
        placed = {f"{said} the {p}" for said in places for p in words.phrases}  # these are facts
        marks = dict.fromkeys(p.replace(n, "").strip() for n in sorted(nouns, key=len)[-1:] for p in alone if n in p)
        return [m for m in marks if m and m not in placed][:MARKS]

    def _name(self, symbol: str) -> str:
        return next((name for name, some in self.symbols.items() if symbol in some), "")

    def goals(self, found: Expanded) -> Goals:
        """Milestones in order, each with what of the earlier ones is still to hold, and what is not to be touched.
        Refusal where the program contradicts itself, or says what cannot be here."""
        untouched = tuple(dict.fromkeys(s for name in sorted(found.kept) for s in self.symbols[name]))
        steps = [
            self._without_the_way([*map(self._clause, dict.fromkeys(step))])
            for step in (*found.first, *found.milestones)
        ]
        for condition, so, otherwise in sorted(
            found.conditions, key=lambda c: [sorted(map(sorting_key, some)) for some in c]
        ):
            now = holds(conjunction(map(self._clause, condition)), self.can.state.atoms)
            steps[-1].append(conjunction(map(self._clause, sorted(so if now else otherwise, key=sorting_key))))
        formulas = [f for f in self.milestones([s for s in steps if s]) if f != TRUE]
        for formula in formulas:
            parts = [x for x in literals(formula) if isinstance(x, Atom)]
            moved = [a.args[0] for a in parts if a.args[0] in untouched and a not in self.can.state.atoms]
            if formula == FALSE or moved:
                about = f": the {self.can.words.name.get(moved[0], moved[0])}" if moved else ""
                raise Refusal(f"the instruction contradicts itself{about}", "contradiction")
        return tuple(Goal(f, untouched) for f in formulas)

    def _without_the_way(self, step: Sequence[Formula]) -> list[Formula]:
        """Without what comes about on the way: what is to be on a thing, and cannot also be elsewhere, goes where that
        is to go; and what is to be held, then to be somewhere, is held before that."""
        pairs = [f for f in step if isinstance(f, Atom) and len(f.args) == 2]
        along = {(on.args[0], to.args[1]): on for on in pairs for to in pairs if on.args[1] == to.args[0]}
        passed = [a for a in pairs if a.args in along and self._conflict(a, along[a.args])]
        after = {f.predicate: f.after for f in self.can.forms}
        atoms = [f for f in step if isinstance(f, Atom)]
        passed += [
            a
            for n, a in enumerate(atoms)
            if any(
                len(to.args) == 2 and a.args == to.args[:1] and a.predicate in after.get(to.predicate, ())
                for to in atoms[n + 1 :]
            )
        ]
        return [f for f in step if f not in passed]

    def _clause(self, clause: Clause) -> Formula:
        return disjunction(conjunction(map(self._literal, sorted(way))) for way in sorted(clause, key=sorted))

    def _literal(self, literal: Literal) -> Formula:
        words, names, wanted = literal
        form = self.forms[words]
        args = tuple(self._symbol(name, form, n) for n, name in enumerate(names))
        atom = self.can.atom(form, args)
        if atom is None:
            raise Refusal(f'"{words}" cannot be said of {", ".join(names)} in this scene', "no goal")
        return atom if wanted else negation(atom)

    def _symbol(self, name: str, form: Form, n: int) -> str:
        """The symbol that a name stands for as argument `n` of a form: the room over a board, one of the argument's
        type, or one that is as good."""
        own, related = self.can.symbols[form.predicate][n], self.can.argument(form, n)
        some, words = self.symbols[name], self.can.words
        room = some[:1] if words.above.get(words.owner.get(some[0], "")) != some[0] else ()
        fit = (*(s for s in room if s in own or s in related), *(s for s in some if s in own))
        return next(iter((*fit, *(s for s in some if s in related), some[0])))

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
        for words, form in self.forms.items():
            names = [self._name(s) for s in atom.args]
            if form.predicate == atom.predicate and all(names):
                return f"{'' if isinstance(literal, Atom) else 'not '}{words}({', '.join(names)})"
        return ""


def _atoms(formula: Formula) -> Iterator[Atom]:
    return (x for x in literals(formula) if isinstance(x, Atom))
