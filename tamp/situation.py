"""A predicted moment during refinement: a scene, and what the hand holds in it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from motion.poses import Array, inverse
from motion.world import State
from tamp.geometry import state_of
from tamp.scene import Scene, with_joint_at, with_object_at, with_robot


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
