"""What things are called: names that do not read as they are written are in the `words.toml` beside a `domain.pddl`;
everything else is read by rule: underscores are spaces, numbers and brands mean nothing, colours and materials stand
before the noun."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tamp.errors import InputError
from tamp.files.toml_table import read_toml
from tamp.model.domain import Domain
from tamp.pddl.domain_file import load

COLOURS = frozenset(["black", "white", "red", "green", "blue", "yellow", "brown", "grey", "gray", "pink", "purple"])
"""Words that tell two things of the same kind apart by colour. Not orange: that is a juice."""

SIZES = frozenset(["big", "bigger", "large", "larger", "small", "smaller", "little"])

MATERIALS = frozenset(["wooden", "porcelain", "metal", "glass", "plastic", "steel", "ceramic"])

_NO_MEANING = frozenset(["akita", "chefmate", "libero", "new", "flat", "glazed", "rim"])
"""Brands and modelling words that nobody says."""

BOARDS = ("shelf",)
"""Last words of nouns that mean a board: on it is the room over it, under it is the room below."""

_NUMBER = re.compile(r"(?<![a-z0-9])[0-9][a-z0-9]*(?:_[a-z]{1,2}(?![a-z0-9]))?")
"""A number in a category's name, with its unit: 004, 500g, 12_oz."""


def nouns(category: str, own: OwnWords | None = None) -> tuple[str, ...]:
    """Noun phrases for a category, the usual one first: `akita_black_bowl` -> ("black bowl", "bowl").

    `own` are a domain's words for such things, else those for what stands on tables.
    """
    own = own or shipped()
    words = [w.rstrip("0123456789") for w in _NUMBER.sub("_", category.lower().replace("-", "_")).split("_")]
    words = [w for w in words if w and w not in _NO_MEANING] or [category.replace("_", " ")]
    if COLOURS & set(words) and (whole := own.things.get(" ".join(words))):
        return whole
    sizes = [w for w in words if w in SIZES]
    colours, kind = _split_colours([w for w in words if w not in SIZES] or words)
    bare = [w for w in kind if w not in MATERIALS] or kind
    name = " ".join(kind)
    known = name in own.things
    called = own.things.get(name) or own.things.get(" ".join(bare)) or (" ".join(bare), bare[-1])
    if not colours and name in own.colours:
        colours = [own.colours[name]]
    material = [w for w in kind if w in MATERIALS and not known]
    prefixes = [" and ".join(colours), " and ".join(reversed(colours))] if len(colours) > 1 else [*colours]
    prefixes += [" ".join(material)] if material else []
    named = [*(f"{p} {n}" for p in prefixes for n in called), *called]
    return tuple(dict.fromkeys([*(f"{s} {n}" for s in sizes for n in named), *named]))


def _split_colours(words: list[str]) -> tuple[list[str], list[str]]:
    """Colours and the rest. A colour before a name that has one already repaints it: the first one counts."""
    colours = [w for w in words if w in COLOURS]
    kind = [w for w in words if w not in COLOURS]
    adjacent = len(colours) == 2 and words.index(colours[1]) == words.index(colours[0]) + 1
    repainted = len(colours) > 1 and (not adjacent or " ".join(kind) == "bowl")
    return (colours[:1] if repainted else colours), kind or words


FILE = "words.toml"
SHIPPED = "tabletop"
"""The domain whose words for things LIBERO's scenes take where a domain has none of its own."""


@dataclass(frozen=True)
class OwnWords:
    """`predicates`: what is said of each after "is". `things`: nouns for a type, an identifier's words or a category.
    `colours`: such as people see where a category names none. `belongs`: to which places things of a noun or a type are
    put away, in words; the first one that is there counts."""

    predicates: dict[str, str] = field(default_factory=dict)
    things: dict[str, tuple[str, ...]] = field(default_factory=dict)
    colours: dict[str, str] = field(default_factory=dict)
    belongs: dict[str, tuple[str, ...]] = field(default_factory=dict)


def own_words(domain: Domain) -> OwnWords:
    """The words beside a domain; those for things that it lacks are LIBERO's. InputError where the file is no TOML."""
    own, others = _read(domain.path.parent / FILE), shipped()
    predicates = others.predicates | own.predicates
    return OwnWords(predicates, others.things | own.things, others.colours | own.colours, own.belongs or others.belongs)


@cache
def shipped() -> OwnWords:
    """Words for what stands on tables."""
    return _read(load(SHIPPED).path.parent / FILE)


def _read(path: Path) -> OwnWords:
    if not path.is_file():
        return OwnWords()
    table = read_toml(path)
    things, belongs, colours, predicates = (table.get(t, {}) for t in ("things", "belongs", "colours", "predicates"))
    texts = isinstance(colours, dict) and isinstance(predicates, dict)
    lists = (isinstance(t, dict) and all(isinstance(v, list) for v in t.values()) for t in (things, belongs))
    if not (texts and all(lists)):
        raise InputError(f"{path}: not as words are written down; what is wrong: tamp check {path.parent}")
    return OwnWords(
        {str(k): str(v) for k, v in predicates.items()},
        {plain(k): tuple(map(str, v)) for k, v in things.items()},
        {plain(k): str(v) for k, v in colours.items()},
        {plain(k): tuple(map(str, v)) for k, v in belongs.items()},
    )


def plain(name: str) -> str:
    """An identifier as words."""
    return name.lower().replace("_", " ").replace("-", " ")
