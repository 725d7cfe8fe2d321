"""Check the Python of a domain folder before anything moves.

`static_errors` reads it: attributes that views and hands do not have, calls with wrong arguments, undefined names, also
in lines that run rarely. `runtime_errors` calls every observer and skill in a small scene without a simulator.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import difflib
import dis
import inspect
import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import CodeType, ModuleType

import numpy as np

from motion.poses import Array, pose
from tamp.errors import InputError
from tamp.model.bodies import world_of
from tamp.model.domain import Domain
from tamp.model.scene import Scene, with_object_at
from tamp.model.situation import Situation
from tamp.model.state import WorldState
from tamp.perception.observers import Moment, Things, View, seen_by
from tamp.perception.predicates import held_in, observe
from tamp.skills.base import Skill, Tools
from tamp.skills.domain_python import Extension, located
from tamp.skills.guided import Hand
from tamp.skills.sample_scene import CUP, TOOL, empty_scene, gantry, scene_with_things

KINDS: dict[str, type] = {"View": View, "Hand": Hand, "Things": Things}
"""Classes of arguments that are looked at, as they are annotated."""
WAYS = 12
"""Ways of a skill that are tried."""
CHOICES = 3
"""Choices of arguments that a skill is tried with."""
UP = np.array([0.0, 0.0, 1.0])
PERIOD = 0.05
"""Seconds between two moments."""


def static_errors(module: ModuleType) -> Iterator[InputError]:
    """Errors in the source of a module that was loaded, with file and line."""
    file = Path(str(module.__file__))
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for name, kind in _given(function):
                yield from (InputError(f"{file}:{line}: {message}") for line, message in _misused(function, name, kind))
    known = {*vars(module), *vars(builtins)}
    for line, name in _globals(compile(text, str(file), "exec")):
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            yield InputError(f"{file}:{line}: there is no {name!r}{f'; did you mean {near[0]!r}?' if near else ''}")


def _given(function: ast.FunctionDef) -> Iterator[tuple[str, type]]:
    """The arguments of a function that are views, hands or things."""
    args = [*function.args.posonlyargs, *function.args.args]
    decorated = any(isinstance(d, ast.Call) and _last(d.func) == "observes" for d in function.decorator_list)
    for n, arg in enumerate(args):
        named = arg.annotation.value if isinstance(arg.annotation, ast.Constant) else _last(arg.annotation)
        kind = KINDS.get(str(named))
        if kind is None and decorated and n == 0:
            kind = View
        if kind is None and function.name == "guide" and n == 1:
            kind = Hand
        if kind is not None:
            yield arg.arg, kind


def _last(node: ast.expr | None) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _misused(function: ast.FunctionDef, name: str, kind: type) -> Iterator[tuple[int, str]]:
    has = {m for m in dir(kind) if not m.startswith("_")} | {f.name for f in dataclasses.fields(kind)}
    for node in ast.walk(function):
        called = node.func if isinstance(node, ast.Call) else node
        if not (isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == name):
            continue
        if called.attr not in has:
            if called is node and not called.attr.startswith("__"):
                near = difflib.get_close_matches(called.attr, has, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"valid: {', '.join(sorted(has))}"
                yield node.lineno, f"a {kind.__name__} has no {called.attr!r}; {hint}"
        elif isinstance(node, ast.Call) and (message := _misfit(node, getattr(kind, called.attr, None))):
            yield node.lineno, f"{name}.{called.attr}: {message}"


def _misfit(call: ast.Call, method: object) -> str | None:
    """Why a method cannot be called so, and how it can."""
    spread = any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)
    if spread or not inspect.isfunction(method):
        return None
    signature = inspect.signature(method)
    try:
        signature.bind(None, *call.args, **{str(k.arg): k.value for k in call.keywords})
    except TypeError as error:
        return f"{error}; valid: {method.__name__}({', '.join(map(_shown, list(signature.parameters.values())[1:]))})"
    return None


def _shown(parameter: inspect.Parameter) -> str:
    return str(parameter.replace(annotation=inspect.Parameter.empty))


def _globals(code: CodeType) -> Iterator[tuple[int, str]]:
    """Names that functions look up outside of themselves, with their lines."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _globals(constant)
    if code.co_flags & inspect.CO_NEWLOCALS:
        for step in dis.get_instructions(code):
            if step.opname == "LOAD_GLOBAL":
                yield (step.positions.lineno if step.positions else None) or code.co_firstlineno, step.argval


