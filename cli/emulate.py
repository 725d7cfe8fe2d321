"""`tamp xarm emulate`: what is said once an emulated arm listens."""

from __future__ import annotations

import sys

from cli.output import emit_json
from tamp.api.emulating import Listens, StandsIn
from tamp.api.emulating import emulate as run


def emulate(
    model: str,
    host: str,
    port: int,
    fault_port: int,
    seconds: float | None,
    things: list[str],
    detections: str | None,
    scene: tuple[str, int | None, int] | None,
    as_json: bool,
) -> int:
    """Run the emulator; one line on standard output once it listens. Raises InputError."""
    return run(
        model,
        lambda at: _tell(model, at, as_json),
        host=host,
        port=port,
        fault_port=fault_port,
        seconds=seconds,
        things=things,
        detections=detections,
        scene=None if scene is None else StandsIn(*scene),
    )


def _tell(model: str, at: Listens, as_json: bool) -> None:
    if as_json:
        told = {"model": model, "host": at.host, "port": at.port, "reports": list(at.reports)}
        emit_json(told | {"detections": at.detections, "fault_port": at.fault_port}, sys.stdout)
        return
    where = f"control {at.port}, reports {', '.join(map(str, at.reports))}, faults {at.fault_port}"
    sees = f", detections at {at.detections}" if at.detections else ""
    sys.stdout.write(f"{model} at {at.host}: {where}{sees}\n")
    sys.stdout.flush()
