"""The configs of live sessions, and of commands on arms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from tamp.api.configs import (
    DEFAULT_MODEL,
    LATEST_SEED,
    ArmPort,
    Clock,
    DeadMan,
    DomainName,
    EpisodeFolder,
    Host,
    InitState,
    Llm,
    Perception,
    Planner,
    SceneSeed,
    SecondCheck,
    View,
    World,
    usual_planner,
)
from tamp.api.options import Option
from tamp.api.tool_configs import Seconds
from tamp.backends.xarm.address import CONTROL_PORT
from tamp.errors import InputError

ArmWorld = Annotated[
    Path | None, Option("The world's TOML file, or a shipped one: bench; else ./xarm.toml.", "FILE|NAME")
]
ArmHost = Annotated[str | None, Option("The arm's address; the world's own unless given.", "IP")]
EmulatedPort = Annotated[int, Option("Control port; only emulated arms have another.", min=1, max=65535)]


@dataclass(frozen=True)
class LiveConfig:
    """Run a session that takes orders at any moment: start, stop, skip, end, say.

    Orders are typed or come as lines of JSON on standard input, or from a script.
    """

    scene: Annotated[str | None, Option("As for solve; for --backend fake packed/3.", "S")] = None
    backend: Annotated[
        Literal["libero", "mujoco", "pybullet", "fake", "xarm"],
        Option("A simulator; a kinematic robot that needs none; an arm."),
    ] = "libero"
    perception: Perception = "oracle"
    decider: Annotated[
        Literal["planner", "qwen", "script", "person"],
        Option("planner, or qwen, the --llm: decides how what is said is done; script, person: who orders."),
    ] = "planner"
    script: Annotated[Path | None, Option("Orders, a JSON object a line; else standard input.", "FILE.jsonl")] = None
    clock: Clock = "real"
    seed: SceneSeed = None
    init_state: InitState = None
    llm: Llm = DEFAULT_MODEL
    domain: DomainName = "tabletop"
    planner: Planner = field(default_factory=usual_planner)
    seconds: Seconds = None
    listen: Annotated[str | Path | None, Option("Take orders over a Unix socket at PATH too.", "PATH")] = None
    approve: Annotated[
        bool, Option("With --listen or --view: what other programs want to begin waits until you type yes N, or no N.")
    ] = False
    dead_man: DeadMan = None
    view: View = False
    host: Host = None
    port: ArmPort = None
    world: World = None
    out: EpisodeFolder = None

    def __post_init__(self) -> None:
        if self.approve and (self.script is not None or (self.listen is None and not self.view)):
            raise InputError(
                "--approve is for orders of other programs; valid with --listen or --view, without --script"
            )
        if self.perception != "oracle":
            raise InputError(f"--perception {self.perception} is not built yet for tamp live; valid: oracle")
        if self.decider == "script" and self.script is None:
            raise InputError("--decider script needs a --script FILE.jsonl")
        if self.decider == "person" and self.script is not None:
            raise InputError("--decider person takes orders from a person, not from a --script")
        if self.backend == "xarm":
            if self.scene is not None or self.init_state is not None or self.clock == "paused":
                which = "--scene, --init-state and --clock paused"
                raise InputError(f"{which} are for simulated scenes, not for --backend xarm")
            if self.decider == "qwen":
                raise InputError("--decider qwen is for tables: words for an arm are read as steps already")
        elif self.host is not None or self.port is not None or self.world is not None:
            raise InputError("--host, --port and --world are for --backend xarm")


@dataclass(frozen=True)
class RunPlanConfig:
    """Run a plan on an arm: 0 done, 1 not done, 2 a plan or a world that is wrong, 130 stopped."""

    plan: Annotated[Path, Option("An action plan, JSON; with --domain a plan of that.", "PLAN", positional=True)]
    domain: Annotated[str | None, Option("The plan is one of this PDDL domain.", "NAME|DIR")] = None
    problem: Annotated[Path | None, Option("The PDDL problem that the plan solves.", "FILE")] = None
    world: ArmWorld = None
    host: ArmHost = None
    port: EmulatedPort = CONTROL_PORT
    dry_run: Annotated[bool, Option("Go through it without moving.")] = False
    speed_scale: Annotated[float, Option("Share of the world's speeds.", min=0.01, max=1.0)] = 1.0
    second_check: SecondCheck = True
    dead_man: DeadMan = None
    view: View = False
    out: EpisodeFolder = None


@dataclass(frozen=True)
class ClearConfig:
    """Clear the error that stopped an arm, once its cause is removed. Nothing moves."""

    world: ArmWorld = None
    host: ArmHost = None
    port: EmulatedPort = CONTROL_PORT


@dataclass(frozen=True)
class EmulateConfig:
    """Emulate an arm's controller, which the arm's own SDK cannot tell from a real one.

    With --thing it has a detector too, which knows all. With --scene it stands in that scene, where things weigh
    something, are gripped and stop the arm. Says one line when it listens; ends on Ctrl-C, on SIGTERM and after
    --seconds.
    """

    model: Annotated[Literal["xarm5", "xarm6", "xarm7", "lite6", "850"], Option("The arm.")] = "xarm7"
    host: Annotated[str, Option("Address to listen at.", "IP")] = "127.0.0.2"
    port: Annotated[int, Option("Control port; the SDK knows 502 only.", min=1, max=65535)] = CONTROL_PORT
    fault_port: Annotated[int, Option("Port for faults and questions; 0: any free one.", min=0, max=65535)] = 0
    seconds: Seconds = None
    things: Annotated[Sequence[str], Option("Something that its detector sees.", "LABEL=X,Y,Z", flag="--thing")] = ()
    detections: Annotated[
        str | None, Option("Where its detector speaks; with --thing tcp://127.0.0.1:5556.", "tcp://IP:PORT")
    ] = None
    scene: Annotated[str | None, Option("The scene that it stands in: as of tamp solve.", "SCENE")] = None
    init_state: InitState = None
    seed: Annotated[int, Option("Everything random follows from it.", min=0, max=LATEST_SEED)] = 0
