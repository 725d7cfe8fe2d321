"""LIBERO's simulator: build, reset, step at 20 Hz with its standard 7-number action, and check success."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from motion.poses import Array, to_quat
from motion.robot import Gripper, RobotDescription
from motion.standard_action import OPEN
from tamp.backends.libero.panda import BASE_BODY, CONTROL_PERIOD, ROBOT_PREFIXES, robot_model
from tamp.backends.libero.scene_description import Task
from tamp.backends.libero.stepping import Stepper
from tamp.backends.libero.tasks import initial_states
from tamp.backends.mujoco.model_objects import body_pose, site_pose
from tamp.errors import InputError
from tamp.model.scene import RobotState

SETTLING_STEPS = 10
ROBOT = "robot"
DRAWS = 20
"""Times that LIBERO's region samplers are tried, thousands of places each, before a scene counts as impossible."""


class LiberoEnvironment:
    """One LIBERO task in MuJoCo, as a `tamp.model.backend.Backend`."""

    period = CONTROL_PERIOD

    def __init__(self, task: Task, *, seed: int = 0, init_state: int | None = None, render: bool = False) -> None:
        from libero.libero.envs.env_wrapper import ControlEnv

        if task.mjcf is not None:
            valid_ones = "valid: solve with --backend mujoco or pybullet, scene show"
            raise InputError(f"{task.name} is an MJCF scene, of which LIBERO's simulator knows nothing; {valid_ones}")
        self.task = task
        self.steps = 0
        self.stepping_seconds = 0.0
        self.last_action = np.zeros(7)
        self.disturbed: Callable[[Array], Array] | None = None
        """Perturbs an action (7,) before each control step."""
        self.after: list[Callable[[], None]] = []
        """Called after each control period."""
        states = _stored(task, init_state)
        with _buildable(task), _undrawn(), _bddl_file(task) as path:
            self._env = ControlEnv(
                bddl_file_name=str(path),
                has_renderer=False,
                has_offscreen_renderer=render,
                use_camera_obs=False,
                ignore_done=True,
                horizon=100_000,
                hard_reset=False,  # the model is built once; a reset draws and settles anew
                camera_names=["agentview"],
            )
        if not self.task.is_checked:
            self.domain.parsed_problem["goal_state"] = []
        model = self.sim.model
        if any(hasattr(thing, "of_library") for thing in self.domain.objects_dict.values()):
            # more than one contact for two convex pieces, without which nothing keeps its attitude between the fingers
            model._model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_MULTICCD)
        self._built = np.array(model.body_pos), np.array(model.body_quat)
        self._joint_samplers = tuple(self.domain.object_property_initializers)
        self._start(seed, None if init_state is None else states[init_state])

    def reset(self, *, seed: int = 0, init_state: int | None = None) -> None:
        """Start over with another draw or another stored initial state; steps count from zero."""
        states = _stored(self.task, init_state)
        self._start(seed, None if init_state is None else states[init_state])

    def _start(self, seed: int, state: Array | None) -> None:
        np.random.seed(seed)  # robosuite's samplers draw from numpy's global generator
        with _no_debugger(self.task.name), _buildable(self.task):
            self._draw(stored=state is not None)
        if state is not None:
            self._env.set_init_state(state)
        self._stepper = Stepper(self._env.env)
        if self.task.declared is None:
            self.settle()
            if state is None:
                from tamp.backends.libero.scene_start import check_start

                check_start(self, seed)
        else:
            from tamp.backends.libero.scene_start import start_declared

            start_declared(self, self.task.declared, seed)
        self.steps, self.stepping_seconds = 0, 0.0

    def settle(self) -> None:
        """Let everything come to rest, the arm where it is and the hand open."""
        gripper = self.domain.robots[0].gripper
        gripper.current_action = np.zeros(gripper.dof)  # robosuite keeps it through a soft reset
        for _ in range(SETTLING_STEPS):
            self._stepper.step(np.array([0.0] * 6 + [OPEN]))

    def _draw(self, stored: bool) -> None:
        """Reset until everything has found a place. LIBERO's own wrapper tries for ever, and swallows Ctrl-C.

        A scene is drawn as in a LIBERO environment that was just built, seeded and reset. Its hard reset repeats the
        draws of joints once for each load of the model before. A `stored` state, which replaces all but the poses of
        fixtures, has them once.
        """
        from robosuite.utils.errors import RandomizationError

        model = self.sim.model
        for earlier in range(DRAWS):
            # LIBERO's samplers add a region's position to its fixture's, but a soft reset leaves the fixture in place
            model.body_pos[:], model.body_quat[:] = self._built
            self.domain.object_property_initializers = [*self._joint_samplers] * (1 if stored else 2 + earlier)
            with contextlib.suppress(RandomizationError, InputError):
                self.domain.reset()
                return
        raise InputError(f"{self.task.name}: LIBERO cannot place the objects in their regions; try another seed")

    @property
    def sim(self) -> Any:
        """robosuite's simulation wrapper: for the oracle and the renderer only."""
        return self._env.sim

    @property
    def domain(self) -> Any:
        """LIBERO's environment object, with its object classes."""
        return self._env.env

    def root_bodies(self) -> dict[str, str]:
        """Name of each object and fixture, with the body of the simulation that carries it."""
        things = {**self.domain.objects_dict, **self.domain.fixtures_dict}
        roots = {name: getattr(thing, "root_body", None) for name, thing in things.items()}
        return {name: root for name, root in roots.items() if root}

    def owners(self) -> list[str]:
        """Name of what each body of the simulation belongs to: an object or a fixture, `ROBOT`, or "" for the rest."""
        model = self.sim.model._model
        by_root = {model.body(root).id: name for name, root in self.root_bodies().items()}
        owners = [""]
        for b in range(1, model.nbody):
            robot = model.body(b).name.startswith(ROBOT_PREFIXES)
            owners.append(by_root.get(b, ROBOT if robot else owners[int(model.body_parentid[b])]))
        return owners

    @property
    def time(self) -> float:
        """Seconds since the settling steps ended."""
        return self.steps * CONTROL_PERIOD

    def robot_model(self) -> RobotDescription:
        """The arm and hand as a kinematic model."""
        return robot_model(self.sim, self.domain.robots[0].controller.initial_joint)

    def base_position(self) -> Array:
        """Where the arm's base stands in the world (3,)."""
        return np.array(self.sim.data._data.body(BASE_BODY).xpos)

    def observe(self) -> RobotState:
        """Proprioception now: configuration, finger opening, tool pose in the world."""
        robot, data = self.domain.robots[0], self.sim.data
        fingers = data.qpos[robot._ref_gripper_joint_pos_indexes]
        q = np.array(data.qpos[robot._ref_joint_pos_indexes])
        return RobotState(q, float(abs(fingers[0]) + abs(fingers[1])), site_pose(data, robot.eef_site_id))

    def command(self, displacement: Array, opening: float) -> None:
        """One control step of 0.05 s.

        `displacement` (6,): metres and rotation vector (radians), world axes, from the present tool pose;
        clipped to what one action can ask for. `opening`: metres between the fingers to go to.
        """
        fingers = float(self.domain.robots[0].gripper.current_action[0])
        stepper, widest = self._stepper, Gripper().opening
        self.act(stepper.controller.action(displacement, opening, fingers, widest, stepper.arm()))

    def stop(self) -> None:
        """Hold still for one control step."""
        self.act(np.zeros(7))

    def act(self, action: Array) -> None:
        """One control step with LIBERO's standard action (7,) in [-1, 1]."""
        if self.disturbed is not None:
            action = self.disturbed(action)
        self.last_action = action
        start = time.perf_counter()
        self._stepper.step(action)
        self.stepping_seconds += time.perf_counter() - start
        self.steps += 1
        for called in self.after:
            called()

    def put(self, name: str, T_world_object: Array) -> None:
        """Put a thing elsewhere, at rest."""
        joint = self.domain.objects_dict[name].joints[-1]
        self.sim.data.set_joint_qpos(joint, np.concatenate([T_world_object[:3, 3], to_quat(T_world_object[:3, :3])]))
        self.sim.data.set_joint_qvel(joint, np.zeros(6))
        self.sim.forward()

    def pose_of(self, name: str) -> Array:
        """Where a thing is (4, 4)."""
        body = self.sim.model._model.body(self.root_bodies()[name]).id
        return body_pose(self.sim.data._data, body)

    def set_joint(self, body: str, value: float) -> None:
        """Set the joint of a drawer, a door or a knob, at rest."""
        model, data = self.sim.model._model, self.sim.data._data
        joint = int(model.body_jntadr[model.body(body).id])
        data.qpos[model.jnt_qposadr[joint]], data.qvel[model.jnt_dofadr[joint]] = value, 0.0
        self.sim.forward()

    def push_hand(self, force: Array) -> None:
        """Push the hand with a force (3,), newtons, from now on."""
        body = self.sim.model._model.site_bodyid[self.domain.robots[0].eef_site_id]
        self.sim.data._data.xfrc_applied[body, :3] = force

    def check_success(self) -> bool:
        """LIBERO's own check. Always false where LIBERO cannot check the goal."""
        return self.task.is_checked and bool(self._env.check_success())

    def render(self, width: int = 512, height: int = 512) -> np.ndarray:
        """The agent view as (height, width, 3) bytes, upright."""
        frame = self.sim.render(width=width, height=height, camera_name="agentview")
        return np.asarray(frame[::-1])

    def picture(self) -> bytes:
        """The agent view as a PNG."""
        import imageio.v3 as imageio

        return bytes(imageio.imwrite("<bytes>", self.render(), extension=".png"))

    def close(self) -> None:
        """Free the simulation."""
        self._env.close()


