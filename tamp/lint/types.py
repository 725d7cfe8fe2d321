"""The types of a domain: which is below which."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from tamp.lint.findings import Notes, valid
from tamp.lint.typed import OBJECT, Typed


@dataclass(frozen=True)
class Types:
    """The types that a domain declares, and those that it mentions as supertypes only."""

    declared: tuple[Typed, ...] = ()

    @cached_property
    def parents(self) -> dict[str, set[str]]:
        """The direct supertypes of each type, also of those that are mentioned only."""
        parents: dict[str, set[str]] = {OBJECT: set()}
        for one in self.declared:
            parents.setdefault(one.name, set()).update(one.kinds)
            for kind in one.kinds:
                parents.setdefault(kind, {OBJECT})
        parents[OBJECT] = set()
        return parents

    @cached_property
    def above(self) -> dict[str, frozenset[str]]:
        """Each type with all that are above it."""
        return {name: frozenset(self._climb(name)) for name in self.parents}

    def _climb(self, name: str) -> set[str]:
        seen, left = {name, OBJECT}, [name]
        while left:
            new = self.parents[left.pop()] - seen
            seen |= new
            left += new
        return seen

    def fits(self, given: Iterable[str], wanted: Collection[str]) -> bool:
        """Whether something of one of the given types can be one of the wanted; unknown types fit everywhere."""
        unknown = [k for k in (*given, *wanted) if k not in self.above]
        return bool(unknown) or any(self.above[g] & set(wanted) for g in given)

    def unused(self, used: Iterable[str]) -> list[Typed]:
        """The declared types of which none of the used ones is, nor one above it or below it. `object` is above all."""
        apart = set(used) & self.above.keys()
        below = {above for name in apart for above in self.above[name]} - {OBJECT}
        return [t for t in self.declared if t.name not in below | {OBJECT} and not self.above[t.name] & apart]

    def check_used(self, declared: Iterable[Typed], notes: Notes) -> None:
        """Say which types of what is declared do not exist."""
        for one in {t.start: t for d in declared for t in d.types}.values():
            if one.word not in self.parents:
                notes.add("unknown-type", one, f"there is no type {one.word!r}; {valid(one.word or '', self.parents)}")


def check_types(types: Types, notes: Notes) -> None:
    """Say which types are declared twice, below themselves, or only mentioned."""
    names = {OBJECT} | {t.name for t in types.declared}
    seen: dict[str, Typed] = {}
    for one in types.declared:
        first = seen.setdefault(one.name, one)
        if first.kinds != one.kinds:  # as in IPC's Storage domain: it is below both
            above = f"the type {one.name!r} is below {first.kinds[0]!r} already"
            notes.doubt(
                one.node, "unsupported", f"{above}; unified-planning reads one declaration: leave out the other"
            )
        elif first is not one:
            notes.add("duplicate", one.node, f"the type {one.name!r} is declared twice")
        direct = types.parents[one.name]
        if one.name != OBJECT and any(one.name in types.above[parent] for parent in direct if parent in types.above):
            notes.add("type-cycle", one.node, f"the type {one.name!r} is below itself")
    missing: set[str] = set()
    for kind in {t.start: t for d in types.declared for t in d.types}.values():
        if kind.word not in names | missing:
            others = sorted(names - {OBJECT})
            message = f"the supertype {kind.word!r} is not declared itself; {valid(kind.word or '', others)}"
            notes.add("undeclared-supertype", kind, message)
            missing.add(kind.word or "")
