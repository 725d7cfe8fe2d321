"""`make bench-live`: what live sessions promise, measured.

    python tests/bench_live.py [stop] [stuck] [both] [late] [kill] [--n N] [--minutes M] [--seed S]

`stop`: LIBERO tasks are stopped at drawn moments: seconds of the simulation to standstill, what was dropped or knocked.
`stuck`: five things go wrong on purpose: within how long that is told, and how it ends. `both`: the arm works
towards a goal while `watch` looks, which is started and stopped at drawn moments. `late`: sessions in real time
with planning and reading going on: control periods that begin late. `kill`: a session on the emulated arm is killed in
mid-motion: whether its log reads to the end, and whether a new session goes on from where the arm is.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array, error, pose
from tamp.agent.orders import Start, Stop
from tamp.agent.tabletop import STANDS_STILL
from tamp.backends.libero import rendering
from tamp.backends.libero.environment import ROBOT, LiberoEnvironment
from tamp.backends.libero.goals import goal_regions, task_goal
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.tasks import suite_tasks
from tamp.model.events import ActionEnded
from tamp.model.goal import Goal
from tamp.model.scene import Scene
from tamp.runs.episode_log import read
from tamp.runs.task_check import ContactMonitor
from tests.emulated import TAMP, running
from tests.live_sessions import Live, session_on

SUITE = "libero_goal"
QUIET = 2.0
"""Seconds after a stop within which nothing may move."""
STIFF = 0.07
"""Metres to which blocked fingers close."""
MOVED, TURNED = 0.01, 0.2
"""Metres and radians from which a thing counts as moved."""
ROOT = Path(__file__).parents[1]
WORLD = ROOT / "problems" / "xarm" / "bench.toml"


@dataclass(eq=False)
class Scenes:
    """LIBERO tasks, each built once."""

    seed: int

    def drawn(self, n: int) -> Iterator[tuple[Live, Goal, np.random.Generator]]:
        """Sessions on tasks in turn, each in its own initial state, with the task's goal."""
        for i, task in enumerate(suite_tasks(SUITE)):
            environment = LiberoEnvironment(task, init_state=0)
            try:
                for k in range(i, n, 10):
                    environment.reset(init_state=k // 10)
                    perceiver = OraclePerceiver(environment, goal_regions(environment))
                    live = session_on(environment, perceiver, environment.robot_model(), "")
                    yield live, task_goal(environment, perceiver.perceive()), np.random.default_rng([self.seed, k])
            finally:
                environment.close()


def stop(asked: argparse.Namespace) -> Iterator[str]:
    """Stopped at drawn moments."""
    seconds, faults = [], Counter[str]()
    for live, goal, rng in Scenes(asked.seed).drawn(asked.n):
        live.session.pursue(goal)
        live.run(float(rng.uniform(0.2, 4.0)))
        scene, _, situation = live.table.look()
        doing = live.session.state().splitlines()[1]
        live.tell(Stop())
        seconds.append(standstill(live))
        live.run(QUIET)
        after, _, then = live.table.look()
        dropped = situation.held is not None and then.held != situation.held
        pushed = knocked(scene, after, {situation.held, then.held})
        faults["dropped"] += dropped
        faults["knocked"] += bool(pushed)
        if dropped or pushed or seconds[-1] > 0.3:
            held = f"held {situation.held}, then {then.held}; " if dropped else ""
            yield f"stop: {doing}: {seconds[-1]:.2f} s; {held}{', '.join(pushed)}"
    s = np.array(seconds)
    most = f"95 % {np.quantile(s, 0.95):.2f}, worst {s.max():.2f}"
    yield f"stop: {len(s)} moments; standstill median {np.median(s):.2f} s, {most}"
    yield f"      dropped {faults['dropped']}, knocked over or pushed {faults['knocked']}"


def standstill(live: Live) -> float:
    """Seconds from now until the tool stands still, and stays so for five control periods."""
    begin, last, still = live.session.time, live.backend.observe().T_world_tool, 0
    while still < 5 and live.session.time < begin + 3.0:
        live.run(live.backend.period)
        T = live.backend.observe().T_world_tool
        e = error(last, T)
        slow = (np.linalg.norm(e[:3]) + 0.2 * np.linalg.norm(e[3:])) / live.backend.period < STANDS_STILL
        still, last = still + 1 if slow else 0, T
    return live.session.time - begin - 5 * live.backend.period


def knocked(before: Scene, after: Scene, held: set[str | None]) -> list[str]:
    """Things that are elsewhere, but for what was held."""
    out = []
    for o in before:
        if o.movable and o.name not in held:
            e = error(o.T_world_object, after.object(o.name).T_world_object)
            if np.linalg.norm(e[:3]) > MOVED or np.linalg.norm(e[3:]) > TURNED:
                out.append(o.name)
    return out


def stuck(asked: argparse.Namespace) -> Iterator[str]:
    """Things that go wrong on purpose; the time counts from when that first makes a difference."""
    for kind, spoil in SPOILS.items():
        told, ends = [], Counter[str]()
        for live, goal, rng in Scenes(asked.seed).drawn(asked.n):
            live.session.pursue(goal)
            live.run(float(rng.uniform(0.3, 1.5)))
            matters = spoil(live)
            begin = seen = np.inf
            end = live.session.time + 60.0
            while live.session.time < end and any(not a.over for a in live.session.activities):
                live.run(live.backend.period)
                begin = live.session.time if begin == np.inf and matters() else begin
                seen = live.session.time if seen == np.inf and noticed(live) else seen
            _, state, _ = live.table.look()
            (activity,) = live.session.activities
            ended = "mended" if not goal.missing(state) else "given up" if activity.stage == "failed" else "no end"
            ends[ended if begin < np.inf else f"{ended}, it made no difference"] += 1
            told += [seen - begin] if begin < np.inf else []
        within = sum(t <= 2.0 for t in told)
        least = f"median {np.median(told):.2f} s, worst {max(told):.2f}" if told else ""
        yield f"stuck, {kind}: told within 2 s {within}/{len(told)}, {least}; {dict(ends)}"


def noticed(live: Live) -> bool:
    """Whether the session has said that something is not as it should be."""
    doing = live.table.doing
    return bool(doing and doing.waits_for) or any(isinstance(e, ActionEnded) and not e.success for e in live.events)


Matters = Callable[[], bool]
"""Whether what was spoilt has made a difference by now."""


def _arm_held(live: Live) -> Matters:
    command = live.backend.command
    live.backend.command = lambda _, opening: command(np.zeros(6), opening)  # type: ignore[method-assign]
    return lambda: True


def _fingers(live: Live) -> Matters:
    command, asked = live.backend.command, []

    def stiff(displacement: Array, opening: float) -> None:
        asked.extend([opening] if opening < STIFF else [])
        command(displacement, max(opening, STIFF))

    live.backend.command = stiff  # type: ignore[method-assign]
    return lambda: bool(asked)


def _glued(live: Live) -> Matters:
    environment = live.backend
    assert isinstance(environment, LiberoEnvironment)
    model = environment.sim.model._model
    for thing in environment.domain.objects_dict.values():
        model.body_mass[model.body(thing.root_body).id] = 1000.0
    return touched(live, [o.name for o in live.table.look()[0] if o.movable])


def _joints_held(live: Live) -> Matters:
    environment = live.backend
    assert isinstance(environment, LiberoEnvironment)
    model = environment.sim.model._model
    for thing in environment.domain.fixtures_dict.values():
        for joint in getattr(thing, "joints", []):
            model.dof_frictionloss[model.joint(joint).dofadr] = 1e4
    return touched(live, list(environment.domain.fixtures_dict))


def _walled(live: Live) -> Matters:
    """Something stands where the tool is about to go."""
    environment, scene = live.backend, live.table.look()[0]
    assert isinstance(environment, LiberoEnvironment)
    doing = live.table.doing
    movable = [o for o in scene if o.movable and not (doing and o.name in doing.operands)]
    T = environment.observe().T_world_tool
    environment.put(movable[0].name, pose(T[:3, 3] + 0.1 * T[:3, 2], movable[0].T_world_object[:3, :3]))
    return lambda: True


def touched(live: Live, things: list[str]) -> Matters:
    """Whether the robot touches one of them."""
    environment = live.backend
    assert isinstance(environment, LiberoEnvironment)
    contacts = ContactMonitor(environment, live.table.look()[0])
    return lambda: any({a, b} == {ROBOT, thing} for _, _, a, b in contacts.pairs() for thing in things)


SPOILS: dict[str, Callable[[Live], Matters]] = {
    "arm held": _arm_held,
    "fingers blocked": _fingers,
    "things glued": _glued,
    "drawers held": _joints_held,
    "path walled": _walled,
}


def both(asked: argparse.Namespace) -> Iterator[str]:
    """Two activities at one time, on the arm and on the eyes."""
    ran, reached, n = 0, 0, 0
    for live, goal, rng in Scenes(asked.seed).drawn(asked.n):
        live.session.pursue(goal)
        (working,) = live.session.activities
        live.run(float(rng.uniform(0.0, 1.0)))
        live.tell(Start("watch"))
        live.run(live.backend.period)
        watching, seconds, overlap = live.activity("watch"), float(rng.uniform(1.0, 10.0)), 0.0
        while overlap < seconds and not working.over and not watching.over:
            live.run(live.backend.period)
            overlap += live.backend.period
        ran += watching.stage == "acting" and overlap > 0
        live.tell(Stop("watch"))
        live.run(live.backend.period)
        live.run(60.0, lambda working=working: working.over)
        good = not goal.missing(live.table.look()[1]) and watching.stage == "stopped"
        if not good:
            yield f"both: {working}: {working.waits_for}"
        reached += good
        n += 1
    yield f"both: {n} times; ran side by side {ran}, the watch was stopped alone and the goal reached {reached}"


def late(asked: argparse.Namespace) -> Iterator[str]:
    """Sessions in real time, with what is said drawn from LIBERO's own sentences and single actions."""
    periods, over, seconds = 0, [], 60.0 * asked.minutes
    rng, begin, sessions = np.random.default_rng(asked.seed), time.monotonic(), 0
    tasks = suite_tasks(SUITE)
    while time.monotonic() - begin < seconds:
        task = int(rng.integers(len(tasks)))
        said = [tasks[task].instruction, "wave", tasks[int(rng.integers(len(tasks)))].instruction]
        entries: list[dict[str, Any]] = [{"at": 1, "start": "watch"}, {"at": 12, "say": said[0]}]
        entries += [{"at": 35, "say": said[2]}, {"at": 40, "stop": ""}, {"at": 42, "start": "wave"}]
        entries += [{"at": 50, "stop": "wave"}, {"at": 50.5, "say": said[0]}]
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "script.jsonl"
            script.write_text("".join(json.dumps(e) + "\n" for e in entries))
            command = [*TAMP, "live", "--scene", f"{SUITE}/{task}", "--init-state", str(int(rng.integers(50)))]
            command += ["--script", str(script), "--json", "--seconds", "80", "--out", str(Path(folder) / "run")]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=200, cwd=ROOT)
        told = [json.loads(line) for line in done.stdout.splitlines()]
        periods += told[-1]["steps"]
        over += [e["seconds"] for e in told if e["event"] == "late"]
        sessions += 1
    ten, hundred = len(over), sum(s > 0.1 for s in over)
    worst = f", worst {max(over) * 1000:.0f} ms" if over else ""
    yield f"late: {sessions} sessions, {periods} periods of 50 ms; by 10 ms {ten} = {100 * ten / periods:.2f} %, "
    yield f"      by 100 ms {hundred}{worst}"


