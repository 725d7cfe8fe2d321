"""`make accept`: what the project promises, measured through the command line and printed line by line.

    python tests/acceptance.py [--out DIR] [--only PART ...]

Every episode is a process of its own and its answer a file under --out, so that an interrupted run goes on
where it stopped. Exits 1 when a line does not hold.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import from_quat
from tamp.runs.episode_log import read

ROOT = Path(__file__).parents[1]
TAMP = Path(sys.executable).with_name("tamp")
DEMO = "put the mug in the drawer"
SEEDS = range(20)
SUITES = ("libero_spatial", "libero_object", "libero_goal", "libero_10")
INSTRUCTED = ("libero_spatial/0", "libero_object/0", "libero_goal/3", "libero_goal/7", "libero_10/3")
INIT_STATES = range(5)

Answer = dict[str, Any]


@dataclass(frozen=True)
class Line:
    """One promise: what is due, what was measured, and whether it holds."""

    promise: str
    due: str
    measured: str
    holds: bool


class Runner:
    """Runs commands and keeps their answers, by name, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "answers").mkdir(parents=True, exist_ok=True)

    def tamp(self, name: str, *arguments: str, **environment: str) -> Answer:
        """A `tamp … --json`: exit code, wall seconds, its object as `json` (or None), its last line."""
        path = self.folder / "answers" / f"{name}.json"
        if path.exists():
            return dict(json.loads(path.read_text()))
        say(f"{name}: tamp {' '.join(a if len(a) < 60 else a[:40] + '…' for a in arguments)}")
        start = time.monotonic()
        done = subprocess.run(
            [TAMP, *arguments, "--json"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **environment},
        )
        if done.returncode == 130:
            raise KeyboardInterrupt
        answer = {
            "exit": done.returncode,
            "seconds": time.monotonic() - start,
            "json": json.loads(done.stdout) if done.stdout.strip() else None,
            "said": done.stderr.splitlines()[-1:],
            "traceback": "Traceback" in done.stderr,
        }
        path.write_text(json.dumps(answer))
        return answer

    def solve(self, name: str, *arguments: str) -> Answer:
        """A `tamp solve`, its episode beside the answers; a half one of an interrupted run is set aside."""
        episode = self.folder / "episodes" / name
        if episode.exists() and not (self.folder / "answers" / f"{name}.json").exists():
            episode.rename(episode.with_name(f"{name}-interrupted-{time.time_ns()}"))
        return self.tamp(name, "solve", *arguments, "--out", str(episode))


def say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def demo(run: Runner) -> list[Line]:
    """The demo on 20 seeds: success, that it lasts, upright, steps, wall time and language time."""
    names = [f"demo-{seed}" for seed in SEEDS]
    answers = [run.solve(n, DEMO, "--seed", str(seed)) for n, seed in zip(names, SEEDS, strict=True)]
    told = [a["json"] or {} for a in answers]
    n = len(answers)
    successes = sum(bool(t.get("success")) for t in told)
    ends = [end_of(run.folder / "episodes" / name) for name in names]
    held_up = sum(bool(t.get("lasting")) and e is not None and e[0] for t, e in zip(told, ends, strict=True))
    tilts = [e[1] for e in ends if e is not None]
    steps = max((t.get("steps", math.inf) for t in told if t.get("success")), default=math.inf)
    wall = statistics.median(a["seconds"] for a in answers)
    language = [t.get("seconds", {}).get("language", math.inf) for t in told]
    upright = f"{max(tilts, default=math.inf):.0f}°, {len(tilts)} measured"
    middle = statistics.median(language)
    failed = [f"{seed}: {t.get('stage')}" for seed, t in zip(SEEDS, told, strict=True) if not t.get("success")]
    note = f" (seed {', '.join(failed)})" if failed else ""
    return [
        Line("demo succeeds by LIBERO's check", f"{n} of {n}", f"{successes} of {n}{note}", successes == n),
        Line("… holds 20 steps later, hand empty", f"{n} of {n}", f"{held_up} of {n}", held_up == n),
        Line("… what was moved stands upright", "within 20°", upright, len(tilts) == n and max(tilts) <= 20),
        Line("… control steps, the most", "300", f"{steps}", steps <= 300),
        Line("… wall seconds, median", "40", f"{wall:.1f}", wall <= 40),
        Line("… of which language, median", "8", f"{middle:.1f}", middle <= 8),
    ]


