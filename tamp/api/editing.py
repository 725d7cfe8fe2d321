"""What an editor asks about a domain's folder while it is being written: findings, names, and where they are."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tamp.api.judging import RepairBudget, judged
from tamp.errors import InputError
from tamp.files.replacing import replace_file
from tamp.files.source import Source, read
from tamp.model.goal_syntax import Node
from tamp.pddl.judges import PlanJudge, judge_of
from tamp.pddl.lint.check import check_texts
from tamp.pddl.lint.declarations import DomainText, Operator
from tamp.pddl.lint.findings import Finding, Notes
from tamp.pddl.reading import parse
from tamp.skills.folder_check import check

PLAN = ".plan"
TABLES = ("skills.toml", "words.toml")
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
    """What `tamp check` finds in the domain of a file, in the tables of its folder, and in the problems for it that are
    being edited; and what `tamp validate` finds in such plans. The Python of the folder is not run. Files are looked at
    in a folder of their own, in which what is being edited has taken their place."""
    domain = domain_of(path, texts)
    if domain is None:
        return ()
    edited = [p for p in texts if p != domain and domain_of(p, texts) == domain]
    problems, here, found = [p.name for p in edited if p.suffix == ".pddl"], domain.parent, list[Finding]()
    with tempfile.TemporaryDirectory(prefix="tamp-edit-") as folder:
        mirror = Path(folder)
        for file in {domain, *edited, *(here / name for name in TABLES)}:
            if file in texts:
                replace_file(mirror / file.name, texts[file].encode("utf-8", "surrogatepass"), sync=False)
            elif file.is_file():
                (mirror / file.name).symlink_to(file.resolve())
        pure = not any(here.glob("*.py"))
        report = check(mirror / domain.name, [mirror / name for name in problems], run_python=pure)
        for f in report.findings:
            message = f.message.replace(folder, str(here))
            found.append(replace(f, file=str(here / Path(f.file).name), message=message))
    plans = [Notes(source(p, texts)) for p in edited if p.suffix == PLAN]
    if plans and (problem := _of_folder(here, texts, "problem")) is not None:
        with suppress(InputError):  # of a domain or a problem that cannot be read
            judge = judge_of(parse(source(domain, texts), source(problem, texts)))
            for notes in plans:
                found += [notes.finding("invalid-plan", *wrong) for wrong in _wrong_steps(notes.source, judge)]
    return tuple(found)


def _wrong_steps(plan: Source, judge: PlanJudge) -> Iterator[tuple[int, int, str]]:
    """What `tamp validate` finds in a plan, each with its line and column."""
    try:
        read = judged(plan, judge, budget=RepairBudget(0))
    except InputError as e:
        for message in e.messages:
            place = re.match(r"(?::(\d+))?(?::(\d+))?: (.*)", message.removeprefix(plan.name), re.DOTALL)
            yield (int(place[1] or 1), int(place[2] or 1), place[3]) if place else (1, 1, message)
        return
    steps, verdict = read.plan.steps, read.verdict
    further = [(f.step, f.message) for f in verdict.further]
    for number, message in () if verdict.valid else [(verdict.failed_at, verdict.message), *further]:
        line = steps[number - 1 if number else -1].line if steps else 1
        yield line or 1, 1, message if number else f"the goal {message}"


def domain_of(path: Path, texts: Texts) -> Path | None:
    """The domain to which a file belongs: itself, the one of its folder, or the only one there; None without one."""
    if path.suffix == ".pddl" and _defines(path, texts, "domain"):
        return path
    return _of_folder(path.parent, texts, "domain")


def _of_folder(folder: Path, texts: Texts, what: str) -> Path | None:
    """The `domain` or `problem` of a folder: the one of that name, or the only one."""
    there = {p for p in (*folder.glob("*.pddl"), *texts) if p.parent == folder and p.suffix == ".pddl"}
    if (usual := folder / f"{what}.pddl") in there:
        return usual
    fitting = [p for p in there if _defines(p, texts, what)]
    return fitting[0] if len(fitting) == 1 else None


def _defines(path: Path, texts: Texts, what: str) -> bool:
    begins = re.match(r"\s*\(\s*define\s*\(\s*([^\s()]+)", source(path, texts).bare())
    return path.name == f"{what}.pddl" or (begins is not None and begins[1] == what)


def source(path: Path, texts: Texts) -> Source:
    """The text of a file, as it is being edited or on the disk; empty where it cannot be read."""
    try:
        return Source(str(path), texts[path]) if path in texts else read(path)
    except InputError:
        return Source(str(path), "")


def symbols(path: Path, texts: Texts) -> tuple[Symbol, ...]:
    """The names that the domain of a file declares; none where it cannot be read at the moment."""
    domain = domain_of(path, texts)
    if domain is None:
        return ()
    text, _, _ = check_texts(Notes(source(domain, texts)), ())
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
    there = {p for p in (*domain.parent.glob("*"), *texts) if p.parent == domain.parent}
    for file in sorted(p for p in there if p.suffix in (".pddl", PLAN) or p.name in TABLES):
        shown = source(file, texts)
        bare = re.sub(r"#[^\n]*", lambda m: " " * len(m[0]), shown.text) if file.name in TABLES else shown.bare()
        for found in re.finditer(rf"(?<![\w?:-]){re.escape(name)}(?![\w-])", bare):
            yield file, *shown.place(found.start())
