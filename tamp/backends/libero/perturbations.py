"""Perturbations of an episode: things are put elsewhere, the arm is pushed, a camera displaced.

Each function perturbs once, and returns a record of it; None where that is not possible now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np

from motion.poses import Array, error, inverse, pose, rotation_about, to_quat
from tamp.backends.libero.cameras import AGENT
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.perturbation_triggers import ActionProgress
from tamp.backends.mujoco.model_objects import subtree
from tamp.model.scene import SceneObject

MOVED = (0.03, 0.08)
"""Metres by which a thing is moved."""
NUDGED = (0.005, 0.012)
"""The same for one that is only touched: too little to plan anew."""
FALLEN = (0.05, 0.15)
"""Metres from under the hand at which a thing comes to lie that is knocked out of it."""
TILTED, DOWN = (np.radians(8.0), np.radians(15.0)), (0.003, 0.006)
"""Radians and metres by which what is held turns in the fingers, about the line between them, and slides down."""
BESIDE = (0.01, 0.04)
"""Metres between a thing and what is put beside it."""
SMALL = 0.15
"""Metres: half the extent of a place up to which something in its middle occupies it."""
PUSH, PUSHED = 40.0, 6
"""Newtons with which the hand is pushed, and for how many control steps."""
SHUT = 0.0015
"""Metres or radians beyond what counts as closed or off at which a joint ends: there LIBERO's drawers stop."""
AWAY = np.array([4.0, 0.0, 0.5])
"""Where a thing is taken away to (3,): behind the fixed camera."""
BACK = 60
"""Control steps after which it is brought back."""
DISPLACED = (0.02, float(np.radians(5.0)))
"""Metres and radians by which a camera is displaced."""
SETTLING = 150
"""Physics steps in which it has to stay where it was put."""
STAYS = (0.01, 0.2)
"""Metres and radians by which it may move in them."""
DEEP = 0.001
"""Metres that it may be in something else."""
LEVEL = 0.001
"""Metres above what it is put on."""


def nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True, eq=False)
class Done:
    """What was done. `steps`: for how many control steps it goes on; then `after` is called. `undo` restores what a
    reset of the simulation does not."""

    record: dict[str, Any] = field(default_factory=dict)
    steps: int = 0
    after: Callable[[], Any] = nothing
    undo: Callable[[], None] = nothing


Rng = np.random.Generator
Do = Callable[[ActionProgress, Rng], Done | None]


def move(now: ActionProgress, rng: Rng, by: tuple[float, float] = MOVED) -> Done | None:
    """Move the thing that the action is about."""
    thing = _thing(now)
    return _put(now, thing.name, around(now.environment.pose_of(thing.name)[:3, 3], by, rng))


def knock(now: ActionProgress, rng: Rng) -> Done | None:
    """Knock the carried thing out of the fingers: it then lies somewhere under the hand."""
    name = _thing(now).name
    x, y, _ = now.environment.pose_of(name)[:3, 3]
    return _put(now, name, around(np.array([x, y, now.stood(name)]), FALLEN, rng))


def slide(now: ActionProgress, rng: Rng) -> Done | None:
    """Let the carried thing turn and slide in the fingers."""
    name, T_world_tool = _thing(now).name, now.environment.robot_state().T_world_tool
    angle, down = float(rng.uniform(*TILTED)) * float(rng.choice([-1.0, 1.0])), float(rng.uniform(*DOWN))
    slip = pose([0.0, 0.0, down], rotation_about(np.array([1.0, 0.0, 0.0]), angle))
    now.environment.put(name, T_world_tool @ slip @ inverse(T_world_tool) @ now.environment.pose_of(name))
    return Done({"thing": name, "degrees": round(float(np.degrees(angle)), 1), "down": round(down, 4)})


