"""Convert a scene of LIBERO to a `scene.toml`: write it, build it anew from the file, and compare."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from motion.poses import Array, rotation_vector, to_quat
from tamp.backends.libero import tasks
from tamp.backends.libero.categories import Category, load
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import beside_things, goal_regions, task_goal
from tamp.backends.libero.openings import door_names, far_open
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.scene_description import Arena, Task, arena
from tamp.errors import InputError, Refusal
from tamp.model.bodies import world_of
from tamp.model.domain import Domain
from tamp.model.scene import Scene, SceneObject
from tamp.model.state import WorldState
from tamp.perception.predicates import observe

OFF = 0.005
"""Metres that a part of a thing may be off after a conversion."""
TURNED = np.radians(3.0)
"""Radians that it may be turned."""
WHERE = re.compile(r"^\S*scene\.toml:\d+: ")
"""The place in a file that is not there any more."""
ARM = "The arm starts in its usual posture, wherever it was there."
LEVEL = np.radians(1.0)
"""Radians of tilt up to which a thing is upright: its settling brings them back."""
AJAR = 0.001
"""Metres or radians by which a part that is not closed, or off, is open."""


@dataclass(frozen=True)
class SceneState:
    """A scene, and what holds in it."""

    scene: Scene
    state: WorldState


@dataclass(frozen=True)
class Conversion:
    """The text of a `scene.toml` and the goal in it; `notes` are what it says otherwise than LIBERO does, and `off` how
    far each thing is from where it was, once the file is loaded: metres and radians."""

    text: str
    goal: str | None
    notes: tuple[str, ...]
    off: dict[str, tuple[float, float]]


def convert(task: Task, seed: int, init_state: int | None, domain: Domain, made_by: str) -> Conversion:
    """A task's scene, drawn by `seed` or in a stored initial state. `made_by` is what its first comment says.

    Raises Refusal for what a scene file cannot say, and where what it says does not come out the same.
    """
    environment = LiberoEnvironment(task, seed=seed, init_state=init_state)
    try:
        was = _seen(environment)
        goal, notes = _goal(environment)
        room, categories = _room(environment), _categories(environment, was.scene)
    finally:
        environment.close()
    head = [f"# {line}" for line in (made_by, ARM, *notes)]
    head += [f"instruction = {_text(task.instruction)}"] if task.instruction else []
    head += [f"goal = {_text(goal)}"] if goal else []
    head += [f"step_limit = {task.step_limit}", f"table = {_text(room.name)}"]
    things = (_thing(o, categories[o.name], was.state, room) for o in was.scene if o.name in categories)
    names = [f"{_text(phrase)} = {_text(symbol)}" for phrase, symbol in task.names.items()]
    blocks = [head, *things, *([["[names]", *names]] if names else [])]
    text = "\n\n".join("\n".join(block) for block in blocks) + "\n"
    off = difference(was, _loaded(text, domain if task.goal is None else None))
    return Conversion(text, goal, notes, {name: off[name] for name in categories})


def difference(was: SceneState, now: SceneState) -> dict[str, tuple[float, float]]:
    """How far each thing is off: metres (the part that is farthest) and radians. Refusal for more than `OFF` and
    `TURNED`, and for facts that do not hold in both."""
    symbols = (f"{s} - {t}" for s, t in was.state.symbols.items() ^ now.state.symbols.items())
    changed = [*sorted(symbols), *sorted(str(a) for a in was.state.atoms ^ now.state.atoms)]
    if changed:
        raise Refusal(f"a scene.toml would not come out the same: {', '.join(changed[:3])} would change")
    off = {o.name: _off(o.name, was.scene, now.scene) for o in was.scene}
    for name, (metres, radians) in off.items():
        if metres > OFF or radians > TURNED:
            raise Refusal(
                f"a scene.toml would not come out the same: {name} would be off by {1000 * metres:.0f} mm and "
                f"{np.degrees(radians):.0f} degrees"
            )
    return off


def _off(name: str, was: Scene, now: Scene) -> tuple[float, float]:
    pairs = [(p.T_world_part, now.object(name).part(p.name).T_world_part) for p in was.object(name).parts]
    return max(_metres(a, b) for a, b in pairs), max(_radians(a, b) for a, b in pairs)


def _metres(a: Array, b: Array) -> float:
    return float(np.linalg.norm(a[:3, 3] - b[:3, 3]))


def _radians(a: Array, b: Array) -> float:
    return float(np.linalg.norm(rotation_vector(a[:3, :3].T @ b[:3, :3])))


def _seen(environment: LiberoEnvironment) -> SceneState:
    scene = OraclePerceiver(environment).perceive()
    return SceneState(scene, observe(scene, world_of(scene, environment.robot_model())))


def _goal(environment: LiberoEnvironment) -> tuple[str | None, tuple[str, ...]]:
    """The task's goal in the symbols that a scene file has, and what is to be said of it."""
    task = environment.task
    if task.goal is not None or not task.is_checked:
        return task.goal, (f"Without the goal: {task.unchecked}.",) if task.bddl is not None and not task.goal else ()
    regions = goal_regions(environment)
    scene = OraclePerceiver(environment, regions).perceive()
    try:
        own = task_goal(environment, scene)
    except KeyError as e:
        raise Refusal(f"a scene.toml cannot say the goal of {task.name}: no {e} in the tabletop domain") from e
    goal = beside_things(own, scene)
    if left := sorted(set(regions) & set(goal.symbols)):
        why = f"{left[0]} is a region of the ground, and beside no thing"
        raise Refusal(f"a scene.toml cannot say the goal {own} of {task.name}: {why}")
    if not regions:
        return str(goal), ()
    said = f"LIBERO's goal is {own}. {', '.join(regions)} is a rectangle of the ground, here a place beside a thing."
    return str(goal), (said,)


