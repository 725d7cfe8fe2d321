"""Beginnings of one's own: a domain folder, a skill or an observer in it, a scene. What is written runs as it is.

Nothing that is there is overwritten: files are made, or text is put into them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from tamp.data import data_dir
from tamp.errors import InputError
from tamp.extension import inserting
from tamp.extension import templates as t
from tamp.files.replacing import replacing
from tamp.model.domain import Domain, load
from tamp.perception.predicates import SEEN
from tamp.skills.declared import backend_of, table_specs

START = "tabletop"
"""The shipped domain that a new one begins as."""
TAKEN = ("and", "or", "not", "imply", "forall", "exists", "when", "define", "object", "either")
"""Words of PDDL's own."""
Conditions = Iterable[tuple[str, tuple[str, ...], str]]


@dataclass(frozen=True)
class Begun:
    """What was written and changed, a goal to try where there is one, and what one should know besides."""

    folder: Path
    written: Sequence[Path] = ()
    changed: Sequence[Path] = ()
    goal: str | None = None
    notes: Sequence[str] = field(default=())


def new_domain(name: str, place: Path) -> Begun:
    """A folder `name` in `place`: the tabletop domain, and a predicate, operator, skill and observer of its own.

    InputError for what is no name, and where there is such a folder.
    """
    folder = _fresh(_named(name), place)
    start = data_dir("domains") / START
    text = (start / "domain.pddl").read_text(encoding="utf-8")
    text = text[text.index("(define") :].replace(f"(domain {START})", f"(domain {name})", 1)
    skills = (start / "skills.toml").read_text(encoding="utf-8")
    _write({folder / "domain.pddl": t.DOMAIN_HEAD.substitute(name=name) + text, folder / "skills.toml": skills})
    added = _with_skill(load(str(folder)), "tap", "tapped")
    _write(added.texts)
    return Begun(folder, [folder / "domain.pddl", folder / "skills.toml", *added.new], goal=added.goal)


def new_skill(name: str, folder: Path) -> Begun:
    """In a domain's folder a skill, an operator that is bound to it, the predicate that this makes true, its observer,
    and a case. InputError for what is no name or is taken, and for a domain without the types of domains/tabletop."""
    domain = _domain(folder)
    if _named(name) in table_specs():
        raise InputError(f"{name} is a skill of tamp's own; valid: another name")
    return _begun(domain, _with_skill(domain, name, f"{name}-done"))


def new_observer(name: str, folder: Path) -> Begun:
    """In a domain's folder an observer of the predicate `name`; where the domain has no such predicate, this too, an
    operator that makes it true, and a case. InputError for what is no name or is taken, and for what is seen anyway."""
    domain = _domain(folder)
    if _named(name) in SEEN:
        raise InputError(f"tamp sees {name!r} itself; valid: a predicate of your own")
    if name in domain.table.beliefs:
        raise InputError(f"{folder / 'skills.toml'}: {name} is believed; take that out to have it seen")
    added = _with_observer(domain, name) if name in domain.predicates else _with_predicate(domain, name)
    return _begun(domain, added)


def new_scene(name: str, place: Path) -> Begun:
    """A folder `name` in `place` with a `scene.toml`. InputError as `new_domain`."""
    folder = _fresh(_named(name), place)
    _write({folder / "scene.toml": t.SCENE})
    return Begun(folder, [folder / "scene.toml"], goal="(on mug_1 plate_1)")


@dataclass(frozen=True)
class _Added:
    """What files are to hold, which of them are new, and a goal that shows it."""

    texts: Mapping[Path, str]
    goal: str | None = None
    notes: Sequence[str] = ()

    @property
    def new(self) -> list[Path]:
        return [path for path in self.texts if path.name not in ("domain.pddl", "skills.toml")]


def _with_skill(domain: Domain, skill: str, predicate: str) -> _Added:
    folder = domain.path.parent
    _free(domain, operator=skill, predicate=predicate)
    _need(domain, ("item",), ())
    names = {"skill": skill, "predicate": predicate, "cls": t.class_name(skill), "function": t.function_name(predicate)}
    names["facts"] = ', facts=frozenset({"obstructed"})' if _has(domain, "obstructed", ("object", "item")) else ""
    operator = _operator(t.OPERATOR_OF_SKILL, t.CONDITIONS_OF_SKILL, domain, names)
    observer = t.OBSERVER_OF_SKILL.substitute(names)
    goal = f"({predicate} plate_1)"
    return _Added(
        {
            **_bound(domain, skill, skill, "skills.py", t.PREDICATE_OF_SKILL.substitute(names), operator),
            **_python(folder, "skills.py", ("np", "GuidedSkill", "Hand", "Spec"), t.SKILL.substitute(names)),
            **_python(folder, "observers.py", ("np", "View", "observes"), observer),
            **_case(folder, skill, goal),
        },
        goal,
    )