def runtime_errors(domain: Domain, own: Extension) -> Iterator[InputError]:
    """Call every observer and have every skill drive a hand; the first error of each."""
    views = list(_views())
    yield from _never_asked(own, domain)
    for name, observer in own.observers.items():
        errors = (_error(partial(seen_by, {name: observer}, view, domain)) for view in views)
        yield from itertools.islice(filter(None, errors), 1)
    for skill in own.skills.values():
        yield from itertools.islice(_driven(skill, domain), 1)


def _never_asked(own: Extension, domain: Domain) -> Iterator[InputError]:
    """Observers that are never called: no symbol of a parameter's type is all that they need of each argument."""
    scene = scene_with_things()
    symbols = observe(scene, world_of(scene, gantry())).known_to(domain).symbols
    for name, observer in own.observers.items():
        for parameter, kind in domain.predicates[name].parameters:
            fitting = [s for s, k in symbols.items() if domain.is_a(k, kind)]
            if fitting and not any(observer.asks_of(Things(scene), s) for s in fitting):
                needs = ", ".join(observer.needs)
                message = f"{name} needs {needs} of all its arguments, and no {kind} (?{parameter}) is that"
                yield InputError(f"{located(observer.decide)}: {message}: it is never asked; leave `needs` out")


def _error(call: Callable[[], object]) -> InputError | None:
    """What a call raises."""
    try:
        call()
    except InputError as error:
        return error
    return None


def _views() -> Iterator[View]:
    """An empty scene, and one with a thing of each kind: as nothing has moved yet, while the hand stood still, after it
    has gone over everything, with empty fingers and with a cup in them."""
    full = scene_with_things()
    over = [pose(o.position + up * UP, TOOL[:3, :3]) for o in full for up in (0.3, 0.1, 0.02)]
    held = _holding(full)
    for start, now, way in ((empty_scene(), empty_scene(), []), (full, full, []), (full, full, [TOOL] * 3)):
        yield _view(start, now, way, None)
    yield _view(full, full, over, None)
    yield _view(full, held, [*over, held.robot.T_world_tool], CUP)


def _view(start: Scene, now: Scene, way: Sequence[Array], holding: str | None) -> View:
    world = world_of(now, gantry())
    state = observe(now, world)
    moments = [Moment(PERIOD * n, T, now.robot.opening, holding) for n, T in enumerate(way)]
    return View(now, state, holding or held_in(state), start, moments, world)


def _holding(scene: Scene) -> Scene:
    return with_object_at(scene, CUP, scene.robot.T_world_tool)


def _driven(skill: Skill, domain: Domain) -> Iterator[InputError]:
    """Errors of a skill, with arguments that the operators bound to it can have."""
    scene = scene_with_things()
    world = world_of(scene, gantry())
    state = observe(scene, world)
    operators = [o for o, bound in domain.skills.items() if bound == skill.spec.name and o in domain.operators]
    kinds = {tuple(kind for _, kind in domain.operators[o].parameters) for o in operators} or {skill.spec.takes}
    for args in (a for some in kinds for a in itertools.islice(_arguments(some, domain, state), CHOICES)):
        for situation in (Situation(scene), Situation(_holding(scene)).grasping(CUP)):
            samples = skill.refine(args, situation, Tools(world, np.random.default_rng(0)))
            if (error := _error(partial(list, itertools.islice(samples, WAYS)))) is not None:
                yield error


def _arguments(takes: tuple[str, ...], domain: Domain, state: WorldState) -> Iterator[tuple[str, ...]]:
    """Symbols that an operator could be given, no symbol twice."""
    symbols = state.known_to(domain).symbols
    fitting = [[s for s, k in symbols.items() if domain.is_a(k, kind)] for kind in takes]
    return (args for args in itertools.product(*fitting) if len(set(args)) == len(args))
