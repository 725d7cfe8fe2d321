"""An emulated UFACTORY arm that the arm's own SDK cannot tell from a real one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from motion.arms import ARMS
from tamp.api.arm_configs import EmulateConfig
from tamp.backends import bodies
from tamp.backends.libero import rendering
from tamp.backends.physics.bullet_world import BulletWorld
from tamp.backends.xarm.address import address_of
from tamp.backends.xarm.emulator.emulator_server import REPORTS, Address, MakeWorld, Server
from tamp.backends.xarm.emulator.physics import Physics
from tamp.backends.xarm.emulator.side_channel import read_things
from tamp.errors import InputError
from tamp.model.goal_syntax import valid
from tamp.quiet import hush_simulator

DETECTIONS = "tcp://127.0.0.1:5556"
"""Where the oracle detector speaks by default, which is where problems/xarm/bench.toml listens."""


@dataclass(frozen=True)
class Listens:
    """Where an emulated arm is: its `host` and `port`, the ports of its `reports`, its `fault_port` for faults and
    questions, and where its detector speaks, if it has one."""

    host: str
    port: int
    fault_port: int
    reports: Sequence[int] = tuple(REPORTS)
    detections: str | None = None


Ready = Callable[[Listens], None]
"""Takes an arm once it listens."""


def emulate(config: EmulateConfig, ready: Ready) -> int:
    """Emulate an arm until SIGTERM, or for some seconds: 0. InputError for what is not valid.

    `things` is what its detector sees, `LABEL=X,Y,Z` in millimetres. In a `scene` things weigh something, are gripped,
    and stop the arm.
    """
    there = read_things(list(config.things))
    source = config.detections or (DETECTIONS if config.things else None)
    world = None if config.scene is None else _world(config, config.scene)
    address = Address(config.host, config.port, config.fault_port, _read(source) if source else None)

    def listens(server: Server) -> None:
        ready(Listens(config.host, config.port, server.fault_port, detections=source))

    return Server(ARMS[config.model], address, there, world).serve(listens, config.seconds)


def _world(config: EmulateConfig, scene: str) -> MakeWorld:
    """A scene with the arm in it. InputError for an arm without a hand, or no scene."""
    model = config.model
    if model not in bodies.names():
        raise InputError(f"--scene: the {model} has no gripper here; {valid(model, bodies.names())}")
    rendering.prepare(video=False, may=True)
    with hush_simulator():
        from tamp.backends.libero import tasks
        from tamp.backends.physics.start import start_of

        start = start_of(tasks.find(scene), config.seed, config.init_state, model, drawn=True)
    return partial(Physics, BulletWorld(start.scene, start.robot), start.robot, start.stage)


def _read(source: str) -> tuple[str, int]:
    try:
        return address_of(source)
    except ValueError as e:
        raise InputError(f"--detections {source}: {e}") from e
