"""Where the things of a declared scene stand: drawn by a random generator, none inside another.

Fixtures stand straight, the doors towards the middle of what the arm reaches, and room is kept for these to open.
Everything else is turned at random and lowered until it touches.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from motion import placements
from motion.poses import Array, pose, rotation_about
from motion.robot import RobotDescription
from motion.shapes import bounds
from tamp.backends.libero.scene_description import Declaration, DeclaredThing
from tamp.model.bodies import world_of
from tamp.model.scene import Joint, Region, Scene, SceneObject, with_joint_at, with_object_at
from tamp.model.situation import Situation
from tamp.skills.base import Tools
from tamp.skills.place_targets import DROP_FROM, outside, target_of
from tamp.skills.rests import SPOTS, rest_poses

DRAWS = 8
"""Whole scenes that are drawn before there is no room."""
TRIES = 60
"""Places of one thing that are tried in a draw."""
FIXTURES = 4
"""Places of a fixture of which the one farthest from the middle is taken."""
NEAR, FAR, FARTHEST = 0.38, 0.65, 0.75
"""Metres from the arm's base, seen from above, from which and up to which things are drawn; the last one for fixtures,
and where there is little room."""
ASIDE = 0.65
"""Radians to either side of straight ahead, up to which things are drawn; half as much again with little room."""
CLEARANCE = 0.04
"""Metres between things that are drawn, where there is room: a finger, open, fits in."""
HAND = 0.06
"""Metres kept free of where doors open to, where there is room: half a hand."""
BETWEEN = 0.015
"""Metres between fixtures, and what is kept free of where their doors open to."""
BESIDE = (0.02, 0.04)
"""Metres between a thing and what is beside it."""
CHOICES = 6
"""Places in or on something, of which one is drawn."""
SQUEEZED = -0.002
"""Metres into something else by which a thing in what was closed does not fit."""


Box = tuple[Array, Array]
"""Lower and upper corner (3,), (3,), metres, world axes."""
OPENED = 0.8
"""Share of the way from where a part counts as open, or on, to the end of its joint, at which it starts."""


class NoRoomError(Exception):
    """A draw in which a thing has no place; `there` are the things that stand where it is declared to be."""

    def __init__(self, thing: DeclaredThing, why: str = "", there: tuple[str, ...] = ()) -> None:
        super().__init__(why)
        self.thing, self.there = thing, there


def arranged(declared: Declaration, scene: Scene, robot: RobotDescription, rng: np.random.Generator) -> Scene:
    """The scene with everything where it is declared to be. `scene` has each thing in its attitude, out of the way.

    Raises InputError, with file and line, for a thing that finds no room.
    """
    drawing = _Drawing(declared, scene, robot, rng)
    failed: list[NoRoomError] = []
    for _ in range(DRAWS):
        try:
            return drawing.draw()
        except NoRoomError as e:
            failed.append(e)
    last = max(failed, key=lambda e: sum(f.thing is e.thing for f in failed))
    raise declared.table.wrong(_no_room(last), "things", last.thing.name)


def _no_room(e: NoRoomError) -> str:
    thing = e.thing
    size = " x ".join(f"{100 * s:.0f}" for s in thing.category.thing.extent)
    where = "there" if thing.at is not None or thing.region is not None else thing.where
    if str(e):
        return str(e)
    taken = f", where {' and '.join(e.there)} {'is' if len(e.there) == 1 else 'are'}" if e.there else ""
    message = f"no room for {thing.name} ({thing.category.name}, {size} cm) {where}{taken}"
    if thing.at is not None:
        return f"{message}; take something away, or put it elsewhere"
    return f"{message}, in {DRAWS} draws; take something away, put it elsewhere, or try another seed"


@dataclass(eq=False)
class _Drawing:
    """Draws a scene's things one after the other."""

    declared: Declaration
    start: Scene
    robot: RobotDescription
    rng: np.random.Generator

    def __post_init__(self) -> None:
        self.start = _with_joints(self.declared, self.start)
        self.world = world_of(self.start, self.robot)
        self.base = self.world.base_position()[:2]
        self.ground: Region = self.start.region(self.declared.arena.symbol)[1]
        self.table = (np.array(self.declared.arena.low), np.array(self.declared.arena.high))
        self.middle = self.base + np.array([0.5 * (NEAR + FAR), 0.0])

    def draw(self) -> Scene:
        """One draw. NoRoomError where a thing finds no place."""
        scene, placed = self.start, list[str]()
        for thing in _sequence(self.declared):
            scene = self._fixture(thing, scene, placed) if thing.category.fixed else self._item(thing, scene, placed)
            placed.append(thing.name)
        return scene

    def _fixture(self, thing: DeclaredThing, scene: Scene, placed: list[str]) -> Scene:
        """The scene with a fixture in a free place, far from the middle of what the arm reaches."""
        fits = (s for s in self._places(thing, scene) if self._is_free(thing, s, placed))
        few = 1 if thing.at is not None or thing.relation == "beside" else FIXTURES
        found = list(itertools.islice(fits, few))
        if not found:
            raise NoRoomError(thing, there=self._there(thing, scene, placed))
        return max(found, key=lambda s: float(np.linalg.norm(s.object(thing.name).position[:2] - self.middle)))

    def _places(self, thing: DeclaredThing, scene: Scene) -> Iterator[Scene]:
        """The scene with a fixture in places that are drawn, whatever else is there."""
        height = scene.object(thing.name).position[2]
        for n in range(TRIES):
            yaw = thing.yaw
            if thing.relation == "beside":
                p = self._next_to(thing, _stood(scene, thing.name, np.zeros(2), height, yaw or 0.0))
            else:
                p = self._spot(thing, FARTHEST, ASIDE if n < TRIES / 2 else 1.5 * ASIDE)
            if yaw is None:
                yaw = facing(scene.object(thing.name), self.middle - p)
            yield _stood(scene, thing.name, p, height, yaw)

    def _is_free(self, thing: DeclaredThing, scene: Scene, placed: list[str]) -> bool:
        """Whether a fixture is on the table, and it is not where something is, nor are its open doors: these may be
        where it is declared to stand exactly."""
        o = scene.object(thing.name)
        low, high = o.bounds()
        if (low[:2] < self.table[0]).any() or (high[:2] > self.table[1]).any():
            return False
        doors, gap = thing.at is None, BETWEEN if thing.at is None else 0.0
        taken = [box for name in placed for box in boxes(scene.object(name), doors)]
        return not any(meet(box, other, gap) for other in taken for box in boxes(o, doors))

    def _item(self, thing: DeclaredThing, scene: Scene, placed: list[str]) -> Scene:
        """The scene with an item where it is declared, or where it is drawn."""
        if thing.relation == "in":
            return self._inside(thing, scene)
        if thing.relation == "on" and thing.owner is not None:
            return next(self._resting(thing, scene))
        doors = [b for n in placed for b in boxes(scene.object(n), True)[1:]]
        top = float(self.ground.T_world_region[2, 3] + self.ground.world_half_extent()[2])
        for n in range(TRIES):
            yaw = float(self.rng.uniform(-np.pi, np.pi)) if thing.yaw is None else thing.yaw
            T = placements.turned(thing.category.thing.T_world_object, yaw)
            far, aside = (FAR, ASIDE) if n < TRIES / 2 else (FARTHEST, 1.5 * ASIDE)
            if thing.relation == "beside":
                p = self._next_to(thing, with_object_at(scene, thing.name, T))
            else:
                p = self._spot(thing, far, aside)
            bottom = float(bounds(thing.category.thing.parts[0].shapes, pose([*p, 0.0], T[:3, :3]))[0][2])
            raised = pose([*p, top + DROP_FROM - bottom], T[:3, :3])
            if self._is_good(thing, with_object_at(scene, thing.name, raised), doors, crowded=n > TRIES / 2):
                self.world.load(Situation(scene).state())
                found = placements.drop(self.world, thing.name, raised, 2 * DROP_FROM)
                if found is not None and found[1] == {self.ground.part}:  # it touches nothing else
                    return with_object_at(scene, thing.name, found[0])
        raise NoRoomError(thing, there=self._there(thing, scene, placed))

    def _there(self, thing: DeclaredThing, scene: Scene, placed: list[str]) -> tuple[str, ...]:
        """Of the things that were placed those that reach into where a thing is declared to be, seen from above."""
        if thing.region is not None:
            low, high = np.split(thing.region, 2)
        elif thing.at is not None:
            low = high = thing.at
        else:
            return ()
        half = 0.5 * thing.category.thing.extent[:2].min()
        spot = (np.append(low - half, -np.inf), np.append(high + half, np.inf))
        doors = thing.at is None
        return tuple(n for n in placed if any(meet(box, spot, 0.0) for box in boxes(scene.object(n), doors)))

    def _is_good(self, thing: DeclaredThing, scene: Scene, doors: list[Box], crowded: bool) -> bool:
        """Whether an item that is where `scene` has it, but for its height, has room around it, and is within reach:
        all that only where it is not `crowded`, nothing where a spot is declared."""
        if thing.at is not None:
            return True
        low, high = scene.object(thing.name).bounds()
        box = (low - [0.0, 0.0, DROP_FROM], high)
        on_table = (low[:2] >= self.table[0]).all() and (high[:2] <= self.table[1]).all()
        if not on_table or any(meet(box, door, 0.0 if crowded else HAND) for door in doors):
            return False
        far = np.linalg.norm(scene.object(thing.name).position[:2] - self.base) > FAR
        if thing.relation == "beside":
            return crowded or not far
        others = (o.bounds() for o in scene if o.name != thing.name and self.ground not in o.regions)
        return not any(meet(box, other, 0.0 if crowded else CLEARANCE) for other in others)

    def _resting(self, thing: DeclaredThing, scene: Scene, choices: int = CHOICES) -> Iterator[Scene]:
        """The scene with an item on or in its target, in places in which it stays. NoRoomError where there is none."""
        yaw = float(self.rng.uniform(-np.pi, np.pi)) if thing.yaw is None else thing.yaw
        T = placements.turned(thing.category.thing.T_world_object, yaw)
        situation = Situation(with_object_at(scene, thing.name, T))
        poses = iter(rest_poses(thing.name, target_of(thing.target, scene), situation, Tools(self.world, self.rng)))
        if thing.yaw is not None:
            poses = (P for P in poses if np.allclose(P[:3, :3], T[:3, :3], atol=1e-6))
        if thing.relation == "on":  # as it usually stands, not on its side; inside there may be no other way
            poses = (P for P in poses if np.allclose(P[2, :3], T[2, :3], atol=1e-6))
        found = list(itertools.islice(poses, choices))
        if not found:
            raise NoRoomError(thing)
        for n in self.rng.permutation(len(found)):
            yield with_object_at(scene, thing.name, found[int(n)])

    def _inside(self, thing: DeclaredThing, scene: Scene) -> Scene:
        """The scene with an item inside: put in with the door open, which then goes back to where it is declared."""
        owner, region = scene.region(thing.target)
        door = None if region.door is None else owner.part(region.door)
        if door is None or door.joint is None or door.name in self.declared.thing(owner.name).opened:
            return next(self._resting(thing, scene))
        wide = with_joint_at(scene, owner.name, door.name, opened(door.joint))
        for inside in self._resting(thing, wide, SPOTS):
            there = with_joint_at(inside, owner.name, door.name, door.joint.value)
            self.world.load(Situation(there).state())
            touched = self.world.body_contacts(thing.name, there.object(thing.name).T_world_object)
            if all(c.distance >= SQUEEZED for c in touched):
                return there
        tall = 100 * thing.category.thing.extent[2]
        raise NoRoomError(
            thing,
            f"{thing.name} ({tall:.0f} cm tall) does not fit in {thing.target} while that is closed; "
            "open it, or put something flatter there",
        )

    def _spot(self, thing: DeclaredThing, far: float, aside: float) -> Array:
        """A point (2,) on the table: where it is declared, or anywhere within the arm's reach."""
        if thing.at is not None:
            return thing.at
        if thing.region is not None:
            return self.rng.uniform(thing.region[:2], thing.region[2:])
        r = np.sqrt(self.rng.uniform(NEAR**2, far**2))
        angle = self.rng.uniform(-aside, aside)
        return np.asarray(self.base + r * np.array([np.cos(angle), np.sin(angle)]))

    def _next_to(self, thing: DeclaredThing, scene: Scene) -> Array:
        """The point (2,) for a thing's origin at one side of what it is beside; `scene` has it in its attitude."""
        o = scene.object(thing.name)
        (low, high), (other_low, other_high) = o.bounds(), scene.object(thing.target).bounds()
        size, middle = 0.5 * (high - low)[:2], 0.5 * (other_low + other_high)[:2]
        room = 0.5 * (other_high - other_low)[:2]
        axis, sign = int(self.rng.integers(2)), float(self.rng.choice([-1.0, 1.0]))
        off = self.rng.uniform(-0.5, 0.5, 2) * room
        off[axis] = sign * (room[axis] + size[axis] + self.rng.uniform(*BESIDE))
        return np.asarray(middle + off - (0.5 * (low + high) - o.position)[:2])


