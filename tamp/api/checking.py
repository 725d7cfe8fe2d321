"""What is wrong with a domain, and with problems for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tamp.data import located
from tamp.errors import InputError
from tamp.files.source import STDIN
from tamp.pddl.lint.check import Report
from tamp.pddl.lint.texts import add_requirements
from tamp.skills.folder_check import check as look

if TYPE_CHECKING:
    from tamp.runs.case_runner import CaseOutcome


def check(domain: str | Path, problems: Sequence[str | Path] = (), *, fix: bool = False) -> Report:
    """Look for what is wrong in a domain, in what its folder holds beside it, and in problems.

    Args:
        domain: A PDDL file, a folder with a `domain.pddl`, or a name under `domains/`. The Python of the folder runs.
        problems: PDDL files, or shipped ones by name.
        fix: Write the requirements that the domain lacks into its file first.

    Returns:
        `findings` in the order of the files, each with `file`, `line` and `column` (from 1), `code`, `message` and
        `severity`; `errors`, how many of them are errors; `unread`, whether something is no PDDL at all; `added`, the
        requirements that were written.

    Raises:
        InputError: For a domain that there is not.

    >>> import tamp
    >>> tamp.check("tabletop").findings
    ()
    """
    files = [Path(p) for p in problems]
    if fix and STDIN in (str(domain), *map(str, files)):
        raise InputError("--fix writes files; it cannot take standard input (-)")
    report = look(domain, files)
    if not fix or report.domain is None or not report.lacking:
        return report
    add_requirements(report.domain, report.lacking)
    return replace(look(domain, files), added=report.lacking)


@dataclass(frozen=True)
class CaseResult:
    """What became of a case: its `outcomes`, what was expected and what was found; or the `error` of one that cannot be
    run. It is true where all came out as expected."""

    folder: Path
    outcomes: tuple[CaseOutcome, ...] = ()
    error: str | None = None

    @property
    def name(self) -> str:
        """What the case is called."""
        return self.folder.resolve().name

    def __bool__(self) -> bool:
        return self.error is None and all(o.agrees for o in self.outcomes)


def run_cases(where: str | Path) -> Iterator[CaseResult]:
    """Run regression files, one after the other: a folder with a `case.toml`, or a folder of such. One that cannot be
    read does not keep the others from being run. InputError where there is none."""
    from tamp.runs.case_runner import run
    from tamp.runs.cases import folders, read_case

    for folder in folders(located(Path(where))):
        try:
            yield CaseResult(folder, tuple(run(read_case(folder))))
        except InputError as e:
            yield CaseResult(folder, error=str(e))
