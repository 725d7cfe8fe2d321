"""`tamp solve`: an instruction or a goal to motion, and LIBERO's verdict."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from cli import camera, inputs, planners
from cli.output import INTERRUPTED, emit_json, hush_warnings, quiet_stdout, say
from llm import words
from llm.deciding import Advisor
from tamp.errors import InputError, is_interrupt
from tamp.quiet import debugging, hush_simulator
from tamp.runs.episode_log import new_folder
from tamp.runs.labels import by_camera, in_physics, in_words, through_sdk

if TYPE_CHECKING:
    from llm.model import Model
    from tamp.backends.arms_file import Arms
    from tamp.backends.libero.tasks import Task
    from tamp.backends.physics.seeing import Seeing
    from tamp.backends.xarm.table_run import ArmAddress
    from tamp.model.domain import Domain
    from tamp.model.goal import Goal
    from tamp.model.scene import Scene
    from tamp.model.state import WorldState
    from tamp.planning.engine import Planner
    from tamp.runs.episode import GoalSource, Result, Settings
    from tamp.runs.episode_log import EpisodeLog

EPISODES = Path("episodes")
"""Where episodes go unless `--out` says otherwise."""


def solve(
    *,
    text: str | None,
    scene: str,
    init_state: int | None,
    seed: int | None,
    goals: list[str],
    untouched: list[str],
    backend: str,
    body: str | None,
    arms: Path | None,
    perception: str,
    noise: str,
    calibration: Path | None,
    disturb: str | None,
    repair: str | None,
    llm: str,
    planner: str,
    domain: str,
    arm: inputs.RealArm,
    assume_first: bool,
    searches: bool,
    video: bool,
    overlay: bool,
    out: Path | None,
    json_output: bool,
) -> int:
    """Run one episode and print what it came to. 0 when what was asked for holds, by LIBERO's check where that is the
    scene's own task, else by an oracle of the goal. With neither words nor goals the scene's own are taken."""
    text = None if goals or text is None else words.instruction(text)
    if untouched and not goals:
        raise InputError("--untouched goes with --goal; in words: say what not to touch")
    inputs.seen(perception, noise)
    only_libero = {"--noise": noise != "clean", "--calibration": calibration is not None}
    inputs.embodied(backend, body, only_libero | {"--overlay": overlay, "--disturb": disturb is not None})
    inputs.drawn(overlay, video, perception)
    inputs.searched(not searches, perception)
    inputs.calibrated(calibration, perception)
    inputs.repaired(repair, backend)
    shared, at = inputs.arms_file(arms, body, perception, video), inputs.arm_at_table(backend, body, arm)
    if backend == "xarm" and body is None and shared is None:
        from cli.arm_solve import solve_arm

        return solve_arm(text, goals[0] if goals else None, llm, arm, out, json_output)
    with quiet_stdout() as stdout:
        asked = planners.asks_model(planner) or repair is not None
        model = load_model(llm) if text is not None or asked else None
        sight = text is not None and model is not None and model.sees
        task, loaded = _prepare(scene, domain, planner, video, sight, perception == "camera")
        inputs.disturbed(disturb, perception)
        seed = task.seed if seed is None else seed
        if text is None and not goals:
            text, goals = _own(task)
        if text is not None and model is None:
            model = load_model(llm)
            sight = _sees(model, video)
        eyes = in_words(_label(backend, shared or body, perception == "camera", bool(goals), noise))
        say(f"tamp: {', then '.join(goals) or repr(text)} in {task.name} ({eyes}, seed {seed})")
        said = None if goals else text
        settings = _settings(loaded, planners.find(planner, model), seed, init_state, video, sight, said)
        advises = None if repair is None else partial(Advisor, _known(model), loaded)
        settings = replace(settings, overlay=overlay, calibration=calibration, disturb=disturb, advises=advises)
        settings = replace(settings, body=body, twice=backend == "xarm" and arm.twice)
        given = from_pddl(goals, untouched, loaded) if goals else None
        if perception == "camera" and backend == "libero":
            recipe = camera.recipe(domain, planner, llm, not goals, assume_first, searches, repair)
            result = _run(lambda folder: _seen(task, given, settings, recipe, noise, folder), task, out)
        else:
            seeing = camera.seeing(model, assume_first, searches) if perception == "camera" else None
            read = given or seeing
            source = given if read else from_language(str(text), _known(model), task, assume_first, asks=True)
            with _performing(backend, at, shared, arm, seeing) as run:
                result = _run(lambda folder: run(task, source, settings, folder, _progress), task, out)
        return result if isinstance(result, int) else _ended(result, json_output, stdout)


def _ended(result: Result, json_output: bool, stdout: TextIO) -> int:
    """The exit code of an episode, which is told."""
    if result.reason is not None:
        say(f"tamp: no: {result.reason}")
    if json_output:
        emit_json(result.as_dict(), stdout)
    else:
        report(result, stdout)
    if result.stage == "stopped":
        return INTERRUPTED
    return 0 if result.good else 1


def _label(backend: str, body: object | None, sees: bool, given: bool, noise: str) -> str:
    """How the result will say what saw."""
    if backend == "libero":
        return by_camera(given, noise) if sees else "oracle"
    if backend == "xarm":
        return through_sdk(str(body), sees, given)
    return in_physics(backend, body, sees, given)


def _prepare(scene: str, domain: str, planner: str, video: bool, sight: bool, camera: bool) -> tuple[Task, Domain]:
    """Check everything that can be checked without a simulation."""
    from tamp.backends.libero import rendering

    rendering.prepare(video, sight, camera=camera, may=True)
    with hush_simulator():
        from tamp.backends.libero import tasks

        task = tasks.find(scene)
    loaded = inputs.domain(domain)
    tasks.check_goal(task, loaded)
    inputs.planner(planner)
    return task, loaded


def _own(task: Task) -> tuple[str | None, list[str]]:
    """What a scene itself asks for: its goal, else its instruction."""
    if task.goal is not None:
        return None, [task.goal]
    if not task.instruction:
        raise InputError(f"{task.name} has neither goal nor instruction: {inputs.UNSAID}")
    return words.instruction(task.instruction), []


def _sees(model: Model, video: bool) -> bool:
    """Whether the model is shown a picture; InputError where it would be and none can be drawn."""
    from tamp.backends.libero import rendering

    if model.sees:
        rendering.prepare(video, sight=True)
    return model.sees


def _settings(
    domain: Domain,
    planner: Planner,
    seed: int,
    init_state: int | None,
    video: bool,
    sight: bool,
    said: str | None,
) -> Settings:
    with hush_simulator():
        from tamp.runs.episode import Settings

    return Settings(domain, planner, seed, init_state, video, sight, said=said)


def from_pddl(texts: list[str], untouched: list[str], domain: Domain) -> GoalSource:
    """A goal source that takes goals as they are written, one after the other."""
    from tamp.model.goal import check_form
    from tamp.perception.written_goals import goals_in

    for text in texts:
        check_form(text, domain)

    def source(scene: Scene, state: WorldState, domain: Domain, _: EpisodeLog, image: bytes | None) -> tuple[Goal, ...]:
        return goals_in(scene, state, domain, texts, untouched)

    return source


def load_model(name: str) -> Model:
    """What `--llm` names; weights are loaded at the first question. InputError when it is missing."""
    from llm.backends.load import load

    return load(name)


def from_language(text: str, model: Model, task: Task, assume_first: bool, *, asks: bool = False) -> GoalSource:
    """A goal source that decodes `text`, with all that was said in the episode's log.

    With `asks` a person at the terminal is asked where the words fit several things, or nothing that is there.
    """

    def source(
        scene: Scene, state: WorldState, domain: Domain, log: EpisodeLog, image: bytes | None = None
    ) -> tuple[Goal, ...]:
        from cli.asking import settled
        from llm.instructions import goals_of

        hush_warnings()
        say("tamp: reading the instruction")
        if image is not None:
            log.write("view.png", image)

        def read(words: str) -> tuple[Goal, ...]:
            answer = goals_of(
                words,
                scene,
                state,
                domain,
                model,
                log,
                names=task.names,
                assume_first=assume_first,
                image=image,
            )
            if answer.ambiguous:
                n = 1 + len(answer.alternatives)
                say(f"tamp: the instruction fits {n} goals; taking the model's: {answer.goal}")
            return answer.goals

        return settled(text, read, log, asks=asks)

    return source


def _known(model: Model | None) -> Model:
    assert model is not None
    return model


def told_by(backend: str, seeing: Seeing | None = None, shared: Arms | None = None) -> Callable[..., Result]:
    """What runs an episode in a simulator, with its state for eyes, or `seeing`; with several arms, if there are."""
    if backend == "pybullet" and shared is not None:
        from tamp.backends.pybullet.arms_run import run as with_arms

        return partial(with_arms, arms=shared)
    if backend in ("pybullet", "mujoco"):
        from tamp.backends.physics.run import run as run_in

        return partial(run_in, backend, seeing=seeing)
    from tamp.backends.libero.run import run

    return run


def _performing(
    backend: str, at: ArmAddress | None, shared: Arms | None, arm: inputs.RealArm, seeing: Seeing | None
) -> AbstractContextManager[Callable[..., Result]]:
    """What runs an episode outside LIBERO's cameras."""
    there = at or shared
    if backend == "xarm" and there is not None:
        return on_arm(there, arm, seeing)
    return nullcontext(told_by(backend, seeing, shared))


