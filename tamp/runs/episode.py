"""What an episode is run with and what it comes to, whatever world it is run in."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motion.robot import RobotDescription
from tamp.agent.agent import AgentOutcome
from tamp.agent.control_loop import Clock
from tamp.agent.tabletop_agent import TabletopAgent, Think, at_table, in_turn
from tamp.model.backend import Backend
from tamp.model.domain import Domain
from tamp.model.events import Publish
from tamp.model.goal import Goal
from tamp.model.scene import Perceiver, Scene, joints_of, poses_of
from tamp.model.state import WorldState
from tamp.pddl.planner import Engine, Planner
from tamp.planning.search import SECONDS
from tamp.runs.episode_log import SCHEMA, EpisodeLog
from tamp.runs.goal_origin import GoalOrigin
from tamp.runs.labels import in_words
from tamp.runs.moving_parts import parts_record
from tamp.runs.versions import versions

if TYPE_CHECKING:
    from tamp.backends.libero.scene_description import Task
    from tamp.planning.planner_process import PlannerProcess

GoalSource = Callable[[Scene, WorldState, Domain, EpisodeLog, bytes | None], tuple[Goal, ...]]
"""Where goals come from, to be reached one after the other: language, an option, or the task. The bytes are a PNG of
the agent view, if asked for."""


@dataclass(frozen=True)
class Settings:
    """What an episode is run with. `sight`: the goal source is shown the agent view; `overlay`: what cameras saw is
    drawn on the video; `clock`: whether the world waits while the robot thinks, or goes on, and what it thinks for
    counts as steps (the engine only, not a model's plans).
    """

    domain: Domain
    planner: Planner = field(default_factory=Engine)
    seed: int = 0
    init_state: int | None = None
    video: bool = False
    sight: bool = False
    clock: Clock = "paused"
    overlay: bool = False
    body: str | None = None
    """The robot, where that is another one than the scene's own: see `tamp.backends.bodies`."""
    calibration: Path | None = None
    """What `tamp calibrate` wrote of the cameras."""
    disturb: str | None = None
    """A kind of disturbance: see `tamp.backends.libero.perturbation_schedule`."""
    twice: bool = False
    """Whether another engine looks at all motions before anything moves."""
    view: bool = False
    """Whether pictures are made of it for a page that is looked at while it goes on."""
    seconds: float = SECONDS
    """For one decision."""
    said: str | None = None
    """The words that the goals come from, for the log; None where there are none."""
    origin: GoalOrigin | None = None
    """Where the goals come from, for the log; None where it is not known."""


@dataclass
class Result:
    """What an episode came to. The planner does not see it.

    `reached`: what was asked for holds in the end, by an oracle of the formula on the simulator's side; goals one after
    the other each at its time. `libero` is LIBERO's `check_success()` of the scene's own task alone, after any control
    step within the step limit, as LIBERO's own evaluation has it. `task` is the same where that task is what was asked
    for, else None, as in every scene that is declared without BDDL, of which LIBERO knows no task. `success` is `task`,
    or `reached` where that is None.

    `lasting`: it also says so after standing still at the end, with the hand empty. `seconds` by stage. `stage` and
    `reason` say why the goal is not seen to hold, which may be so although LIBERO's own check is content.
    `steps` are the control steps up to the last release, `total_steps` all that the actions took. `touched` has the
    steps in which something was touched that the action was not about, `shifted` the items that were moved so;
    `disturbed` says how the world was disturbed on purpose, None if it was not; `verdicts` how often cameras were
    `right` about what became of an action, took it for `done` that was not, or for `undone`. `goal`
    is a list for a sequence of goals, `untouched` what was to be left alone; `alternatives` are those taken of goals
    with `or`. `certificate` says what a refusal rests on: `proof` is `plan` or `bound` where it is proven, `samples` or
    `time` where it is not; the `facts` that geometry found out, and the `change` that would help.
    """

    success: bool = False
    reached: bool = False
    task: bool | None = None
    libero: bool = False
    goal: str | list[str] | None = None
    untouched: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    plan: list[str] = field(default_factory=list)
    executed: list[str] = field(default_factory=list)
    steps: int = 0
    total_steps: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    stage: str | None = None
    reason: str | None = None
    certificate: dict[str, Any] | None = None
    lasting: bool = False
    touched: dict[str, int] = field(default_factory=dict)
    shifted: list[str] = field(default_factory=list)
    perception: str = "oracle"
    disturbed: dict[str, Any] | None = None
    verdicts: dict[str, int] = field(default_factory=dict)
    out: str = ""

    def take(self, outcome: AgentOutcome) -> None:
        """Take over what an agent came to."""
        kept = ("goal", "untouched", "alternatives", "plan", "executed", "steps", "total_steps", "stage", "reason")
        for name in (*kept, "certificate"):
            setattr(self, name, getattr(outcome, name))
        self.seconds |= outcome.seconds

    @property
    def good(self) -> bool:
        """Whether it came out as was asked for, and was seen to."""
        return self.success and (self.task is None or self.stage is None)

    @property
    def seen_by(self) -> str:
        """What saw, and what moved, in words."""
        return in_words(self.perception)

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return asdict(self)


@dataclass(frozen=True)
class EpisodeResult:
    """What an episode came to. It is true where it came out as was asked for.

    `reached`: what was asked for holds in the end, by the simulator's state. `task`: LIBERO's own check, where its task
    was what was asked for, else None. `success` is `task`, or `reached` where that is None; `lasting`, whether it was
    looked at once more after standing still, and is still so. `stage` (goal, perception, plan, refinement, execution,
    …) and `reason` say why it was not seen to be done. `goal` and `plan` are in PDDL, `executed` are the actions that
    were carried out. `steps` are control periods up to the last release or push, `total_steps` all; `seconds` is what
    each stage took. `touched` are things that were touched without being meant, with the number of periods, `shifted`
    those that were moved so.
    `out` is the folder of the episode, None where none is kept.
    """

    success: bool
    reached: bool
    task: bool | None
    lasting: bool
    goal: tuple[str, ...]
    untouched: tuple[str, ...]
    plan: tuple[str, ...]
    executed: tuple[str, ...]
    steps: int
    total_steps: int
    seconds: Mapping[str, float]
    stage: str | None
    reason: str | None
    touched: Mapping[str, int]
    shifted: tuple[str, ...]
    perception: str
    out: Path | None

    def __bool__(self) -> bool:
        return self.success and (self.task is None or self.stage is None)

    @classmethod
    def of(cls, result: Result) -> EpisodeResult:
        """The result of a run as it is now."""
        given: dict[str, Any] = {f.name: getattr(result, f.name) for f in fields(cls)}
        goal, out = given["goal"], given["out"]
        given["goal"] = () if goal is None else (goal,) if isinstance(goal, str) else tuple(goal)
        given["out"] = Path(out) if out else None
        for name in ("untouched", "plan", "executed", "shifted"):
            given[name] = tuple(given[name])
        for name in ("seconds", "touched"):
            given[name] = dict(given[name])
        return cls(**given)


def begin(log: EpisodeLog, task: Task, settings: Settings, perception: str, backend: str = "libero") -> None:
    """Say in the log what is run, and with what."""
    log.write("domain.pddl", settings.domain.text)
    log.event(
        "start",
        schema=SCHEMA,
        task=task.name,
        instruction=settings.said,
        scene_instruction=task.instruction,
        seed=settings.seed,
        init_state=settings.init_state,
        planner=settings.planner.name,
        perception=perception,
        backend=backend,
        body=settings.body,
        **({} if settings.origin is None else settings.origin.as_fields()),
        versions=versions(),
    )


def robot_at_table(
    backend: Backend,
    perceiver: Perceiver,
    robot: RobotDescription,
    settings: Settings,
    log: EpisodeLog,
    publish: Publish,
    stack: contextlib.ExitStack,
    step_limit: int,
) -> TabletopAgent:
    """A robot whose planner works while the world waits, or meanwhile in a process that `stack` ends."""

    def in_parallel(*_: Any) -> PlannerProcess:
        from tamp.planning.planner_process import PlannerProcess, Recipe

        recipe = Recipe(str(settings.domain.path), settings.planner, settings.seed, settings.seconds, settings.twice)
        made = PlannerProcess(recipe, log)
        stack.callback(made.close)
        made.prepare(robot, perceiver.perceive()).wait()
        return made

    rng = np.random.default_rng(settings.seed)
    in_process = in_turn(settings.domain, settings.planner, rng, log, settings.twice, settings.seconds)
    think: Think = in_process if settings.clock == "paused" else in_parallel
    return at_table(backend, perceiver, robot, settings.domain, think, publish, step_limit)


def noted(scene: Scene, state: WorldState, log: EpisodeLog) -> None:
    """Put into the log what is there at the start."""
    boxes = {o.name: [corner.round(4).tolist() for corner in o.bounds()] for o in scene}
    kinds = {o.name: o.category for o in scene}
    seen = {"objects": kinds, "symbols": state.symbols, "poses": poses_of(scene), "boxes": boxes}
    log.event("scene", **seen, joints=joints_of(scene), parts=parts_record(scene))
    log.event("state", atoms=state.atoms)


@contextlib.contextmanager
def timed(result: Result, name: str) -> Iterator[None]:
    """Put the seconds that what is inside takes into the result."""
    start = time.perf_counter()
    try:
        yield
    finally:
        result.seconds[name] = round(time.perf_counter() - start, 3)
