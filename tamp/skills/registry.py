"""Bind a domain's operators to skills: those of this package, and those of the domain's folder.

The Python of a folder runs only for a domain that the command names: never for one that a log, a problem file, a case
or a language model names.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, cast

from tamp.errors import InputError
from tamp.model.domain import Domain
from tamp.model.skill_spec import Spec
from tamp.perception.observers import Observer
from tamp.perception.predicates import SEEN
from tamp.skills.builtin_specs import ENDS, check_table
from tamp.user_code import user_code

if TYPE_CHECKING:
    from tamp.skills.base import Skill

SECONDS = 5.0
"""Seconds that a module may take to be loaded."""
MODULES = ("observers", "skills")


def skills() -> dict[str, Skill]:
    """Every skill that refines to motions of a robot at a table."""
    from tamp.skills.articulate import Articulate  # which load the robot's kinematics
    from tamp.skills.pick import Pick, PickByRim
    from tamp.skills.place import Place
    from tamp.skills.slide import Slide

    hinged = (Articulate(name, goal) for name, goal in ENDS.items())
    known: tuple[Skill, ...] = (Pick(), PickByRim(), Place(), Slide(), *hinged)
    return {s.spec.name: s for s in known}


@dataclass(frozen=True, eq=False)
class Bound:
    """A domain with what carries it out: the skill of every operator, and the observers of its own predicates."""

    domain: Domain
    skills: Mapping[str, Skill]
    observers: Mapping[str, Observer]


def bound(domain: Domain) -> Bound:
    """A domain with its skills and observers, those of its folder among them. InputError when an operator has no skill,
    the table names an unknown one, or the folder's Python does not run."""
    own, known = load_extension(domain), skills()
    if clash := sorted(own.skills.keys() & known.keys()):
        raise InputError(f"{domain.path.parent}: the skill {clash[0]!r} is one of tamp's own; valid: another name")
    check_table(domain, "libero", {name: s.spec for name, s in own.skills.items()})
    check_observers(domain, own)
    known |= own.skills
    return Bound(domain, {o: known[domain.skills[o]] for o in domain.operators}, own.observers)


def bind(domain: Domain) -> dict[str, Skill]:
    """Skill of every operator; InputError as `bound`."""
    return dict(bound(domain).skills)


@dataclass(frozen=True, eq=False)
class Extension:
    """The observers of a domain's own, by their predicates, its skills, by their names, and the modules that define
    them."""

    observers: Mapping[str, Observer] = field(default_factory=dict)
    skills: Mapping[str, Skill] = field(default_factory=dict)
    modules: tuple[ModuleType, ...] = ()


def load_extension(domain: Domain) -> Extension:
    """The observers and skills of a domain's folder.

    InputError with file and line for what does not run, and for what is declared twice.
    """
    observers: dict[str, Observer] = {}
    skills: dict[str, Skill] = {}
    modules = tuple(_modules(domain))
    for module in modules:
        for observer in {id(v): v for v in vars(module).values() if isinstance(v, Observer)}.values():
            if observer.predicate in observers:
                raise InputError(f"{located(observer.decide)}: a second observer of {observer.predicate}")
            observers[observer.predicate] = observer
        for skill in _skills(module):
            if skill.spec.name in skills:
                raise InputError(f"{located(type(skill))}: a second skill {skill.spec.name!r}")
            skills[skill.spec.name] = skill
    return Extension(observers, skills, modules)


def _modules(domain: Domain) -> Iterator[ModuleType]:
    folder = domain.path.parent
    package = ""
    for file in [folder / f"{name}.py" for name in MODULES if (folder / f"{name}.py").is_file()]:
        package = package or _as_package(folder)
        with user_code(file, f"loading {file.name}", SECONDS):
            yield importlib.import_module(f"{package}.{file.stem}")


def _as_package(folder: Path) -> str:
    """A name under which a folder's modules are imported afresh, and can import each other: `from .shapes import x`."""
    name = f"tamp_domain_{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:12]}"
    for loaded in [m for m in sys.modules if m == name or m.startswith(f"{name}.")]:
        del sys.modules[loaded]
    package = ModuleType(name)
    package.__path__ = [str(folder.resolve())]
    sys.modules[name] = package
    importlib.invalidate_caches()
    return name


def _skills(module: ModuleType) -> Iterator[Skill]:
    """An instance of every class of skills that a module defines."""
    from tamp.skills.base import Skill

    for value in list(vars(module).values()):
        if not inspect.isclass(value) or value.__module__ != module.__name__ or Skill not in value.__mro__:
            continue
        if value.__name__.startswith("_"):
            continue
        file = Path(str(module.__file__))
        with user_code(file, f"making {value.__name__}()", SECONDS):
            skill = cast("Skill", value())
            if not isinstance(getattr(skill, "spec", None), Spec):
                valid = 'valid: spec = Spec("name", ("item",))'
                raise InputError(f"{located(value)}: {value.__name__} has no spec; {valid}")
            yield skill


def check_observers(domain: Domain, own: Extension) -> None:
    """InputError for an observer, or a belief, of what is no predicate of the domain or is seen anyway, and for an
    observer that takes another number of things."""
    table = domain.path.parent / "skills.toml"
    declared = [(f"{table}: [predicates.{name}]", name) for name in domain.table.beliefs]
    declared += [(f"{located(o.decide)}: the observer of {name}", name) for name, o in own.observers.items()]
    for what, name in declared:
        if name not in domain.predicates:
            near = difflib.get_close_matches(name, domain.predicates, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"valid: {', '.join(domain.predicates)}"
            raise InputError(f"{what}: the domain has no predicate {name!r}; {hint}")
        if name in SEEN:
            raise InputError(f"{what}: tamp sees {name!r} itself; valid: a predicate of your own")
    for name, observer in own.observers.items():
        wanted, takes = len(domain.predicates[name].parameters), observer.symbols
        if takes is not None and takes != wanted:
            what = f"{located(observer.decide)}: the observer of {name} takes a view and {takes} symbols"
            raise InputError(f"{what}; valid: {wanted}, as in {domain.path.name}")
        if name in domain.table.beliefs:
            raise InputError(f"{table}: {name} has an observer; valid: to see it or to believe it, not both")


def located(thing: object) -> str:
    """`file:line` at which a function or class is defined."""
    return f"{inspect.getsourcefile(thing)}:{inspect.getsourcelines(thing)[1]}"  # type: ignore[arg-type]
