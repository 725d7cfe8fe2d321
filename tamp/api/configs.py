"""The configs of commands that act or read words: their options, and which do not go together.

A config's docstring is the help of its command. Field types that several commands share stand at the top.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from tamp.api.options import Option, declared, flag_of, given
from tamp.errors import InputError

DEFAULT_MODEL = "qwen2.5-coder-1.5b"
"""The model that reads instructions unless another one is named (`weights.DEFAULT`; a test compares them)."""
LANGUAGE_PLANNER = "qwen"
"""What the language model is called where it plans, whichever model that is."""
DEFAULT_SCENE = "mug_in_drawer"
UNSAID = 'say what to do: tamp solve "put the mug in the drawer", or give a --goal, or a --scene with its own'
"""The message where nothing says what to do."""
WORLDS = "worlds"
"""What drawn worlds are called in place of a suite."""
LATEST_SEED = 2**32 - 1
"""The greatest seed that every simulator takes."""

SCENES = "SUITE/TASK_ID (libero_goal/3), a name under problems/, a folder with a scene.toml, or a .bddl file"
SceneName = Annotated[str, Option(f"{SCENES}.", "S", positional=True)]
InitState = Annotated[
    int | None, Option("Stored initial state of a benchmark task; without it the seed draws the scene.", min=0)
]
SceneSeed = Annotated[
    int | None, Option("Everything random follows from it; by default the scene's own, or 0.", min=0, max=LATEST_SEED)
]
Llm = Annotated[
    str,
    Option("A model of `tamp model list`, a .gguf, .toml or .jsonl file, a server's address, or OWNER/MODEL.", "NAME"),
]
Planner = Annotated[
    str,
    Option(
        "fast-downward, pyperplan, any unified-planning engine; qwen: --llm plans.", "NAME", default="fast-downward"
    ),
]
DomainName = Annotated[str | Path, Option("A name under domains/, or a folder with a domain.pddl.", "NAME|DIR")]
AssumeFirst = Annotated[bool, Option("Of several objects that fit the words, take the first.")]
Searches = Annotated[
    bool, Option("With --perception camera: neither look again nor search for what is not seen.", flag="--no-search")
]
Perception = Annotated[Literal["oracle", "camera"], Option("What sees: the simulator's state, or images.")]
NoiseKind = Literal["clean", "depth", "colour", "pose", "all", "moved", "hand"]
Noise = Annotated[NoiseKind, Option("With --perception camera: what is wrong with the pictures.")]
Calibration = Annotated[
    Path | str | None, Option("With --perception camera: what tamp calibrate wrote of the cameras.", "FILE")
]
Disturb = Annotated[
    str | None,
    Option(
        "Disturb each episode once, as by a person: moved, knocked, occupied, shut, pushed, …: docs/disturbances.md.",
        "KIND",
    ),
]
Body = Annotated[
    str | Path | None, Option("The robot at the table, as xarm7, or its .toml; without it the scene's own.", "NAME")
]
World = Annotated[Path | None, Option("World of a real arm: a file, or a shipped one: bench.", "FILE|NAME")]
Host = Annotated[str | None, Option("Address of a real robot.", "IP")]
ArmPort = Annotated[
    int | None, Option("Control port of a real robot; only emulated arms have another than 502.", min=1, max=65535)
]
DeadMan = Annotated[
    float | None, Option("Stop the arm without a line on standard input so often.", "SEC", min=0.1, max=3600)
]
SecondCheck = Annotated[bool, Option("Do without the second look in PyBullet.")]
View = Annotated[bool, Option("Show it in the browser while it goes on: docs/view.md.")]
EpisodeFolder = Annotated[Path | str | None, Option("The episode's folder; by default a new one in episodes/.", "DIR")]
Clock = Annotated[Literal["paused", "real"], Option("real: the world goes on while it thinks; paused: it waits.")]


def usual_planner() -> str:
    """The engine that plans where none is named: Fast Downward, and pyperplan where only that is installed."""
    from tamp.pddl.engines import usual

    return usual()


@dataclass(frozen=True)
class SolveConfig:
    """Carry out an instruction, and print the verdict.

    Decodes the goal, plans, finds motions, executes them, and asks LIBERO whether it succeeded. Every run
    leaves a folder with the domain, the problem, the plan and the whole episode.

    Example: tamp solve "put the mug in the drawer" --video
    """

    instruction: Annotated[
        str | None,
        Option("The instruction; without it and --goal, the goal or the words of --scene.", "TEXT", positional=True),
    ] = None
    scene: Annotated[str | Path | None, Option(f"{SCENES}.", "S", default=DEFAULT_SCENE)] = None
    _: KW_ONLY
    init_state: InitState = None
    seed: SceneSeed = None
    goal: Annotated[
        str | Sequence[str],
        Option('A goal in PDDL, as "(in mug_1 drawer_1)": no language. Several: one after the other.', "PDDL"),
    ] = ()
    untouched: Annotated[
        Sequence[str], Option("With --goal: a symbol that must not be moved or operated.", "NAME")
    ] = ()
    simulator: Annotated[
        Literal["libero", "xarm", "pybullet", "mujoco"],
        Option("The robot or simulator that moves.", flag="--backend"),
    ] = "libero"
    body: Body = None
    perception: Perception = "oracle"
    noise: Noise = "clean"
    calibration: Calibration = None
    disturb: Disturb = None
    llm: Llm = DEFAULT_MODEL
    planner: Planner = field(default_factory=usual_planner)
    refine_timeout: Annotated[
        float | None, Option("Of looking for motions, for each decision; 20.", "SECONDS", min=1, max=3600)
    ] = None
    domain: DomainName = "tabletop"
    host: Host = None
    port: ArmPort = None
    eyes: Annotated[
        str | None,
        Option("Of an emulated arm at a table: its fault port, which knows what is there.", "tcp://…"),
    ] = None
    dead_man: DeadMan = None
    second_check: SecondCheck = True
    world: World = None
    dry_run: Annotated[bool, Option("Of a real robot: go through the plan without moving.")] = False
    speed_scale: Annotated[float | None, Option("Of a real robot: share of its world's speeds.", min=0.01, max=1.0)] = (
        None
    )
    assume_first: AssumeFirst = False
    searches: Searches = True
    video: Annotated[bool, Option("Record video.mp4 (needs OSMesa).")] = False
    overlay: Annotated[bool, Option("With --video and --perception camera: draw on it what was seen.")] = False
    view: View = False
    out: EpisodeFolder = None
    say: Annotated[
        Callable[[str], None] | None, Option("Is called with what happens, a line at a time.", python_only=True)
    ] = None

    def __post_init__(self) -> None:
        _check_backend(self)
        if self.instruction is None and not self.goals and self.scene is None:
            raise InputError(UNSAID)
        if self.untouched and not self.goal:
            raise InputError("--untouched goes with --goal; in words: say what not to touch")
        if self.simulator == "xarm" and self.body is None:
            return
        _check_perception(self.perception, self.noise, self.calibration)
        libero_only = {"--overlay": self.overlay, "--disturb": self.disturb is not None}
        _check_body(self.simulator, self.body, self.noise, self.calibration, libero_only)
        if self.overlay and not (self.video and self.perception == "camera"):
            raise InputError("--overlay draws what cameras saw on the video; valid with --video --perception camera")
        if not self.searches and self.perception != "camera":
            what = "nothing is searched for with --perception oracle"
            raise InputError(f"--no-search: {what}; valid: --perception camera")
        if self.refine_timeout is not None and self.perception == "camera":
            raise InputError("--refine-timeout: not with --perception camera; valid: --perception oracle")

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals in PDDL, to be reached one after the other."""
        return (self.goal,) if isinstance(self.goal, str) else tuple(self.goal or ())