def swap(now: ActionProgress, rng: Rng) -> Done | None:
    """Put a thing of another kind, as near in size as there is, in the thing's place, and it in the other's."""
    environment, scene = now.environment, now.scene()
    thing = scene.object(_thing(now).name)
    others = [o for o in scene if o.movable and o.category != thing.category]
    for other in sorted(others, key=lambda o: float(np.linalg.norm(o.extent - thing.extent))):
        pair = {
            thing.name: (thing.T_world_object, _standing(thing, *_foot(other))),
            other.name: (other.T_world_object, _standing(other, *_foot(thing))),
        }
        for name, (_, T) in pair.items():
            environment.put(name, T)
        if all(stays(environment, name, T) for name, (_, T) in pair.items()):
            return Done({"thing": thing.name, "for": other.name})
        for name, (T, _) in pair.items():
            environment.put(name, T)
    return None


def occupy(now: ActionProgress, rng: Rng) -> Done | None:
    """Put something else where the carried thing is to be placed."""
    scene, place = now.scene(), _place(now)
    others = [o for o in scene if o.movable and o.name not in now.operands] if place is not None else []
    for other in sorted(others, key=lambda o: float(np.prod(o.extent))):
        assert place is not None
        T = _standing(other, place[:2], place[2])
        if stays(now.environment, other.name, T):
            now.environment.put(other.name, T)
            return Done({"thing": other.name, "place": now.operands[-1]})
    return None


def obstruct(now: ActionProgress, rng: Rng) -> Done | None:
    """Put something else, the tallest thing there is, close beside the thing that is to be taken."""
    scene = now.scene()
    thing = scene.object(_thing(now).name)
    middle, bottom = _foot(thing)
    for other in sorted(scene, key=lambda o: -float(o.extent[2])):
        if other.movable and other.name not in now.operands:
            gap = 0.5 * float(max(thing.extent[:2]) + max(other.extent[:2]))
            where = around(np.array([*middle, 0.0]), (gap + BESIDE[0], gap + BESIDE[1]), rng)
            if (done := _put(now, other.name, where, bottom)) is not None:
                return Done({**done.record, "beside": thing.name})
    return None


def take_away(now: ActionProgress, rng: Rng) -> Done | None:
    """Take the thing away for good."""
    name = _thing(now).name
    T = now.environment.pose_of(name)
    T[:3, 3] = AWAY
    now.environment.put(name, T)
    return Done({"thing": name})


def take_away_and_bring_back(now: ActionProgress, rng: Rng) -> Done | None:
    """Take the thing away, and bring it back to where it was, or near there."""
    name = _thing(now).name
    p = now.environment.pose_of(name)[:3, 3].copy()

    def bring_back() -> None:
        _put(now, name, (q for q in (p, *around(p, MOVED, rng))))

    done = take_away(now, rng)
    return done and Done(done.record, BACK, after=bring_back)


def turn_back(now: ActionProgress, rng: Rng, share: float = 1.0, knob: bool = False) -> Done | None:
    """Push a drawer or door shut, or turn a knob back, that was opened or turned before; by a share of its way."""
    part = now.opened()
    if part is None or part.joint is None or (part.kind == "knob") != knob:
        return None
    joint = part.joint
    closed = float(np.clip(joint.rest - joint.sign * SHUT, *joint.limits))
    value = joint.value + share * (closed - joint.value)
    now.environment.set_joint(part.name, value)
    return Done({"thing": part.name, "to": round(value, 4)})


def push(now: ActionProgress, rng: Rng) -> Done | None:
    """Push the hand sideways."""
    angle, environment = rng.uniform(0.0, 2.0 * np.pi), now.environment
    environment.push_hand(PUSH * np.array([np.cos(angle), np.sin(angle), 0.0]))

    def leave() -> None:
        environment.push_hand(np.zeros(3))

    return Done({"newtons": PUSH}, PUSHED, after=leave, undo=leave)


def persist(now: ActionProgress, rng: Rng, steps: int) -> Done:
    """Do nothing to the world: fingers or pictures are bad for so many control steps."""
    return Done({"steps": steps}, steps)