def _room(environment: LiberoEnvironment) -> Arena:
    ground = str(environment.domain.workspace_name)
    found = arena(ground)
    if isinstance(found, str):
        raise Refusal(f"a scene.toml has no table {ground!r}; {found}")
    return found


def _categories(environment: LiberoEnvironment, scene: Scene) -> dict[str, Category]:
    """The category of each thing. Refusal for one that cannot be used, or can be carried where it is fixed there."""
    problem, out = environment.domain.parsed_problem, dict[str, Category]()
    for kind in ("objects", "fixtures"):
        for category, names in problem[kind].items():
            out |= {name: _category(category, name, scene) for name in names if name in {o.name for o in scene}}
    return out


def _category(category: str, name: str, scene: Scene) -> Category:
    try:
        found = load(category, name)
    except InputError as e:
        raise Refusal(f"a scene.toml cannot have {name}: {e}") from e
    if found.fixed == scene.object(name).movable:
        stays, there = ("stays where it is", "can be carried") if found.fixed else ("can be carried", "is fixed")
        raise Refusal(f"a scene.toml cannot have {name}: a {category} {stays} there, and this one {there}")
    return found


def _loaded(text: str, domain: Domain | None) -> SceneState:
    """The scene that a file makes, drawn by another seed than usual: nothing of it may be left to chance. Its goal is
    checked against a domain, where one is given."""
    with tempfile.TemporaryDirectory(prefix="tamp-scene-") as folder:
        (Path(folder) / tasks.SCENE).write_text(text, encoding="utf-8")
        try:
            task = tasks.find(folder)
            if domain is not None:
                tasks.check_goal(task, domain)
            environment = LiberoEnvironment(task, seed=1)
        except InputError as e:
            raise Refusal(f"a scene.toml cannot say it: {WHERE.sub('', str(e))}") from e
        try:
            return _seen(environment)
        finally:
            environment.close()


def _thing(o: SceneObject, category: Category, state: WorldState, arena: Arena) -> list[str]:
    lines = [f"[things.{o.name}]", f"category = {_text(category.name)}"]
    yaw, tilt = turn(o, category)
    relation, target = support(o.name, state, arena) if o.movable else ("on", arena.symbol)
    if target != arena.symbol:
        lines.append(f"{relation} = {_text(target)}")
    lines.append(f"at = {_numbers(o.position[: 3 if o.movable else 2])}")
    level = tilt < LEVEL or not o.movable
    lines.append(f"yaw = {_number(yaw)}" if level else f"quaternion = {_numbers(to_quat(o.T_world_object[:3, :3]))}")
    return [*lines, *_open(o), *_turned_on(o)]


def support(name: str, state: WorldState, arena: Arena) -> tuple[str, str]:
    """What a thing is on or in, and the relation: the inside of something before what is below, and anything before the
    table."""
    found = [(a.predicate, a.args[1]) for a in state.atoms if a.predicate in ("in", "on") and a.args[0] == name]
    return min(found, key=lambda f: (f[1] == arena.symbol, f), default=("on", arena.symbol))


def turn(o: SceneObject, category: Category) -> tuple[float, float]:
    """Radians that a thing is turned about the vertical, and tilted, against its category's attitude."""
    R = o.T_world_object[:3, :3] @ category.thing.T_world_object[:3, :3].T
    return float(np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])), float(np.arccos(np.clip(R[2, 2], -1.0, 1.0)))


def _open(o: SceneObject) -> list[str]:
    far = {}
    for short, door in door_names(o).items():
        joint = o.part(door).joint
        if joint is not None and far_open(joint) > AJAR and door not in far:
            far[door] = f"{short} = {_number(far_open(joint))}"
    return [f"open = {{ {', '.join(far.values())} }}"] if far else []


def _turned_on(o: SceneObject) -> list[str]:
    joints = [p.joint for p in o.parts if p.kind == "knob" and p.joint is not None]
    return [f"turned_on = {_number(far_open(j))}" for j in joints[:1] if far_open(j) > AJAR]


def _numbers(values: Iterable[float]) -> str:
    return f"[{', '.join(map(_number, values))}]"


def _number(value: float) -> str:
    return f"{round(float(value), 4) + 0.0:g}"


def _text(value: str | None) -> str:
    return json.dumps(value, ensure_ascii=False)