def kill(asked: argparse.Namespace) -> Iterator[str]:
    """kill -9 in mid-motion on the emulated arm, and a new session."""
    rng, logs, went_on = np.random.default_rng(asked.seed), 0, 0
    with running("xarm6", "--seconds", "3000") as emulator, tempfile.TemporaryDirectory() as folder:
        address = ["--host", emulator.host, "--port", str(emulator.port), "--world", str(WORLD)]
        for n in range(asked.n):
            out = Path(folder) / str(n)
            target = ("bin_drop", "home")[n % 2]
            process = subprocess.Popen(
                [*TAMP, "live", "--backend", "xarm", *address, "--json", "--out", str(out), "--seconds", "30"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                cwd=ROOT,
            )
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(f"start (move-to-named {target})\n")
            process.stdin.flush()
            while '"acting"' not in process.stdout.readline():
                pass
            time.sleep(float(rng.uniform(0.0, 0.8)))
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            logs += any(e["event"] == "order" for e in read(out / "episode.jsonl"))
            again = subprocess.run(
                [*TAMP, "live", "--backend", "xarm", *address, "--json", "--out", f"{out}-again", "--seconds", "30"],
                input=f"start (move-to-named {target})\n",
                capture_output=True,
                text=True,
                check=False,
                timeout=90,
                cwd=ROOT,
            )
            outcome = json.loads(again.stdout.splitlines()[-1]) if again.stdout else {}
            went_on += bool(outcome.get("success")) and '"done"' in again.stdout
    yield f"kill: {asked.n} times; the log reads to the end {logs}, a new session goes on {went_on}"


MEASURES = {"stop": stop, "stuck": stuck, "both": both, "late": late, "kill": kill}


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description="What live sessions promise.")
    parser.add_argument("measures", nargs="*", choices=[*MEASURES, []], default=list(MEASURES))
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    rendering.prepare(video=False)
    for name in asked.measures or MEASURES:
        for line in MEASURES[name](asked):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