def displace_camera(now: ActionProgress, rng: Rng) -> Done | None:
    """Displace the fixed camera, which stays there."""
    sim = now.environment.sim
    model = sim.model._model
    n = model.camera(AGENT).id
    p, quat = model.cam_pos[n].copy(), model.cam_quat[n].copy()
    off, axis = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 3)))
    R_world_camera = sim.data._data.cam_xmat[n].reshape(3, 3)  # fixed in the world
    model.cam_pos[n] = p + DISPLACED[0] * off
    model.cam_quat[n] = to_quat(R_world_camera @ rotation_about(axis, DISPLACED[1]))
    sim.forward()

    def undo() -> None:
        model.cam_pos[n], model.cam_quat[n] = p, quat

    return Done({"metres": DISPLACED[0], "degrees": float(np.degrees(DISPLACED[1]))}, undo=undo)


def _thing(now: ActionProgress) -> SceneObject:
    thing = now.thing
    assert thing is not None  # all triggers of such perturbations need one
    return thing


def _put(now: ActionProgress, name: str, places: Iterator[Array], bottom: float | None = None) -> Done | None:
    """Put a thing at the first of some places at which it stays, as it stood at first; over `bottom` if there is
    one."""
    environment, stood = now.environment, now.first.object(name)
    before = environment.pose_of(name)
    for p in places:
        T = stood.T_world_object.copy() if bottom is None else _standing(stood, p[:2], bottom)
        T[:3, 3] = p if bottom is None else T[:3, 3]
        if stays(environment, name, T):
            environment.put(name, T)
            return Done({"thing": name, "by": round(float(np.linalg.norm(error(before, T)[:3])), 4)})
    return None


def _standing(o: SceneObject, xy: Array, bottom: float) -> Array:
    """The pose (4, 4) of a thing as it is turned now, its middle over a place and its bottom at a height."""
    middle, low = _foot(o)
    T = o.T_world_object.copy()
    T[:2, 3] += xy - middle
    T[2, 3] += bottom + LEVEL - low
    return T


def _foot(o: SceneObject) -> tuple[Array, float]:
    """The middle (2,) of a thing, and the height of its bottom."""
    low, high = o.bounds()
    return 0.5 * (low + high)[:2], float(low[2])


def _place(now: ActionProgress) -> Array | None:
    """The middle (3,) of the place where the carried thing is to go; None for a wide one."""
    scene, name = now.scene(), now.operands[-1]
    for _, r in scene.regions():
        if r.name == name:
            half = r.world_half_extent()
            bottom = np.array([0.0, 0.0, 0.0 if r.kind == "surface" else half[2]])
            return r.T_world_region[:3, 3] - bottom if max(half[:2]) < SMALL else None
    thing = next((o for o in scene if o.name == name and o.movable and name != now.operands[0]), None)
    return None if thing is None else np.array([*_foot(thing)[0], thing.bounds()[1][2]])


def around(p: Array, distances: tuple[float, float], rng: np.random.Generator, tries: int = 40) -> Iterator[Array]:
    """Places (3,) beside a place, in drawn directions and at drawn distances (m) between two."""
    for _ in range(tries):
        angle, r = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(*distances)
        yield p + r * np.array([np.cos(angle), np.sin(angle), 0.0])


def stays(environment: LiberoEnvironment, name: str, T_world_object: Array) -> bool:
    """Whether a thing put there stays. The simulation is afterwards as it was before."""
    model, data = environment.sim.model._model, environment.sim.data._data
    kind = mujoco.mjtState.mjSTATE_INTEGRATION
    before = np.empty(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data, before, kind)
    try:
        environment.put(name, T_world_object)
        root = model.body(environment.root_bodies()[name]).id
        if _is_deep(model, data, root):
            return False
        T = environment.pose_of(name)
        for _ in range(SETTLING):
            mujoco.mj_step(model, data)
        moved = error(T, environment.pose_of(name))
        return bool(np.linalg.norm(moved[:3]) < STAYS[0] and np.linalg.norm(moved[3:]) < STAYS[1])
    finally:
        mujoco.mj_setState(model, data, before, kind)
        mujoco.mj_forward(model, data)


def _is_deep(model: mujoco.MjModel, data: mujoco.MjData, root: int) -> bool:
    own = set(subtree(model, root))
    for c in data.contact[: data.ncon]:
        bodies = {int(model.geom_bodyid[g]) for g in c.geom}
        if bodies & own and not bodies <= own and c.dist < -DEEP:
            return True
    return False
