"""What a reader is shown before the words: things in groups, what can be asked for and done, what is being done now.

    cups [item]: blue cup (on kitchen table), red cup (on kitchen table)
    drawers [container]: top drawer (of the chest; closed), bottom drawer (of the chest; open)
    tables [surface]: kitchen table
    can be: on(item, surface), in(item, container), open(container), closed(container)
    can do: wave()
    now: on(blue cup, kitchen table)

A group's plural and the plurals of types mean all of their members. Names are unique; what stands in parentheses is
how things are. `thing` is every type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

THING = "thing"
_GROUP = re.compile(r"(?P<plural>[^\[\]:()]+) \[(?P<types>[a-z][a-z ]*)\]: (?P<members>.+)")
_MEMBER = re.compile(r"\s*(?P<name>[^(),]+?)(?:\s*\((?P<facts>[^()]*)\))?\s*(?:,|$)")
_SIGNATURE = re.compile(r"\s*(?P<name>[a-z][a-z0-9 -]*)\((?P<types>[^()]*)\)\s*(?:,|$)")
_IN_NAMES = re.compile(r"[a-z0-9][a-z0-9' .&-]*")
_APART = re.compile(r"\b(or|and|except)\b")


class NotASetting(ValueError):
    """Text that does not describe a setting: what is wrong, and where."""


@dataclass(frozen=True)
class Member:
    """A thing: its unique `name`, the `facts` about it ("on kitchen table", "closed"), its types and its group."""

    name: str
    facts: tuple[str, ...]
    types: frozenset[str]
    group: str


@dataclass(frozen=True)
class CallSignature:
    """A predicate or an action: per argument the types that it takes; `options` may be given by name besides."""

    name: str
    types: tuple[frozenset[str], ...]
    options: tuple[str, ...] = ()

    def __str__(self) -> str:
        words = ", ".join("|".join(sorted(t)) for t in self.types)
        return f"{self.name}({words}{'; ' if self.options else ''}{', '.join(self.options)})"


@dataclass(frozen=True)
class Setting:
    """Things, what can be asked for and done, and what is being done `now` (a program's lines; "" for nothing)."""

    members: tuple[Member, ...]
    can_be: tuple[CallSignature, ...]
    can_do: tuple[CallSignature, ...] = ()
    now: str = ""
    _by_name: dict[str, Member] = field(init=False, default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._by_name.update({m.name: m for m in self.members})

    @cached_property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """The names in each group and of each type, by the plural."""
        found: dict[str, tuple[str, ...]] = {}
        for m in self.members:
            for plural_ in dict.fromkeys((m.group, *(plural(t) for t in sorted(m.types)), plural(THING))):
                found[plural_] = (*found.get(plural_, ()), m.name)
        return found

    @cached_property
    def forms(self) -> dict[str, CallSignature]:
        """Predicates and actions, by name."""
        return {s.name: s for s in (*self.can_be, *self.can_do)}

    def member(self, name: str) -> Member | None:
        """The thing with a name."""
        return self._by_name.get(name)

    def fits(self, name: str, types: Iterable[str]) -> bool:
        """Whether a thing is of one of some types."""
        wanted = set(types)
        return THING in wanted or not wanted.isdisjoint(self._by_name[name].types)

    def holds(self, predicate: str, name: str, other: str = "") -> bool:
        """Whether it is said of a thing that a predicate holds: of itself, or with another thing."""
        return f"{predicate} {other}".strip() in self._by_name[name].facts

    def __str__(self) -> str:
        lines: dict[str, list[str]] = {}
        for m in self.members:
            shown = f"{m.name} ({'; '.join(m.facts)})" if m.facts else m.name
            lines.setdefault(f"{m.group} [{' '.join(sorted(m.types))}]", []).append(shown)
        text = [f"{head}: {', '.join(names)}" for head, names in lines.items()]
        text += [f"can be: {', '.join(map(str, self.can_be))}"] if self.can_be else []
        text += [f"can do: {', '.join(map(str, self.can_do))}"] if self.can_do else []
        text += [f"now: {self.now}"] if self.now else []
        return "\n".join(text)


def read_setting(text: str) -> Setting:
    """A setting from its text. Raises NotASetting."""
    members, can_be, can_do, now = list[Member](), list[CallSignature](), list[CallSignature](), ""
    for line in filter(None, map(str.strip, text.splitlines())):
        head, _, rest = line.partition(": ")
        match head:
            case "can be":
                can_be += _signatures(rest)
            case "can do":
                can_do += _signatures(rest)
            case "now":
                now = rest
            case _:
                members += _members(line)
    found = Setting(tuple(members), tuple(can_be), tuple(can_do), now)
    _check(found)
    return found


def plural(noun: str) -> str:
    """The regular plural: "bowls", "boxes", "dishes", "caddies"."""
    if noun.endswith(("lf", "af", "fe")):
        return noun.removesuffix("e")[:-1] + "ves"
    if noun.endswith("y") and noun[-2:-1] not in tuple("aeiou"):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _members(line: str) -> Iterator[Member]:
    group = _GROUP.fullmatch(line)
    if group is None:
        raise NotASetting(f"no group: {line!r}; valid: cups [item]: red cup (on table), blue cup")
    types = frozenset(group["types"].split())
    for name, facts in _listed(_MEMBER, group["members"]):
        yield Member(name, tuple(f.strip() for f in (facts or "").split(";") if f.strip()), types, group["plural"])


def _signatures(text: str) -> Iterator[CallSignature]:
    for name, inside in _listed(_SIGNATURE, text):
        types, _, named = (inside or "").partition(";")
        options = [o.strip() for o in named.split(",") if o.strip()]
        given = tuple(frozenset(t.strip().split("|")) for t in types.split(",")) if types.strip() else ()
        yield CallSignature(name, given, tuple(options))


def _listed(pattern: re.Pattern[str], text: str) -> Iterator[tuple[str, str | None]]:
    at = 0
    while at < len(text):
        found = pattern.match(text, at)
        if found is None:
            raise NotASetting(f"not understood: {text[at:]!r}")
        yield found[1], found[2]
        at = found.end()


def _check(setting: Setting) -> None:
    """Raise NotASetting for names that are there twice or cannot be read, and types that nothing has."""
    seen: set[str] = set()
    for m in setting.members:
        if m.name in seen or m.name in setting.groups:
            raise NotASetting(f"{m.name!r} names two things, or is a group, too; valid: names that are unique")
        if not _IN_NAMES.fullmatch(m.name) or _APART.search(m.name):
            raise NotASetting(f"{m.name!r} is no name; valid: lower case, without or, and, except")
        seen.add(m.name)
    if not setting.can_be and not setting.can_do:
        raise NotASetting("nothing can be asked for; valid: can be: on(item, surface)")
    known = {t for m in setting.members for t in m.types} | {THING}
    for signature in (*setting.can_be, *setting.can_do):
        for types in signature.types:
            if not types & known:
                raise NotASetting(f"{signature}: nothing is a {' or '.join(sorted(types))}; types: {sorted(known)}")
