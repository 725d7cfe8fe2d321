"""`tamp bench`: episodes of LIBERO's suites, one after another, scored; an interrupted run goes on."""

from __future__ import annotations

import re
import subprocess
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

from cli import inputs
from cli.output import INTERRUPTED, debugging, emit_json, hush_simulator, quiet_stdout, say
from cli.results import FIELDS, Key, Record, Results, key
from tamp.errors import InputError, TampError, is_interrupt

if TYPE_CHECKING:
    from llm.llama import Model
    from tamp.domain import Domain
    from tamp.goal import Goal
    from tamp.libero.tasks import Task

Stage = Literal["goal", "plan", "all"]

NOTHING: Record = {
    "success": False,
    "steps": 0,
    "planning_seconds": 0.0,
    "failure_stage": None,
    "failure_reason": None,
    "goal": None,
    "plan": [],
    "perception": "oracle",
    "lasting": False,
}
"""What a record says of an episode that came to nothing."""


@dataclass(frozen=True, eq=False)
class _Setup:
    """What every episode of a run shares."""

    stage: Stage
    seed: int
    planner: str
    domain: Domain
    model: Model | None
    folder: Path
    tree: str | None


def bench(
    suites: list[str],
    trials: int,
    tasks: str | None,
    stage: Stage,
    workers: int,
    out: Path | None,
    min_success: float | None,
    seed: int,
    planner: str,
    llm: str,
    domain: str,
    json_output: bool,
) -> int:
    """Run what is not in `out` yet and print the summary; 1 when a suite stays below `min_success`."""
    if workers > 1:
        raise InputError(f"--workers {workers}: episodes run one after another for now; valid: 1")
    wanted = None if tasks is None else parse_ids(tasks)
    with quiet_stdout() as stdout:
        chosen = _tasks(suites, wanted, trials)
        setup = _setup(stage, seed, planner, llm, domain, _folder(out))
        results = Results(setup.folder)
        shared = {"stage": stage, "seed": seed, "planner": planner, "domain": domain, "llm": llm}
        records = results.open(shared)
        say(f"tamp: results go to {setup.folder}")
        interrupted = _run(chosen, trials, setup, results, records)
        summary = _summary(results, records)
        if interrupted:
            say("tamp: interrupted; the same command with the same --out goes on")
            return INTERRUPTED
        emit_json(summary, stdout) if json_output else _table(summary, stdout)
    low = [s for s, numbers in summary.items() if numbers["success_rate"] < (min_success or 0.0)]
    if low:
        say(f"tamp: below --min-success {min_success:g}: {', '.join(low)}")
    return 1 if low else 0


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


def _tasks(suites: list[str], wanted: list[int] | None, trials: int) -> list[Task]:
    """The tasks to run; InputError when one does not exist or has too few stored initial states."""
    from tamp.libero import rendering

    rendering.prepare(video=False)
    with hush_simulator():
        from tamp.libero import tasks

        chosen = []
        for suite in dict.fromkeys(suites):
            all_ = tasks.suite_tasks(suite)
            beyond = [i for i in wanted or [] if i >= len(all_)]
            if beyond or not all_:
                none = beyond[0] if beyond else 0
                raise InputError(f"{suite} has {len(all_)} tasks, counted from 0: no task {none}")
            chosen += [task for i, task in enumerate(all_) if wanted is None or i in wanted]
        for task in chosen:
            stored = len(task.initial_states())
            if stored < trials:
                raise InputError(f"{task.name}: --trials {trials}; stored initial states: {stored}")
    return chosen


def _setup(stage: Stage, seed: int, planner: str, llm: str, domain: str, folder: Path) -> _Setup:
    from cli.solve import load_model

    loaded = inputs.domain(domain)
    inputs.planner(planner)
    model = None if stage == "plan" else load_model(llm)
    return _Setup(stage, seed, planner, loaded, model, folder, _tree())


def _folder(out: Path | None) -> Path:
    from tamp.episode import new_folder

    return out or new_folder(Path("results"), "bench")


def _tree() -> str | None:
    """The git tree of the checkout that tamp runs from, with "+changes" when it is dirty; None elsewhere."""
    root = Path(__file__).parent.parent
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


def _run(tasks: list[Task], trials: int, setup: _Setup, results: Results, records: list[Record]) -> bool:
    """Run the episodes that are missing, adding to `records`; whether it was interrupted."""
    done = {key(r) for r in records}
    due = [(task, k) for task, k in _episodes(tasks, trials) if k not in done]
    if done:
        say(f"tamp: {len(done)} episodes are there already, {len(due)} to go")
    try:
        for n, (task, k) in enumerate(due, 1):
            record = _episode(task, k, setup)
            results.add(record)
            records.append(record)
            say(f"{n}/{len(due)} {_line(record)}")
    except (KeyboardInterrupt, Exception) as error:
        if debugging() or not is_interrupt(error):
            raise
        return True
    return False