@contextmanager
def on_arm(
    at: ArmAddress | Arms, arm: inputs.RealArm, seeing: Seeing | None = None
) -> Iterator[Callable[..., Result]]:
    """What runs an episode on an arm, or on several, which Ctrl-C, SIGTERM and a dead man stop; Refusal of the rest
    then."""
    from cli.arm_run import listen, stopped_by_signals
    from tamp.backends.arms_file import Arms
    from tamp.backends.xarm.address import CONTROL_PORT
    from tamp.backends.xarm.arms_run import run as run_arms
    from tamp.backends.xarm.stopping import Stop
    from tamp.backends.xarm.table_run import run

    stop = Stop(arm.dead_man)
    made: Callable[..., Result]
    if isinstance(at, Arms):
        made = partial(run_arms, arms=at, port=arm.port or CONTROL_PORT, eyes=inputs.eyes(arm), stop=stop)
    else:
        made = partial(run, at=at, stop=stop, seeing=seeing)
    with stopped_by_signals(stop):
        if arm.dead_man is not None:
            threading.Thread(target=listen, args=(stop,), daemon=True).start()
        yield made


def _seen(
    task: Task, given: GoalSource | None, settings: Settings, recipe: camera.Recipe, noise: str, folder: Path
) -> Result:
    """An episode with cameras for eyes."""
    from tamp.backends.libero.camera_run import run_camera

    process = camera.process(recipe)
    try:
        noisy, seeing = camera.noise(noise, settings.seed), by_camera(settings.said is None, noise)
        return run_camera(task, given, settings, process, folder, _progress, noise=noisy, perception=seeing)
    finally:
        process.close()


