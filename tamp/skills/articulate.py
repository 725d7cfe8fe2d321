"""Open, close, turn on, turn off: grasp a part and carry it along its joint, or push it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from motion import kinematics, paths
from motion.fitting import least_width
from motion.paths import Blocked
from motion.poses import Array, pose, rotation_about
from motion.shapes import bounds
from tamp.model.atoms import Atom
from tamp.model.motions import Grip, Move
from tamp.model.scene import Joint, Part, Scene, SceneObject, contains
from tamp.model.situation import Situation
from tamp.model.skill_spec import Spec
from tamp.skills.base import Infeasible, Refinement, Skill, Tools, blocked, obstructed
from tamp.skills.builtin_specs import End, articulating
from tamp.skills.part_contacts import holds, inner_contacts, push_contacts
from tamp.skills.pick import SPARE_OPENING
from tamp.skills.place_targets import upright
from tamp.skills.reaching import APPROACHES, both_ways, configuration_at, way_to

ACTIVE_SHARE = {"drawer": 0.7, "door": 0.15, "knob": 0.25, "body": 0.0}
"""How far past its threshold a joint is taken, as a share of what its range leaves."""
OVERSHOOT = {"drawer": 0.012, "door": 0.06, "knob": 0.3, "body": 0.0}
"""Metres or radians past the end of the range that a closing motion aims at, so that it presses home."""
JOINT_STEP = {"slide": 0.02, "hinge": 0.1}
TURN_SHARES = {"slide": (1.0,), "hinge": (1.0, 0.6, 0.3)}
"""How much of the joint's turn the hand makes: less lets the handle turn between the fingers."""
SHOVE = -0.01
"""Metres by which a part may push something aside on its way without its being moved first."""
RETREAT = 0.08
FRAME_SLACK = 0.005
"""Metres by which something may stand above an interior's box before it is looked at more closely."""
STANDOFF = 0.015
"""Metres before the part at which a push begins."""
AJAR = (0.7, 0.5, 0.3)
"""Shares of a door's way to which it is pulled by its handle when the rest is pushed from inside."""
WHOLE_WAY = 30
"""Grips on a door that are tried for its whole way before any is tried for part of it."""

_Attempt = Callable[[], Refinement | Infeasible]


