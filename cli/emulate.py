"""`tamp xarm emulate`."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cli.output import emit_json
from motion.arms import ARMS
from motion.compiled_output import hush_compiled
from tamp.backends import arms_file, bodies
from tamp.backends.libero import rendering
from tamp.backends.pybullet.world import BulletWorld
from tamp.backends.xarm.address import address_of
from tamp.backends.xarm.emulator.choices import choose
from tamp.backends.xarm.emulator.physics import Physics
from tamp.backends.xarm.emulator.server import REPORTS, Address, MakeWorld, Server, serve, serve_together
from tamp.backends.xarm.emulator.things import read_things
from tamp.data import located
from tamp.errors import InputError
from tamp.model.goal_syntax import valid
from tamp.quiet import hush_simulator

if TYPE_CHECKING:
    from tamp.backends.xarm.emulator.pictures import Pictures

DETECTIONS = "tcp://127.0.0.1:5556"
"""Where the oracle detector speaks unless told otherwise, which is where problems/xarm/bench.toml listens."""


def emulate(
    model: str,
    host: str,
    port: int,
    fault_port: int,
    seconds: float | None,
    settings: list[str],
    things: list[str],
    detections: str | None,
    scene: tuple[str, int | None, int] | None,
    arms: Path | None,
    as_json: bool,
) -> int:
    """Run the emulator; one line on standard output once it listens. Raises InputError."""
    if arms is not None:
        if scene is None:
            raise InputError("--arms: of a scene that they share; valid with --scene")
        return _emulate_arms(arms, scene, port, fault_port, seconds, settings, as_json)
    there = read_things(things)
    source = detections or (DETECTIONS if things else None)

    def ready(server: Server) -> None:
        if as_json:
            told = {"model": model, "host": host, "port": port, "reports": list(REPORTS), "detections": source}
            emit_json(told | {"fault_port": server.fault_port}, sys.stdout)
        else:
            where = f"control {port}, reports {', '.join(map(str, REPORTS))}, faults {server.fault_port}"
            sees = f", detections at {source}" if source else ""
            sys.stdout.write(f"{model} at {host}: {where}{sees}\n")
            sys.stdout.flush()

    world, pictures = _world(model, *scene) if scene else (None, None)
    address = Address(host, port, fault_port, _read(source) if source else None)
    return serve(ARMS[model], address, choose(settings), ready, seconds, there, world, pictures)


def _world(model: str, scene: str, init_state: int | None, seed: int) -> tuple[MakeWorld, Pictures | None]:
    """A scene with the arm in it, and who takes pictures of it. InputError for an arm without a hand, or no scene."""
    if model not in bodies.names():
        raise InputError(f"--scene: the {model} has no gripper here; {valid(model, bodies.names())}")
    rendering.prepare(video=False, may=True)
    with hush_simulator():
        from tamp.backends.libero import tasks
        from tamp.backends.physics.start import start_of
        from tamp.backends.xarm.emulator.pictures import Pictures

        start = start_of(tasks.find(scene), seed, init_state, model, drawn=True)
    pictures = None if start.stage is None else Pictures(start.stage)
    return partial(Physics, BulletWorld(start.scene, start.robot), start.robot), pictures


def _emulate_arms(
    file: Path,
    scene: tuple[str, int | None, int],
    port: int,
    fault_port: int,
    seconds: float | None,
    settings: list[str],
    as_json: bool,
) -> int:
    """The arms of a file in one scene, each at its address; one line for each once it listens."""
    arms = arms_file.read(located(file))
    rendering.prepare(video=False, may=True)
    with hush_simulator():
        from tamp.backends.libero import tasks
        from tamp.backends.physics.start import start_of

        start = start_of(tasks.find(scene[0]), scene[2], scene[1], None)
    choices = choose(settings)
    with hush_compiled():
        world = BulletWorld(start.scene, *arms.robots)
    servers: list[Server] = []
    for arm, address in arms.addressed():
        kind, _ = arm.body.for_sdk()
        made = partial(Physics, world, arm.robot, leader=servers[0].physics if servers else None)
        servers.append(Server(kind, Address(address, port, fault_port), choices, read_things([]), made))

    def ready(server: Server) -> None:
        told = {"host": server.address.host, "port": port, "fault_port": server.fault_port}
        if as_json:
            emit_json(told, sys.stdout)
        else:
            sys.stdout.write(f"{told['host']}: control {port}, faults {server.fault_port}\n")
            sys.stdout.flush()

    return serve_together(servers, ready, seconds)


def _read(source: str) -> tuple[str, int]:
    try:
        return address_of(source)
    except ValueError as e:
        raise InputError(f"--detections {source}: {e}") from e