_AT_TABLE = (
    "scene", "body", "init_state", "seed", "untouched", "planner", "refine_timeout", "domain", "assume_first",
)  # fmt: skip
_TAKEN = {
    "scene": (*_AT_TABLE, "perception", "noise", "calibration", "disturb", "searches", "video", "overlay"),
    "arm": ("host", "port", "world", "dry_run", "speed_scale"),
    "arm at a table": (
        *_AT_TABLE, "perception", "searches", "host", "port", "eyes", "dead_man", "second_check",
    ),
}  # fmt: skip
"""The options of `tamp solve` that only some backends take."""


def _check_backend(config: SolveConfig) -> None:
    """InputError for options that a backend does not take: none is dropped without a word."""
    kind, whose = "scene", "a real arm, --backend xarm"
    if config.simulator == "xarm":
        kind = "arm" if config.body is None else "arm at a table"
        at_table = "simulated scenes, or an arm at a table with --body"
        whose = at_table if config.body is None else "other backends"
    limited = {name for names in _TAKEN.values() for name in names}
    wrong = [flag for name, flag in given(config).items() if name in limited and name not in _TAKEN[kind]]
    if wrong:
        taken = ", ".join(flags_of(SolveConfig, _TAKEN[kind]))
        raise InputError(f"{' '.join(wrong)}: for {whose}; valid for --backend {config.simulator}: {taken}")


