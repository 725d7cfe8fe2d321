"""`tamp xarm emulate`: what is printed once an emulated arm listens."""

from __future__ import annotations

from cli.output import Output
from tamp.api.arm_configs import EmulateConfig
from tamp.api.emulating import Listens
from tamp.api.emulating import emulate as run


def emulate(config: EmulateConfig, out: Output) -> int:
    """Run the emulator; one line on standard output once it listens. Raises InputError."""

    def ready(at: Listens) -> None:
        where = f"control {at.port}, reports {', '.join(map(str, at.reports))}, faults {at.fault_port}"
        detector = f", detections at {at.detections}" if at.detections else ""
        about = {"model": config.model, "host": at.host, "port": at.port, "reports": list(at.reports)}
        about |= {"detections": at.detections, "fault_port": at.fault_port}
        out.answer(about, [f"{config.model} at {at.host}: {where}{detector}"])

    return run(config, ready)
