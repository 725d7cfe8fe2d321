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
from motion.robot import RobotDescription
from motion.shapes import Shape
from tamp.errors import InputError
from tamp.model.bodies import world_of
from tamp.model.domain import Domain
from tamp.model.scene import Joint, Part, Region, RobotState, Scene, SceneObject, with_object_at
from tamp.model.situation import Situation
from tamp.model.state import WorldState
from tamp.perception.observers import Moment, Things, View, seen_by
from tamp.perception.predicates import held_in, observe
from tamp.skills.base import Skill, Tools
from tamp.skills.guided import Hand
from tamp.skills.registry import Extension, located

CUP = "cup_1"
TOOL = pose(np.array([0.0, 0.0, 0.6]), np.diag([1.0, -1.0, -1.0]))
"""Pose (4, 4) of the tool in the world, pointing down."""
_AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
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
        parameters = list(signature.parameters.values())[1:]
        takes = [str(p.replace(annotation=inspect.Parameter.empty)) for p in parameters]
        return f"{error}; valid: {method.__name__}({', '.join(takes)})"
    return None


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


def empty_scene() -> Scene:
    """A table with nothing on it."""
    return _scene(())


def scene_with_things() -> Scene:
    """A table with a cup, a dish, a chest and a stove: an object or a region of each kind."""
    return _scene(_things())


def _box(half: list[float], p: list[float] | None = None) -> Shape:
    return Shape("box", np.array(half), pose(np.array(p or [0.0, 0.0, 0.0])))


def _things() -> tuple[SceneObject, ...]:
    cup = _item(CUP, [0.3, 0.1, 0.05], [0.03, 0.03, 0.05])
    return (cup, _item("dish_1", [0.3, -0.1, 0.01], [0.08, 0.08, 0.01]), _chest(), _stove())


def _item(name: str, p: list[float], half: list[float]) -> SceneObject:
    return SceneObject(name, name[:-2], True, (Part(name, "body", pose(p), (_box(half),)),))


def _chest() -> SceneObject:
    """A chest with a drawer, a shelf on its top, an open bin in its side, and a cupboard with a hinged door."""
    T = pose([0.1, -0.4, 0.1])
    drawer = Part("chest_1_drawer", "drawer", T, (_box([0.1, 0.01, 0.05], [0.0, 0.1, 0.0]),), _joint("slide", T, 0.2))
    door = Part("chest_1_door", "door", T, (_box([0.01, 0.1, 0.05], [0.12, 0.0, 0.0]),), _joint("hinge", T, 1.5))
    body = Part("chest_1", "body", T, (_box([0.1, 0.09, 0.1]),))
    half = np.array([0.08, 0.08, 0.04])
    regions = (
        Region("chest_1_top_side", "surface", pose([0.1, -0.4, 0.2]), np.array([0.1, 0.09, 0.001]), "chest_1"),
        Region("chest_1_drawer_region", "interior", T, half, drawer.name, drawer.name),
        Region("chest_1_door_region", "interior", pose([0.3, -0.4, 0.1]), half, "chest_1", door.name),
        Region("chest_1_side_region", "interior", pose([-0.1, -0.4, 0.1]), half, "chest_1"),
    )
    return SceneObject("chest_1", "chest", False, (body, drawer, door), regions)


def _stove() -> SceneObject:
    T = pose([0.1, 0.4, 0.02])
    knob = Part("stove_1_knob", "knob", pose([-0.1, 0.4, 0.02]), (_box([0.02, 0.02, 0.02]),), _joint("hinge", T, 1.5))
    region = Region("stove_1_cook_region", "surface", pose([0.1, 0.4, 0.04]), np.array([0.08, 0.08, 0.001]), "stove_1")
    body = Part("stove_1", "body", T, (_box([0.1, 0.1, 0.02]),))
    return SceneObject("stove_1", "stove", False, (body, knob), (region,))


def _joint(kind: str, T: Array, most: float) -> Joint:
    axis = np.array([0.0, 1.0, 0.0]) if kind == "slide" else np.array([0.0, 0.0, 1.0])
    return Joint("slide" if kind == "slide" else "hinge", axis, T[:3, 3], (0.0, most), 0.0, 0.7 * most, 0.01)


def _scene(things: tuple[SceneObject, ...]) -> Scene:
    half = np.array([0.8, 0.8, 0.02])
    top = Region("table", "surface", pose([0.0, 0.0, 0.0]), np.array([0.8, 0.8, 0.0]), "table_body")
    body = Part("table_body", "body", np.eye(4), (_box(list(half), [0.0, 0.0, -0.02]),))
    robot = RobotState(np.zeros(6), 0.08, TOOL)
    return Scene((*things, SceneObject("table_body", "table", False, (body,), (top,))), robot)


def gantry() -> RobotDescription:
    """An arm that reaches every pose: three slides, and three hinges at the tool, which points down."""
    slides = "".join(f'<joint name="{a}" type="slide" axis="{v}" range="-2 2"/>' for a, v in _AXES.items())
    hinges = "".join(f'<joint name="r{a}" type="hinge" axis="{v}" range="-3 3"/>' for a, v in _AXES.items())
    fingers = "".join(
        f'<body name="f{n}" pos="{0.04 * side} 0 -0.01">'
        f'<joint name="f{n}" type="slide" axis="{side} 0 0" range="-0.04 0"/>'
        f'<geom name="p{n}" type="box" size="0.005 0.01 0.01"/></body>'
        for n, side in ((1, 1), (2, -1))
    )
    x, y, z = TOOL[:3, 3]
    return RobotDescription(
        mjcf=f"""<mujoco><compiler angle="radian"/><worldbody>
            <body name="arm" pos="{x} {y} {z}">{slides}{hinges}
              <geom name="palm" type="box" size="0.03 0.02 0.02" pos="0 0 0.08"/>{fingers}
              <site name="tool" quat="0 1 0 0"/></body></worldbody></mujoco>""",
        arm_joints=("x", "y", "z", "rx", "ry", "rz"),
        finger_joints=("f1", "f2"),
        tool_site="tool",
        posture=np.zeros(6),
        pad_geoms=("p1", "p2"),
        pinned_bodies=frozenset(),
    )
