"""The hand is moved so that its camera sees something: where to is chosen by what it would show."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from motion.paths import Blocked
from motion.poses import Array
from motion.world import World
from tamp.agent.goal_executor import GoalExecutor
from tamp.agent.session import Routine
from tamp.agent.tabletop import Tabletop
from tamp.model.atoms import GroundAction
from tamp.model.bodies import bodies_of
from tamp.model.situation import Situation
from tamp.perception.camera_calibration import HandEye
from tamp.perception.visibility import CameraView, views
from tamp.skills.base import Refinement, Tools
from tamp.skills.patterns import Pattern, Poses
from tamp.skills.reaching import DEXTERITY, configuration_at

LOOK = "look"
"""What the motion is called as an action."""
TRIED = 40
"""Views to which a way is looked for at most."""
KEPT = 0.7
"""Share of what a view was thought to show that it has to show past the arm itself."""
MOST_STEPS = 120
"""Control steps of one such motion at most."""


@dataclass(eq=False)
class ViewPlanner:
    """Moves the camera in the hand of a robot at a table; `steps` counts control steps, `done` the motions."""

    table: Tabletop
    eye: HandEye
    rng: np.random.Generator
    steps: int = 0
    done: list[GroundAction] = field(default_factory=list)

    def at(self, points: Array, weights: Array, least: float) -> Routine[str | None]:
        """Go where much of points (n, 3) with `weights` (n,) is seen, at least the share `least` of these, and look.
        Returns what was wrong, for one where there is no such place."""
        _, _, situation = self.table.look()
        found = self._chosen(points, weights, least, situation)
        if found is None:
            return "there is no view of it that the arm can take"
        pattern, refinement = found
        self.table.patterns = {**self.table.patterns, LOOK: pattern}
        action, pursuit = GroundAction(LOOK, ()), GoalExecutor(self.table, MOST_STEPS)
        problem = yield from pursuit.along(action, refinement)
        self.steps += pursuit.steps
        self.done.append(action)
        return problem

    def _chosen(
        self, points: Array, weights: Array, least: float, situation: Situation
    ) -> tuple[Pattern, Refinement] | None:
        """The motion to the best view that the arm can take."""
        world, robot = self.table.world, situation.scene.robot
        world.sync(bodies_of(situation.scene))
        world.load(situation.state())

        def sees(p: Array, some: Array) -> Array:
            return world.sees(p, some, robot=False)

        every = (v for v in views(points, weights, self.eye, robot.T_world_tool, sees) if v.share >= least)
        for view in islice(every, TRIED):
            pattern = Pattern(LOOK, (), _to(view.T_world_tool), pace=1.0)
            refinement = self._way(pattern, view, situation)
            if refinement is not None and self._shows(view, refinement, points, weights, world) >= KEPT * view.share:
                return pattern, refinement
        return None

    def _way(self, pattern: Pattern, view: CameraView, situation: Situation) -> Refinement | None:
        tools = Tools(self.table.world, self.rng)
        self.table.world.load(situation.state())
        if isinstance(configuration_at(view.T_world_tool, situation, tools, 0, DEXTERITY), Blocked):
            return None
        found = next(pattern.refine((), situation, tools))
        return found if isinstance(found, Refinement) else None

    def _shows(self, view: CameraView, way: Refinement, points: Array, weights: Array, world: World) -> float:
        """Share of what is to be seen that is seen past the arm at the end of the way."""
        world.load(way.after.state())
        T_world_camera = way.after.scene.robot.T_world_tool @ self.eye.T_tool_camera
        pictured = self.eye.pictured(T_world_camera, points)
        if pictured.any():
            pictured[pictured] = world.sees(T_world_camera[:3, 3], points[pictured])
        return float(weights[pictured].sum() / weights.sum())


def _to(T_world_tool: Array) -> Poses:
    return lambda args, situation, world: [T_world_tool]
