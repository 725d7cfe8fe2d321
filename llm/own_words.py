"""How people speak of a domain: the `words.toml` beside its `domain.pddl`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tamp.errors import InputError
from tamp.files.toml_file import read_toml
from tamp.model.domain import Domain, load

FILE = "words.toml"
SHIPPED = "tabletop"
"""The domain whose words for things LIBERO's scenes take where a domain has none of its own."""


@dataclass(frozen=True)
class OwnWords:
    """`predicates`: what is said of each after "is". `things`: nouns for a type, an identifier's words or a category.
    `colours`: such as people see where a category names none."""

    predicates: dict[str, str] = field(default_factory=dict)
    things: dict[str, tuple[str, ...]] = field(default_factory=dict)
    colours: dict[str, str] = field(default_factory=dict)


def own_words(domain: Domain) -> OwnWords:
    """The words beside a domain; those for things that it lacks are LIBERO's. InputError where the file is no TOML."""
    own, others = _read(domain.path.parent / FILE), shipped()
    predicates = others.predicates | own.predicates
    return OwnWords(predicates, others.things | own.things, others.colours | own.colours)


@cache
def shipped() -> OwnWords:
    """Words for what stands on tables."""
    return _read(load(SHIPPED).path.parent / FILE)


def _read(path: Path) -> OwnWords:
    if not path.is_file():
        return OwnWords()
    table = read_toml(path)
    things, colours, predicates = (table.get(name, {}) for name in ("things", "colours", "predicates"))
    texts = isinstance(colours, dict) and isinstance(predicates, dict)
    if not (texts and isinstance(things, dict) and all(isinstance(v, list) for v in things.values())):
        raise InputError(f"{path}: not as words are written down; what is wrong: tamp check {path.parent}")
    return OwnWords(
        {str(k): str(v) for k, v in predicates.items()},
        {_plain(k): tuple(map(str, v)) for k, v in things.items()},
        {_plain(k): str(v) for k, v in colours.items()},
    )


def _plain(name: str) -> str:
    return name.lower().replace("_", " ").replace("-", " ")