@dataclass(eq=False)
class Scenes:
    """Keeps the last task's environment for episodes in a row that run in it; `render`: with pictures."""

    render: bool = False
    _built: LiberoEnvironment | None = None

    def of(self, task: Task, seed: int, init_state: int | None = None) -> LiberoEnvironment:
        """The environment of a task, started over with a draw or a stored initial state."""
        if self._built is not None and self._built.task == task:
            self._built.reset(seed=seed, init_state=init_state)
            return self._built
        self.close()
        self._built = LiberoEnvironment(task, seed=seed, init_state=init_state, render=self.render)
        return self._built

    def close(self) -> None:
        """Close what was built."""
        if self._built is not None:
            self._built.close()
            self._built = None

    def forget(self) -> None:
        """Drop what was built, which may be in any state, without closing it."""
        self._built = None


def _stored(task: Task, init_state: int | None) -> Array:
    """The task's stored initial states, checked to hold number `init_state`; empty without it."""
    if init_state is None:
        return np.zeros((0, 0))
    states = initial_states(task)
    if not 0 <= init_state < len(states):
        raise InputError(f"{task.name}: --init-state {init_state}; valid: 0 to {len(states) - 1}")
    return states


@contextlib.contextmanager
def _bddl_file(task: Task) -> Iterator[Path]:
    """The task's BDDL file; one that is made of what it declares is there only for as long as it is read."""
    if task.declared is None:
        assert task.bddl is not None
        yield task.bddl
        return
    with tempfile.TemporaryDirectory(prefix="tamp-scene-") as folder:
        path = Path(folder) / "scene.bddl"
        path.write_text(task.declared.bddl("none"))
        yield path


