"""An episode from words or a goal to its verdict, wherever it is run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tamp.api import arguments, camera, language
from tamp.api.arguments import RealArm
from tamp.api.episodes import EpisodeResult
from tamp.api.sources import Say, Settle, from_language, from_pddl, silent, unasked
from tamp.errors import InputError
from tamp.pddl.engines import usual
from tamp.quiet import hush_simulator
from tamp.runs.episode_log import new_folder
from tamp.runs.goal_origin import GoalOrigin
from tamp.runs.labels import by_camera, in_physics, in_words, through_sdk

if TYPE_CHECKING:
    from tamp.api.language import Model
    from tamp.api.scenes import Simulator
    from tamp.backends.libero.environment import LiberoEnvironment
    from tamp.backends.libero.scene_description import Task
    from tamp.backends.xarm.address import ArmAddress
    from tamp.backends.xarm.arm_stop import ArmStop
    from tamp.model.domain import Domain
    from tamp.runs.episode import Result, Settings
    from tamp.runs.episode_runner import EpisodePlace
    from tamp.runs.worlds import Cameras, InLibero, InPhysics

EPISODES = Path("episodes")
"""Where episodes go unless it is said otherwise."""


def _interruptible(stop: ArmStop) -> AbstractContextManager[None]:
    """Ctrl-C stops the arm, and ends what was called with the verdict `stopped`."""
    from tamp.backends.xarm.arm_stop import stopped_by_signals

    return stopped_by_signals(stop)


@dataclass(frozen=True)
class Person:
    """Whoever is there while it goes on: is told what happens, may be asked what is meant, and may stop an arm."""

    say: Say = silent
    settle: Settle = unasked
    stops: Callable[[ArmStop], AbstractContextManager[None]] = _interruptible


@dataclass(frozen=True)
class Asked:
    """What an episode is asked for. With neither words nor goals the scene's own are taken.

    `backend` is a simulator, or `xarm`: the arm that `arm` says where to find.
    """

    text: str | None = None
    goals: tuple[str, ...] = ()
    untouched: tuple[str, ...] = ()
    scene: str = "mug_in_drawer"
    init_state: int | None = None
    seed: int | None = None
    backend: str = "libero"
    body: str | None = None
    perception: str = "oracle"
    noise: str = "clean"
    calibration: Path | None = None
    disturb: str | None = None
    repair: str | None = None
    llm: str = language.DEFAULT
    planner: str = field(default_factory=usual)
    refine_timeout: float | None = None
    domain: str = "tabletop"
    arm: RealArm = field(default_factory=RealArm)
    assume_first: bool = False
    searches: bool = True
    video: bool = False
    overlay: bool = False
    view: bool = False
    """Whether pictures are made for a page of it."""
    out: Path | None = None
    called: bool = False
    """Whether a program asks, and not somebody at a terminal."""

    @property
    def sees(self) -> bool:
        """Whether cameras are its eyes."""
        return self.perception == "camera"


def solve(
    instruction: str | None = None,
    scene: str | Path = "mug_in_drawer",
    *,
    goal: str | tuple[str, ...] | list[str] | None = None,
    untouched: tuple[str, ...] | list[str] = (),
    seed: int | None = None,
    init_state: int | None = None,
    domain: str | Path = "tabletop",
    simulator: Simulator = "libero",
    body: str | Path | None = None,
    host: str | None = None,
    port: int | None = None,
    eyes: str | None = None,
    perception: Literal["oracle", "camera"] = "oracle",
    planner: str | None = None,
    llm: str | None = None,
    assume_first: bool = False,
    video: bool = False,
    out: str | Path | None = None,
    say: Say | None = None,
) -> EpisodeResult:
    """Carry out an instruction, or reach a goal, in a scene that is built for it: everything from words to the verdict.

    Args:
        instruction: Words. With neither these nor a goal the scene's own goal or instruction is taken.
        scene: As for `load_scene`.
        goal: Instead of words a formula in PDDL, or several to be reached one after the other.
        untouched: With `goal`: symbols of what must not be moved or operated.
        seed: As for `load_scene`; grasps, placements and paths are drawn by it, too.
        init_state: As for `load_scene`.
        domain: As for `load_scene`.
        simulator: `libero`, `mujoco` or `pybullet`, a scene in MJCF for the last two; or `xarm`, an arm that stands in
            the scene already.
        body: As for `load_scene`; `xarm` needs it, with `host` and `eyes`.
        host: As for `load_scene`.
        port: As for `load_scene`.
        eyes: As for `load_scene`.
        perception: `oracle`, the simulator's state, or `camera`: pictures alone, by a process of its own, for which a
            script has to have its `if __name__ == "__main__":`.
        planner: An engine of unified-planning, by default Fast Downward; or `qwen`: the language model plans.
        llm: The language model, by default the one that `make model` fetches.
        assume_first: Of several things that the words fit, take the first.
        video: Record `video.mp4`.
        out: The folder of the episode, which must not hold one yet; by default a new one in `episodes/`.
        say: Is told what happens, a line at a time.

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
    named = None if body is None else str(body)
    asked = Asked(
        text=instruction,
        goals=() if goal is None else (goal,) if isinstance(goal, str) else tuple(goal),
        untouched=tuple(untouched),
        scene=str(scene),
        init_state=init_state,
        seed=seed,
        backend=simulator,
        body=named,
        perception=perception,
        llm=language.DEFAULT if llm is None else llm,
        planner=planner or usual(),
        domain=str(domain),
        arm=arguments.driven(simulator, named, host, port, eyes),
        assume_first=assume_first,
        video=video,
        out=None if out is None else Path(out),
        called=True,
    )
    return EpisodeResult.of(begun(asked, Person(say or silent))())