def _with_predicate(domain: Domain, predicate: str) -> _Added:
    """A predicate that is not there yet, with all that it takes to be seen to come true."""
    folder, operator = domain.path.parent, f"make-{predicate}"
    _free(domain, operator=operator, predicate=predicate)
    _need(domain, ("item", "surface"), t.NEEDED_SEEN)
    names = {"predicate": predicate, "operator": operator, "function": t.function_name(predicate)}
    text = _operator(t.OPERATOR_SEEN, t.CONDITIONS_SEEN, domain, names)
    goal = f"({predicate} mug_1)"
    return _Added(
        {
            **_bound(domain, operator, "pick", "", t.PREDICATE_SEEN.substitute(names), text),
            **_python(folder, "observers.py", ("View", "observes"), t.OBSERVER_SEEN.substitute(names)),
            **_case(folder, predicate, goal),
        },
        goal,
    )


def _with_observer(domain: Domain, predicate: str) -> _Added:
    """An observer of a predicate that the domain has."""
    parameters = [t.function_name(name) for name, _ in domain.predicates[predicate].parameters]
    template = t.OBSERVER_GIVEN if parameters else t.OBSERVER_GIVEN_BARE
    symbols = [f"{p}_" if p in ("view", "tolerance", "np") else p for p in parameters]
    names = {"predicate": predicate, "function": t.function_name(predicate), "first": symbols[0] if symbols else ""}
    text = template.substitute(names, symbols=", ".join(f"{s}: str" for s in symbols))
    makes = [o for o, added in domain.adds.items() if predicate in (p.name for p in added)]
    told = f"`tamp test` tries {makes[0]} by itself" if makes else f"no operator makes ({predicate} …) true yet"
    return _Added(_python(domain.path.parent, "observers.py", ("np", "View", "observes"), text), notes=(told,))


def _begun(domain: Domain, added: _Added) -> Begun:
    new = [path for path in added.texts if not path.exists()]
    _write(added.texts)
    changed = [path for path in added.texts if path not in new]
    return Begun(domain.path.parent, new, changed, added.goal, added.notes)


def _bound(domain: Domain, operator: str, skill: str, note: str, predicate: str, text: str) -> dict[Path, str]:
    """The domain with one more predicate and operator, and the table with its skill."""
    table = domain.path.parent / "skills.toml"
    return {
        domain.path: inserting.in_domain(domain.path, [predicate], [text]),
        table: inserting.in_table(table, operator, skill, note),
    }


def _python(folder: Path, file: str, names: Iterable[str], text: str) -> dict[Path, str]:
    return {folder / file: inserting.in_python(folder / file, t.PYTHON_HEAD[file], names, text)}


def _case(folder: Path, name: str, goal: str) -> dict[Path, str]:
    path = folder / "tests" / f"{name}.toml"
    if path.exists():
        raise InputError(f"{path} is there already; valid: another name")
    return {path: t.CASE.substitute(scene=t.SCENE_TRIED, goal=goal)}


def _operator(template: Template, conditions: Conditions, domain: Domain, names: Mapping[str, str]) -> str:
    """An operator with those of its conditions that the domain has predicates for."""
    said = [text for predicate, kinds, text in conditions if _has(domain, predicate, kinds)]
    return template.substitute(names, conditions=t.lines(said))


def _has(domain: Domain, predicate: str, kinds: tuple[str, ...]) -> bool:
    """Whether a domain has a predicate that can be said of things of these types."""
    there = domain.predicates.get(predicate)
    if there is None or len(there.parameters) != len(kinds):
        return False
    own = [kind for _, kind in there.parameters]
    return all(domain.is_a("item" if k == "object" else k, o) for k, o in zip(kinds, own, strict=True))


def _write(texts: Mapping[Path, str]) -> None:
    for path, text in texts.items():
        with replacing(path) as partial:
            path.parent.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(text.encode("utf-8"))


def _named(name: str) -> str:
    """A name that PDDL and Python can have. InputError otherwise."""
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", name) or name.endswith("-"):
        valid = "valid: a small letter, then small letters, digits, - and _, as in tap-it"
        raise InputError(f"{name!r} is no name; {valid}")
    if name in TAKEN:
        raise InputError(f"{name!r} is a word of PDDL's own; valid: another name")
    return name


def _fresh(name: str, place: Path) -> Path:
    folder = place / name
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
    if domain.table.package is not None:
        raise InputError(f"the Python of {folder} is the package {domain.table.package}; valid: a folder with its own")
    return domain


def _free(domain: Domain, *, operator: str, predicate: str) -> None:
    for what, name, had in (
        ("an operator", operator, domain.operators),
        ("a predicate", predicate, domain.predicates),
        ("a line of skills.toml for", operator, domain.skills),
        ("a type", operator, domain.types),
        ("a type", predicate, domain.types),
    ):
        if name in had:
            raise InputError(f"{domain.path.parent} has {what} {name!r} already; valid: another name")


def _need(domain: Domain, types: Iterable[str], predicates: Iterable[tuple[str, int]]) -> None:
    """InputError where a domain lacks what a template is made of."""
    lacking = [f"type {kind}" for kind in types if kind not in domain.types]
    has = domain.predicates
    lacking += [f"predicate {p}" for p, n in predicates if p not in has or len(has[p].parameters) != n]
    if lacking:
        valid = "valid: a domain with the types and predicates that are seen (docs/domains.md), as domains/tabletop"
        raise InputError(f"{domain.path}: the template needs the {lacking[0]}, which it does not have; {valid}")
