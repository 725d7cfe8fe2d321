"""Check the Python of a domain folder: that it runs, and that what the operators promise can come true."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tamp.errors import InputError
from tamp.files.source import Source, read
from tamp.model.domain import Domain, Signature
from tamp.model.skill_spec import RESOURCES, Spec
from tamp.pddl.domain_file import load
from tamp.pddl.lint.declared import DomainText, Operator
from tamp.pddl.lint.findings import Notes
from tamp.perception.predicates import SEEN
from tamp.skills.declared import facts, table_specs
from tamp.skills.domain_python import Extension, check_observers, load_extension, located

PAGE = "docs/extending.md"
_PLACE = re.compile(r"(?P<file>[^\n]*?\.(?:py|toml|pddl)):(?:(?P<line>\d+):)? ?(?P<told>.*)", re.DOTALL)


@dataclass(eq=False)
class Own:
    """What a folder brings, as far as it could be loaded, and the notes on its files."""

    domain: Domain | None = None
    extension: Extension = field(default_factory=Extension)
    notes: dict[str, Notes] = field(default_factory=dict)
    complete: bool = False
    """Whether all skills that the folder has are known."""

    def told(self, code: str, error: InputError, otherwise: Path) -> None:
        """Take down an error that begins with the file and the line of what is wrong."""
        found = _PLACE.match(str(error))
        file, line = (found["file"], int(found["line"] or 1)) if found else (str(otherwise), 1)
        if Path(file).parent == otherwise.parent.resolve():
            file = str(otherwise.parent / Path(file).name)  # as the folder was named
        notes = self.notes.setdefault(file, Notes(_source(file)))
        notes.add_at(code, line, 1, f"{found['told'] if found else error} ({PAGE})")


def own_of(path: Path) -> Own:
    """What the folder of a domain brings; its Python is run. Nothing for a domain that unified-planning cannot read."""
    own = Own()
    try:
        own.domain = load(str(path))
    except InputError:
        return own  # told by whoever looks at the PDDL and the table
    try:
        own.extension = load_extension(own.domain)
        check_observers(own.domain, own.extension)
    except InputError as error:
        own.told("bad-python", error, path)
        return own
    for skill in own.extension.skills.values():
        if wrong := _wrong(skill.spec, own.domain):
            own.told("bad-skill", InputError(f"{located(type(skill))}: the skill {skill.spec.name}: {wrong}"), path)
    if own.extension.modules:
        _try(own, own.domain, path)
    own.complete = True
    return own


def _try(own: Own, domain: Domain, path: Path) -> None:
    """Take down what is wrong in the folder's Python: what is written, and what it does in a small scene."""
    from tamp.skills.python_check import runtime_errors, static_errors

    for module in own.extension.modules:
        for found in static_errors(module):
            own.told("bad-python", found, path)
    if not own.notes:
        for found in runtime_errors(domain, own.extension):
            own.told("bad-python", found, path)


def check_promises(text: DomainText, own: Own, bound: Mapping[str, Spec]) -> None:
    """Take down effects that no skill brings about, and those that nobody would see."""
    if own.domain is None or not own.complete:  # what its Python sees and brings is not known
        return
    looked_at = {*SEEN, *own.extension.observers, *own.domain.table.beliefs, *facts()}
    looked_at |= {f for s in own.extension.skills.values() for f in s.spec.facts}
    unseen: set[str] = set()
    for operator in text.operators:
        spec = bound.get(operator.name)
        for effect in own.domain.adds.get(operator.name, ()):
            if spec and effect.name in SEEN and (told := spec.not_brought(effect.name, _numbers(effect, operator))):
                message = f"{_written(effect)} comes of no {spec.name}, which {told} ({PAGE})"
                text.notes.add("unbrought-effect", operator.node, message)
            if effect.name not in looked_at | unseen:
                unseen.add(effect.name)
                told = f"nobody sees {_written(effect)}, so that no goal with it can be reached"
                ways = f"an observer, or believed = true under [predicates.{effect.name}] in skills.toml"
                text.notes.add("unseen-effect", operator.node, f"{told}; valid: {ways} ({PAGE})")


def known_specs(own: Own) -> dict[str, Spec]:
    """The skills that a folder's operators can be bound to."""
    return {**table_specs(), **{name: s.spec for name, s in own.extension.skills.items()}}


def _wrong(spec: Spec, domain: Domain) -> str | None:
    """What is wrong with a spec, in words."""
    if spec.name in table_specs():
        return "one of tamp's own has this name; valid: another name"
    if isinstance(spec.takes, str):
        return f'takes is {spec.takes!r}; valid: a tuple, ("{spec.takes}",)'
    if unknown := [t for t in spec.takes if t not in domain.types and t != "object"]:
        return f"takes {unknown[0]!r}, no type of the domain; valid: {', '.join(['object', *domain.types])}"
    if unknown := [s for s in spec.segments if s not in RESOURCES]:
        return f"segments have {unknown[0]!r}; valid: {', '.join(RESOURCES)}"
    if unknown := sorted(spec.facts - domain.predicates.keys()):
        return f"facts have {unknown[0]!r}, no predicate of the domain"
    return None


def _numbers(effect: Signature, operator: Operator) -> list[int | None]:
    names = [p.name.removeprefix("?") for p in operator.parameters]
    return [names.index(a) if a in names else None for a, _ in effect.parameters]


def _written(effect: Signature) -> str:
    return f"({' '.join((effect.name, *(f'?{a}' for a, _ in effect.parameters)))})"


def _source(file: str) -> Source:
    try:
        return read(Path(file))
    except InputError:
        return Source(file, "")