def begun(asked: Asked, person: Person) -> Episode:
    """Check all that can be checked without a simulation, and get ready. InputError for what is not valid."""
    from tamp.backends.libero import rendering

    rendering.prepare(video=False, may=True)  # what is checked with loads MuJoCo
    text = None if asked.goals or asked.text is None else language.instruction(asked.text)
    at = _checked(asked)
    wants_model = language.plans(asked.planner) or asked.repair is not None
    model = language.model(asked.llm) if text is not None or wants_model else None
    sight = text is not None and model is not None and model.sees
    task, domain = _prepared(asked, sight)
    goals, origin = asked.goals, _origin(asked, task)
    if text is None and not goals:
        text, goals = _own(task)
    if text is not None and model is None:
        model = language.model(asked.llm)
        sight = _sees(model, asked.video)
    seed = task.seed if asked.seed is None else asked.seed
    asked = replace(asked, text=None if goals else text, goals=goals, seed=seed)
    with hush_simulator():
        settings = replace(_settings(asked, domain, model, sight), origin=origin)
    return Episode(asked, person, task, domain, settings, model, at)


@dataclass(frozen=True, eq=False)
class Episode:
    """An episode that is ready to be run, once."""

    asked: Asked
    person: Person
    task: Task
    domain: Domain
    settings: Settings
    model: Model | None
    at: ArmAddress | None

    def __str__(self) -> str:
        """What is wanted, where, and what sees and moves, in words."""
        wanted = ", then ".join(self.asked.goals) or repr(self.asked.text)
        return f"{wanted} in {self.task.name} ({in_words(self.label)}, seed {self.settings.seed})"

    @property
    def label(self) -> str:
        """How the result will say what saw."""
        asked, given = self.asked, bool(self.asked.goals)
        if asked.backend == "libero":
            return by_camera(given, asked.noise) if asked.sees else "oracle"
        if asked.backend == "xarm":
            return through_sdk(str(asked.body), asked.sees, given)
        return in_physics(asked.backend, asked.body, asked.sees, given)

    def __call__(self, folder: Path | None = None) -> Result:
        """Run it, into a folder, by default the one that was asked for."""
        from tamp.runs.episode_runner import run_episode

        asked, person = self.asked, self.person
        source = from_pddl(asked.goals, asked.untouched, self.domain) if asked.goals else None
        if source is None and not asked.sees:
            assert self.model is not None
            words, settle = str(asked.text), person.settle
            source = from_language(words, self.model, self.task, asked.assume_first, settle=settle, say=person.say)
        with self._place() as place:
            return run_episode(place, self.task, source, self.settings, folder or self.folder(), person.say)

    def folder(self) -> Path:
        """The folder that was asked for, or a new one."""
        return self.asked.out or new_folder(EPISODES, self.task.name.replace("/", "-"))

    @contextmanager
    def _place(self) -> Iterator[EpisodePlace]:
        """Where it is run."""
        from tamp.runs.policy_world import InLiberoByPolicy

        asked, words = self.asked, not self.asked.goals
        if asked.backend != "libero" or not asked.sees:
            cameras = camera.cameras(self.model, asked.assume_first, asked.searches) if asked.sees else None
            if self.at is None:
                yield place_in(asked.backend, cameras)
            else:
                with _on_arm(self.at, asked.arm.dead_man, cameras, self.person) as place:
                    yield place
            return
        recipe = camera.recipe(
            asked.domain, asked.planner, asked.llm, words, asked.assume_first, asked.searches, asked.repair
        )
        with closing(camera.process(recipe)) as process:
            yield InLiberoByPolicy(process, self.label, camera.noise(asked.noise, self.settings.seed))