@dataclass(frozen=True, kw_only=True)
class BenchConfig:
    """Run benchmark episodes and score them.

    Of LIBERO's suites, of scene files, whose trials are seeds, or of `worlds`, which are drawn: --n 50 --seed 3.
    Success is only ever LIBERO's own check, or elsewhere that the goal holds; with --stage goal nothing moves, and
    a decoded goal that asks for the same as the task's own counts. Writes a line an episode and a summary a suite, and
    goes on where it was interrupted when given the same --out.
    """

    suites: Annotated[
        Sequence[str],
        Option("Suites such as libero_goal, scenes or folders of them; or: worlds.", "SUITE...", positional=True),
    ] = ()
    trials: Annotated[int, Option("Initial states a task, or seeds a scene, from 0.", min=1)] = 1
    n: Annotated[int | None, Option("Of worlds: how many are drawn.", min=1, max=100_000)] = None
    tasks: Annotated[str | None, Option("Only these tasks, as 0,3,5-7.", "IDS")] = None
    stage: Annotated[
        Literal["goal", "plan", "all"],
        Option(
            "goal: score the decoded goal; plan: the task's own goal, no language; all: from instruction to success."
        ),
    ] = "all"
    workers: Annotated[int, Option("Episodes at a time.", min=1, max=1024)] = 1
    out: Annotated[Path | None, Option("Folder of the results; an interrupted run goes on.", "DIR")] = None
    min_success: Annotated[float | None, Option("Exit 1 when a suite stays below this success rate.", min=0, max=1)] = (
        None
    )
    baseline: Annotated[
        Path | None, Option("Results of an earlier run; exit 1 on a significant regression.", "OLD.jsonl")
    ] = None
    engine: Annotated[Literal["local", "ray"], Option("Where the workers run.")] = "local"
    seed: Annotated[int, Option("Everything random follows from it.", min=0, max=LATEST_SEED)] = 0
    planner: Planner = field(default_factory=usual_planner)
    llm: Llm = DEFAULT_MODEL
    domain: DomainName = "tabletop"
    wordings: Annotated[
        Path | None, Option("Instructions in other words for these tasks, as in problems/paraphrases/.", "FILE")
    ] = None
    clock: Clock = "paused"
    simulator: Annotated[
        Literal["libero", "pybullet", "mujoco"], Option("The simulator that moves.", flag="--backend")
    ] = "libero"
    body: Body = None
    perception: Perception = "oracle"
    noise: Noise = "clean"
    calibration: Calibration = None
    disturb: Disturb = None

    def __post_init__(self) -> None:
        if not self.suites and self.wordings is None:
            raise InputError("name a suite, such as libero_goal, or give --wordings FILE")
        self._check_worlds()
        if self.wordings is not None and self.stage == "plan":
            raise InputError("--wordings are about language; valid with --stage goal or all")
        if self.clock == "real" and self.planner == LANGUAGE_PLANNER:
            raise InputError(f"--clock real plans beside the world, with an engine: not with --planner {self.planner}")
        _check_perception(self.perception, self.noise, self.calibration)
        libero_only = {"--disturb": self.disturb is not None, "--stage goal": self.stage == "goal"}
        _check_body(self.simulator, self.body, self.noise, self.calibration, libero_only)
        if self.disturb is not None and self.stage == "goal":
            raise InputError("--disturb: nothing moves with --stage goal; valid: --stage plan or all")
        if self.perception == "camera" and (self.stage == "goal" or self.clock == "real"):
            what = "--stage goal" if self.stage == "goal" else "--clock real"
            where = "valid with camera: --stage plan or all, --clock paused"
            raise InputError(f"{what} is for --perception oracle; {where}")

    @property
    def draws_worlds(self) -> bool:
        """Whether worlds are drawn in place of a suite."""
        return WORLDS in self.suites

    def _check_worlds(self) -> None:
        if not self.draws_worlds:
            if self.n is not None:
                raise InputError("--n is about drawn worlds; valid: tamp bench worlds --n 50")
            return
        if len(self.suites) > 1:
            raise InputError("worlds are drawn by themselves; valid: without other suites")
        if self.n is None:
            raise InputError("how many worlds? valid: tamp bench worlds --n 50")
        others = {
            "--trials": self.trials > 1,
            "--wordings": self.wordings is not None,
            "--stage goal": self.stage == "goal",
        }
        if wrong := [option for option, given_ in others.items() if given_]:
            raise InputError(f"{' '.join(wrong)}: a drawn world has one start, a goal and no words")
        object.__setattr__(self, "stage", "plan")

    @property
    def asks_model(self) -> bool:
        """Whether the language model is asked for anything."""
        return self.stage != "plan" or self.planner == LANGUAGE_PLANNER


