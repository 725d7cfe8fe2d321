"""A scene in a simulator, ready to be looked at and acted in; and what is seen there."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, get_args

from tamp.api import arguments
from tamp.errors import InputError
from tamp.quiet import hush_simulator

if TYPE_CHECKING:
    from motion.poses import Array
    from motion.robot import RobotDescription
    from tamp.backends.libero.environment import LiberoEnvironment
    from tamp.backends.libero.scene_description import Task
    from tamp.backends.xarm.address import ArmAddress
    from tamp.model.atoms import Atom
    from tamp.model.backend import Backend, Observation
    from tamp.model.domain import Domain
    from tamp.model.scene import Perceiver, Scene
    from tamp.model.state import WorldState
    from tamp.perception.observers import StateEstimator

Simulator = Literal["libero", "mujoco", "pybullet", "xarm"]
"""Where a scene is: in a simulator; `xarm`: an arm works in it through its maker's SDK."""


@dataclass(frozen=True, eq=False)
class LoadedScene:
    """A robot among things, in a simulator of its own, or an arm that is driven; made by `load_scene`.

    Close it, or use it as a context manager. It is for one thread. Nothing but `command` and `stop` moves anything; an
    arm stands still once it is closed.

    `name` and `instruction` ("" without one) are the scene's, `goal` its own goal in PDDL or None; `domain` says what
    can be done, `robot` with what; `backend` moves, `perceiver` sees. `seed` is what the scene was drawn with.
    """

    name: str
    instruction: str
    goal: str | None
    seed: int
    simulator: Simulator
    domain: Domain = field(repr=False)
    robot: RobotDescription = field(repr=False)
    backend: Backend = field(repr=False)
    perceiver: Perceiver = field(repr=False)
    _task: Task = field(repr=False)
    _sight: StateEstimator = field(repr=False)
    _environment: LiberoEnvironment | None = field(default=None, repr=False)
    _pictures: bool = False
    _opened: contextlib.ExitStack = field(default_factory=contextlib.ExitStack, repr=False)

    @property
    def period(self) -> float:
        """Seconds of a control period."""
        return self.backend.period

    @property
    def _perception(self) -> str:
        """How results say what saw, and what moved."""
        from tamp.runs.labels import through_sdk

        return through_sdk(self.robot.name) if self.simulator == "xarm" else "oracle"

    def observe(self) -> Observation:
        """What is felt now: time (s), joints (n,) rad, finger opening (m), pose (4, 4) of the tool in the world."""
        from tamp.agent.control_loop import observed

        return observed(self.backend)

    def command(self, displacement: Array, opening: float) -> None:
        """Let one control period pass, in which the tool goes towards `displacement` (6,) from where it is, metres and
        a rotation vector in radians, both along the world's axes, and the fingers to `opening` metres; 0 closes with
        force."""
        self.backend.command(displacement, opening)

    def picture(self) -> bytes:
        """What there is now from the front, as the bytes of a PNG. InputError where it was not loaded with `pictures`,
        and elsewhere than in LIBERO."""
        if not self._pictures or self._environment is None:
            raise InputError(f"no picture of {self.name}; valid: of a scene in LIBERO, loaded with pictures")
        return self._environment.picture()

    def stop(self) -> None:
        """Let one control period pass and stand still."""
        self.backend.stop()

    def close(self) -> None:
        """Free the simulator. A second time does nothing."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


@dataclass(frozen=True, eq=False)
class Seen:
    """What was seen at one moment: the `scene`'s geometry, and its `state` in the symbols of the domain.

    `scene` has objects with poses (4, 4) in the world, metres; iterating over it gives them. `state.symbols` maps each
    symbol to its type, `state.atoms` are the facts that hold.
    """

    scene: Scene = field(repr=False)
    state: WorldState = field(repr=False)

    @property
    def facts(self) -> tuple[str, ...]:
        """What holds, in PDDL, sorted."""
        return tuple(sorted(map(str, self.state.atoms)))

    def __str__(self) -> str:
        return "\n".join(self.facts)


def load_scene(
    scene: str | Path,
    *,
    seed: int | None = None,
    init_state: int | None = None,
    domain: str | Path = "tabletop",
    simulator: Simulator | None = None,
    body: str | Path | None = None,
    host: str | None = None,
    port: int | None = None,
    eyes: str | None = None,
    pictures: bool = False,
    say: Callable[[str], None] | None = None,
) -> LoadedScene:
    """Build a scene in a simulator, or connect with an arm that stands in it.

    Args:
        scene: `SUITE/TASK_ID` (`libero_goal/3`), a name under `problems/`, a folder with a `scene.toml`, or a `.bddl`
            file.
        seed: Draws what the scene leaves open; by default the scene's own seed, or 0.
        init_state: Instead of a drawn scene, a stored initial state of a benchmark's task, from 0.
        domain: A name under `domains/`, or a folder with a `domain.pddl`. The Python of the folder runs.
        simulator: `libero`, `mujoco` or `pybullet`; by default LIBERO, and MuJoCo for a scene in MJCF. `xarm`, by
            default with a `host`: a UFACTORY arm, which is driven in real time through its maker's SDK.
        body: Another robot in the place of the scene's own: a name such as `xarm7`, or its `.toml`. Not in LIBERO.
        host: With `xarm`: the address of the arm, which stands in the scene already, at its posture.
        port: With `xarm`: its control port; only emulated arms have another than 502.
        eyes: With `xarm`: what knows what is around it: the fault port of `tamp xarm emulate`, `tcp://127.0.0.2:7002`.
        pictures: Get ready to draw, in LIBERO: `ground` then shows a language model that sees what there is,
            and `picture` gives it.
        say: Is called with what happens, a line at a time.

    Returns:
        The scene, to be closed by the caller.

    Raises:
        InputError: For a scene, domain, simulator, state or robot that there is not, or that do not go together.
        TampError: From an arm that does not answer, that another run drives, or that has an error.

    >>> import tamp
    >>> with tamp.load_scene("docs/examples/kitchenette") as scene:
    ...     print(scene.simulator, scene.robot.name, scene.instruction)
    mujoco panda put the can in the box
    """
    from tamp.backends.libero import rendering

    rendering.prepare(video=False, sight=pictures, may=True)
    with hush_simulator():
        from tamp.backends.libero import tasks
        from tamp.pddl.domain_file import load
        from tamp.skills.registry import bound

        task, loaded = tasks.find(str(scene)), load(str(domain))
        tasks.check_goal(task, loaded)
        found = bound(loaded)
        chosen = _simulator(simulator, task, body, host)
        at = arguments.arm_at_table(chosen, body, host, port, eyes)
        arguments.check_perception(chosen, body, "oracle", None)
    if say is not None:
        say(f"building {task.name}")
    drawn = task.seed if seed is None else seed
    with hush_simulator(), contextlib.ExitStack() as opened:
        backend, perceiver, robot, environment = _built(chosen, task, drawn, init_state, body, at, pictures, opened)
        kept = opened.pop_all()
    from tamp.model.bodies import world_of
    from tamp.perception.observers import StateEstimator

    return LoadedScene(
        name=task.name,
        instruction=task.instruction,
        goal=task.goal,
        seed=drawn,
        simulator=chosen,
        domain=loaded,
        robot=robot,
        backend=backend,
        perceiver=perceiver,
        _task=task,
        _sight=StateEstimator(loaded, found.observers, world_of(perceiver.perceive(), robot)),
        _environment=environment,
        _pictures=pictures and environment is not None,
        _opened=kept,
    )


def _simulator(asked: Simulator | None, task: Task, body: str | Path | None, host: str | None) -> Simulator:
    """Where the scene is built. InputError for what there is not, or what cannot be built there."""
    if asked is not None and asked not in get_args(Simulator):
        raise InputError(f"no simulator {asked!r}; valid: {', '.join(get_args(Simulator))}")
    simulated: Simulator = "libero" if task.mjcf is None and body is None else "mujoco"
    chosen = asked or ("xarm" if host is not None else simulated)
    if chosen == "libero" and body is not None:
        raise InputError(f"body {body}: the robot of LIBERO's scenes is a Panda; valid with mujoco or pybullet")
    if chosen == "libero" and task.mjcf is not None:
        raise InputError(f"{task.name} is MJCF, which LIBERO does not build; valid: mujoco, pybullet")
    return chosen


def _built(
    simulator: Simulator,
    task: Task,
    seed: int,
    init_state: int | None,
    body: str | Path | None,
    at: ArmAddress | None,
    pictures: bool,
    opened: contextlib.ExitStack,
) -> tuple[Backend, Perceiver, RobotDescription, LiberoEnvironment | None]:
    """The scene in a simulator, which `opened` closes: what moves, what sees, and the robot."""
    if simulator == "libero":
        from tamp.backends.libero.environment import LiberoEnvironment
        from tamp.backends.libero.oracle import OraclePerceiver

        environment = LiberoEnvironment(task, seed=seed, init_state=init_state, render=pictures)
        opened.callback(environment.close)
        return environment, OraclePerceiver(environment), environment.robot_model(), environment
    from tamp.backends.physics.start import start_of, world_in

    start = start_of(task, seed, init_state, None if body is None else str(body))
    if at is not None:
        from tamp.backends.xarm.arm_table import arm_at_table

        arm, eyes = arm_at_table(at, str(body), start, opened)
        return arm, eyes, start.robot, None
    from tamp.backends.physics.table import PhysicsTable

    world = world_in(simulator, start)
    opened.callback(world.close)
    table = PhysicsTable(world, start.robot)
    return table, table, start.robot, None


def perceive(scene: LoadedScene) -> Seen:
    """What is in a scene now, read from the simulator's state: nothing moves, and in a simulator no time passes.

    Raises:
        InputError: Where an observer of the domain's own fails.

    >>> import tamp
    >>> with tamp.load_scene("docs/examples/kitchenette") as scene:
    ...     seen = tamp.perceive(scene)
    >>> seen.state.symbols["can"]
    'item'
    >>> "(in can box_contain_region)" in seen.facts
    False
    """
    return seen_in(scene)


def seen_in(scene: LoadedScene, about: Iterable[Atom] = ()) -> Seen:
    """The same with the relations between things that some atoms ask about."""
    looked = scene.perceiver.perceive()
    scene._sight.asked = tuple(about)
    return Seen(looked, scene._sight.state(looked))
