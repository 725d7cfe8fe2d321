"""Episodes of LIBERO's suites, of scene files or of drawn worlds, scored; an interrupted run goes on."""

from __future__ import annotations

import contextlib
import hashlib
import re
import subprocess
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamp.api import arguments, language
from tamp.api.bench_episodes import DemoOptions, Setup, record
from tamp.api.configs import WORLDS, BenchConfig
from tamp.api.sources import Say
from tamp.data import located
from tamp.errors import InputError, TampError, is_interrupt
from tamp.quiet import debugging, hush_simulator
from tamp.runs.bench.compare import Comparison, compare
from tamp.runs.bench.records import EpisodeRecord, Results, read
from tamp.runs.bench.scheduling import ATTEMPTS, Key
from tamp.runs.bench.wordings import Wording, load
from tamp.runs.episode_log import new_folder

if TYPE_CHECKING:
    from tamp.backends.libero.scene_description import Task
    from tamp.model.domain import Domain

Counted = Callable[[str, int], "AbstractContextManager[Callable[[str], None]]"]
"""Is called with what is begun and how many there are of it; yields what is called with a line for each one done."""


def common(config: BenchConfig, recording: DemoOptions | None = None) -> dict[str, Any]:
    """What all episodes of a results folder have in common, as its `settings.json` keeps it."""
    always = {name: getattr(config, name) for name in ("stage", "seed", "planner", "llm", "domain")}
    other: dict[str, tuple[Any, Any]] = {
        "clock": (config.clock, "paused"),
        "perception": (config.perception, "oracle"),
        "noise": (config.noise, "clean"),
        "calibration": (_digest(config.calibration), None),
        "disturb": (config.disturb, None),
        "backend": (config.simulator, "libero"),
        "body": (config.body, None),
        "wordings": (_digest(config.wordings), None),
        "objects": (_objects() if config.draws_worlds else [], []),
        "recording": (None if recording is None else asdict(recording), None),
    }
    return always | {name: value for name, (value, usual) in other.items() if value != usual}


def _objects() -> list[str]:
    """The things of the user's library, of which worlds have some, too."""
    with hush_simulator():
        from tamp.backends.libero import categories

        return categories.added()


def prepare(config: BenchConfig, recording: DemoOptions | None = None) -> Bench:
    """Check all that can be checked before an episode is run, and read what is in the results already; with a
    `recording`, for demonstrations. InputError for what is not valid."""
    from tamp.backends.libero import rendering

    rendering.prepare(video=False, may=True)  # what is checked with loads MuJoCo
    wanted = None if config.tasks is None else parse_ids(config.tasks)
    before = None if config.baseline is None else read(config.baseline)
    worded = _wordings(config)
    # here, once, what every worker would stumble over
    domain = arguments.domain(config.domain)
    keys = list(_keys(config, wanted, worded, domain, stored=recording is None))
    setup = Setup(config, config.out or new_folder(Path("results"), "bench"), _tree(), worded, recording)
    engine = _engine(config.engine)
    arguments.check_planner(config.planner)
    arguments.check_perception(config.simulator, config.body, config.perception, config.calibration)
    arguments.check_disturbance(config.disturb, config.perception)
    if config.asks_model:
        language.model(config.llm)
    results = Results(setup.folder)
    return Bench(setup, keys, engine, results, results.open(common(config, recording)), before)


@dataclass(frozen=True, eq=False)
class Bench:
    """A benchmark that is ready to be run: what is in the results already is not run again. `records` are those so
    far."""

    setup: Setup
    keys: list[Key]
    engine: Callable[..., Generator[EpisodeRecord]]
    results: Results
    records: list[EpisodeRecord]
    before: list[EpisodeRecord] | None

    @property
    def folder(self) -> Path:
        """Where the results go."""
        return self.setup.folder

    def run(self, counted: Counted, say: Say) -> bool:
        """Run the episodes that are missing; whether it was interrupted."""
        done = {r.key for r in self.records}
        due = [k for k in self.keys if k not in done]
        if done:
            say(f"{len(done)} episodes are there already, {len(due)} to go")
        workers, setup = self.setup.config.workers, self.setup
        try:
            with (
                contextlib.closing(self.engine(due, workers, setup, partial(_given_up, setup))) as arriving,
                counted("episodes", len(due)) as advance,
            ):
                for n, record in enumerate(arriving, 1):
                    self.results.add(record)
                    self.records.append(record)
                    advance(f"{n}/{len(due)} {line_of(record)}")
        except (KeyboardInterrupt, Exception) as error:
            if isinstance(error, TampError):
                say("what is finished is kept; the same command with the same --out goes on")
            if debugging() or not is_interrupt(error):
                raise
            return True
        return False

    def summary(self) -> dict[str, Any]:
        """Each suite's numbers so far, which are written with the results, as are the hardest of drawn worlds."""
        from tamp.runs.versions import versions

        if self.setup.config.draws_worlds:
            from tamp.runs.bench.worlds import keep_hardest

            keep_hardest(self.folder, self.records)
        return self.results.summarise(self.records, versions())

    def too_low(self, summary: dict[str, Any]) -> list[str]:
        """The suites that stay below the success rate that was asked for."""
        return [s for s, numbers in summary.items() if numbers["success_rate"] < (self.setup.config.min_success or 0.0)]

    def comparison(self) -> Comparison | None:
        """What became of the baseline's episodes; None without one."""
        return None if self.before is None else compare(self.before, self.records)