def _episodes(tasks: list[Task], trials: int) -> Iterator[tuple[Task, Key]]:
    for task in tasks:
        for init_state in range(trials):
            yield task, Key(str(task.suite), int(task.task_id or 0), init_state)


def _episode(task: Task, k: Key, setup: _Setup) -> Record:
    """One episode's record. What goes wrong in one is its result, and the next one runs."""
    start = time.perf_counter()
    folder = setup.folder / "episodes" / f"{k.suite}-{k.task_id}-{k.init_state}"
    try:
        outcome = (_goal_only if setup.stage == "goal" else _whole)(task, k, setup, _unused(folder))
    except TampError as e:
        outcome = {"failure_stage": "input", "failure_reason": str(e)}
    except Exception as e:
        if is_interrupt(e):
            raise
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "traceback.txt").write_text(traceback.format_exc(), encoding="utf-8")
        outcome = {"failure_stage": "error", "failure_reason": f"{type(e).__name__}: {e}"}
    told = {
        **NOTHING,
        **k._asdict(),
        "language": task.instruction,
        "seed": setup.seed,
        "wall_seconds": round(time.perf_counter() - start, 3),
        "tree": setup.tree,
        **outcome,
    }
    return {field: told[field] for field in FIELDS}


def _unused(folder: Path) -> Path:
    """`folder`, or that name with a number when an interrupted episode left its log there."""
    from tamp.episode import new_folder

    return folder if not folder.exists() else new_folder(folder.parent, folder.name)


def _whole(task: Task, k: Key, setup: _Setup, folder: Path) -> Record:
    """A real episode, from the task's own goal or from its instruction."""
    with hush_simulator():
        from tamp.libero.run import Settings, run

    from cli.solve import from_language

    source = None
    if setup.model is not None:
        source = from_language(task.instruction, setup.model, task, assume_first=False)
    settings = Settings(setup.domain, setup.planner, setup.seed, k.init_state)
    with hush_simulator():
        result = run(task, source, settings, folder, lambda line: None)
    return {
        "success": result.success,
        "steps": result.steps,
        "planning_seconds": round(result.seconds.get("plan", 0.0) + result.seconds.get("refine", 0.0), 3),
        "failure_stage": result.stage,
        "failure_reason": result.reason,
        "goal": result.goal,
        "plan": result.plan,
        "lasting": result.lasting,
    }


def _goal_only(task: Task, k: Key, setup: _Setup, folder: Path) -> Record:
    """Decode the goal and compare it with the task's; nothing moves."""
    from cli.scene import look
    from cli.solve import from_language
    from tamp.episode import EpisodeLog
    from tamp.libero.goals import task_goal

    assert setup.model is not None
    view = look(task, setup.seed, k.init_state)
    try:
        own = task_goal(view.environment, view.scene)
        with EpisodeLog(folder) as log:
            source = from_language(task.instruction, setup.model, task, assume_first=False)
            decoded = source(view.scene, view.state, setup.domain, log)
    finally:
        view.environment.close()
    same = equivalent(decoded, own, view.state.atoms)
    reason = None if same else f"decoded {decoded}, the task's goal is {own}"
    return {
        "success": same,
        "goal": str(decoded),
        "failure_stage": None if same else "goal",
        "failure_reason": reason,
    }


def equivalent(a: Goal, b: Goal, true: frozenset[Any]) -> bool:
    """Whether two goals ask for the same atoms, apart from those that are true at the start."""
    return set(a.atoms) - true == set(b.atoms) - true


def _summary(results: Results, records: list[Record]) -> dict[str, Any]:
    from tamp.versions import versions

    return results.summarise(records, versions())


def _line(r: Record) -> str:
    verdict = "success" if r["success"] else f"no: {r['failure_stage']}: {r['failure_reason']}"
    where = f"{r['suite']}/{r['task_id']} init {r['init_state']}"
    return f"{where}  {r['wall_seconds']:.0f} s  {r['steps']} steps  {verdict}"


def _table(summary: dict[str, Any], out: TextIO) -> None:
    out.write(f"{'suite':28} {'success':>9} {'95 %':>13} {'steps':>6} {'planning s':>10} {'per min':>8}\n")
    for suite, s in summary.items():
        interval = f"{s['wilson_low']:.2f} to {s['wilson_high']:.2f}"
        steps = "-" if s["mean_steps"] is None else f"{s['mean_steps']:.0f}"
        rate = "-" if s["episodes_per_minute"] is None else f"{s['episodes_per_minute']:.1f}"
        score = f"{s['successes']}/{s['episodes']}"
        planning = f"{s['median_planning_seconds']:.1f}"
        out.write(f"{suite:28} {score:>9} {interval:>13} {steps:>6} {planning:>10} {rate:>8}\n")
