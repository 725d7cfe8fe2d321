"""`tamp new`: templates that run, copied into a folder or merged into a domain that is there.

The templates are the folders of `tamp/templates`, in which `my-…` stands for the names. Nothing is overwritten.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tamp.data import data_dir
from tamp.errors import InputError
from tamp.files.replacing import replacing
from tamp.files.source import Source, read
from tamp.model.domain import Domain
from tamp.model.goal_syntax import Node
from tamp.pddl.domain_file import load
from tamp.pddl.tree import tree
from tamp.perception.predicates import SEEN
from tamp.skills.builtin_specs import backend_of, table_specs

Kind = Literal["domain", "skill", "observer", "scene"]
TEMPLATES = Path(__file__).parents[1] / "templates"
START = "tabletop"
"""The shipped domain that a new one begins as."""
RESERVED = ("and", "or", "not", "imply", "forall", "exists", "when", "define", "object", "either")
"""Words of PDDL."""
FACTS = ', facts=frozenset({"obstructed"})'
"""What the template of a skill declares, for domains with such a predicate."""
_IMPORTS, _DEFINES = (ast.Import, ast.ImportFrom), (ast.FunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Written:
    """The files that were written and changed, a goal to try where there is one, and notes for the user."""

    folder: Path
    written: Sequence[Path] = ()
    changed: Sequence[Path] = ()
    goal: str | None = None
    notes: Sequence[str] = ()


def new(kind: Kind, name: str, folder: str | Path = ".") -> Written:
    """Write a template into a folder: a domain or a scene becomes a folder `name` there, a skill or an observer is
    added to the domain that is there.

    InputError for a bad name, a name that is taken, and a folder that the template does not fit.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", name) or name.endswith("-"):
        valid = "valid: a small letter, then small letters, digits, - and _, as in tap-it"
        raise InputError(f"{name!r} is no name; {valid}")
    if name in RESERVED:
        raise InputError(f"{name!r} is a word of PDDL's own; valid: another name")
    make = {"domain": _new_domain, "skill": _new_skill, "observer": _new_observer, "scene": _new_scene}
    return make[kind](name, Path(folder))


def _new_domain(name: str, place: Path) -> Written:
    """The tabletop domain, with a predicate, operator, skill and observer of its own."""
    folder, start = _unused(place / name), data_dir("domains") / START
    text = (start / "domain.pddl").read_text(encoding="utf-8")
    text = text[text.index("(define") :].replace(f"(domain {START})", f"(domain {name})", 1)
    head = (TEMPLATES / "domain" / "head.pddl").read_text(encoding="utf-8").replace("my-domain", name)
    skills = (start / "skills.toml").read_text(encoding="utf-8")
    texts = {folder / "domain.pddl": head + text, folder / "skills.toml": skills}
    _write(texts)
    added = _merge(load(str(folder)), "skill", {"my-skill": "tap", "my-fact": "tapped"}, "tap")
    return Written(folder, [*texts, *added.written], goal="(tapped plate_1)")


def _new_scene(name: str, place: Path) -> Written:
    folder = _unused(place / name)
    _write({folder / "scene.toml": (TEMPLATES / "scene" / "scene.toml").read_text(encoding="utf-8")})
    return Written(folder, [folder / "scene.toml"], goal="(on mug_1 plate_1)")


def _new_skill(name: str, folder: Path) -> Written:
    """A skill, an operator that is bound to it, the predicate that it makes true, its observer, and a case."""
    domain = _domain(folder)
    if name in table_specs():
        raise InputError(f"{name} is a skill of tamp's own; valid: another name")
    names = {"my-skill": name, "my-fact": f"{name}-done"}
    _check_free(domain, operator=name, predicate=names["my-fact"])
    _check_has(domain, ("item",), {})
    return _merge(domain, "skill", names, name, goal=f"({name}-done plate_1)")


def _new_observer(name: str, folder: Path) -> Written:
    """An observer; of a predicate that the domain lacks also this, an operator that makes it true, and a case."""
    domain = _domain(folder)
    if name in SEEN:
        raise InputError(f"tamp sees {name!r} itself; valid: a predicate of your own")
    if name in domain.table.beliefs:
        raise InputError(f"{folder / 'skills.toml'}: {name} is believed; take that out to have it seen")
    if name not in domain.predicates:
        _check_free(domain, operator=f"make-{name}", predicate=name)
        _check_has(domain, ("item", "surface"), {"hand-empty": 0, "on": 2, "clear": 1, "holding": 1})
        return _merge(domain, "predicate", {"my-fact": name}, name, goal=f"({name} mug_1)")
    symbols = [_identifier(parameter) for parameter, _ in domain.predicates[name].parameters]
    symbols = [f"{s}_" if s in ("view", "tolerance", "np") else s for s in symbols]
    names = {"my-fact": name, ", item: str": "".join(f", {s}: str" for s in symbols)}
    made = any(name in (p.name for p in added) for added in domain.adds.values())
    notes = [] if made else [f"no operator makes ({name} …) true yet"]
    return _merge(domain, "observer", names, name, notes=notes)


