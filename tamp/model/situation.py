"""A predicted moment during refinement: a scene, and what the hand holds in it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from motion.poses import Array, error, inverse
from motion.world import State
from tamp.model.bodies import state_of
from tamp.model.scene import Scene, with_joint_at, with_object_at, with_robot

DISPLACED = (0.007, 0.12)
"""Metres and radians from where an item was foreseen beyond which it counts as elsewhere."""
RISEN = 0.015
"""Metres above where it should be from which a thing that is not held has come up with what is."""
SLIPPED = (0.016, 0.27)
"""The same for what is held, in the tool frame."""
JOINT_OFF = 0.1
"""Share of a joint's range likewise."""
TURNED_BY_BLUR = 15.0
"""Radians by which a thing looks turned for each metre that its points may be off: it is some centimetres wide."""


@dataclass(frozen=True, eq=False)
class Situation:
    """A scene with the held item named, if any. Immutable: each refined action makes the next one."""

    scene: Scene
    held: str | None = None

    @property
    def T_tool_held(self) -> Array | None:
        """Pose (4, 4) of the held item in the tool frame."""
        if self.held is None:
            return None
        return inverse(self.scene.robot.T_world_tool) @ self.scene.object(self.held).T_world_object

    def state(self) -> State:
        """The same for the kinematic world."""
        return replace(state_of(self.scene), held=self.held, T_tool_held=self.T_tool_held)

    def difference(self, seen: Situation, tolerance: float = 1.0, but: Collection[str] = ()) -> str | None:
        """What is elsewhere in another situation, in words, or not seen there, or new; None when nothing is, by much.

        The arm may be anywhere; what is held is compared in the tool frame. `tolerance` is in multiples of the usual.
        Things and parts in `but` may be anywhere.
        """
        if self.held != seen.held:
            return f"the hand holds {seen.held or 'nothing'}, not {self.held or 'nothing'}"
        before, now = ({o.name for o in s.scene} for s in (self, seen))
        if before != now:
            lost, new = sorted(before - now), sorted(now - before)
            return f"{lost[0]} is not seen" if lost else f"{new[0]} was not there before"
        for o in self.scene:
            other = seen.scene.object(o.name)
            pair = (o.T_world_object, other.T_world_object)
            if o.name == self.held and self.T_tool_held is not None and seen.T_tool_held is not None:
                pair = (self.T_tool_held, seen.T_tool_held)
            e = error(*pair)
            if o.name != self.held:
                e[5] = modulo_turns(e[5], o.turns)
            off, turned = float(np.linalg.norm(e[:3])), float(np.linalg.norm(e[3:]))
            metres, radians = (tolerance * x for x in (SLIPPED if o.name == self.held else DISPLACED))
            metres, radians = metres + seen.scene.blur, radians + TURNED_BY_BLUR * seen.scene.blur
            if o.movable and o.name not in but and (off > metres or turned > radians):
                return f"{o.name} is {off * 1000:.0f} mm and {np.degrees(turned):.0f}° from where it should be"
            for part, seen_part in zip(o.parts, other.parts, strict=True):
                if part.joint is not None and seen_part.joint is not None and part.name not in but:
                    span = abs(part.joint.limits[1] - part.joint.limits[0])
                    allowed = tolerance * JOINT_OFF * span + part.joint.slack(seen.scene.blur)
                    if abs(part.joint.value - seen_part.joint.value) > allowed:
                        return f"{part.name} is at {seen_part.joint.value:.3f}, not {part.joint.value:.3f}"
        return None

    def come_along(self, seen: Situation) -> str | None:
        """A thing that hangs on the one in the hand in another situation, and was to stay where it was; None without
        one. What lies on the held thing, or in it, is meant to come."""
        if seen.held is None or seen.held != self.held:
            return None
        low, high = seen.scene.object(seen.held).bounds()
        for o in self.scene:
            if not o.movable or o.name == seen.held or seen.scene.unseen([o.name]):
                continue
            other = seen.scene.object(o.name)
            inside = (low[:2] < other.position[:2]).all() and (other.position[:2] < high[:2]).all()
            lies_on_it = inside and other.bounds()[0][2] >= low[2]
            if other.position[2] - o.position[2] > RISEN + seen.scene.blur and not lies_on_it:
                return o.name
        return None

    def at(self, q: Array, opening: float, T_world_tool: Array) -> Situation:
        """With the arm at `q`; a held item goes along."""
        T_tool_held = self.T_tool_held
        scene = with_robot(self.scene, q, opening, T_world_tool)
        if self.held is not None and T_tool_held is not None:
            scene = with_object_at(scene, self.held, T_world_tool @ T_tool_held)
        return replace(self, scene=scene)

    def grasping(self, name: str) -> Situation:
        """With item `name` in the hand, where it is."""
        return replace(self, held=name)

    def released(self) -> Situation:
        """With the hand empty and the item left where it is."""
        return replace(self, held=None)

    def settled(self, name: str, T_world_item: Array) -> Situation:
        """With an item that was let go of at rest where it comes to lie."""
        return replace(self, scene=with_object_at(self.scene, name, T_world_item))

    def with_joint(self, name: str, part: str, value: float) -> Situation:
        """With a drawer, door or knob at another joint value."""
        scene = with_joint_at(self.scene, name, part, value)
        if self.held is not None:  # it goes with the hand, not with the part
            scene = with_object_at(scene, self.held, self.scene.object(self.held).T_world_object)
        return replace(self, scene=scene)


def modulo_turns(angle: float, turns: int) -> float:
    """What is left of an angle about the vertical of a thing that looks the same after each of its `turns`."""
    if turns == 1:
        return angle
    each = 2 * np.pi / turns if turns else 0.0
    return float((angle + 0.5 * each) % each - 0.5 * each) if each else 0.0
