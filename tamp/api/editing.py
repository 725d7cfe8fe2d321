"""What an editor asks about a domain's folder while it is being written: findings, names, and where they are."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tamp.errors import InputError
from tamp.files.replacing import replace_file
from tamp.files.source import Source, read
from tamp.model.goal_syntax import Node
from tamp.pddl.lint.check import check_texts
from tamp.pddl.lint.declarations import DomainText, Operator
from tamp.pddl.lint.findings import Finding, Notes
from tamp.skills.folder_check import check

DOMAIN = "domain.pddl"
WORD = r"[a-z][a-z0-9_-]*"
Texts = Mapping[Path, str]
"""What is being edited, by file: it counts in place of what the disk has."""


@dataclass(frozen=True)
class Symbol:
    """A name that a domain declares. `kind` is predicate, function, type or action; `signature` as PDDL has it. An
    action `makes` predicates true or false by which it is listed there, and `needs` them in its precondition."""

    name: str
    kind: str
    signature: str
    line: int
    column: int
    made_true: tuple[str, ...] = ()
    made_false: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()


def findings(path: Path, texts: Texts) -> tuple[Finding, ...]:
    """What `tamp check` finds in a domain's folder, and in a problem when `path` is one; the Python of the folder is
    not run. Files are looked at in a folder of their own, in which what is being edited has taken their place."""
    domain = domain_of(path, texts)
    if domain is None:
        return ()
    with tempfile.TemporaryDirectory(prefix="tamp-edit-") as folder:
        mirror = Path(folder)
        for file in domain.parent.iterdir():
            if file.is_file() and file not in texts:
                (mirror / file.name).symlink_to(file.resolve())
        for file, text in texts.items():
            if file.parent == domain.parent:
                replace_file(mirror / file.name, text.encode("utf-8", "surrogatepass"), sync=False)
        problems = [mirror / path.name] if path != domain and path.suffix == ".pddl" else []
        found = check(mirror / domain.name, problems, run_python=False).findings
        return tuple(replace(f, file=str(domain.parent / Path(f.file).name)) for f in found)


def domain_of(path: Path, texts: Texts) -> Path | None:
    """The domain to which a file belongs: itself, the one of its folder, or the only one there; None without one."""
    if path.suffix == ".pddl" and _is_domain(path, texts):
        return path
    near = {p for p in (*path.parent.glob("*.pddl"), *texts) if p.parent == path.parent and _is_domain(p, texts)}
    named = [p for p in near if p.name == DOMAIN]
    return named[0] if named else min(near) if len(near) == 1 else None


def _is_domain(path: Path, texts: Texts) -> bool:
    return re.match(r"\s*\(\s*define\s*\(\s*domain\b", _bare(path, texts)) is not None or path.name == DOMAIN


def _bare(path: Path, texts: Texts) -> str:
    try:
        return (Source(str(path), texts[path]) if path in texts else read(path)).bare()
    except InputError:
        return ""


def symbols(path: Path, texts: Texts) -> tuple[Symbol, ...]:
    """The names that the domain of a file declares; none where it cannot be read at the moment."""
    domain = domain_of(path, texts)
    if domain is None:
        return ()
    try:
        source = Source(str(domain), texts[domain]) if domain in texts else read(domain)
    except InputError:
        return ()
    text, _, _ = check_texts(Notes(source), ())
    return () if text is None else tuple(_symbols(text))


def _symbols(text: DomainText) -> Iterator[Symbol]:
    place = text.notes.place
    for declared in text.types.declared:
        kinds = " ".join(declared.kinds)
        yield Symbol(declared.name, "type", f"{declared.name} - {kinds}", *place(declared.node.start))
    effects = {o.name: dict(_effects(o)) for o in text.operators}
    for kind, each in (("predicate", text.predicates), ("function", text.functions)):
        for p in each:
            parameters = [f"{v.name} - {' '.join(v.kinds)}" for v in p.parameters]
            true, false = (
                tuple(name for name, made in effects.items() if made.get((p.name, value))) for value in (True, False)
            )
            needed = tuple(o.name for o in text.operators if _needs(o, p.name))
            signature = f"({' '.join((p.name, *parameters))})"
            yield Symbol(p.name, kind, signature, *place(p.node.start), true, false, needed)
    for o in text.operators:
        parameters = [f"{v.name} - {' '.join(v.kinds)}" for v in o.parameters]
        yield Symbol(o.name, "action", f"({' '.join((o.name, *parameters))})", *place(o.node.start))


def _effects(operator: Operator) -> Iterator[tuple[tuple[str, bool], bool]]:
    """The predicates that an operator makes true or false, each with True."""
    if ":effect" in operator.parts:
        yield from (((name, value), True) for name, value in _made(operator.parts[":effect"], True))


def _made(node: Node, value: bool) -> Iterator[tuple[str, bool]]:
    match node.head:
        case "and" | "forall":
            for part in node.parts[1:]:
                if part.word is None and not (node.head == "forall" and part is node.parts[1]):
                    yield from _made(part, value)
        case "when":
            yield from _made(node.parts[-1], value)
        case "not":
            yield from _made(node.parts[-1], not value)
        case name if name:
            yield name, value


def _needs(operator: Operator, name: str) -> bool:
    conditions = (operator.parts[k] for k in (":precondition", ":condition") if k in operator.parts)
    return any(node.head == name for condition in conditions for node in condition.walk())


def occurrences(path: Path, name: str, texts: Texts) -> Iterator[tuple[Path, int, int]]:
    """Where a name stands in the PDDL and the tables of a domain's folder, without comments: file, line and column."""
    domain = domain_of(path, texts)
    if domain is None:
        return
    there = {p for p in (*domain.parent.iterdir(), *texts) if p.parent == domain.parent}
    for file in sorted(p for p in there if p.suffix == ".pddl" or p.name in ("skills.toml", "words.toml")):
        text = texts[file] if file in texts else _text(file)
        shown = Source(str(file), text)
        bare = shown.bare() if file.suffix == ".pddl" else re.sub(r"#[^\n]*", lambda m: " " * len(m[0]), text)
        for found in re.finditer(rf"(?<![\w?:-]){re.escape(name)}(?![\w-])", bare):
            yield file, *shown.place(found.start())


def _text(path: Path) -> str:
    try:
        return read(path).text
    except InputError:
        return ""