def _merge(
    domain: Domain,
    template: str,
    names: Mapping[str, str],
    case: str,
    goal: str | None = None,
    notes: Sequence[str] = (),
) -> Written:
    """Write a template into a domain's folder, with `names` for those in it; `case` is what its case is called."""
    shipped, folder = TEMPLATES / template, domain.path.parent
    names = {**names, **{_identifier(old): _identifier(new) for old, new in names.items() if old.startswith("my-")}}
    names |= {_class_name(old): _class_name(new) for old, new in names.items() if old == "my-skill"}
    if not _has(domain, "(obstructed ?x ?y)"):
        names[FACTS] = ""
    pattern = re.compile("|".join(map(re.escape, names)))

    def text(file: str) -> str:
        return pattern.sub(lambda found: names[found[0]], (shipped / file).read_text(encoding="utf-8"))

    texts: dict[Path, str] = {}
    if (shipped / "operator.pddl").is_file():
        operator, skill = (case, f'"{case}"  # skills.py') if template == "skill" else (f"make-{case}", '"pick"')
        added = _fitting(text("operator.pddl"), domain)
        texts[domain.path] = _with_operator(domain.path, text("predicates.pddl"), added)
        table = folder / "skills.toml"
        texts[table] = _edited(table, lambda text: _with_binding(text, operator, skill))
    for file in ("skills.py", "observers.py"):
        if (shipped / file).is_file():
            texts[folder / file] = _with_python(folder / file, text(file))
    if (shipped / "case.toml").is_file():
        path = folder / "tests" / f"{case}.toml"
        if path.exists():
            raise InputError(f"{path} is there already; valid: another name")
        texts[path] = text("case.toml")
    written = [path for path in texts if not path.exists()]
    _write(texts)
    return Written(folder, written, [path for path in texts if path not in written], goal, notes)


def _edited(path: Path, edit: Callable[[str], str]) -> str:
    """The text of a file after `edit`, which works on plain line ends; its own line ends and byte order mark stay.
    InputError when the file cannot be read or is not UTF-8 text."""
    text = read(path).text
    raw = path.read_bytes().decode("utf-8")
    newline = "\r\n" if "\r\n" in raw else "\n"
    return ("\ufeff" if raw.startswith("\ufeff") else "") + edit(text).replace("\n", newline)


def _with_operator(path: Path, predicates: str, operator: str) -> str:
    """The text of a domain file with whole lines of predicates and an operator, each at the end of its section."""

    def edit(text: str) -> str:
        top = tree(Source(str(path), text))
        section = next((n for n in top.parts if n.head == ":predicates"), None)
        if section is None:
            raise InputError(f"{path}: it has no (:predicates …) to add to; valid: a domain such as domains/tabletop")
        return _before_end(_before_end(text, top, operator), section, predicates)

    return _edited(path, edit)


def _before_end(text: str, node: Node, added: str) -> str:
    """A text with whole lines before the closing parenthesis of a list."""
    end = node.end - 1
    start = text.rfind("\n", 0, end) + 1
    if not text[start:end].strip():  # the parenthesis has a line of its own
        return text[:start] + added + text[start:]
    return f"{text[:end]}\n{added}{'  ' if node.head == ':predicates' else ''}{text[end:]}"


def _with_binding(text: str, operator: str, skill: str) -> str:
    """The text of a table of skills with one more operator, before its first `[table]`."""
    header = re.search(r"^[ \t]*\[", text, re.MULTILINE)
    keys = list(re.finditer(r"^[^#\[\s].*?(?=[ \t]*=)", text[: header.start()] if header else text, re.MULTILINE))
    if not keys:
        return f"{operator} = {skill}\n{text}"
    column = text.index("=", keys[-1].end()) - keys[-1].start() - 1
    at = f"{text}\n".index("\n", keys[-1].end())
    return f"{text[:at]}\n{operator:{column}} = {skill}{text[at:]}"