def flags_of(config: type, names: Sequence[str]) -> list[str]:
    """How fields of a config are typed."""
    flags = {field.name: flag_of(field, option) for field, _, option in declared(config)}
    return [flags[name] for name in names]


def _check_perception(perception: str, noise: str, calibration: Path | str | None) -> None:
    if perception == "camera":
        return
    if noise != "clean":
        raise InputError(f"--noise {noise}: nothing is seen with --perception oracle; valid: --perception camera")
    if calibration is not None:
        raise InputError("--calibration is about cameras; valid with --perception camera")


def _check_body(
    simulator: str, body: str | Path | None, noise: str, calibration: Path | str | None, libero_only: dict[str, bool]
) -> None:
    """InputError for a robot in LIBERO, and for what goes with LIBERO alone."""
    if body is not None and simulator == "libero":
        where = "valid with --backend mujoco, pybullet or xarm"
        raise InputError(f"--body: the robot of LIBERO's scenes is a Panda; {where}")
    limited = {"--noise": noise != "clean", "--calibration": calibration is not None, **libero_only}
    if simulator != "libero" and (wrong := [option for option, on in limited.items() if on]):
        raise InputError(f"{' '.join(wrong)}: not with --backend {simulator}; valid: --backend libero")


@dataclass(frozen=True)
class GroundConfig:
    """Turn an instruction into a goal; nothing moves.

    Of a scene, or with --domain and --problem of any PDDL problem. Prints the goal, the role each object
    has in it, and what was ambiguous. An object that is absent, or words that fit several, exit 1.
    """

    instruction: Annotated[str, Option("The instruction.", "TEXT", positional=True)]
    scene: Annotated[str, Option(f"{SCENES}.", "S")] = DEFAULT_SCENE
    problem: Annotated[Path | None, Option("A PDDL problem to speak about, instead of a scene.", "P")] = None
    domain: DomainName = "tabletop"
    llm: Llm = DEFAULT_MODEL
    seed: SceneSeed = None
    init_state: InitState = None
    assume_first: AssumeFirst = False


@dataclass(frozen=True, kw_only=True)
class PolicyConfig:
    """A policy that acts by what cameras see."""

    llm: Llm = DEFAULT_MODEL
    planner: Planner = field(default_factory=usual_planner)
    domain: DomainName = "tabletop"
    assume_first: AssumeFirst = False
    searches: Searches = True


@dataclass(frozen=True, kw_only=True)
class ServeConfig(PolicyConfig):
    """Serve the policy over a websocket.

    Observations with LIBERO's keys in, actions of LIBERO out; reset takes the instruction and the calibration
    (docs/policy.md). One client at a time, until Ctrl-C.
    """

    port: Annotated[int, Option("Of 127.0.0.1; 0: any free one.", min=0, max=65535)] = 8000


@dataclass(frozen=True)
class RecordConfig:
    """Record what the cameras see, with the truth beside it.

    Colour, depth, intrinsics, poses, joint values; in a folder of its own, truth/, which thing each pixel shows, names,
    poses, joint values and facts. A folder for each scene.
    """

    scenes: Annotated[Sequence[str], Option(f"Each {SCENES}.", "SCENE...", positional=True)]
    out: Annotated[Path, Option("Folder of the recordings; what is there already is kept.", "DIR")]
    init_state: InitState = None
    seed: SceneSeed = None
    noise: Annotated[NoiseKind, Option("What is wrong with the pictures.")] = "clean"
    size: Annotated[int, Option("Height and width of the pictures, pixels.", min=32, max=1024)] = 480
    moments: Annotated[
        int | None,
        Option("Act the scene's own goal, and look each N control steps; else at the start only.", min=1),
    ] = None
    domain: DomainName = "tabletop"
