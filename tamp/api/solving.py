"""An episode from words or a goal to its verdict, wherever it is run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tamp.api import arguments, camera_policies, language
from tamp.api.configs import DEFAULT_SCENE, LANGUAGE_PLANNER, UNSAID, SolveConfig
from tamp.api.options import keywords
from tamp.api.sources import Say, Settle, from_language, from_pddl, silent, unasked
from tamp.errors import InputError
from tamp.quiet import hush_simulator
from tamp.runs.episode_log import new_folder
from tamp.runs.goal_origin import GoalOrigin
from tamp.runs.labels import in_words, label

if TYPE_CHECKING:
    from tamp.api.language import Model
    from tamp.backends.libero.environment import LiberoEnvironment
    from tamp.backends.libero.scene_description import Task
    from tamp.backends.xarm.address import ArmAddress
    from tamp.backends.xarm.arm_stop import ArmStop
    from tamp.model.domain import Domain
    from tamp.runs.episode import EpisodeResult, Result, Settings
    from tamp.runs.episode_runner import EpisodePlace
    from tamp.runs.policy.remote import PolicyProcess
    from tamp.runs.table_worlds import Cameras, InPhysics
    from tamp.runs.worlds import InLibero

EPISODES = Path("episodes")
"""Where episodes go unless it is said otherwise."""


def _interruptible(stop: ArmStop) -> AbstractContextManager[None]:
    """Ctrl-C stops the arm, and ends what was called with the verdict `stopped`."""
    from tamp.backends.xarm.arm_stop import stopped_by_signals

    return stopped_by_signals(stop)


@dataclass(frozen=True)
class Person:
    """Callbacks for progress, questions about what is meant, and stopping an arm."""

    say: Say = silent
    settle: Settle = unasked
    stops: Callable[[ArmStop], AbstractContextManager[None]] = _interruptible


@keywords(SolveConfig)
def solve(config: SolveConfig) -> EpisodeResult:
    """Carry out an instruction, or reach a goal, in a scene that is built for it: everything from words to the verdict.

    With neither an instruction nor a goal the scene's own are taken. `perception="camera"` starts a process of its own,
    for which a script has to have its `if __name__ == "__main__":`.

    Returns:
        What it came to; the folder `out` holds the domain, the problem, the plan and the whole log. What cannot be done
        is no error: `stage` and `reason` say why.

    Raises:
        InputError: For what is not valid, before anything is built, and for a model that is missing.

    >>> import tamp
    >>> done = tamp.solve(goal="(holding can)", scene="docs/examples/kitchenette", simulator="mujoco", out="run")
    >>> done.success, done.plan, [ending.verdict for ending in tamp.results("run")]
    (True, ('(pick can table)',), ['success'])
    """
    from tamp.runs.episode import EpisodeResult

    return EpisodeResult.of(prepare(config, Person(config.say or silent), called=True)())


def prepare(config: SolveConfig, person: Person, called: bool = False) -> Episode:
    """Check all that can be checked without a simulation, and get ready. InputError for what is not valid.

    `called`: a program asks, not a person at a terminal, for the log.
    """
    from tamp.backends.libero import rendering

    rendering.prepare(video=False, may=True)  # what is checked with loads MuJoCo
    text = None if config.goals or config.instruction is None else language.instruction(config.instruction)
    arguments.check_perception(config.simulator, config.body, config.perception, config.calibration)
    at = arguments.arm_at_table(config.simulator, config.body, config.host, config.port, config.eyes)
    model = language.model(config.llm) if text is not None or config.planner == LANGUAGE_PLANNER else None
    sight = text is not None and model is not None and model.sees
    rendering.prepare(config.video, sight, camera=config.perception == "camera", may=True)
    with hush_simulator():
        from tamp.backends.libero import tasks

        task = tasks.find(str(config.scene or DEFAULT_SCENE))
    domain = arguments.domain(config.domain)
    tasks.check_goal(task, domain)
    arguments.check_planner(config.planner)
    arguments.check_disturbance(config.disturb, config.perception)
    origin, goals = _origin(config, task, called), config.goals
    if text is None and not goals:
        text, goals = _own(task)
    if text is not None and model is None:
        model = language.model(config.llm)
        sight = model.sees
        if sight:
            rendering.prepare(config.video, sight=True)
    seed = task.seed if config.seed is None else config.seed
    config = replace(config, instruction=None if goals else text, goal=goals, scene=task.name, seed=seed)
    with hush_simulator():
        settings = settings_of(config, domain, model, sight, origin)
    return Episode(config, person, task, domain, settings, model, at)


@dataclass(frozen=True, eq=False)
class Episode:
    """An episode that is ready to be run, once."""

    config: SolveConfig
    person: Person
    task: Task
    domain: Domain
    settings: Settings
    model: Model | None
    at: ArmAddress | None = None

    def __str__(self) -> str:
        """What is wanted, where, and what sees and moves, in words."""
        wanted = ", then ".join(self.config.goals) or repr(self.config.instruction)
        return f"{wanted} in {self.task.name} ({in_words(self.label)}, seed {self.settings.seed})"

    @property
    def label(self) -> str:
        """How the result will say what saw."""
        c = self.config
        return label(c.simulator, c.body, c.perception, c.noise, given=c.instruction is None)

    def folder(self) -> Path:
        """The folder that was asked for, or a new one."""
        asked = self.config.out
        return new_folder(EPISODES, self.task.name.replace("/", "-")) if asked is None else Path(asked)

    def __call__(self, folder: Path | None = None) -> Result:
        """Run it, into a folder, by default the one that was asked for."""
        with self._place() as place:
            return self.run_at(place, folder or self.folder())

    def run_at(self, place: EpisodePlace, folder: Path) -> Result:
        """Run it at a place."""
        from tamp.runs.episode_runner import run_episode

        config, person, source = self.config, self.person, None
        if config.goals:
            source = from_pddl(config.goals, config.untouched, self.domain)
        elif config.instruction is not None and config.perception == "oracle":
            assert self.model is not None
            words, first = config.instruction, config.assume_first
            source = from_language(words, self.model, self.task, first, settle=person.settle, say=person.say)
        return run_episode(place, self.task, source, self.settings, folder, person.say)

    @contextmanager
    def _place(self) -> Iterator[EpisodePlace]:
        """Where it is run."""
        config = self.config
        if config.simulator == "libero" and config.perception == "camera":
            with closing(
                camera_policies.process(camera_policies.recipe(config, config.instruction is not None))
            ) as process:
                yield self.by_policy(process)
        elif self.at is not None:
            from tamp.backends.xarm.arm_stop import ArmStop
            from tamp.runs.table_worlds import OnArm

            stop = ArmStop(config.dead_man)
            with self.person.stops(stop):
                yield OnArm(self.at, stop, self._cameras())
        else:
            yield self.simulated()

    def by_policy(
        self, process: PolicyProcess, environment: LiberoEnvironment | None = None, drawn: tuple[int, ...] = ()
    ) -> EpisodePlace:
        """In LIBERO's simulator, by a policy that sees pictures, whose noise is `drawn` by more than the seed;
        `environment` is one of the same task, just reset."""
        from tamp.runs.policy_world import InLiberoByPolicy

        noise = camera_policies.noise(self.config.noise, self.settings.seed, *drawn)
        return InLiberoByPolicy(process, self.label, noise, environment)

    def simulated(self, environment: LiberoEnvironment | None = None) -> EpisodePlace:
        """In a simulator, whose state is perceived, or its cameras; `environment` as before."""
        return simulated(self.config.simulator, self._cameras(), environment)

    def _cameras(self) -> Cameras | None:
        if self.config.perception == "oracle":
            return None
        from tamp.runs.table_worlds import Cameras

        return Cameras(language.reader(self.model, self.config.assume_first), self.config.searches)


def simulated(
    simulator: str, cameras: Cameras | None = None, environment: LiberoEnvironment | None = None
) -> InLibero | InPhysics:
    """A simulator, whose state is perceived, or its `cameras`; `environment` is one of the same task, just reset."""
    if simulator in ("pybullet", "mujoco"):
        from tamp.runs.table_worlds import InPhysics

        return InPhysics(simulator, environment, cameras)
    from tamp.runs.worlds import InLibero

    return InLibero(environment)


def settings_of(
    config: SolveConfig, domain: Domain, model: Model | None, sight: bool, origin: GoalOrigin | None
) -> Settings:
    """What an episode is run with. `sight`: the model that reads is shown a picture."""
    from tamp.planning.search import SECONDS
    from tamp.runs.episode import Settings

    return Settings(
        domain,
        language.planner(config.planner, model),
        config.seed or 0,
        config.init_state,
        config.video,
        sight,
        overlay=config.overlay,
        calibration=None if config.calibration is None else Path(config.calibration),
        disturb=config.disturb,
        body=None if config.body is None else str(config.body),
        twice=config.simulator == "xarm" and config.second_check,
        view=config.view,
        seconds=config.refine_timeout or SECONDS,
        said=config.instruction,
        origin=origin,
    )


def _origin(config: SolveConfig, task: Task, called: bool) -> GoalOrigin:
    """Where what is asked for comes from."""
    if config.goals:
        return GoalOrigin("library" if called else "option")
    if config.instruction is not None:
        return GoalOrigin("words")
    return GoalOrigin("words" if task.goal is None else "scene", task.source)


def _own(task: Task) -> tuple[str | None, tuple[str, ...]]:
    """What a scene itself asks for: its goal, else its instruction."""
    if task.goal is not None:
        return None, (task.goal,)
    if not task.instruction:
        raise InputError(f"{task.name} has neither goal nor instruction: {UNSAID}")
    return language.instruction(task.instruction), ()
