"""Check the tables beside a domain, of its skills and of its words, against the domain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tamp.errors import InputError
from tamp.files.source import STDIN_NAME, Source, read
from tamp.files.toml_file import read_toml
from tamp.model.skill_table import read_skill_table
from tamp.pddl.lint.declared import DomainText
from tamp.pddl.lint.findings import Notes, valid

WORD_TABLES = ("predicates", "things", "colours")


def check_bindings(domain: DomainText, run_python: bool) -> list[Notes]:
    """What is wrong with the table and with the Python beside it, file by file; nothing without a table. Operators that
    it lacks, and promises that nobody keeps, are told in the domain; without its Python, only what the table tells."""
    path = Path(domain.notes.source.name).parent / "skills.toml"
    if domain.notes.source.name == STDIN_NAME or not path.is_file():
        return []
    notes, table = read_table(path, "bad-table")
    if table is None:
        return [notes]
    try:
        table = dict(read_skill_table(path).skills)
    except InputError as e:
        found = re.match(rf"{re.escape(str(path))}:(\d+): (.*)", str(e))
        notes.add_at("bad-table", int(found[1]) if found else 1, 1, found[2] if found else str(e))
        return [notes]
    from tamp.skills.declared import backend_of, specs
    from tamp.skills.folder_python import Own, check_promises, known_specs, own_of

    by_backend = specs()
    backend = backend_of(table.values())
    own = Own() if backend == "xarm" or not run_python else own_of(Path(domain.notes.source.name))
    known = {**by_backend["xarm"]} if backend == "xarm" else known_specs(own)
    if backend is None and not own.extension.skills:
        known |= by_backend["xarm"]
    bound = {operator: known[skill] for operator, skill in table.items() if skill in known}
    check_promises(domain, own, bound)
    operators = [o.name for o in domain.operators]
    for operator in domain.operators:
        if operator.name not in table:
            message = f"{operator.name} is bound to no skill in {path.name}; valid: {', '.join(known)}"
            domain.notes.add("unbound-operator", operator.node, message)
        spec, kinds = known.get(str(table.get(operator.name))), [p.kinds[0] for p in operator.parameters]
        if spec and (told := spec.misfit(kinds, lambda kind, wanted: domain.types.fits([kind], [wanted]))):
            domain.notes.add("wrong-type", operator.node, f"{operator.name} is bound to {spec.name}, which {told}")
    for name, skill in table.items():
        line = line_of(notes, name)
        if name not in operators:
            notes.add_at("unknown-operator", line, 1, f"the domain has no operator {name!r}; {valid(name, operators)}")
        if skill not in known and (own.complete or backend == "xarm"):
            other = next((b for b, each in by_backend.items() if skill in each), None)
            what = f"it is a skill for {other}, and the table is for {backend}" if other else "there is no such skill"
            notes.add_at("unknown-skill", line, 1, f"{name} = {skill!r}: {what}; {valid(str(skill), known)}")
    return [notes, *own.notes.values()]


def read_table(path: Path, code: str) -> tuple[Notes, dict[str, Any] | None]:
    """A table beside a domain; None, and a note under `code`, when it cannot be read."""
    try:
        return Notes(read(path)), read_toml(path)
    except InputError as e:
        notes = Notes(Source(str(path), ""))
        line, column = _place(str(e))
        notes.add_at(code, line, column, str(e).removeprefix(f"{path}: "))
        return notes, None


def line_of(notes: Notes, key: str) -> int:
    """The line of a table that a key is on."""
    name = rf"[\"']?{re.escape(key)}[\"']?"
    found = re.search(rf"^\s*{name}\s*=|^\s*\[\s*{name}\s*\]", notes.source.text, re.MULTILINE)
    start = found.start() + len(found[0]) - len(found[0].lstrip()) if found else 0
    return notes.place(start)[0]


def _place(message: str) -> tuple[int, int]:
    found = re.search(r"at line (\d+), column (\d+)", message)
    return (int(found[1]), int(found[2])) if found else (1, 1)


def check_words(domain: DomainText) -> Notes | None:
    """What is wrong with `words.toml`; None when there is none."""
    path = Path(domain.notes.source.name).parent / "words.toml"
    if domain.notes.source.name == STDIN_NAME or not path.is_file():
        return None
    notes, table = read_table(path, "bad-words")
    if table is not None:
        for key, code, message in _wrong_words(table, [p.name for p in domain.predicates]):
            notes.add_at(code, line_of(notes, key), 1, message)
    return notes


def _wrong_words(table: dict[str, Any], predicates: list[str]) -> Iterator[tuple[str, str, str]]:
    """What is at fault, under which code, and why."""
    for name, entries in table.items():
        if name not in WORD_TABLES or not isinstance(entries, dict):
            yield name, "bad-words", f"{name!r} is no table of words; {valid(name, WORD_TABLES)}"
            continue
        for key, said in entries.items():
            if name == "predicates" and key not in predicates:
                yield key, "unknown-predicate", f"the domain has no predicate {key!r}; {valid(key, predicates)}"
            if not (_is_list(said) if name == "things" else isinstance(said, str)):
                wanted = "a list of nouns" if name == "things" else "words"
                yield key, "bad-words", f"{key} = {said!r}: valid: {wanted}"


def _is_list(said: Any) -> bool:
    return isinstance(said, list) and bool(said) and all(isinstance(w, str) and w.strip() for w in said)
