"""Whether the words beside a domain are of what the domain has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tamp.files.source import STDIN_NAME
from tamp.lint.bindings import line_of, read_table
from tamp.lint.domain_text import DomainText
from tamp.lint.findings import Notes, valid

TABLES = ("predicates", "things", "colours")


def check_words(domain: DomainText) -> Notes | None:
    """What is wrong with `words.toml`; None when there is none."""
    path = Path(domain.notes.source.name).parent / "words.toml"
    if domain.notes.source.name == STDIN_NAME or not path.is_file():
        return None
    notes, table = read_table(path, "bad-words")
    if table is not None:
        for key, code, message in _wrong(table, [p.name for p in domain.predicates]):
            notes.add_at(code, line_of(notes, key), 1, message)
    return notes


def _wrong(table: dict[str, Any], predicates: list[str]) -> Iterator[tuple[str, str, str]]:
    """What is at fault, under which code, and why."""
    for name, entries in table.items():
        if name not in TABLES or not isinstance(entries, dict):
            yield name, "bad-words", f"{name!r} is no table of words; {valid(name, TABLES)}"
            continue
        for key, said in entries.items():
            if name == "predicates" and key not in predicates:
                yield key, "unknown-predicate", f"the domain has no predicate {key!r}; {valid(key, predicates)}"
            if not (_is_list(said) if name == "things" else isinstance(said, str)):
                wanted = "a list of nouns" if name == "things" else "words"
                yield key, "bad-words", f"{key} = {said!r}: valid: {wanted}"


def _is_list(said: Any) -> bool:
    return isinstance(said, list) and bool(said) and all(isinstance(w, str) and w.strip() for w in said)