def _with_python(path: Path, template: str) -> str:
    """The text of a module with what a template defines at its end, and the template's imports that it lacks; the
    template where there is no such module. InputError, with the line, for a module that is not Python, and for a name
    that it has already."""

    def edit(text: str) -> str:
        try:
            module = ast.parse(text)
        except SyntaxError as error:
            raise InputError(f"{path}:{error.lineno or 1}: not Python: {error.msg}") from error
        added = ast.parse(template)
        defined = {node.name: node.lineno for node in module.body if isinstance(node, _DEFINES)}
        for node in added.body:
            if isinstance(node, _DEFINES) and node.name in defined:
                raise InputError(f"{path}:{defined[node.name]}: there is a {node.name} already; valid: another name")
        before = [node for node in module.body if isinstance(node, _IMPORTS)]
        bound = {alias.asname or alias.name for node in before for alias in node.names}
        lacking = []
        for node in (node for node in added.body if isinstance(node, _IMPORTS)):
            end = node.end_lineno
            node.names = [alias for alias in node.names if (alias.asname or alias.name) not in bound]
            lacking += [ast.unparse(node)] if node.names else []
        head = before or (module.body[:1] if ast.get_docstring(module) is not None else [])
        at = head[-1].end_lineno if head else 0
        rows = text.rstrip().splitlines()
        gap = [""] if lacking and head and not before else []
        return "\n".join([*rows[:at], *gap, *lacking, *rows[at:], *template.splitlines()[end:], ""])

    return _edited(path, edit) if path.is_file() else template


def _fitting(operator: str, domain: Domain) -> str:
    """An operator without the conditions, one a line, whose predicate the domain does not have."""
    head, condition, rest = operator.partition(":precondition (and\n")
    conditions, end, effect = rest.partition(")\n    :effect")
    return head + condition + "\n".join(c for c in conditions.splitlines() if _has(domain, c)) + end + effect


def _has(domain: Domain, condition: str) -> bool:
    """Whether a domain has the predicate of a literal, with as many arguments."""
    name, *arguments = re.findall(r"\(([^()]*)\)", condition)[-1].split()
    return name in domain.predicates and len(domain.predicates[name].parameters) == len(arguments)


def _identifier(name: str) -> str:
    """A PDDL name as a Python identifier: `tap-it` is `tap_it`."""
    identifier = name.replace("-", "_")
    return f"{identifier}_" if keyword.iskeyword(identifier) else identifier


def _class_name(name: str) -> str:
    """A PDDL name as the name of a class: `tap-it` is `TapIt`."""
    identifier = "".join(part.capitalize() for part in name.replace("_", "-").split("-"))
    return f"{identifier}_" if keyword.iskeyword(identifier) else identifier


def _write(texts: Mapping[Path, str]) -> None:
    for path, text in texts.items():
        with replacing(path) as partial:
            path.parent.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(text.encode("utf-8"))


def _unused(folder: Path) -> Path:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is there already, and nothing is overwritten; valid: another name, or --in DIR")
    return folder


def _domain(folder: Path) -> Domain:
    """The domain of a folder that is complete enough to be added to."""
    if not (folder / "domain.pddl").is_file():
        raise InputError(f"there is no domain.pddl in {folder}; give --domain DIR, or begin one: tamp new domain NAME")
    if not (folder / "skills.toml").is_file():
        raise InputError(f"there is no skills.toml in {folder}, which binds operators to skills (docs/domains.md)")
    domain = load(str(folder))
    if backend_of(domain.skills.values()) == "xarm":
        raise InputError(f"{folder} is a domain for an arm; valid: one for simulated scenes, such as domains/tabletop")
    return domain


def _check_free(domain: Domain, *, operator: str, predicate: str) -> None:
    for what, name, had in (
        ("an operator", operator, domain.operators),
        ("a predicate", predicate, domain.predicates),
        ("a line of skills.toml for", operator, domain.skills),
        ("a type", operator, domain.types),
        ("a type", predicate, domain.types),
    ):
        if name in had:
            raise InputError(f"{domain.path.parent} has {what} {name!r} already; valid: another name")


def _check_has(domain: Domain, types: Sequence[str], predicates: Mapping[str, int]) -> None:
    """InputError where a domain lacks what a template is made of; `predicates` with their numbers of arguments."""
    lacking = [f"type {kind}" for kind in types if kind not in domain.types]
    has = domain.predicates
    lacking += [f"predicate {p}" for p, n in predicates.items() if p not in has or len(has[p].parameters) != n]
    if lacking:
        valid = "valid: a domain with the types and predicates that are seen (docs/domains.md), as domains/tabletop"
        raise InputError(f"{domain.path}: the template needs the {lacking[0]}, which it does not have; {valid}")
