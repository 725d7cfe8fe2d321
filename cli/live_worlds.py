"""The worlds of `tamp live`: a simulated scene or the fake, each with what the session needs of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from cli.output import hush_simulator
from motion.poses import Array
from motion.world import RobotModel
from tamp.backends.backend import Backend
from tamp.errors import InputError
from tamp.model.scene import Perceiver

FAKE_SCENE = "packed/3"
"""The fake's scene unless another one is named: FAMILY/BOXES."""


class Disturbed(Protocol):
    """A world whose things somebody else can move."""

    def put(self, name: str, T_world_object: Array) -> None:
        """Put a thing elsewhere."""
        ...


@dataclass(frozen=True)
class LiveWorld:
    """A robot, its eyes, and what is known of the scene's names. `verdict` is LIBERO's check, where there is one."""

    backend: Backend
    perceiver: Perceiver
    robot: RobotModel
    name: str
    most_steps: int
    names: dict[str, str] = field(default_factory=dict)
    verdict: Callable[[], bool] | None = None
    close: Callable[[], None] = lambda: None
    disturbed: Disturbed | None = None


def build(backend: str, scene: str | None, seed: int, init_state: int | None) -> LiveWorld:
    """The world of a backend. InputError for scenes that it does not have."""
    return _fake(scene or FAKE_SCENE, seed) if backend == "fake" else _libero(scene, seed, init_state)


def check(backend: str, scene: str | None) -> Any:
    """What can be checked before anything is built. InputError for a backend or a scene that is not there."""
    if backend == "fake":
        return _fake_scene(scene or FAKE_SCENE)
    from tamp.backends.libero import rendering

    rendering.prepare(video=False, sight=False)
    with hush_simulator():
        from tamp.backends.libero import tasks

        return tasks.find(scene or "mug_in_drawer")


def _libero(scene: str | None, seed: int, init_state: int | None) -> LiveWorld:
    task = check("libero", scene)
    with hush_simulator():
        from tamp.backends.libero.environment import LiberoEnvironment
        from tamp.backends.libero.oracle import OraclePerceiver

        environment = LiberoEnvironment(task, seed=seed, init_state=init_state)
    return LiveWorld(
        backend=environment,
        perceiver=OraclePerceiver(environment),
        robot=environment.robot_model(),
        name=task.name,
        most_steps=task.step_limit,
        names=task.names,
        verdict=environment.check_success,
        close=environment.close,
        disturbed=environment,
    )


def _fake(scene: str, seed: int) -> LiveWorld:
    family, n = _fake_scene(scene)
    from tamp.backends.libero import rendering

    rendering.prepare(video=False, sight=False)
    with hush_simulator():
        from tamp.backends.fake.table import FakeTable
        from tamp.backends.libero.panda import panda
        from tamp.runs.bench.boxes import make

        robot = panda()
    fake = FakeTable(make(family, n, seed, robot).scene, robot)
    return LiveWorld(fake, fake, robot, f"fake {scene}", 1_000_000, disturbed=fake)


def _fake_scene(scene: str) -> Any:
    from tamp.runs.bench.boxes import FAMILIES, LARGEST

    family, _, n = scene.partition("/")
    if family not in FAMILIES or not n.isdigit() or not 1 <= int(n) <= LARGEST:
        valid = f"{' or '.join(FAMILIES)}/1 to {LARGEST}, as {FAKE_SCENE}"
        raise InputError(f"no scene {scene!r} for --backend fake; valid: {valid}")
    return family, int(n)
