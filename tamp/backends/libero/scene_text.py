"""A scene that was perceived, as the text of a `scene.toml` that declares it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from motion.poses import to_quat
from tamp.backends.libero.arenas import Arena
from tamp.backends.libero.categories import Category
from tamp.backends.libero.openings import door_names, far_open
from tamp.model.scene import SceneObject
from tamp.model.state import WorldState

LEVEL = np.radians(1.0)
"""Radians of tilt up to which a thing is upright: its settling brings them back."""
AJAR = 0.001
"""Metres or radians by which a part that is not closed, or off, is open."""


@dataclass(frozen=True, eq=False)
class Said:
    """What a scene file says besides its things. `goal` is a formula, `names` phrase to symbol, `comments` its first
    lines."""

    comments: tuple[str, ...]
    instruction: str
    goal: str | None
    step_limit: int
    arena: Arena
    names: Mapping[str, str]


def scene_text(said: Said, things: Iterable[tuple[SceneObject, Category]], state: WorldState) -> str:
    """The file. `things` are what is to be declared, each with its category; `state` says what they are on or in."""
    head = [f"# {line}" for line in said.comments]
    head += [f"instruction = {_text(said.instruction)}"] if said.instruction else []
    head += [f"goal = {_text(said.goal)}"] if said.goal else []
    head += [f"step_limit = {said.step_limit}", f"table = {_text(said.arena.name)}"]
    blocks = [head, *(_thing(o, category, state, said.arena) for o, category in things)]
    if said.names:
        blocks.append(["[names]", *(f"{_text(phrase)} = {_text(symbol)}" for phrase, symbol in said.names.items())])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


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