def _sequence(declared: Declaration) -> list[DeclaredThing]:
    """The things, each after what it is on, in or beside: fixtures first, then what has least choice."""

    def choice(thing: DeclaredThing) -> tuple[bool, int, float]:
        free = 0 if thing.at is not None else 1 if thing.region is not None or thing.owner is not None else 2
        return (not thing.category.fixed, free, -float(np.prod(thing.category.thing.extent[:2])))

    left, done = list(declared.things), list[DeclaredThing]()
    while left:
        ready = [t for t in left if t.owner is None or t.owner in {d.name for d in done}]
        done.append(min(ready, key=choice))
        left.remove(done[-1])
    return done


def _with_joints(declared: Declaration, scene: Scene) -> Scene:
    """The scene with every part open, closed, on or off as it is declared."""
    for thing in declared.things:
        for part in scene.object(thing.name).parts:
            if part.joint is not None:
                value = opened(part.joint) if part.name in thing.opened else closed(part.joint)
                scene = with_joint_at(scene, thing.name, part.name, value)
    return scene


def _stood(scene: Scene, name: str, p: Array, height: float, yaw: float) -> Scene:
    R = rotation_about(np.array([0.0, 0.0, 1.0]), yaw)
    return with_object_at(scene, name, pose([*p, height], R))


