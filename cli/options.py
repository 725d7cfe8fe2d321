"""How commands are declared, and options that several of them share, so that they read and behave the same."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, ParamSpec

import typer
from typer.core import TyperOption

from cli.output import run, say

P = ParamSpec("P")

LATEST_SEED = 2**32 - 1
"""The greatest seed that every simulator takes."""


def given(context: typer.Context) -> list[str]:
    """The options that were given on the command line, as they are typed, in the order of the help."""
    options = [p for p in context.command.params if isinstance(p, TyperOption)]
    sources = [(o.opts[0], context.get_parameter_source(str(o.name))) for o in options]
    return [option for option, source in sources if source is not None and source.name == "COMMANDLINE"]


def command(app: typer.Typer, name: str | None = None) -> Callable[[Callable[P, int]], Callable[P, int]]:
    """Makes a function a command of `app`, called as the function unless named: it returns the exit code, and what it
    raises is told as `cli.output.run` has it."""

    def register(body: Callable[P, int]) -> Callable[P, int]:
        @app.command(name)
        @functools.wraps(body)
        def ended(*args: P.args, **options: P.kwargs) -> None:
            raise typer.Exit(run(lambda: body(*args, **options), _words(name or body.__name__)))

        return body

    return register


def _words(name: str) -> str:
    """How a command is called: `solve`, or with its group, `xarm run`."""
    return " ".join(dict.fromkeys((*sys.argv[1:2], name)))


SCENES = "SUITE/TASK_ID (libero_goal/3), a name under problems/, a folder with a scene.toml, or a .bddl file"
Scene = Annotated[
    str,
    typer.Option(help=f"{SCENES}.", metavar="S"),
]
SceneArgument = Annotated[str, typer.Argument(help=f"{SCENES}.", metavar="S")]
TrialScenes = Annotated[
    list[str] | None,
    typer.Option(
        "--scene",
        help="Where operators that no case has are tried; may be given several times. mug_in_drawer, libero_goal/0.",
        metavar="S",
    ),
]
Draws = Annotated[
    int | None,
    typer.Option(help="Draws of each scene, seeds 0 to N-1; else a case's own, and one.", metavar="N", min=1),
]
InitState = Annotated[
    int | None,
    typer.Option(help="Stored initial state of a benchmark task; without it the seed draws the scene.", min=0),
]
Seed = Annotated[int, typer.Option(help="Everything random follows from it.", min=0, max=LATEST_SEED)]
SceneSeed = Annotated[
    int | None,
    typer.Option(help="Everything random follows from it; by default the scene's own, or 0.", min=0, max=LATEST_SEED),
]
Llm = Annotated[
    str,
    typer.Option(
        help="A model of `tamp model list`, a .gguf, .toml or .jsonl file, a server's address, or OWNER/MODEL.",
        metavar="NAME",
    ),
]


def _planner(context: typer.Context, parameter: typer.CallbackParam, name: str) -> str:
    """Another engine where none was named and the usual one is not installed."""
    from tamp.api.configs import usual_planner

    source = context.get_parameter_source(str(parameter.name))
    if source is None or source.name != "DEFAULT" or (other := usual_planner()) == name:
        return name
    say(f'tamp: {name} is not installed, {other} plans instead: pip install "tamp-toolkit[{name}]"')
    return other


Planner = Annotated[
    str,
    typer.Option(
        help="fast-downward, pyperplan, any unified-planning engine; qwen: --llm plans.",
        metavar="NAME",
        callback=_planner,
    ),
]
RefineTimeout = Annotated[
    float | None,
    typer.Option(help="Of looking for motions, for each decision; 20.", metavar="SECONDS", min=1, max=3600),
]
Clock = Annotated[
    Literal["paused", "real"],
    typer.Option(help="real: the world goes on while it thinks; paused: it waits."),
]
AssumeFirst = Annotated[
    bool, typer.Option("--assume-first", help="Of several objects that fit the words, take the first.")
]
NoSearch = Annotated[
    bool,
    typer.Option("--no-search", help="With --perception camera: neither look again nor search for what is not seen."),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output, nothing else.")]

DomainArgument = Annotated[
    str, typer.Argument(help="A PDDL domain: a file, a folder, a name under domains/, or -.", metavar="DOMAIN")
]
ProblemArgument = Annotated[Path, typer.Argument(help="A PDDL problem, or -.", metavar="PROBLEM")]
OptionalDomain = Annotated[
    str | None, typer.Argument(help="A PDDL domain: a file, a folder, a name under domains/, or -.", metavar="DOMAIN")
]
Fix = Annotated[bool, typer.Option("--fix", help="Add missing requirements to the domain's file.")]
Cases = Annotated[
    Path | None, typer.Option(help="Run regression files: a folder with a case.toml, or of such.", metavar="DIR")
]

Timeout = Annotated[
    float,
    typer.Option(help="Seconds for the search, and for what explains that there is no plan.", min=0.01, max=1e6),
]
Optimal = Annotated[bool, typer.Option("--optimal", help="A plan that is proven to be the best.")]
TopK = Annotated[int | None, typer.Option(help="The N best plans; needs up-symk.", metavar="N", min=1)]
Anytime = Annotated[bool, typer.Option("--anytime", help="Better and better plans, until the time is up.")]

PlanFormat = Annotated[
    Literal["pddl", "timed", "skills", "xarm"] | None,
    typer.Option("--format", help="Of the plans: steps, steps with times, JSON. Else what it looks like."),
]
Trace = Annotated[bool, typer.Option("--trace", help="What each step changes.")]

Text = Annotated[
    str | None,
    typer.Argument(help="The instruction; without it and --goal, the goal or the words of --scene.", metavar="TEXT"),
]
Goals = Annotated[
    list[str] | None,
    typer.Option(
        "--goal",
        help='A goal in PDDL, as "(in mug_1 drawer_1)": no language. Several: one after the other.',
        metavar="PDDL",
    ),
]
Untouched = Annotated[
    list[str] | None, typer.Option(help="With --goal: a symbol that must not be moved or operated.", metavar="NAME")
]
Backend = Annotated[
    Literal["libero", "xarm", "pybullet", "mujoco"], typer.Option(help="The robot or simulator that moves.")
]
Simulator = Annotated[Literal["libero", "pybullet", "mujoco"], typer.Option(help="The simulator that moves.")]
Body = Annotated[
    str | None,
    typer.Option(help="The robot at the table, as xarm7, or its .toml; without it the scene's own.", metavar="NAME"),
]
DeadMan = Annotated[
    float | None,
    typer.Option(help="Stop the arm without a line on standard input so often.", metavar="SEC", min=0.1, max=3600),
]
Once = Annotated[bool, typer.Option("--no-second-check", help="Do without the second look in PyBullet.")]
Eyes = Annotated[
    str | None,
    typer.Option(help="Of an emulated arm at a table: its fault port, which knows what is there.", metavar="tcp://…"),
]
Perception = Annotated[Literal["oracle", "camera"], typer.Option(help="What sees: the simulator's state, or images.")]
NoiseKind = Literal["clean", "depth", "colour", "pose", "all", "moved", "hand"]
Disturb = Annotated[
    str | None,
    typer.Option(
        help="Somebody disturbs each episode once: moved, knocked, occupied, shut, pushed, …: docs/disturbances.md.",
        metavar="KIND",
    ),
]
CalibrationFile = Annotated[
    Path | None,
    typer.Option(help="With --perception camera: what tamp calibrate wrote of the cameras.", metavar="FILE"),
]
Repair = Annotated[
    str | None,
    typer.Option(help="Who is asked what to do where nothing else helps. qwen: --llm.", metavar="NAME"),
]
Without = Annotated[
    str | None,
    typer.Option(help="Leave out servo, monitor or repair, several with commas: what are they worth?", metavar="A,B"),
]
Noise = Annotated[NoiseKind, typer.Option(help="With --perception camera: what is wrong with the pictures.")]
RecordedNoise = Annotated[NoiseKind, typer.Option(help="What is wrong with the pictures.")]
Domain = Annotated[str, typer.Option(help="A name under domains/, or a folder with a domain.pddl.", metavar="NAME|DIR")]
Host = Annotated[str | None, typer.Option(help="Address of a real robot.", metavar="IP")]
ArmPort = Annotated[
    int | None,
    typer.Option(help="Control port of a real robot; only emulated arms have another than 502.", min=1, max=65535),
]
World = Annotated[
    Path | None, typer.Option(help="World of a real arm: a file, or a shipped one: bench.", metavar="FILE|NAME")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Of a real robot: go through the plan without moving.")]
SpeedScale = Annotated[
    float | None, typer.Option(help="Of a real robot: share of its world's speeds.", min=0.01, max=1.0)
]
Html = Annotated[Path | None, typer.Option(help="A page with a picture of each (needs OSMesa).", metavar="FILE")]
ScenePage = Annotated[
    Path | None, typer.Option("--html", help="Write a page too, with a picture of a scene of LIBERO.", metavar="FILE")
]
RunPage = Annotated[
    Path | None, typer.Option("--html", help="Write a page instead: an episode, or runs of tamp bench.", metavar="FILE")
]
MendSeconds = Annotated[
    float,
    typer.Option(
        "--mend-seconds", min=0, max=1e6, help="For what would make a plan valid; 0: not at all.", metavar="SECONDS"
    ),
]
PlanPage = Annotated[
    Path | None, typer.Option("--html", help="Write a page too: facts over steps, and where it breaks.", metavar="FILE")
]
Video = Annotated[bool, typer.Option("--video", help="Record video.mp4 (needs OSMesa).")]
Overlay = Annotated[
    bool, typer.Option("--overlay", help="With --video and --perception camera: draw on it what was seen.")
]
View = Annotated[bool, typer.Option("--view", help="Show it in the browser while it goes on: docs/view.md.")]
EpisodeFolder = Annotated[
    Path | None, typer.Option(help="The episode's folder; by default a new one in episodes/.", metavar="DIR")
]

PageHost = Annotated[str, typer.Option(help="Address that the page is served at.", metavar="IP")]
PagePort = Annotated[int, typer.Option(help="Port of the page; 0: any free one.", min=0, max=65535)]

Suites = Annotated[list[str] | None, typer.Argument(help="Suites such as libero_goal.", metavar="SUITE...")]
Wordings = Annotated[
    Path | None,
    typer.Option(help="Instructions in other words for these tasks, as in problems/paraphrases/.", metavar="FILE"),
]
Trials = Annotated[int, typer.Option(help="Initial states a task, from 0.", min=1)]
Tasks = Annotated[str | None, typer.Option(help="Only these tasks, as 0,3,5-7.", metavar="IDS")]
Stage = Annotated[
    Literal["goal", "plan", "all"],
    typer.Option(
        help="goal: score the decoded goal; plan: the task's own goal, no language; all: from instruction to success."
    ),
]
Workers = Annotated[int, typer.Option(help="Episodes at a time.", min=1, max=1024)]
ResultsFolder = Annotated[
    Path | None, typer.Option(help="Folder of the results; an interrupted run goes on.", metavar="DIR")
]
Baseline = Annotated[
    Path | None,
    typer.Option(help="Results of an earlier run; exit 1 on a significant regression.", metavar="OLD.jsonl"),
]
Engine = Annotated[Literal["local", "ray"], typer.Option(help="Where the workers run.")]
Form = Annotated[Literal["text", "markdown", "latex"], typer.Option("--format", help="Of the table.")]
Tree = Annotated[str | None, typer.Option(help="Only episodes of this git tree.", metavar="HASH")]
Prompts = Annotated[
    bool, typer.Option("--prompts", help="What went wrong between prompt and goal, or plan, from the episodes' logs.")
]
Examples = Annotated[int, typer.Option(help="With --prompts: examples shown of each type of failure.", min=0)]
MinSuccess = Annotated[
    float | None, typer.Option(help="Exit 1 when a suite stays below this success rate.", min=0, max=1)
]
