"""Domains and problems into unified-planning's own Problem, or what is wrong with them and where."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from tamp.data import data_dir, located
from tamp.errors import InputError
from tamp.files.source import STDIN, Source, read
from tamp.model.goal_syntax import list_at
from tamp.pddl.lint.declarations import ORDER, read_domain
from tamp.pddl.lint.findings import Notes
from tamp.pddl.tree import parsing, tree

_METRIC = re.compile(r"(:metric\s+(?:minimize|maximize)\s+)([^\s()]+)(?=\s*\))")
_COST = re.compile(r"\(\s*:functions\b[^:]*\(\s*total-cost\s*\)")
_COST_AT_START = re.compile(r"\(\s*=\s*(?:total-cost|\(\s*total-cost\s*\))\s")

GROUP = "tamp.domains"
"""Entry points by which a distribution gives its domain folders, each a package, a name."""


def parse(domain: Source, problem: Source | None = None) -> Any:
    """Parse with unified-planning; without a problem its Problem has no objects and no goal.

    InputError with all that is wrong, of which each begins with file, line and column.
    """
    from tamp.pddl.lint.check import check_texts, mistakes, unread

    notes = [Notes(source) for source in (domain, problem) if source is not None]
    check_texts(notes[0], notes[1:])
    cause: Exception | None = None
    if not unread(notes):
        try:
            return read_unified(domain, problem)
        except InputError:
            raise
        except Exception as e:  # unified-planning raises many unrelated classes for bad input
            cause = e
    raise InputError(*mistakes(notes)) from cause


def read_unified(domain: Source, problem: Source | None = None) -> Any:
    """unified-planning's Problem of texts that are PDDL, see `tamp.pddl.tree`. Raises whatever that raises,
    and InputError as `environment`."""
    text, _ = ordered(in_full(domain))
    return _domain(text).clone() if problem is None else _problem(text, ordered(in_full(domain, problem))[0])


def environment() -> Any:
    """unified-planning's global environment. InputError where its configuration has an engine that cannot be loaded."""
    try:
        with _without_config_space():
            from unified_planning.environment import get_environment

            return get_environment()
    except Exception as e:  # whatever the engines of a configuration file raise when they are imported
        raise InputError(f"an engine of unified-planning's configuration (.up.ini) cannot be loaded: {e}") from e