def opened(joint: Joint) -> float:
    """The joint value at which a part that is declared open, or on, starts."""
    end = joint.limits[1] if joint.sign > 0 else joint.limits[0]
    return joint.active + OPENED * (end - joint.active)


def closed(joint: Joint) -> float:
    """The joint value at which a part that is not starts."""
    return float(np.clip(0.0, *joint.limits))


def boxes(o: SceneObject, opened_too: bool) -> list[Box]:
    """The box around a thing, then those of its drawers and doors when they are open, if these count, too."""
    found = [o.bounds()]
    for p in o.parts if opened_too else ():
        if p.kind in ("drawer", "door") and p.joint is not None and p.shapes:
            found.append(bounds(p.shapes, p.joint.displacement(opened(p.joint)) @ p.T_world_part))
    return found


def facing(o: SceneObject, towards: Array) -> float:
    """The quarter turn (rad) with which the way into a fixture is most towards a direction (2,); 0 without doors."""
    into = [outside(o, r)[0] for r in o.regions if r.kind == "interior" and r.door is not None]
    if not into:
        return 0.0
    out = o.T_world_object[:2, :2].T @ np.mean(into, axis=0)[:2]
    angle = float(np.arctan2(towards[1], towards[0]) - np.arctan2(out[1], out[0]))
    return float(np.round(angle / (0.5 * np.pi)) * 0.5 * np.pi)


def meet(a: Box, b: Box, gap: float) -> bool:
    """Whether two boxes overlap, or are nearer than `gap` metres along every axis."""
    return bool((a[0] - gap < b[1]).all() and (b[0] - gap < a[1]).all())