def end_of(episode: Path) -> tuple[bool, float] | None:
    """Whether the hand is empty at the end, and by how many degrees the goal's first thing leans then.

    From the poses (x y z, quaternion w x y z) of the log's events `scene` and `final`; None without them.
    """
    log = episode / "episode.jsonl"
    events = {e["event"]: e for e in read(log)} if log.exists() else {}
    before, after = events.get("scene", {}).get("poses"), events.get("final", {}).get("poses")
    if before is None or after is None or "goal" not in events:
        return None
    name = events["goal"]["goal"].replace("(and ", "").strip("()").split()[1].strip(")")
    return "(hand-empty)" in events["final"]["atoms"], turned(before[name][3:], after[name][3:])


def turned(quat_before: list[float], quat_after: list[float]) -> float:
    """Degrees between the world's vertical and what was vertical in the body before (quaternions w x y z)."""
    up_in_body = from_quat(np.zeros(3), np.array(quat_before))[:3, :3].T @ [0.0, 0.0, 1.0]
    up_now = from_quat(np.zeros(3), np.array(quat_after))[:3, :3] @ up_in_body
    return math.degrees(math.acos(min(1.0, float(up_now[2]))))


def and_close_it(run: Runner) -> list[Line]:
    """A drawer that cannot shut on the mug is an honest no with the two heights."""
    a = run.solve("and-close-it", f"{DEMO} and close it")
    reason = str((a["json"] or {}).get("reason"))
    heights = reason.count(" cm") >= 2 and "clearance" in reason
    measured = f"exit {a['exit']}: {reason}"
    return [Line("'… and close it' is refused, with heights", "exit 1", measured, a["exit"] == 1 and heights)]


def task_goals(run: Runner) -> list[Line]:
    """Initial state 0 of 40 tasks, from the task's own goal."""
    scores = {}
    for suite in SUITES:
        folder = run.folder / "bench" / suite
        run.tamp(f"bench-{suite}", "bench", suite, "--stage", "plan", "--trials", "1", "--out", str(folder))
        records = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
        scores[suite] = sum(r["success"] for r in records)
        for r in records:
            if not r["success"]:
                say(f"  {suite}/{r['task_id']}: {r['failure_stage']}: {r['failure_reason']}")
    each = [Line(f"task goals, {s}", "7 of 10", f"{k} of 10", k >= 7) for s, k in scores.items()]
    total = sum(scores.values())
    return [Line("task goals, initial state 0, oracle", "32 of 40", f"{total} of 40", total >= 32), *each]


def instructions(run: Runner) -> list[Line]:
    """The instruction as `tamp scene show` gives it, on initial states 0 to 4."""
    lines = []
    for scene in INSTRUCTED:
        label = scene.replace("/", "-")
        shown = run.tamp(f"show-{label}", "scene", "show", scene, "--init-state", "0")
        text = (shown["json"] or {}).get("instruction", "")
        answers = [run.solve(f"told-{label}-{k}", text, "--scene", scene, "--init-state", str(k)) for k in INIT_STATES]
        good = sum(bool((a["json"] or {}).get("success")) for a in answers)
        why = {str(a["json"]["reason"] if a["json"] else a["said"]) for a in answers if a["exit"]}
        n = len(INIT_STATES)
        lines.append(
            Line(
                f"from words, {scene}",
                f"{n} of {n}",
                f"{good} of {n} {'; '.join(sorted(why))}".strip(),
                good == n,
            )
        )
    return lines


