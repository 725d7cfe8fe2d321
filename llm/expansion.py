"""From a meaning to a goal: referents become symbols, quantifiers conjunctions and disjunctions, "then" milestones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations, product

from llm.forms import Form, Sayable
from llm.logic_words import ORDER
from llm.meaning import UNTOUCHED, Clause, Fact, Meaning, Referent
from llm.naming import Guess, Namer
from llm.offers import offered
from llm.referents import Meant, Reader
from llm.words import content, spellings
from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.formula import FALSE, Formula, Not, conjunction, disjunction, literals, negation

MOST = 60
"""Choices of several things that are spelled out: "two of the books"."""
_ONE_OF = frozenset({"any"})
Places = tuple[tuple[str, ...], ...]
"""The symbols of each argument of a fact but the first."""
_EVERY = frozenset({"all", "every"})
SEVERAL = frozenset({"all", "every", "both", *"23456789"})
"""Quantifiers of more than one thing."""


@dataclass(frozen=True)
class Expanded:
    """Milestones in order, each with what of the earlier ones is still to hold; what is not to be touched.

    `left` are words of referents that fit nothing, `told` words outside of them that tell which thing is meant, `read`
    the symbols that each referent's words were read as.
    `several` are the things that the words of a referent for one thing fit equally well.
    """

    milestones: tuple[Formula, ...]
    untouched: tuple[str, ...]
    left: tuple[str, ...]
    told: frozenset[str]
    read: dict[str, tuple[str, ...]]
    several: tuple[tuple[Referent, tuple[str, ...]], ...] = ()


@dataclass
class Expander:
    """Expands one meaning; referents that are said alike are the same things.

    Words that the vocabulary does not have are put to the `namer`; of several things that a referent's words fit, the
    one `chosen` for them is meant.
    """

    text: str
    can: Sayable
    reader: Reader
    namer: Namer | None = None
    chosen: dict[str, str] = field(default_factory=dict)
    facts: tuple[Fact, ...] = ()
    left: list[str] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    read: dict[str, tuple[str, ...]] = field(default_factory=dict)
    several: list[tuple[Referent, tuple[str, ...]]] = field(default_factory=list)

    def expand(self, meaning: Meaning) -> Expanded:
        """The milestones of a meaning. Refusal for what does not fit the scene or contradicts itself."""
        untouched, steps = list[str](), list[list[Formula]]()
        self.facts, in_order = meaning.facts, ORDER.search(self.text.lower()) is not None
        for clause in meaning.clauses:
            if any(f.words == UNTOUCHED for f in clause.facts):
                untouched += [s for f in clause.facts for s in self._untouched(f)]
                continue
            formula, before = self._clause(clause), steps[-1] if steps else []
            if not in_order and self._only_tells(formula) and any(_conflict(f, formula, self.can) for f in before):
                continue  # how, not what: "grab it and put it there"; or where from: "it is in the drawer"
            # What holds already and is undone by what comes next only tells which thing is meant, or where it is.
            before[:] = [f for f in before if not (_conflict(f, formula, self.can) and _is_passing(f, self.can))]
            later = (clause.later and in_order) or any(_conflict(f, formula, self.can) for f in before)
            if later and not in_order:
                raise Refusal(f"the instruction contradicts itself: {before[0]} and {formula}", "contradiction")
            if not steps or later:
                steps.append([])
            steps[-1].append(formula)
        reached = milestones([s for s in steps if s], self.can)
        self._refuse_contradiction(reached, untouched)
        left, told, alone = tuple(self.left), frozenset(self.told), tuple(dict.fromkeys(untouched))
        return Expanded(reached, alone, left, told, self.read, tuple(self.several))

    def _only_tells(self, formula: Formula) -> bool:
        """Whether a formula says only that something is in the hand, or is where it is already."""
        held, true = _held(self.can), self.can.state.atoms
        return all(isinstance(x, Atom) and (x.predicate in held or x in true) for x in literals(formula))

    def _refuse_contradiction(self, reached: tuple[Formula, ...], untouched: list[str]) -> None:
        """Refusal of what can never be, and of what would have to be moved and must not."""
        owned = set(untouched) | {p for p, o in self.can.words.owner.items() if o in untouched}
        for formula in reached:
            if formula == FALSE:
                raise Refusal("the instruction contradicts itself", "contradiction")
            for a in _atoms(formula):
                if a not in self.can.state.atoms and a.args[0] in owned:
                    name = self.can.words.name.get(a.args[0], a.args[0])
                    raise Refusal(f"the {name} is not to be touched, and yet {a}", "contradiction")

    def _clause(self, clause: Clause) -> Formula:
        found = [self._fact(f) for f in clause.facts]
        states = [a for f in found for a in _atoms(f) if len(a.args) == 1]
        if any(a.predicate != b.predicate and _conflict(a, b, self.can) for a, b in combinations(states, 2)):
            raise Refusal("the instruction leaves all as it may be: one or the other is always so", "contradiction")
        return disjunction(found)

    def _fact(self, fact: Fact) -> Formula:
        form = self.can.by_words(fact.words)
        # What stands where it is to stand first tells nothing: the subject is read last.
        places = [self._symbols(r, form, n, fact) for n, r in enumerate(fact.others, 1)]
        subjects = self._symbols(fact.subject, form, 0, fact, tuple(places))
        return self._quantified(fact, form, [subjects, *places])

    def _quantified(self, fact: Fact, form: Form, symbols: list[tuple[str, ...]]) -> Formula:
        def of(args: tuple[str, ...], rest: list[tuple[Referent, tuple[str, ...]]]) -> Formula:
            if not rest:
                atom = self.can.atom(form, args)
                if atom is None:
                    named = ", ".join(self.can.words.name.get(a, a) for a in args)
                    raise Refusal(f'"{fact.words}" cannot be said of {named} in this scene', "no goal")
                return atom if fact.holds else Not(atom)
            (referent, some), *more = rest
            return self._of_several(referent, [of((*args, s), more) for s in some], fact.holds)

        return of((), list(zip(fact.referents, symbols, strict=True)))

    def _of_several(self, referent: Referent, parts: list[Formula], holds: bool) -> Formula:
        if referent.quantifier in _ONE_OF and holds:
            return disjunction(parts)
        if referent.quantifier.isdigit() and holds:
            n = int(referent.quantifier)
            chosen = list(combinations(parts, n))
            if len(chosen) > MOST:
                raise Refusal(f'"{referent}" fits too many things to choose from', "unclear")
            return disjunction(conjunction(some) for some in chosen)
        return conjunction(parts)

    def _symbols(self, referent: Referent, form: Form, n: int, fact: Fact, places: Places = ()) -> tuple[str, ...]:
        """What a referent means as argument `n` of a form."""
        own = self.can.symbols[form.predicate][n]
        found = self._meant(referent, self.can.argument(form, n), fact)
        if not found.symbols:
            raise self._absent(referent, own)
        self.left += found.left
        proper = tuple(s for s in found.symbols if s in own) or found.symbols
        symbols = self._counted(referent, proper, set().union(*places, {""}))
        if referent.words in self.chosen and self.chosen[referent.words] in symbols:
            symbols = (self.chosen[referent.words],)
        if len(symbols) > 1 and referent.quantifier in ("", "the", "a"):
            symbols = self._one(referent, symbols, form, n, fact, places)
        self.read[referent.words] = symbols
        return symbols

    def _meant(self, referent: Referent, candidates: Iterable[str], fact: Fact) -> Meant:
        if referent.words in self.read and (same := [s for s in self.read[referent.words] if s in set(candidates)]):
            return Meant(tuple(same))
        found = self._named(referent, tuple(candidates), fact)
        if referent.exception is None:
            return found
        without = self.reader.meant(referent.exception.words, found.symbols)
        if not without.symbols:
            raise self._absent(referent.exception, found.symbols)
        return Meant(tuple(s for s in found.symbols if s not in without.symbols), found.left)

    def _named(self, referent: Referent, candidates: tuple[str, ...], fact: Fact) -> Meant:
        """What the words fit; what the model takes them to mean where the scene lacks some of them."""
        spoken = {s for some in self.read.values() for s in some}
        found = self.reader.meant(referent.words, candidates, spoken)
        if self.namer is None or (found.symbols and not found.left):
            return found
        if described := self._described(referent, found.symbols or candidates, fact):
            return Meant(described)
        free = set(self.namer.unspoken(referent.words, found.symbols))
        found = replace(found, symbols=tuple(s for s in found.symbols if s in free))
        guess = self._guessed(referent, candidates, found)
        agree = tuple(s for s in found.symbols if s in guess.symbols)
        if agree or not found.symbols:
            return Meant(agree or guess.symbols)
        if guess.symbols:
            names = " or ".join(self.can.words.name[s] for s in dict.fromkeys((*found.symbols, *guess.symbols)))
            raise Refusal(f'by "{referent.words}", is the {names} meant? Say which', "ambiguous")
        return Meant((), found.left)

    def _guessed(self, referent: Referent, candidates: tuple[str, ...], found: Meant) -> Guess:
        """What the namer makes of words: of what was not spoken of yet. Of "the upper drawer of the chest", where that
        fits but for the chest, it is asked what the chest is."""
        assert self.namer is not None
        words = self.can.words
        whose = {words.owner.get(s, s) for some in self.read.values() for s in some}
        free = [s for s in candidates if not words.is_ground(s) and words.owner.get(s, s) not in whose]
        head, _, tail = referent.words.rpartition(" of ")
        if found.symbols and head and set(found.left) <= set(content(tail)):
            owners = {words.owner.get(s, s) for s in found.symbols}
            guess = self.namer.choose(tail.removeprefix("the "), words.things)
            return replace(guess, symbols=found.symbols if owners & set(guess.symbols) else ())
        return self.namer.choose(referent.words, free, referent.quantifier in SEVERAL)

    def _counted(self, referent: Referent, symbols: tuple[str, ...], places: set[str]) -> tuple[str, ...]:
        """The symbols, as many as the quantifier asks for; what everything is put on is none of everything."""
        if referent.quantifier in _EVERY | {""} and len(symbols) > 1:
            owner = self.can.words.owner
            symbols = tuple(s for s in symbols if s not in places and s not in {owner.get(p) for p in places})
        n = 2 if referent.quantifier == "both" else int(referent.quantifier) if referent.quantifier.isdigit() else 0
        if n and (len(symbols) < n or (referent.quantifier == "both" and len(symbols) > n)):
            raise Refusal(f'"{referent}": there are {len(symbols)} in the scene', "quantity")
        return symbols

    def _one(
        self, referent: Referent, symbols: tuple[str, ...], form: Form, n: int, fact: Fact, places: Places
    ) -> tuple[str, ...]:
        """Of several things that the words for one fit: all for a plural, else what tells one of them apart."""
        if _is_plural(referent.words, self.can):
            return symbols
        if listed := self._listed(referent.words, symbols):
            return listed
        pending = tuple(s for s in symbols if n == 0 and self._is_pending(s, form, fact, places))
        ways = (
            () if places else self._spoken_of(symbols),
            self._told_by_where_it_is(referent, symbols) if n == 0 else (),
            self._described(referent, symbols, fact),
            pending,
        )
        alone = next((some for some in ways if len(some) == 1), ())
        if not alone:
            self.several.append((referent, pending or symbols))
        return alone or symbols[:1]

    def _listed(self, words: str, symbols: tuple[str, ...]) -> tuple[str, ...]:
        """What a list of things means, one by one: "cheese and the bowl"; () when the words are no such list."""
        parts = [self.reader.meant(w.removeprefix("the "), symbols).symbols for w in words.split(" and ")]
        each = [some[0] for some in parts if len(some) == 1]
        return tuple(each) if len(each) == len(parts) == len(set(each)) > 1 else ()

    def _spoken_of(self, symbols: tuple[str, ...]) -> tuple[str, ...]:
        spoken = {s for some in self.read.values() for s in some}
        return tuple(s for s in symbols if s in spoken)

    def _told_by_where_it_is(self, referent: Referent, symbols: tuple[str, ...]) -> tuple[str, ...]:
        """The one of some things of which something holds that is said of it first, and undone by what is said later:
        "the bowl is in the drawer; then the bowl is on the plate"."""
        said = [f for f in self.facts if f.subject.words == referent.words and f.others and f.holds]
        for fact in said[:-1]:
            form = self.can.by_words(fact.words)
            places = self.reader.meant(fact.others[0].words, self.can.argument(form, 1)).symbols
            there = (s for s in symbols if any(self.can.atom(form, (s, p)) in self.can.state.atoms for p in places))
            if len(found := tuple(there)) == 1:
                return found
        return ()

    def _described(self, referent: Referent, symbols: Iterable[str], fact: Fact) -> tuple[str, ...]:
        """The one of some things that the rest of the instruction tells apart: it has all words of a phrase for that
        alone, some of the referent's among them and some besides. () when there is none, or several as well.

        Words that are taken are not heard again: those of the relation, and of the other things of the fact.
        """
        heard, own = Counter(content(self.text)) - Counter(content(fact.words)), Counter(content(referent.words))
        for other in fact.referents:
            heard -= Counter(content(other.words)) if other.words != referent.words else Counter()
        fits: dict[str, Counter[str]] = {}
        for symbol in symbols:
            phrases = (p for p in self.can.words.calling(symbol) if len(self.can.words.phrases[p]) == 1)
            told = (Counter(t) for p in phrases for t in spellings(p))
            clear = [t for t in told if not t - heard and t & own and t - own]
            if clear:
                fits[symbol] = max(clear, key=lambda t: t.total())
        most = max((t.total() for t in fits.values()), default=0)
        best = [s for s, t in fits.items() if t.total() == most]
        if len(best) == 1:
            self.told |= set(fits[best[0]])
        return tuple(best) if len(best) == 1 else ()

    def _is_pending(self, symbol: str, form: Form, fact: Fact, places: Places) -> bool:
        """Whether a fact is not as it is to be of a symbol."""
        atoms = [self.can.atom(form, (symbol, *rest)) for rest in product(*places)]
        return any(a is not None and (a in self.can.state.atoms) != fact.holds for a in atoms)

    def _untouched(self, fact: Fact) -> tuple[str, ...]:
        known = tuple(self.can.state.symbols)
        found = self._meant(fact.subject, known, fact)
        if not found.symbols:
            raise self._absent(fact.subject, known)
        self.left += found.left
        return found.symbols

    def _absent(self, referent: Referent, known: Iterable[str]) -> Refusal:
        here = offered(self.text, (referent.words,), self.can.words)
        message = f'the scene has no "{referent.words}" that this can be said of; {here}'
        return Refusal(message, "absent", (referent.words,))


def _is_plural(words: str, can: Sayable) -> bool:
    """Whether the words are a plural of the scene: "drawers of the cabinet"."""
    return any(words == p or words.startswith(f"{p} ") or words.endswith(f" {p}") for p in can.words.plural)


def _atoms(formula: Formula) -> Iterator[Atom]:
    return (x for x in literals(formula) if isinstance(x, Atom))


def _conflict(a: Formula, b: Formula, can: Sayable) -> bool:
    """Whether two formulas cannot hold together: one thing in two places, open and closed, or the plain opposite."""
    if negation(a) == b:
        return True
    family = {f.predicate: f.family for f in can.forms}
    return any(
        x != y and x.args[0] == y.args[0] and family.get(x.predicate) == family.get(y.predicate, "?") != ""
        for x in _atoms(a)
        for y in _atoms(b)
    )


def milestones(steps: list[list[Formula]], can: Sayable) -> tuple[Formula, ...]:
    """Each milestone with what of the earlier ones is still to hold; without those that the next one includes."""
    out, kept = list[Formula](), list[Formula]()
    for step in steps:
        kept = [f for f in kept if not any(_conflict(f, g, can) for g in step)] + step
        out.append(conjunction(kept))
    return tuple(f for i, f in enumerate(out) if i + 1 == len(out) or f != out[i + 1])


def _held(can: Sayable) -> set[str]:
    """The predicates that say of a thing alone what excludes that it is anywhere."""
    families = {f.family for f in can.forms if len(f.types) > 1} - {""}
    return {f.predicate for f in can.forms if len(f.types) == 1 and f.family in families}


def _is_passing(formula: Formula, can: Sayable) -> bool:
    """Whether reaching this is no milestone of its own: it holds from the start, or the way on leads through it, as
    what is put somewhere is held before."""
    held = _held(can)
    return all(isinstance(x, Atom) and (x in can.state.atoms or x.predicate in held) for x in literals(formula))
