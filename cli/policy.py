"""`tamp policy`: this toolkit behind the interface of a learned policy."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import options as opt
from tamp.api.language import DEFAULT

policy_app = typer.Typer(help="This toolkit as a policy that others can evaluate.", no_args_is_help=True)

PORT = 8000
Port = Annotated[int, typer.Option(help="Of 127.0.0.1; 0: any free one.", min=0, max=65535)]


@opt.command(policy_app)
def serve(
    port: Port = PORT,
    llm: opt.Llm = DEFAULT,
    planner: opt.Planner = "fast-downward",
    domain: opt.Domain = "tabletop",
    assume_first: opt.AssumeFirst = False,
    no_search: opt.NoSearch = False,
    json_output: opt.Json = False,
) -> int:
    """Serve the policy over a websocket.

    Observations with LIBERO's keys in, actions of LIBERO out; reset takes the instruction and the calibration
    (docs/policy.md). One client at a time, until Ctrl-C.
    """
    from cli.output import INTERRUPTED, emit_json, say
    from tamp.api import camera
    from tamp.quiet import quiet_stdout

    camera.check()
    with quiet_stdout() as stdout:
        told = metadata(llm, planner)

        def ready(at: int) -> None:
            if json_output:
                emit_json({"port": at, **told}, stdout)
            else:
                stdout.write(f"policy at ws://127.0.0.1:{at}\n")
                stdout.flush()

        try:
            made = camera.recipe(domain, planner, llm, True, assume_first, not no_search)
            camera.serve(made, told, port, ready, lambda line: say(f"tamp: {line}"))
        except KeyboardInterrupt:
            say("tamp: interrupted")
    return INTERRUPTED


def metadata(llm: str, planner: str) -> dict[str, object]:
    """What the server says of itself to who connects."""
    from importlib.metadata import version

    return {
        "policy": "tamp",
        "version": version("tamp-toolkit"),
        "perception": "camera",
        "llm": llm,
        "planner": planner,
        "action": "LIBERO's standard action: OSC_POSE displacement (6,) and gripper, in [-1, 1]",
        "action_horizon": 1,
    }
