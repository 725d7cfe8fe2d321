"""`tamp policy`: this toolkit behind the interface of a learned policy."""

from __future__ import annotations

from importlib.metadata import version

from cli.output import INTERRUPTED, Output, note
from tamp.api import camera_policies
from tamp.api.configs import ServeConfig


def serve(config: ServeConfig, out: Output) -> int:
    """Serve until Ctrl-C; one line on standard output once it listens."""
    about = {
        "policy": "tamp",
        "version": version("tamp-toolkit"),
        "perception": "camera",
        "llm": config.llm,
        "planner": config.planner,
        "action": "LIBERO's standard action: OSC_POSE displacement (6,) and gripper, in [-1, 1]",
        "action_horizon": 1,
    }

    def ready(port: int) -> None:
        out.answer({"port": port, **about}, [f"policy at ws://127.0.0.1:{port}"])

    try:
        camera_policies.serve(config, about, ready, note)
    except KeyboardInterrupt:
        note("interrupted")
    return INTERRUPTED