@contextlib.contextmanager
def _buildable(task: Task) -> Iterator[None]:
    """Turn what LIBERO raises for a user's BDDL file that names what does not exist into an InputError."""
    try:
        yield
    except (KeyError, AssertionError, AttributeError, IndexError, TypeError, ValueError, FileNotFoundError) as e:
        if task.suite is not None or task.bddl is None:
            raise
        what = f"no {e}" if isinstance(e, KeyError) else f"{type(e).__name__}: {e}"
        raise InputError(
            f"{task.bddl}: LIBERO cannot build it: {what}; valid: things and regions that the file declares"
        ) from e


@contextlib.contextmanager
def _no_debugger(name: str) -> Iterator[None]:
    """LIBERO's region sampler drops into a debugger when it cannot place an object: raise an InputError instead."""
    import pdb

    def refuse(*_: object, **__: object) -> None:
        raise InputError(f"{name}: LIBERO cannot place the objects in their regions; try another seed")

    stop, pdb.set_trace = pdb.set_trace, refuse
    try:
        yield
    finally:
        pdb.set_trace = stop


@contextlib.contextmanager
def _undrawn() -> Iterator[None]:
    """Build environments with everything where its model has it: LIBERO's constructor draws a scene, only once, and
    moves the fixtures in the model."""
    from libero.libero.envs.bddl_base_domain import BDDLBaseDomain, SingleArmEnv

    draw, BDDLBaseDomain._reset_internal = BDDLBaseDomain._reset_internal, SingleArmEnv._reset_internal
    try:
        yield
    finally:
        BDDLBaseDomain._reset_internal = draw