def _run(episode: Callable[[Path], Result], task: Task, out: Path | None) -> Result | int:
    """The episode's result, or the exit code of an interrupted one."""
    folder = out or new_folder(EPISODES, task.name.replace("/", "-"))
    try:
        return episode(folder)
    except (KeyboardInterrupt, Exception) as error:
        if debugging() or not is_interrupt(error):
            raise
        say(f"tamp: interrupted; what was done is in {folder}")
        return INTERRUPTED


def _progress(line: str) -> None:
    say(f"tamp: {line}")


def report(result: Result, out: TextIO) -> None:
    """The result for people: a label and its value a line."""
    lines = [
        ("verdict", f"{_verdict(result)} ({in_words(result.perception)})"),
        *([("task", "LIBERO's check of the scene's own task was not asked for")] if result.task is None else []),
        *_goal_lines(result),
        *(("plan" if n == 0 else "", action) for n, action in enumerate(result.plan or ["none"])),
        *_done_lines(result),
        *result.lines(),
        ("seconds", ", ".join(f"{stage} {taken:.1f}" for stage, taken in result.seconds.items())),
        ("steps", _steps(result)),
        *([("reason", f"{result.stage}: {result.reason}")] if result.reason else []),
        ("episode", result.out),
    ]
    if out.isatty():
        _coloured(lines, result.success, out)
    else:
        out.writelines(f"{label:9}{value}\n" for label, value in lines)


def _verdict(result: Result) -> str:
    """In words: what was asked for, by LIBERO's check where it is the scene's own task."""
    if result.task is None:
        return f"{'success' if result.reached else 'no success'} by the oracle of the goal"
    kept = "" if not result.task else ", and it lasts" if result.lasting else ", but it does not last"
    return f"{'success' if result.task else 'no success'} by LIBERO's check{kept}"


def _done_lines(result: Result) -> list[tuple[str, str]]:
    """What was carried out, where that is not the plan that was made at first."""
    other = result.executed and result.executed != result.plan[: len(result.executed)]
    return [("done" if n == 0 else "", action) for n, action in enumerate(result.executed if other else [])]


def _steps(result: Result) -> str:
    """The control steps that benchmarks count, and all: those told of the actions add up to these."""
    if result.steps == result.total_steps:
        return str(result.steps)
    return f"{result.steps} to the last release or push, {result.total_steps} in all"


def _goal_lines(result: Result) -> list[tuple[str, str]]:
    goals = [result.goal or "none"] if not isinstance(result.goal, list) else result.goal
    return [
        *(("then" if n else "goal", goal) for n, goal in enumerate(goals)),
        *(("of these", alternative) for alternative in result.alternatives),
        *([("alone", ", ".join(result.untouched))] if result.untouched else []),
    ]


def _coloured(lines: list[tuple[str, str]], success: bool, out: TextIO) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=out, highlight=False, soft_wrap=True)
    colours: dict[str, str] = {"verdict": "bold green" if success else "bold red", "reason": "yellow"}
    for label, value in lines:
        console.print(Text.assemble((f"{label:9}", "dim"), (value, colours.get(label, ""))))
