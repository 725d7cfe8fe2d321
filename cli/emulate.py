"""`tamp xarm emulate`."""

from __future__ import annotations

import sys

from cli.output import emit_json
from motion.arms import ARMS
from tamp.backends.xarm.address import address_of
from tamp.backends.xarm.emulator.choices import choose
from tamp.backends.xarm.emulator.server import REPORTS, Address, Server, serve
from tamp.backends.xarm.emulator.things import read_things
from tamp.errors import InputError

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
    as_json: bool,
) -> int:
    """Run the emulator; one line on standard output once it listens. Raises InputError."""
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

    address = Address(host, port, fault_port, _read(source) if source else None)
    return serve(ARMS[model], address, choose(settings), ready, seconds, there)


def _read(source: str) -> tuple[str, int]:
    try:
        return address_of(source)
    except ValueError as e:
        raise InputError(f"--detections {source}: {e}") from e
