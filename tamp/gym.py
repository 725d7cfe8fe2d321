"""Scenes as environments of Gymnasium: `gymnasium.make("tamp.gym:tamp/Scene-v0", scene="libero_goal/3")`.

`tamp/NAME-v0` is the scene NAME under `problems/`. Importing this module registers them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from motion.poses import Numbers
from tamp.backends.libero import rendering
from tamp.data import data_dir
from tamp.errors import InputError
from tamp.perception.camera_calibration import Calibration
from tamp.quiet import hush_simulator

Observed = dict[str, Numbers]


class SceneEnv(gymnasium.Env[Observed, Numbers]):
    """A scene in LIBERO's simulator, drawn by the seed of `reset`; `options={"init_state": K}` takes a stored one.

    Observations are LIBERO's: `robot0_joint_pos`, …, and of two cameras `agentview_image`, upside down, and
    `agentview_depth` in metres, `size` pixels high and wide; 0: none. Actions are LIBERO's standard ones (7,) at 20 Hz.
    The reward is 1.0 in the step in which the goal holds by the oracle, which ends the episode; before it is 0.0.
    `info` has `success`, `goal` and `facts`, the symbolic state, in PDDL, and `seed`.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 20}  # noqa: RUF012

    def __init__(
        self,
        scene: str | Path,
        goal: str | None = None,
        domain: str | Path = "tabletop",
        size: int = 256,
        render_mode: str | None = None,
    ) -> None:
        """`scene` is one of `tamp.load_scene`, `goal` a formula in PDDL in place of the scene's own. InputError for a
        scene that LIBERO cannot build, a goal that it does not know, and pictures without OSMesa."""
        drawn = size > 0 or render_mode is not None
        rendering.prepare(video=False, pictures=drawn)
        with hush_simulator():
            from tamp.backends.libero import tasks
            from tamp.backends.libero.environment import Scenes
            from tamp.pddl.domain_file import load
            from tamp.skills.registry import bound

            self._task, self._domain = tasks.find(str(scene)), load(str(domain))
            tasks.check_goal(self._task, self._domain)
            self._observers, self._scenes = bound(self._domain).observers, Scenes(drawn)
        self.task_description, self.render_mode = self._task.instruction, render_mode
        self._goal_text, self._size = goal, size
        self._start(self._task.seed, None)
        seen: spaces.Space[Any] = spaces.Dict({name: _space(value) for name, value in self._observed().items()})
        self.observation_space = seen
        self.action_space = spaces.Box(-1.0, 1.0, (7,), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Draw the scene anew."""
        super().reset(seed=seed)
        self._start(int(self.np_random.integers(2**31)) if seed is None else seed, (options or {}).get("init_state"))
        return self._observed(), self._info()

    def step(self, action: Numbers) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        """One control period of 0.05 s."""
        self._environment.act(np.clip(np.asarray(action, dtype=float), -1.0, 1.0))
        self._sight.felt(self._environment.time, self._environment.observe())
        info = self._info()
        over = self._environment.steps >= self._task.step_limit
        return self._observed(), float(info["success"]), info["success"], over and not info["success"], info

    def render(self) -> Any:
        """The agent view, upright: bytes (512, 512, 3); None without a `render_mode`."""
        return np.array(self._environment.render()) if self.render_mode else None

    def close(self) -> None:
        """Free the simulation."""
        self._scenes.close()

    def calibration(self) -> Calibration:
        """What `tamp.camera_policy` is reset with, besides the instruction, which is `task_description`."""
        from tamp.backends.libero.cameras import calibration, in_metres, no_noise

        return in_metres(calibration(self._environment), no_noise, self._environment.observe().T_world_tool)

    def _start(self, seed: int, init_state: int | None) -> None:
        from tamp.backends.libero.goals import goal_regions, task_goal
        from tamp.backends.libero.oracle import OraclePerceiver
        from tamp.model.bodies import world_of
        from tamp.model.goal import goals_in
        from tamp.perception.observers import StateEstimator

        with hush_simulator():
            self._environment = environment = self._scenes.of(self._task, seed, init_state)
        text = self._goal_text or (None if self._task.is_checked else self._task.goal)
        if text is None and not self._task.is_checked:
            raise InputError(self._task.unchecked)
        self._seed, self._perceiver = seed, OraclePerceiver(environment, () if text else goal_regions(environment))
        start = self._perceiver.perceive()
        self._sight = StateEstimator(self._domain, self._observers, world_of(start, environment.robot_model()))
        if text is None:
            self._goal = task_goal(environment, start)
        else:
            self._goal = goals_in(self._sight.state(start), self._domain, [text])[0]
        self._sight.asked = self._goal.mentioned

    def _info(self) -> dict[str, Any]:
        state = self._sight.state(self._perceiver.perceive())
        facts = tuple(sorted(map(str, state.atoms)))
        return {"success": not self._goal.missing(state), "goal": str(self._goal), "facts": facts, "seed": self._seed}

    def _observed(self) -> Observed:
        from tamp.backends.libero.cameras import no_noise, pictures

        felt = self._environment.domain._get_observations(force_update=True)  # things have names of their own there
        found = {k: np.array(v) for k, v in felt.items() if k.startswith("robot0_") and not k.endswith("-state")}
        return found | (pictures(self._environment, no_noise, (self._size, self._size)) if self._size else {})


def _space(value: Numbers) -> spaces.Box:
    low, high = (0, 255) if value.dtype == np.uint8 else (-np.inf, np.inf)
    return spaces.Box(low, high, value.shape, value.dtype)


def _register() -> None:
    found: dict[str, dict[str, Any]] = {"Scene": {}} | {
        p.parent.name: {"scene": p.parent.name} for p in data_dir("problems").glob("*/scene.toml")
    }
    for name, options in found.items():
        gymnasium.register(f"tamp/{name}-v0", f"{__name__}:SceneEnv", kwargs=options)


_register()
