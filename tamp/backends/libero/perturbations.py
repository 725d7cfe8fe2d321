"""Perturbations of an episode: things are put elsewhere, the arm is pushed, a camera displaced; and when.

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
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.mujoco.model_objects import subtree
from tamp.model.events import ActionBegun, ActionEnded, Commanded, Event
from tamp.model.scene import Part, Scene, SceneObject

NEAR_TOOL = 0.2
"""Metres between tool and thing within which the tool approaches it."""
LIFTED = 0.05
"""Metres by which a thing is higher than it stood when it is carried."""
IN_HAND = 0.15
"""Metres from the tool within which it is then."""
MOVED_SHARE = 0.2
"""Share of a joint's range that is more than a touch."""
EARLY = 3
"""Control steps of an action after which it counts as going on."""
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


@dataclass(eq=False)
class ActionProgress:
    """The action that goes on, if any, with its `operands` in the simulation's names; `since` counts its control
    steps, `began` is how things were when it began, `first` how they were at first."""

    environment: LiberoEnvironment
    action: str | None = None
    operands: tuple[str, ...] = ()
    stage: str = "move"
    gripped: bool = False
    """Whether the fingers were moved in this action."""
    since: int = 0
    first: Scene = field(init=False)
    began: Scene = field(init=False)
    _ended: list[tuple[str, ...]] = field(default_factory=list)
    """Operands of the actions that succeeded."""

    def __post_init__(self) -> None:
        self.perceive = OraclePerceiver(self.environment).perceive
        self.first = self.began = self.perceive()

    def on_event(self, event: Event, operands: tuple[str, ...]) -> None:
        """Take an event of the robot into account; `operands` of the action that begins."""
        match event:
            case ActionBegun(action):
                self.action, self.operands, self.since, self.gripped = action, operands, 0, False
                self.began = self.perceive()
            case ActionEnded(success):
                self._ended += [self.operands] if success else []
                self.action = None
            case Commanded():
                self.stage, self.gripped = event.stage, self.gripped or event.stage == "grip"

    @property
    def thing(self) -> SceneObject | None:
        """The thing that the action takes or carries, as it was when the action began."""
        return next((o for o in self.began if o.name in self.operands[:1] and o.movable), None)

    def part(self, operands: tuple[str, ...] | None = None) -> Part | None:
        """The drawer, door or knob that an action works on, by default the present action, as it is now."""
        scene = self.perceive()
        regions = {r.name: (o, r.part) for o, r in scene.regions()}
        things = {o.name: (o, None) for o in scene if not o.movable}
        for name in self.operands if operands is None else operands:
            thing, part = {**things, **regions}.get(name, (None, None))
            for p in thing.parts if thing is not None else ():
                if p.joint is not None and part in (None, p.name):
                    return p
        return None

    def opened(self) -> Part | None:
        """The part that is open, or on, and that the plan relies on: the carried thing goes in there, or an earlier
        action has opened it or switched it on."""
        where = [self.operands] if self.carrying() else []
        parts = (self.part(operands) for operands in [*where, *reversed(self._ended)])
        return next((p for p in parts if p is not None and p.joint is not None and p.joint.is_active), None)

    def stood(self, name: str) -> float:
        """The height at which a thing stood at first, or when the action began, whichever is lower."""
        return min(float(s.object(name).position[2]) for s in (self.first, self.began))

    def carrying(self) -> bool:
        """A thing is in the air."""
        if (thing := self.thing) is None:
            return False
        p = self.environment.pose_of(thing.name)[:3, 3]
        tool = self.environment.robot_state().T_world_tool[:3, 3]
        return bool(p[2] > self.stood(thing.name) + LIFTED and np.linalg.norm(p - tool) < IN_HAND)

    def grasping(self) -> bool:
        """The arm goes to a thing that it is to take."""
        return self.thing is not None and not self.gripped and not self.carrying()

    def approaching(self) -> bool:
        """The tool is near a thing that it is to take."""
        if (thing := self.thing) is None or not self.grasping():
            return False
        tool = self.environment.robot_state().T_world_tool[:3, 3]
        return bool(np.linalg.norm(tool - thing.position) < NEAR_TOOL)

    def closing(self) -> bool:
        """The fingers close on a thing."""
        return self.thing is not None and self.stage == "grip" and self.since > 1 and not self.carrying()

    def handling(self) -> bool:
        """A handle moves that the fingers hold."""
        part = self.part() if self.thing is None else None
        if part is None or part.joint is None or not self.gripped or self.stage != "move":
            return False
        before = next(p.joint for o in self.began for p in o.parts if p.name == part.name)
        low, high = part.joint.limits
        return before is not None and abs(part.joint.value - before.value) > MOVED_SHARE * (high - low)

    def relying(self) -> bool:
        """An action goes on that is not about a handle, and something is open or on."""
        return self.going() and (self.thing is not None or self.part() is None) and self.opened() is not None

    def going(self) -> bool:
        """An action goes on."""
        return self.action is not None and self.since > EARLY


@dataclass(frozen=True, eq=False)
class Done:
    """What was done. `steps`: for how many control steps it goes on; then `after` is called. `undo` restores what a
    reset of the simulation does not."""

    record: dict[str, Any] = field(default_factory=dict)
    steps: int = 0
    after: Callable[[], Any] = lambda: None
    undo: Callable[[], None] = lambda: None


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
    environment, scene = now.environment, now.perceive()
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
    scene, place = now.perceive(), _place(now)
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
    scene = now.perceive()
    thing = scene.object(_thing(now).name)
    middle, bottom = _foot(thing)
    for other in sorted(scene, key=lambda o: -float(o.extent[2])):
        if other.movable and other.name not in now.operands:
            gap = 0.5 * float(max(thing.extent[:2]) + max(other.extent[:2]))
            where = around(np.array([*middle, 0.0]), (gap + BESIDE[0], gap + BESIDE[1]), rng)
            if (done := _put(now, other.name, where, bottom)) is not None:
                return Done({**done.record, "beside": thing.name})
    return None


def take_away(now: ActionProgress, rng: Rng, back: bool = False) -> Done | None:
    """Take the thing away, for good, or bring it `back` to where it was, or near there."""
    name = _thing(now).name
    T = now.environment.pose_of(name)
    p = T[:3, 3].copy()
    T[:3, 3] = AWAY
    now.environment.put(name, T)
    if not back:
        return Done({"thing": name})
    return Done({"thing": name}, BACK, after=lambda: _put(now, name, iter((p, *around(p, MOVED, rng)))))


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
    angle, hand = rng.uniform(0.0, 2.0 * np.pi), now.environment.push_hand
    hand(PUSH * np.array([np.cos(angle), np.sin(angle), 0.0]))
    return Done({"newtons": PUSH}, PUSHED, after=lambda: hand(np.zeros(3)), undo=lambda: hand(np.zeros(3)))


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
    scene, name = now.perceive(), now.operands[-1]
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
        own = set(subtree(model, root))
        for c in data.contact[: data.ncon]:
            bodies = {int(model.geom_bodyid[g]) for g in c.geom}
            if bodies & own and not bodies <= own and c.dist < -DEEP:
                return False
        T = environment.pose_of(name)
        for _ in range(SETTLING):
            mujoco.mj_step(model, data)
        moved = error(T, environment.pose_of(name))
        return bool(np.linalg.norm(moved[:3]) < STAYS[0] and np.linalg.norm(moved[3:]) < STAYS[1])
    finally:
        mujoco.mj_setState(model, data, before, kind)
        mujoco.mj_forward(model, data)