def _checked(asked: Asked) -> ArmAddress | None:
    """Where the arm is, where there is one. InputError for arguments that do not go together."""
    if asked.untouched and not asked.goals:
        raise InputError("--untouched goes with --goal; in words: say what not to touch")
    arguments.seen(asked.perception, asked.noise)
    only_libero = {"--noise": asked.noise != "clean", "--calibration": asked.calibration is not None}
    only_libero |= {"--overlay": asked.overlay, "--disturb": asked.disturb is not None}
    arguments.embodied(asked.backend, asked.body, only_libero)
    arguments.drawn(asked.overlay, asked.video, asked.perception)
    arguments.searched(not asked.searches, asked.perception)
    arguments.refined(asked.refine_timeout, asked.perception)
    arguments.calibrated(asked.calibration, asked.perception)
    arguments.repaired(asked.repair, asked.backend)
    return arguments.arm_at_table(asked.backend, asked.body, asked.arm)


def _prepared(asked: Asked, sight: bool) -> tuple[Task, Domain]:
    """The scene and the domain. InputError for what is wrong with them."""
    from tamp.backends.libero import rendering

    rendering.prepare(asked.video, sight, camera=asked.sees, may=True)
    with hush_simulator():
        from tamp.backends.libero import tasks

        task = tasks.find(asked.scene)
    domain = arguments.domain(asked.domain)
    tasks.check_goal(task, domain)
    arguments.planner(asked.planner)
    arguments.disturbed(asked.disturb, asked.perception)
    return task, domain


def _origin(asked: Asked, task: Task) -> GoalOrigin:
    """Where what is asked for comes from."""
    if asked.goals:
        return GoalOrigin("library" if asked.called else "option")
    if asked.text is not None:
        return GoalOrigin("words")
    return GoalOrigin("words" if task.goal is None else "scene", task.source)


def _own(task: Task) -> tuple[str | None, tuple[str, ...]]:
    """What a scene itself asks for: its goal, else its instruction."""
    if task.goal is not None:
        return None, (task.goal,)
    if not task.instruction:
        raise InputError(f"{task.name} has neither goal nor instruction: {arguments.UNSAID}")
    return language.instruction(task.instruction), ()


def _sees(model: Model, video: bool) -> bool:
    """Whether the model is shown a picture; InputError where it would be and none can be drawn."""
    from tamp.backends.libero import rendering

    if model.sees:
        rendering.prepare(video, sight=True)
    return model.sees


def _settings(asked: Asked, domain: Domain, model: Model | None, sight: bool) -> Settings:
    from tamp.runs.episode import Settings

    advises = None
    if asked.repair is not None and model is not None:
        advises = partial(language.advisor, model, domain)
    settings = Settings(
        domain,
        language.planner(asked.planner, model),
        asked.seed or 0,
        asked.init_state,
        asked.video,
        sight,
        overlay=asked.overlay,
        calibration=asked.calibration,
        disturb=asked.disturb,
        advises=advises,
        body=asked.body,
        twice=asked.backend == "xarm" and asked.arm.twice,
        view=asked.view,
        said=asked.text,
    )
    return settings if asked.refine_timeout is None else replace(settings, seconds=asked.refine_timeout)


def place_in(
    backend: str, cameras: Cameras | None = None, environment: LiberoEnvironment | None = None
) -> InLibero | InPhysics:
    """A simulator, whose state is perceived, or its `cameras`; `environment` is one of the same task, just reset."""
    from tamp.runs.worlds import InLibero, InPhysics

    if backend in ("pybullet", "mujoco"):
        return InPhysics(backend, environment, cameras)
    return InLibero(environment)


@contextmanager
def _on_arm(at: ArmAddress, dead_man: float | None, cameras: Cameras | None, person: Person) -> Iterator[EpisodePlace]:
    """An arm, which a dead man and the person there stop."""
    from tamp.backends.xarm.arm_stop import ArmStop
    from tamp.runs.worlds import OnArm

    stop = ArmStop(dead_man)
    with person.stops(stop):
        yield OnArm(at, stop, cameras)
