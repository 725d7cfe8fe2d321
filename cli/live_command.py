"""`tamp live`: a session that goes on while orders come in."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli import options as opt
from cli.output import INTERRUPTED, emit_json, say
from cli.stopping import stoppable
from cli.view import viewed
from tamp.api.language import DEFAULT
from tamp.errors import InputError
from tamp.quiet import hush_warnings, quiet_stdout

if TYPE_CHECKING:
    from tamp.api.live import LiveConfig, Words


def live(
    scene: Annotated[str | None, typer.Option(help="As for solve; for --backend fake packed/3.", metavar="S")] = None,
    backend: Annotated[
        Literal["libero", "mujoco", "pybullet", "fake", "xarm"],
        typer.Option(help="A simulator; a kinematic robot that needs none; an arm."),
    ] = "libero",
    perception: opt.Perception = "oracle",
    decider: Annotated[
        Literal["planner", "qwen", "script", "person"],
        typer.Option(help="planner, or qwen, the --llm: decides how what is said is done; script, person: who orders."),
    ] = "planner",
    script: Annotated[
        Path | None, typer.Option(help="Orders, a JSON object a line; else standard input.", metavar="FILE.jsonl")
    ] = None,
    clock: opt.Clock = "real",
    seed: opt.SceneSeed = None,
    init_state: opt.InitState = None,
    llm: opt.Llm = DEFAULT,
    domain: opt.Domain = "tabletop",
    planner: opt.Planner = "fast-downward",
    seconds: Annotated[float | None, typer.Option(help="End after so long.", min=0.0, max=1e6)] = None,
    listen: Annotated[
        str | None,
        typer.Option(
            help="Take orders over a Unix socket at PATH too, or over one and a port of 127.0.0.1 (0: any free one).",
            metavar="PATH|PORT",
        ),
    ] = None,
    dead_man: opt.DeadMan = None,
    view: opt.View = False,
    host: opt.Host = None,
    port: opt.ArmPort = None,
    world: opt.World = None,
    out: opt.EpisodeFolder = None,
    json_output: Annotated[bool, typer.Option("--json", help="A JSON object an event, the outcome last.")] = False,
) -> int:
    """Run a session that takes orders at any moment: start, stop, skip, end, say.

    Orders are typed or come as lines of JSON on standard input, or from a script.
    """
    from tamp.api.live import LiveConfig

    if perception != "oracle":
        raise InputError(f"--perception {perception} is not built yet for tamp live; valid: oracle")
    config = LiveConfig(
        scene=scene,
        backend=backend,
        decider=decider,
        script=script,
        clock=clock,
        seed=seed,
        init_state=init_state,
        llm=llm,
        domain=domain,
        planner=planner,
        seconds=seconds,
        listen=_socket(listen),
        dead_man=dead_man,
        view=view,
        host=host,
        port=port,
        world=world,
        out=out,
    )
    return _run(config, json_output)


def _socket(where: str | None) -> Path | int | None:
    """A port, where it is a number, or a path. InputError for a number that is no port."""
    if where is None or not where.lstrip("-").isdigit():
        return None if where is None else Path(where)
    if not 0 <= (port := int(where)) <= 65535:
        raise InputError(f"--listen {where} is no port; valid: 0 to 65535, or a path")
    return port


def _run(config: LiveConfig, json_output: bool) -> int:
    """Run a session. 0 when what was wanted last is reached, or nothing was wanted; 1 when not."""
    from tamp.api.live import Callbacks, begun

    hush_warnings()
    session = begun(config)
    with quiet_stdout() as stdout:
        on_event = partial(emit_json, stream=stdout) if json_output else None
        stops = partial(stoppable, reads=config.script is not None)  # else orders are read from standard input
        callbacks = Callbacks(lambda line: say(f"tamp: {line}"), on_event, typed, KEYBOARD, stops)
        folder = session.folder()
        with viewed(folder, config.view):
            try:
                result = session(callbacks, folder)
            except KeyboardInterrupt:  # before anything could move
                say(f"tamp: interrupted; what was done is in {folder}")
                return INTERRUPTED
            outcome: dict[str, Any] = {name: getattr(result, name) for name in ("success", "goal", "task", "reason")}
            outcome |= {"steps": result.steps, "seconds": result.seconds.get("session", 0.0), "out": result.out}
            if json_output:
                emit_json({"event": "outcome", **outcome}, stdout)
            else:
                stdout.writelines(f"{label:9}{value}\n" for label, value in outcome.items() if value is not None)
    return INTERRUPTED if result.stage == "stopped" else 0 if result.success else 1


KEYBOARD = "the keyboard"
"""Who gives the orders that are typed."""


def typed(words: Words) -> Iterator[str]:
    """Lines of standard input; at a terminal with a history, and completion by `words`."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        yield from sys.stdin
        return
    import readline

    readline.set_completer(_completer(words))
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
    with contextlib.suppress(EOFError):
        while True:
            yield input("")


def _completer(words: Words) -> Callable[[str, int], str | None]:
    def complete(begun: str, number: int) -> str | None:
        fitting = [w for w in words() if w.startswith(begun)]
        return fitting[number] if number < len(fitting) else None

    return complete
