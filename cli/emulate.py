"""`tamp xarm emulate`."""

from __future__ import annotations

import sys

from cli.output import emit_json
from motion.arms import ARMS
from tamp.xarm.emulator.choices import choose
from tamp.xarm.emulator.server import REPORTS, Address, Server, serve


def emulate(
    model: str, host: str, port: int, fault_port: int, seconds: float | None, settings: list[str], as_json: bool
) -> int:
    """Run the emulator; one line on standard output once it listens. Raises InputError."""

    def ready(server: Server) -> None:
        if as_json:
            told = {"model": model, "host": host, "port": port, "reports": list(REPORTS)}
            emit_json(told | {"fault_port": server.fault_port}, sys.stdout)
        else:
            where = f"control {port}, reports {', '.join(map(str, REPORTS))}, faults {server.fault_port}"
            sys.stdout.write(f"{model} at {host}: {where}\n")
            sys.stdout.flush()

    return serve(ARMS[model], Address(host, port, fault_port), choose(settings), ready, seconds)