BAD_INPUT: dict[str, tuple[int, tuple[str, ...], str]] = {
    "unknown scene": (2, (DEMO, "--scene", "nowhere"), "unknown scene"),
    "unknown suite": (2, (DEMO, "--scene", "libero_gaol/0"), "unknown suite"),
    "unknown task": (2, (DEMO, "--scene", "libero_goal/10"), "valid: libero_goal/0"),
    "nothing in the scene": (1, ("put the elephant in the bathtub",), "names nothing in the scene"),
    "empty instruction": (2, ("",), "empty"),
    "10,000 characters": (2, ("mug " * 2500,), "10,000 characters"),
    "malformed goal": (2, ("--goal", "(in mug_1"), "goal, column 1"),
    "broken domain": (2, (DEMO, "--domain", "BROKEN"), "domain.pddl:"),
    "missing weights": (2, (DEMO,), "tamp model pull"),
}


def bad_input(run: Runner) -> list[Line]:
    """Each: one clear message, the right exit code, no traceback."""
    broken, empty = run.folder / "broken", run.folder / "no-models"
    broken.mkdir(exist_ok=True)
    empty.mkdir(exist_ok=True)
    (broken / "domain.pddl").write_text("(define (domain broken)\n  (:predicates (a)\n")
    lines = []
    for name, (due, arguments, says) in BAD_INPUT.items():
        words = [str(broken) if a == "BROKEN" else a for a in arguments]
        environment = {"TAMP_MODELS": str(empty)} if name == "missing weights" else {}
        label = f"bad-{name.replace(' ', '-').replace(',', '')}"
        a = run.tamp(label, "solve", *words, "--out", str(run.folder / "episodes" / label), **environment)
        message = " ".join([*a["said"], str((a["json"] or {}).get("reason", ""))])
        holds = a["exit"] == due and says in message and not a["traceback"]
        lines.append(Line(f"bad input: {name}", f"exit {due}", f"exit {a['exit']}: {message.strip()[:90]}", holds))
    return lines


def tested(label: str, promise: str, *selection: str) -> Callable[[Runner], list[Line]]:
    """A part that pytest runs; its answer is pytest's last line."""

    def part(run: Runner) -> list[Line]:
        path = run.folder / "answers" / f"pytest-{label}.txt"
        if not path.exists():
            say(f"pytest-{label}")
            command = [sys.executable, "-m", "pytest", "-q", *selection]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            if done.returncode in (2, 130):
                raise KeyboardInterrupt
            path.write_text(done.stdout)
        last = path.read_text().strip().splitlines()[-1].strip("= ")
        return [Line(promise, "all pass", last, " passed" in last and "failed" not in last and "error" not in last)]

    return part


PARTS: dict[str, Callable[[Runner], list[Line]]] = {
    "bad-input": bad_input,
    "edits": tested(
        "edits",
        "editing the domain changes the plan; interrupted runs",
        *(
            "tests/tamp/test_domain_edits.py",
            "tests/cli/test_solve.py",
            "-k",
            "edit or operator or interrupt or opened",
        ),
    ),
    "weights": tested("weights", "weights: missing, wrong sha256, partial", "tests/llm/test_weights.py"),
    "skills": tested(
        "skills", "skills in real physics", "tests/tamp", "tests/motion", "-m", "episode", "--seeds", "10"
    ),
    "demo": demo,
    "close": and_close_it,
    "words": instructions,
    "tasks": task_goals,
}


def table(lines: list[Line]) -> str:
    """Plain text, a promise a line."""
    wide = [max(len(getattr(x, column)) for x in lines) for column in ("promise", "due")]
    return "".join(
        f"{'ok  ' if x.holds else 'FAIL'}  {x.promise:{wide[0]}}  {x.due:{wide[1]}}  {x.measured}\n" for x in lines
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what the project promises.")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "acceptance")
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=", ".join(PARTS))
    arguments = parser.parse_args()
    run, lines = Runner(arguments.out.resolve()), list[Line]()
    say(f"answers and episodes go to {run.folder}; an interrupted run goes on there")
    try:
        for name in arguments.only or PARTS:
            say(f"-- {name}")
            lines += PARTS[name](run)
    except KeyboardInterrupt:
        say("interrupted; the same command goes on")
        return 130
    sys.stdout.write(table(lines))
    (run.folder / "table.txt").write_text(table(lines))
    return 0 if all(line.holds for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