@dataclass(frozen=True)
class Articulate(Skill):
    """Takes the joint behind its first argument to `goal`: `active` is open or on, `rest` closed or off."""

    name: str
    goal: End

    @property
    def spec(self) -> Spec:
        """What it declares."""
        return articulating(self.name)

    def refine(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> Iterator[Refinement | Infeasible]:
        """Pushes and grips, last those that the arm does not reach at a first look."""
        try:
            work = _Work(args[0], self.goal, *moving_part(args[0], situation.scene), situation, tools)
        except KeyError:
            message = f"{self.name}: nothing moves at {args[0]}; valid: {' or '.join(sorted(self.spec.affords[0]))}"
            yield Infeasible("no-joint", args[:1], frozenset({Atom("unreachable", args[:1])}), message, final=True)
            return
        if self.goal == "rest" and (too_tall := _too_tall(args[0], work.owner, work.part, situation.scene)):
            yield too_tall
            return
        if (swept := work.swept()) is not None:
            yield swept
            return
        if tools.hint is not None and "grasp" in tools.hint:
            yield work.carried(np.array(tools.hint["grasp"]), float(tools.hint["width"]))
        out_of_reach: list[_Attempt] = []
        for T_world_tool, attempt in work.attempts():
            if work.reaches(T_world_tool):
                yield attempt()
            else:
                out_of_reach.append(attempt)
        for attempt in out_of_reach:
            yield attempt()

    def proof(self, args: tuple[str, ...], scene: Scene, brought: Iterable[tuple[str, str]]) -> Infeasible | None:
        """That a drawer does not close on what is thicker, whichever way it is turned, than the frame lets pass."""
        region = next((r for _, r in scene.regions() if r.name == args[0]), None)
        if self.goal != "rest" or region is None or region.door != region.part:
            return None
        clearance = 2 * float(region.world_half_extent()[2])
        for item in (thing for thing, place in brought if place == args[0]):
            width = least_width(scene.object(item).parts[0].shapes)
            if width > clearance + FRAME_SLACK:
                return _jam(args[0], item, width, clearance, "at least {} thick, whichever way it is turned")
        return None

    def facts(self, args: tuple[str, ...], causes: list[Infeasible], scene: Scene) -> frozenset[Atom]:
        """What jams it, or would; else what is most in the way of the arm; else the part is out of reach."""
        jamming = frozenset().union(*(c.facts for c in causes))
        if jamming:
            _, region = scene.region(args[0])
            inside = {a.args for a in jamming if contains(region, scene.object(a.args[0]).position)}
            return jamming | {Atom("jams", pair) for pair in inside}
        return obstructed(args, causes, scene) or frozenset({Atom("unreachable", args[:1])})

    def achieved(self, args: tuple[str, ...], scene: Scene, held: str | None) -> str | None:
        """The joint is where the domain wants it, as seen."""
        joint = moving_part(args[0], scene).joint
        want, limit = ("past", joint.active) if self.goal == "active" else ("back to", joint.rest)
        done = self._done(joint, joint.slack(scene.blur))
        return None if done else f"{args[0]}: joint at {joint.value:.3f}, not {want} {limit:.3f}"

    def _done(self, joint: Joint, slack: float) -> bool:
        """Whether a joint that is seen to within `slack` is where the domain wants it."""
        if self.goal == "rest":
            return joint.at_rest(slack)
        return (joint.value - joint.active) * joint.sign >= -slack


@dataclass(frozen=True, eq=False)
class _Work:
    """A part that is to be moved in a situation, and its symbol `name`."""

    name: str
    goal: End
    owner: SceneObject
    part: Part
    joint: Joint
    situation: Situation
    tools: Tools

    @property
    def moving(self) -> frozenset[str]:
        """The bodies that go with the part."""
        regions = [r for r in self.owner.regions if r.part == self.part.name]
        inside = (o for o in self.situation.scene if o.movable and any(contains(r, o.position) for r in regions))
        return frozenset({self.part.name, *(o.name for o in inside)})

    def target(self) -> float:
        """Value of the joint to aim at."""
        joint, kind = self.joint, self.part.kind
        if self.goal == "rest":
            over = OVERSHOOT[kind]
            return (joint.limits[0] - over) if joint.sign > 0 else (joint.limits[1] + over)
        end = joint.limits[1] if joint.sign > 0 else joint.limits[0]
        return joint.active + ACTIVE_SHARE[kind] * (end - joint.active)

    def attempts(self) -> Iterator[tuple[Array, _Attempt]]:
        """Tool poses, each with what to do from there: push, then grip. The grips are first those with room for the
        hand; for a door such that pull it ajar for a push from inside; for a drawer such that close askew; last those
        with hardly any room."""
        for T in self.contacts():
            yield T, partial(self.pushed, T)
        roomy, tight = holds(self.part, self.situation, self.tools)
        in_two = self.goal == "active" and self.part.kind == "door"
        first = roomy[:WHOLE_WAY] if in_two else roomy
        for hold in first:
            yield hold.T_world_tool, partial(self.carried, *hold)
        for hold in roomy if in_two else []:
            yield hold.T_world_tool, partial(self.carried_ajar_and_pushed, *hold)
        askew = holds(self.part, self.situation, self.tools, askew=True)[0] if self.joint.kind == "slide" else []
        for hold in (*askew, *roomy[len(first) :], *tight):
            yield hold.T_world_tool, partial(self.carried, *hold)

    def reaches(self, T_world_tool: Array) -> bool:
        """Whether the arm, from its posture, gets to a tool pose, whatever is there."""
        world = self.tools.world
        ways = both_ways(T_world_tool, world)
        return any(kinematics.solve(world, T, world.robot.posture) is not None for T in ways)

    def contacts(self) -> list[Array]:
        """Where to push the part: from outside to close it, from inside to open a door that is ajar."""
        gripper = self.tools.world.robot.gripper
        if self.goal == "rest":
            return push_contacts(self.part, gripper)
        return inner_contacts(self.part, gripper) if self.part.kind == "door" else []

    def swept(self) -> Infeasible | None:
        """What the part would push over on its way, apart from what lies in it or touches it already."""
        world, part, joint, scene = self.tools.world, self.part, self.joint, self.situation.scene
        world.load(self.situation.state())
        theirs = {p.name for p in self.owner.parts} | self.moving
        behind = [r for r in self.owner.regions if r.door == part.name]
        theirs |= {o.name for o in scene if o.movable and any(contains(r, o.position) for r in behind)}
        theirs |= {c.other for c in world.body_contacts(part.name, part.T_world_part)}
        value = float(np.clip(self.target(), *joint.limits))
        steps = max(2, int(np.ceil(abs(value - joint.value) / (0.5 * JOINT_STEP[joint.kind]))))
        for v in np.linspace(joint.value, value, steps)[1:]:
            for c in world.body_contacts(part.name, joint.displacement(float(v)) @ part.T_world_part, SHOVE):
                if c.other not in theirs:
                    message = f"move {self.name}: {c.other} stands where it goes"
                    return Infeasible("collision", (c.other,), message=message, whatever_grasp=True)
        return None

    def carried(self, T_world_grasp: Array, width: float, value: float | None = None) -> Refinement | Infeasible:
        """Take hold of the part and carry it to joint `value`, by default the whole way."""
        world = self.tools.world
        opening = min(world.robot.gripper.opening, width + SPARE_OPENING)
        value = self.target() if value is None else value

        def follow(q: Array) -> Array | Blocked:
            world.set_opening(width)
            result: Array | Blocked = Blocked("unreachable")
            for share in TURN_SHARES[self.joint.kind]:
                path = _poses(world.forward(q), self.joint, value, share)
                result = paths.along(world, q, path, paths.checker(world, 0.0, self.moving))
                if not isinstance(result, Blocked):
                    break
            return result

        found = self._reached_and_followed("move", T_world_grasp, opening, follow)
        if isinstance(found, Infeasible):
            return found
        return self._finished(*found, opening, value, width)

    def carried_ajar_and_pushed(self, T_world_grasp: Array, width: float) -> Refinement | Infeasible:
        """Pull a door ajar by its handle, let go, and push it the rest of the way from inside."""
        start, end = self.joint.value, self.target()
        result: Refinement | Infeasible = Infeasible("unreachable")
        for share in AJAR:
            result = self.carried(T_world_grasp, width, start + share * (end - start))
            if isinstance(result, Infeasible):
                continue
            ajar = result
            rest = _Work(self.name, self.goal, *moving_part(self.name, ajar.after.scene), ajar.after, self.tools)
            for T_world_push in rest.contacts():
                result = rest.pushed(T_world_push)
                if isinstance(result, Refinement):
                    return Refinement((*ajar.segments, *result.segments), result.after, result.note)
        return result

    def pushed(self, T_world_push: Array) -> Refinement | Infeasible:
        """Push the part with closed fingers."""
        world = self.tools.world
        world.load(self.situation.state())
        value = self.target()
        path = _poses(T_world_push, self.joint, value)
        away = path[0][:3, 3] - T_world_push[:3, 3]
        away *= -STANDOFF / max(float(np.linalg.norm(away)), 1e-9)
        check = paths.checker(world, 0.0, self.moving)

        def follow(q: Array) -> Array | Blocked:
            R = world.forward(q)[:3, :3]  # either way round of the fingers
            return paths.along(world, q, [pose(T[:3, 3], R) for T in (T_world_push, *path)], check)

        T_start = pose(T_world_push[:3, 3] + away, T_world_push[:3, :3])
        found = self._reached_and_followed("push", T_start, 0.0, follow)
        return found if isinstance(found, Infeasible) else self._finished(*found, 0.0, value, None)

    def _reached_and_followed(
        self, verb: str, T_world_tool: Array, opening: float, follow: Callable[[Array], Array | Blocked]
    ) -> tuple[Array, Array] | Infeasible:
        """A way (k, n) to a tool pose, with the fingers either way round, and the way (k, n) that `follow` goes on from
        its end. The way there costs most, so what follows is tried first."""
        situation, tools, world, name = self.situation, self.tools, self.tools.world, self.name
        result = Infeasible("unreachable")
        # a push may turn the short way round; to hold, the arm had better be near its posture
        T_world_from = situation.scene.robot.T_world_tool if opening == 0.0 else None
        for T in both_ways(T_world_tool, world, T_world_from):
            world.load(situation.state())
            world.set_opening(opening)
            q = configuration_at(T, situation, tools, 2, leaving=APPROACHES[-1])
            probe = q if isinstance(q, Blocked) else follow(q)
            if isinstance(probe, Blocked):
                result = blocked(f"{'reach' if probe is q else verb} {name}", probe, name)
                # wherever the arm comes from: only what was touched can be elsewhere
                result = replace(result, conflict=frozenset(result.blockers) - {name})
                continue
            world.set_opening(opening)
            way = way_to(T, situation, tools)
            if isinstance(way, Blocked):
                result = blocked(f"reach {name}", way, name)
                continue
            followed = follow(way[-1])
            if not isinstance(followed, Blocked):
                return way, followed
            result = blocked(f"{verb} {name}", followed, name)
        return result

    def _finished(
        self, way: Array, follow: Array, leaving: float, value: float, width: float | None
    ) -> Refinement | Infeasible:
        """Segments of a motion that reaches, follows the joint to `value` and leaves with the fingers `leaving` metres
        open; `width` is None for a push."""
        world, situation = self.tools.world, self.situation
        T_grasp = world.forward(way[-1])
        moved = situation.with_joint(self.owner.name, self.part.name, float(np.clip(value, *self.joint.limits)))
        moved = moved.at(follow[-1], leaving, world.forward(follow[-1]))
        retreat = _retreat(moved, self.part, self.tools)
        if isinstance(retreat, Blocked):
            return blocked(f"let go of {self.name}", retreat, self.name)
        pull = Move(follow, situation.state(), 0.0, yielding=True, exact=True, pace=0.8)
        arrive = Move(way, situation.state(), leaving)
        leave = Move(retreat, moved.state(), leaving, precise=False)
        after = moved.at(retreat[-1], leaving, world.forward(retreat[-1]))
        note = {"joint": round(value, 4)}
        if width is None:
            return Refinement((arrive, pull, leave), after, note)
        note |= {"grasp": T_grasp.round(5).tolist(), "width": round(width, 4)}
        return Refinement((arrive, Grip(0.0), pull, Grip(leaving), leave), after, note)


class MovingPart(NamedTuple):
    """A part of an object that moves on a joint."""

    owner: SceneObject
    part: Part
    joint: Joint


def moving_part(name: str, scene: Scene) -> MovingPart:
    """What an interior's or an appliance's symbol opens or switches. KeyError where nothing moves there."""
    try:
        owner, region = scene.region(name)
    except KeyError:
        owner = scene.object(name)
        part = next((p for p in owner.parts if p.kind == "knob"), None)
    else:
        part = None if region.door is None else owner.part(region.door)
    if part is None or part.joint is None:
        raise KeyError(f"{name} has neither drawer, door nor knob")
    return MovingPart(owner, part, part.joint)


def _poses(T_world_grasp: Array, joint: Joint, value: float, share: float = 1.0) -> list[Array]:
    """Tool poses that follow the joint from its present value to `value`, turning by `share` of the joint's turn."""
    k = max(2, int(np.ceil(abs(value - joint.value) / JOINT_STEP[joint.kind])))
    out = []
    for v in np.linspace(joint.value, value, k + 1)[1:]:
        T = joint.displacement(v) @ T_world_grasp
        if joint.kind == "hinge":
            T[:3, :3] = rotation_about(joint.axis_world, share * (v - joint.value)) @ T_world_grasp[:3, :3]
        out.append(T)
    return out


def _too_tall(name: str, owner: SceneObject, part: Part, scene: Scene) -> Infeasible | None:
    """Whether something inside stands higher than what the frame lets pass: too tall for it, or lying askew."""
    for region in owner.regions:
        if region.door != part.name or region.part != part.name:
            continue
        half = region.world_half_extent()
        clearance, top = 2 * half[2], region.T_world_region[2, 3] + half[2]
        for item in scene:
            if not item.movable or not contains(region, item.position) or item.bounds()[1][2] < top + FRAME_SLACK:
                continue
            low, high = bounds(item.parts[0].shapes, upright(item.T_world_object))
            return _jam(name, item.name, float(high[2] - low[2]), float(clearance))
    return None


def _jam(name: str, item: str, height: float, clearance: float, how: str = "{} tall") -> Infeasible:
    if height > clearance:
        return Infeasible(
            "too-tall",
            (item, name),
            frozenset({Atom("too-tall", (item, name))}),
            f"{name} cannot be closed with {item} in it: {item} is {how.format(f'{height * 100:.1f} cm')}, "
            f"its clearance is {clearance * 100:.1f} cm, {(height - clearance) * 100:.1f} cm too little",
            final=True,
        )
    message = f"{name} cannot be closed: {item} lies askew in it"
    return Infeasible("jammed", (item, name), frozenset({Atom("jams", (item, name))}), message, final=True)


def _retreat(moved: Situation, part: Part, tools: Tools) -> Array | Blocked:
    world, q = tools.world, moved.scene.robot.q
    world.load(moved.state())
    T = world.forward(q)
    check = paths.checker(world, 0.0, frozenset({part.name}))
    for distance in (RETREAT, 0.05):
        back = paths.straight(world, q, paths.backed(T, distance), check)
        if not isinstance(back, Blocked):
            return back
    return back
