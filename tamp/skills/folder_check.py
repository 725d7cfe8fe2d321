"""Check a domain with problems and with the files of its folder: the tables of skills and of words, and the Python."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tamp.errors import InputError
from tamp.files.source import STDIN_NAME, Source, read
from tamp.files.toml_table import Table, read_placed
from tamp.model.domain import Domain, Signature, read_skill_table
from tamp.model.skill_spec import RESOURCES, Spec
from tamp.pddl.domain_file import load
from tamp.pddl.lint import check as pddl
from tamp.pddl.lint.declarations import DomainText
from tamp.pddl.lint.findings import Notes, valid

if TYPE_CHECKING:
    from tamp.skills.registry import Extension

PAGE = "docs/extending.md"
WORD_TABLES = ("predicates", "things", "colours", "belongs")
_PLACE = re.compile(r"(?P<file>[^\n]*?\.(?:py|toml|pddl)):(?:(?P<line>\d+):)? ?(?P<message>.*)", re.DOTALL)
_TOML_PLACE = re.compile(r"at line (\d+), column (\d+)")


def check(domain: str | Path, problems: Sequence[Path] = (), *, run_python: bool = True) -> pddl.Report:
    """Check files. InputError for a domain's name that there is none of, and for `-` twice.

    `run_python`: the Python of the domain's folder is run, which is only for a domain that a person has named.
    """

    def folder(text: DomainText) -> tuple[list[Notes], frozenset[str]]:
        files, outside = FolderNotes(Path(text.notes.source.name)), frozenset[str]()
        if text.notes.source.name == STDIN_NAME:
            return [], outside
        if (files.folder / "skills.toml").is_file():
            from tamp.skills.builtin_specs import facts

            outside = facts()
            _check_skills(text, files, run_python)
        if (files.folder / "words.toml").is_file():
            _check_words(text, files)
        return list(files.notes.values()), outside

    return pddl.check(domain, problems, folder)


@dataclass(eq=False)
class FolderNotes:
    """Notes on the files of a domain's folder; `domain` is its `domain.pddl`."""

    domain: Path
    notes: dict[str, Notes] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The folder."""
        return self.domain.parent

    def add(self, code: str, error: InputError, file: Path) -> None:
        """Take down an error that begins with the file and the line of what is wrong; without these it is of `file`."""
        found = _PLACE.match(str(error))
        name, line, message = (found["file"], int(found["line"] or 1), found["message"]) if found else (file, 1, error)
        column = 1
        if place := _TOML_PLACE.search(str(error)):
            line, column = int(place[1]), int(place[2])
        if Path(name).parent == self.folder.resolve():
            name = self.folder / Path(name).name  # as the folder was named
        if str(name) not in self.notes:
            try:
                source = read(Path(name))
            except InputError:
                source = Source(str(name), "")
            self.notes[str(name)] = Notes(source)
        self.notes[str(name)].add_at(code, line, column, str(message))


def _check_words(domain: DomainText, files: FolderNotes) -> None:
    """Take down what is wrong with `words.toml`."""
    path = files.folder / "words.toml"
    try:
        for code, error in _wrong_words(read_placed(path), [p.name for p in domain.predicates]):
            files.add(code, error, path)
    except InputError as error:
        files.add("bad-words", error, path)


def _wrong_words(table: Table, predicates: list[str]) -> Iterator[tuple[str, InputError]]:
    for name, entries in table.values.items():
        if name not in WORD_TABLES or not isinstance(entries, dict):
            yield "bad-words", table.wrong(f"{name!r} is no table of words; {valid(name, WORD_TABLES)}", name)
            continue
        for key, value in entries.items():
            if name == "predicates" and key not in predicates:
                message = f"the domain has no predicate {key!r}; {valid(key, predicates)}"
                yield "unknown-predicate", table.wrong(message, name, key)
            nouns = isinstance(value, list) and value and all(isinstance(w, str) and w.strip() for w in value)
            listed = name in ("things", "belongs")
            if not (nouns if listed else isinstance(value, str)):
                wanted = "a list of nouns" if listed else "words"
                yield "bad-words", table.wrong(f"{key} = {value!r}: valid: {wanted}", name, key)


def _check_skills(domain: DomainText, files: FolderNotes, run_python: bool) -> None:
    """Take down what is wrong with `skills.toml` and with the Python; operators that the table lacks, and effects that
    cannot come true, are noted in the domain. Without its Python, only what the table shows."""
    from tamp.skills.builtin_specs import backend_of, specs, table_specs

    path = files.folder / "skills.toml"
    try:
        table, skills = read_placed(path), read_skill_table(path).skills
    except InputError as error:
        files.add("bad-table", error, path)
        return
    by_backend, backend = specs(), backend_of(skills.values())
    own = _loaded(files) if run_python and backend != "xarm" else None
    own_specs = {name: s.spec for name, s in own[1].skills.items()} if own else {}
    known = dict(by_backend["xarm"]) if backend == "xarm" else {**table_specs(), **own_specs}
    if backend is None and not own_specs:
        known |= by_backend["xarm"]
    if own:
        _check_effects(domain, *own, {operator: known[s] for operator, s in skills.items() if s in known})
    operators = {o.name: o for o in domain.operators}
    for name, operator in operators.items():
        if name not in skills:
            message = f"{name} is bound to no skill in {path.name}; valid: {', '.join(known)}"
            domain.notes.add("unbound-operator", operator.node, message)
        spec, kinds = known.get(str(skills.get(name))), [p.kinds[0] for p in operator.parameters]
        if spec and (wrong := spec.misfit(kinds, lambda kind, wanted: domain.types.fits([kind], [wanted]))):
            domain.notes.add("wrong-type", operator.node, f"{name} is bound to {spec.name}, which {wrong}")
    for name, skill in skills.items():
        if name not in operators:
            message = f"the domain has no operator {name!r}; {valid(name, list(operators))}"
            files.add("unknown-operator", table.wrong(message, name), path)
        if skill not in known and (own or backend == "xarm"):
            other = next((b for b, each in by_backend.items() if skill in each), None)
            what = f"it is a skill for {other}, and the table is for {backend}" if other else "there is no such skill"
            message = f"{name} = {skill!r}: {what}; {valid(skill, list(known))}"
            files.add("unknown-skill", table.wrong(message, name), path)


def _loaded(files: FolderNotes) -> tuple[Domain, Extension] | None:
    """The domain and what its Python brings, which is run and checked; None where it cannot be loaded."""
    from tamp.skills.registry import check_observers, load_extension, located

    def add(code: str, error: InputError) -> None:
        files.add(code, InputError(f"{error} ({PAGE})"), files.domain)

    try:
        domain = load(str(files.domain))
    except InputError:
        return None  # noted with the PDDL and the table
    try:
        extension = load_extension(domain)
        check_observers(domain, extension)
    except InputError as error:
        add("bad-python", error)
        return None
    for skill in extension.skills.values():
        if wrong := _wrong_spec(skill.spec, domain):
            add("bad-skill", InputError(f"{located(type(skill))}: the skill {skill.spec.name}: {wrong}"))
    if not extension.modules:
        return domain, extension
    from tamp.skills.python_check import runtime_errors, static_errors  # which loads the robot's kinematics

    for module in extension.modules:
        for found in static_errors(module):
            add("bad-python", found)
    if not files.notes:
        for found in runtime_errors(domain, extension):
            add("bad-python", found)
    return domain, extension


def _wrong_spec(spec: Spec, domain: Domain) -> str | None:
    """What is wrong with a spec, in words."""
    from tamp.skills.builtin_specs import table_specs

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


def _check_effects(text: DomainText, domain: Domain, own: Extension, bound: Mapping[str, Spec]) -> None:
    """Take down effects that no skill brings about, and those that nothing observes."""
    from tamp.perception.predicates import SEEN
    from tamp.perception.relations import seen
    from tamp.skills.builtin_specs import facts

    observed = {*SEEN, *seen(domain), *own.observers, *domain.table.beliefs, *facts()}
    observed |= {f for s in own.skills.values() for f in s.spec.facts}
    for operator in text.operators:
        spec = bound.get(operator.name)
        for effect in domain.adds.get(operator.name, ()):
            names = [p.name.removeprefix("?") for p in operator.parameters]
            numbers = [names.index(a) if a in names else None for a, _ in effect.parameters]
            if spec and effect.name in SEEN and (wrong := spec.not_brought(effect.name, numbers)):
                message = f"{_written(effect)} comes of no {spec.name}, which {wrong} ({PAGE})"
                text.notes.add("unbrought-effect", operator.node, message)
            if effect.name not in observed:
                observed.add(effect.name)  # once
                why = f"nobody sees {_written(effect)}, so that no goal with it can be reached"
                ways = f"an observer, or believed = true under [predicates.{effect.name}] in skills.toml"
                text.notes.add("unseen-effect", operator.node, f"{why}; valid: {ways} ({PAGE})")


def _written(effect: Signature) -> str:
    return f"({' '.join((effect.name, *(f'?{a}' for a, _ in effect.parameters)))})"
