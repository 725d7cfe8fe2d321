"""Check a domain with problems and with what its folder holds beside it: tables of skills and of words, Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tamp.pddl.lint import check as pddl
from tamp.pddl.lint.declared import DomainText
from tamp.pddl.lint.findings import Notes
from tamp.skills.folder_tables import check_bindings, check_words


def check(domain: str | Path, problems: Sequence[Path] = (), *, run_python: bool = True) -> pddl.Report:
    """Check files. InputError for a domain's name that there is none of, and for `-` twice.

    `run_python`: the Python of the domain's folder is run, which is only for a domain that a person has named.
    """

    def folder(text: DomainText) -> tuple[list[Notes], frozenset[str]]:
        table, words = check_bindings(text, run_python), check_words(text)
        outside = frozenset[str]()
        if table:
            from tamp.skills.declared import facts

            outside = facts()
        return [*table, *([words] if words else [])], outside

    return pddl.check(domain, problems, folder)