def _engine(name: str) -> Callable[..., Generator[EpisodeRecord]]:
    """What gives episodes to workers and brings their records."""
    if name == "ray":
        from tamp.runs.bench import cluster

        return cluster.run
    from tamp.runs.bench import workers

    return workers.run


def parse_ids(text: str) -> list[int]:
    """Task numbers from "0,3,5-7"; InputError naming the part that is none."""
    ids: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if first > last:
            raise InputError(f"--tasks {text!r}: {part.strip()!r} is no task number or range; valid: 0,3,5-7")
        ids += range(first, last + 1)
    return sorted(set(ids))


def _keys(
    config: BenchConfig, wanted: list[int] | None, worded: tuple[Wording, ...], domain: Domain, stored: bool
) -> Iterator[Key]:
    """What is to be run: of worlds the numbers, of each scene so many seeds, of suites the tasks' `stored` initial
    states, or so many seeds."""
    if config.draws_worlds:
        numbers = range(config.n or 0)
        if beyond := [i for i in wanted or [] if i not in numbers]:
            raise InputError(f"--n {config.n}: worlds are counted from 0: no world {beyond[0]}")
        yield from (Key(WORLDS, number, 0) for number in wanted or numbers)
        return
    suites = []
    for name in dict.fromkeys(config.suites or [w.suite for w in worded]):
        with hush_simulator():
            from tamp.backends.libero import tasks

            scenes = tasks.scenes_at(name)
            for scene in scenes:
                _check_scene(scene, tasks.find(scene), config, domain)
        yield from (Key(scene, 0, seed) for scene in scenes for seed in range(config.trials))
        suites += [] if scenes else [name]
    chosen = _tasks(suites, wanted if not worded else None, config.trials if stored else 0)
    yield from _reworded(chosen, worded, config.trials, wanted) if worded else _episodes(chosen, config.trials)


def _check_scene(name: str, task: Task, config: BenchConfig, domain: Domain) -> None:
    """InputError for a scene whose file does not say what is wanted, or not what the domain knows."""
    from tamp.backends.libero import tasks

    tasks.check_goal(task, domain)
    if task.mjcf is not None:
        raise InputError(f"{name} is an MJCF scene; valid: tamp solve --scene {name} --backend mujoco")
    if config.stage == "goal":
        raise InputError(f"{name}: --stage goal is for suites; valid: --stage plan or all")
    if task.goal is None and not task.is_checked and (config.stage == "plan" or not task.instruction):
        raise InputError(f'{name} has no goal; valid: a scene whose file says goal = "…"')


def _tasks(suites: list[str], wanted: list[int] | None, trials: int) -> list[Task]:
    """The tasks to run; InputError when one does not exist or has too few stored initial states."""
    with hush_simulator():
        from tamp.backends.libero import tasks

        chosen = []
        for suite in dict.fromkeys(suites):
            all_ = tasks.suite_tasks(suite)
            beyond = [i for i in wanted or [] if i >= len(all_)]
            if beyond or not all_:
                none = beyond[0] if beyond else 0
                raise InputError(f"{suite} has {len(all_)} tasks, counted from 0: no task {none}")
            chosen += [task for i, task in enumerate(all_) if wanted is None or i in wanted]
        for task in chosen:
            stored = len(tasks.initial_states(task))
            if stored < trials:
                raise InputError(f"{task.name}: --trials {trials}; stored initial states: {stored}")
    return chosen


def _tree() -> str | None:
    """The git tree of the checkout that tamp runs from, with "+changes" when it is dirty; None elsewhere."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return None
    try:
        tree, changed = (
            subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
            for words in (["rev-parse", "HEAD^{tree}"], ["diff", "--quiet", "HEAD"])
        )
    except OSError:
        return None
    if tree.returncode:
        return None
    return tree.stdout.strip() + ("+changes" if changed.returncode else "")


def _given_up(setup: Setup, k: Key) -> EpisodeRecord:
    reason = f"the process running it died {ATTEMPTS} times"
    return record(k, setup, None, {"failure_stage": "error", "failure_reason": reason})


def _episodes(tasks: list[Task], trials: int) -> Iterator[Key]:
    for task in tasks:
        for init_state in range(trials):
            yield Key(str(task.suite), int(task.task_id or 0), init_state)


def _wordings(config: BenchConfig) -> tuple[Wording, ...]:
    if config.wordings is None:
        return ()
    worded = load(located(config.wordings))
    if config.stage == "all" and any(w.refuse for w in worded):
        raise InputError(f"{config.wordings} has instructions to refuse; they are scored with --stage goal")
    return worded


def _digest(path: Path | str | None) -> str | None:
    """What tells one version of a file from another."""
    return None if path is None else hashlib.sha256(located(Path(path)).read_bytes()).hexdigest()


def _reworded(tasks: list[Task], worded: tuple[Wording, ...], trials: int, wanted: list[int] | None) -> Iterator[Key]:
    """An episode for every wording of a chosen task and every initial state."""
    chosen = {(str(t.suite), int(t.task_id or 0)) for t in tasks}
    for number, w in enumerate(worded, 1):
        if (w.suite, w.task_id) in chosen and (wanted is None or w.task_id in wanted):
            for init_state in range(trials):
                yield Key(w.suite, w.task_id, init_state, number)


def line_of(r: EpisodeRecord) -> str:
    """What became of an episode, in a line."""
    verdict = "success" if r.success else f"no: {r.failure_stage}: {r.failure_reason}"
    where = f"{r.task_name} init {r.init_state}" + (f" wording {r.wording}" if r.wording else "")
    return f"{where}  {r.wall_seconds:.0f} s  {r.steps} steps  {verdict}"