@contextmanager
def _without_config_space() -> Iterator[None]:
    """Without ConfigSpace, which unified-planning imports, and with it scipy.stats, for a method that only tuners of
    engines call: that takes as long as all else. Who imports anything else of it gets the true one."""
    if "unified_planning" in sys.modules or "ConfigSpace" in sys.modules:
        yield
        return
    empty = ModuleType("ConfigSpace")
    empty.ConfigurationSpace = object  # type: ignore[attr-defined]

    def found(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        sys.modules.pop("ConfigSpace", None)
        return getattr(importlib.import_module("ConfigSpace"), name)

    empty.__getattr__ = found  # type: ignore[method-assign]
    sys.modules["ConfigSpace"] = empty
    try:
        yield
    finally:
        if sys.modules.get("ConfigSpace") is empty:
            del sys.modules["ConfigSpace"]


@lru_cache(maxsize=4)
def in_full(domain: Source, problem: Source | None = None) -> str:
    """The text of a domain, see `DomainText.replaced`, or of a problem, line by line, with what PDDL may leave out
    there: the parentheses of a function that is the metric, and that `(total-cost)` is 0 at the start."""
    text = (problem or domain).bare()
    if problem is None:
        for start, end, instead in sorted(read_domain(tree(domain), Notes(domain)).replaced(text), reverse=True):
            text = text[:start] + instead.ljust(end - start) + text[end:]
    elif _COST.search(domain.bare()) and not _COST_AT_START.search(text):
        for init in (n for n in tree(problem).parts if n.head == ":init"):
            last = init.parts[-1]
            end = (last if last.head == "and" else init).end - 1
            text = f"{text[:end]} (= (total-cost) 0){text[end:]}"
    return _METRIC.sub(r"\1(\2)", text)


def ordered(text: str) -> tuple[str, Sequence[int]]:
    """A text with its sections in the order in which unified-planning reads them, and where each character was."""
    root, places = list_at(text, 0), range(len(text))
    order = ORDER[root.parts[1].head]
    sections = sorted(root.parts[2:], key=lambda s: order.index(s.head) if s.head in order else 0)
    moved = itertools.chain.from_iterable(places[s.start : s.end] for s in sections)
    kept = [*places[: root.parts[1].end], *moved, *places[root.end - 1 :]]
    return "".join(text[n] for n in kept), kept


def other_domain(domain: Source, problem: Source) -> str:
    """That a problem says that it is for another domain, in words; empty where it does not."""
    own = re.search(r"\(\s*domain\s+([^\s()]+)", domain.bare())
    named = re.search(r"\(\s*:domain\s+([^\s()]+)", problem.bare())
    if own is None or named is None or own[1] == named[1]:
        return ""
    return f"the problem is for {named[1]!r}, the domain is {own[1]!r}"


def locate(name_or_path: str | Path) -> Path:
    """The file of a domain: a file, a folder with a domain.pddl, a name under `domains/`, or one that an installed
    package has given to a domain of its own. InputError if none."""
    given = Path(name_or_path)
    if given.suffix == ".pddl" and given.is_file():
        return given  # without a look at what is installed
    for folder in (given, data_dir("domains") / name_or_path, *installed_domains(str(name_or_path))):
        if (folder / "domain.pddl").is_file():
            return folder / "domain.pddl"
    if given.is_dir():
        raise InputError(f"there is no domain.pddl in {given}")
    if given.exists() or given.suffix or given.name != str(given) or str(given) == STDIN:
        return given
    known = sorted({p.parent.name for p in data_dir("domains").glob("*/domain.pddl")} | {e.name for e in _entries()})
    valid = f"give one of {', '.join(known)}, a file, or a folder with a domain.pddl"
    raise InputError(f"no domain {str(name_or_path)!r}: {valid}")


def installed_domains(name: str) -> list[Path]:
    """The folders of packages that an entry point of the group `tamp.domains` gives a name to. Nothing of them is run,
    apart from the packages that they are in."""
    specs = [importlib.util.find_spec(e.value) for e in _entries() if e.name == name]
    return [Path(place) for spec in specs if spec for place in spec.submodule_search_locations or ()]


def _entries() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))


def read_problem(domain: str | Path, problem: Path | None) -> tuple[Source, Source | None, Any]:
    """The texts of a domain and a problem, and unified-planning's Problem. InputError as `parse`."""
    if str(domain) == STDIN == str(problem):
        raise InputError("only one of the files can be standard input (-)")
    texts = read(locate(domain)), None if problem is None else read(located(problem, "problem", ".pddl"))
    return *texts, parse(*texts)


@lru_cache(maxsize=16)
def _domain(text: str) -> Any:
    """A command reads its domain several times; a copy of what was read is there at once."""
    return _problem(text, None)


def _problem(domain: str, problem: str | None) -> Any:
    settings = environment()
    from unified_planning.io import PDDLReader

    settings.credits_stream = None
    settings.error_used_name = False  # in PDDL an operator may be named like a predicate, a type or an object
    with warnings.catch_warnings(), parsing():
        warnings.simplefilter("ignore")
        return PDDLReader().parse_problem_string(domain, problem)


def reason(error: Exception) -> str:
    """One line of a parse error, without the position and the class names that unified-planning wraps it in."""
    message = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    message = re.sub(r"^UP\w+\(['\"](.*)['\"],?\)$", r"\1", message)
    message = re.sub(r"\s*\(at char \d+\), \(line:\d+, col:\d+\)|\.? ?(found at|From) line.*$", "", message)
    message = re.sub(r"^Name (\S+) already defined!.*$", r"\1 is declared twice", message)
    return message.strip().rstrip(".")
