"""`make bench-arm-stops`: what moves an arm is signalled, cut off or runs out of disk, at drawn moments.

`signals`: INT, TERM, HUP and QUIT to `tamp xarm run`, `tamp live --backend xarm` and `tamp solve --backend xarm
--body`: seconds and radians (of the joint that moves most) until the arm stands still. `faults`: standard input closed
and parent killed under `--dead-man`, no more disk, log folder removed, connection cut, controller frozen, gone or
restarted: seconds until the arm stands still or "NOT STOPPED" is printed; of a controller that is gone, until either is
printed. Where it is the log that fails the run has to go on, and to warn.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np

from tamp.backends.libero import rendering
from tamp.backends.xarm.workcell import read_workcell
from tests.bench import ROOT, Row
from tests.bench_table_faults import SCENE, STATE, Bench
from tests.emulated import TAMP, Emulator

DUE = 1.0
WORLD = ROOT / "problems" / "xarm" / "bench.toml"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
DEAD_MAN = 0.5
STOPPING = 0.05
"""Seconds in which the emulated controller comes to rest on its path."""
WITHIN = STOPPING + 0.1
"""Seconds from a signal to standstill."""
REPORTED = 1.5
"""Seconds from a fault to standstill, or to a report that the arm is not stopped."""
QUIET = 1.0
"""Seconds after a run in which nothing may move."""
LASTS = 60.0
"""Seconds that a command may take until the arm moves, and to end."""
BODY = "xarm7"
"""The arm at the table."""


@dataclass(eq=False)
class Running:
    """A command that moves the arm, and what it has printed, with times."""

    process: subprocess.Popen[str]
    folder: Path
    lines: list[tuple[float, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append((time.monotonic(), line.rstrip()))

    def says_alive(self) -> None:
        """A line on standard input, for a dead man."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self.process.stdin.write("\n")
            self.process.stdin.flush()

    def ends(self) -> None:
        """Wait for its end, which a session's has come with that of its orders, once nothing runs."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.wait(LASTS)
        self._reading.join(LASTS)  # a killed parent ends before the command

    def said(self, words: str, since: float) -> float | None:
        """Seconds after a moment at which something was printed."""
        return next((t - since for t, line in self.lines if words in line and t >= since), None)


Begin = Callable[[Emulator, Path, tuple[str, ...]], Running]


def xarm_run(emulator: Emulator, folder: Path, more: tuple[str, ...]) -> Running:
    """A plan of an arm in a world of its own, at a third of its speeds."""
    at = ("--host", emulator.host, "--port", str(emulator.port))
    plan = ("xarm", "run", "tour", "--world", "bench", "--speed-scale", "0.3", "--out", str(folder / "run"))
    return Running(_popen(*plan, *at, *more, folder=folder), folder / "run")


def live(emulator: Emulator, folder: Path, more: tuple[str, ...]) -> Running:
    """A session that goes to a named pose, at a third of its speeds."""
    at = ("--host", emulator.host, "--port", str(emulator.port))
    found = _popen("live", "--backend", "xarm", "--world", str(_slow(folder)), *at, "--out", str(folder / "run"), *more,
                   folder=folder)  # fmt: skip
    assert found.stdin is not None
    found.stdin.write("start (move-to-named bin_drop)\n")
    found.stdin.flush()
    return Running(found, folder / "run")


def solve(emulator: Emulator, folder: Path, more: tuple[str, ...]) -> Running:
    """A task at a table."""
    eyes = f"tcp://{emulator.host}:{emulator.told['fault_port']}"
    at = ("--host", emulator.host, "--port", str(emulator.port), "--eyes", eyes)
    what = ("solve", "--scene", SCENE, "--init-state", str(STATE), "--backend", "xarm", "--body", BODY)
    return Running(_popen(*what, *at, "--out", str(folder / "run"), *more, folder=folder), folder / "run")


COMMANDS: dict[str, Begin] = {"xarm run": xarm_run, "live": live, "solve": solve}


PARENT = """
import subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)
for line in sys.stdin.buffer:
    child.stdin.write(line)
    child.stdin.flush()
child.stdin.close()
sys.exit(child.wait())
"""
"""A process that a command has its standard input from, until that ends or the process is killed."""


def _popen(*words: str, folder: Path) -> subprocess.Popen[str]:
    pipe, environment = subprocess.PIPE, {**os.environ, "PYTHONPATH": str(ROOT)}
    typed = [*((sys.executable, "-c", PARENT) if "--dead-man" in words else ()), *TAMP, *words]
    return subprocess.Popen(
        typed, cwd=folder, text=True, env=environment, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT
    )


def _slow(folder: Path) -> Path:
    """The shipped world with a third of its speeds."""
    text = WORLD.read_text()
    lines = [f"{k}= {float(v.split('#')[0]) * 0.3}" if "speed" in k and "[" not in k else f"{k}={v}" if eq else k
             for k, eq, v in (line.partition("=") for line in text.splitlines())]  # fmt: skip
    (folder / "slow.toml").write_text("\n".join(lines))
    return folder / "slow.toml"


def begun(command: str, emulator: Emulator, folder: Path, *more: str) -> Running:
    """A command, once its arm moves. AssertionError where it never does."""
    before = emulator.state()["moved_at"] or 0.0
    run = COMMANDS[command](emulator, folder, more)
    until = time.monotonic() + LASTS
    while (emulator.state()["moved_at"] or 0.0) <= before:
        assert run.process.poll() is None and time.monotonic() < until, run.lines
        run.says_alive()
        time.sleep(0.02)
    return run


def wait(run: Running, seconds: float) -> None:
    """Let time pass, with signs of life."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        run.says_alive()
        time.sleep(min(left, 0.1))


def ended(run: Running, emulator: Emulator, happen: Callable[[], object]) -> tuple[float, float, float]:
    """Make something happen, and wait for the end: by the wall's clock when; seconds to rest, and radians."""
    before, at = emulator.state(), time.monotonic()
    happen()
    run.ends()
    time.sleep(QUIET)
    after = emulator.state()
    moved = float(np.abs(np.subtract(after["joints"], before["joints"])).max())
    return at, max(0.0, (after["moved_at"] or 0.0) - before["now"]), moved


def signals(n: int, commands: Sequence[str], rng: np.random.Generator) -> Iterator[Row]:
    """Each signal to each command."""
    for command in commands:
        with _arm(command) as (emulator, put_back):
            for number in SIGNALS:
                for _ in range(n):
                    with tempfile.TemporaryDirectory() as folder:
                        put_back()
                        run = begun(command, emulator, Path(folder))
                        wait(run, float(rng.uniform(0.0, 2.5)))
                        _, seconds, radians = ended(run, emulator, partial(run.process.send_signal, number))
                        wrong = [f"{seconds:.2f} s to rest"] if seconds > WITHIN else []
                        if run.process.returncode != 130:
                            wrong.append(f"exit {run.process.returncode}: {run.lines[-1:]}")
                        yield _row(f"{command}, {number.name}", seconds, radians, wrong)


def _row(line: str, seconds: float, radians: float, wrong: list[str]) -> Row:
    return Row(line, not wrong, {"s": seconds, "rad": radians}, "; ".join(wrong), "run")


def _cut(seconds: float) -> Callable[[Running, Emulator], object]:
    return lambda run, emulator: emulator.ask(fault="drop", seconds=seconds)


def _no_disk(run: Running, emulator: Emulator) -> object:
    return resource.prlimit(run.process.pid, resource.RLIMIT_FSIZE, (0, 0))


def _fill(run: Running, emulator: Emulator) -> None:
    with contextlib.suppress(OSError), (run.folder.parent / "filler").open("wb", buffering=0) as file:
        while True:
            file.write(b" " * 4096)


@contextlib.contextmanager
def _folder(small: bool) -> Iterator[Path]:
    """A folder for a run, with `small` on a disk of its own of 1 MB (as root alone)."""
    with tempfile.TemporaryDirectory() as folder:
        if small:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=True)
        try:
            yield Path(folder)
        finally:
            if small:
                subprocess.run(["umount", "--lazy", folder], check=True)


def _close(run: Running, emulator: Emulator) -> object:
    assert run.process.stdin is not None
    return run.process.stdin.close()


KILLED, GONE, RESTARTED = "parent killed", "controller gone", "controller restarted"
FULL, EVERYWHERE, REMOVED = "disk of the log full", "every disk full", "log folder removed"
FAULTS: dict[str, tuple[Callable[[Running, Emulator], object], tuple[str, ...]]] = {
    "stdin closed": (_close, ("--dead-man", str(DEAD_MAN))),
    KILLED: (lambda run, emulator: run.process.kill(), ("--dead-man", str(DEAD_MAN))),
    FULL: (_fill, ()),
    EVERYWHERE: (_no_disk, ()),
    REMOVED: (lambda run, emulator: shutil.rmtree(run.folder), ()),
    "cut for 0.3 s": (_cut(0.3), ()),
    "cut for 1 s": (_cut(1.0), ()),
    "cut for 3 s": (_cut(3.0), ()),
    "controller frozen": (lambda run, emulator: emulator.ask(fault="freeze", seconds=4.0), ()),
    GONE: (lambda run, emulator: emulator.process.kill(), ()),
    RESTARTED: (lambda run, emulator: emulator.restart(), ()),
}
OF_THE_LOG = (FULL, EVERYWHERE, REMOVED)
"""Faults of the log alone: the run is carried out to its end, or to a check that has to write a file."""


def faults(n: int, commands: Sequence[str], rng: np.random.Generator) -> Iterator[Row]:
    """Each fault while each command moves the arm."""
    for command in commands:
        for kind, (happen, options) in FAULTS.items():
            each = n if kind == GONE else 1
            for _ in range(each):
                with _arm(command) as (emulator, put_back):
                    for _ in range(n // each):
                        emulator.ask(clear="faults")
                        put_back()
                        found = _faulted(command, kind, happen, options, emulator, rng)
                        yield _row(f"{command}, {kind}", *found)


def _faulted(
    command: str,
    kind: str,
    happen: Callable[[Running, Emulator], object],
    options: tuple[str, ...],
    emulator: Emulator,
    rng: np.random.Generator,
) -> tuple[float, float, list[str]]:
    """Seconds to rest or to a report, radians, and what does not hold."""
    with _folder(kind == FULL) as folder:
        run = begun(command, emulator, folder, *options)
        wait(run, float(rng.uniform(0.0, 2.5)))
        if kind in (GONE, RESTARTED):
            at = time.monotonic()
            happen(run, emulator)
            run.ends()
            seconds, radians = run.said("stands still", at) or float("inf"), 0.0
        else:
            at, seconds, radians = ended(run, emulator, lambda: happen(run, emulator))
        alarm = run.said("NOT STOPPED", at)
        wrong = []
        if kind in OF_THE_LOG:
            warned = run.said("is left incomplete", at)
            if kind != REMOVED and (warned is None or warned > REPORTED):
                wrong.append(f"warned after {warned}")
            if run.process.returncode != 0 and (kind != EVERYWHERE or not _says_how_it_stands(run)):
                wrong.append(f"exit {run.process.returncode}: {run.lines[-1:]}")
            return warned or 0.0, 0.0, wrong
        seconds = max(0.0, seconds - DEAD_MAN) if options else seconds
        if min(seconds, alarm if alarm is not None else float("inf")) > REPORTED:
            wrong.append(f"{seconds:.2f} s to rest, reported after {alarm}: {run.lines[-2:]}")
        if kind == RESTARTED and (moved := emulator.state()["moved_at"]) is not None:
            wrong.append(f"the restarted arm moved, at {moved:.2f} s")
        if run.process.returncode not in (1, 130) and kind != KILLED:
            wrong.append(f"exit {run.process.returncode}: {run.lines[-1:]}")
        if not _says_how_it_stands(run):
            wrong.append(f"whether the arm stands still is not said at the end: {run.lines[-2:]}")
        return min(seconds, alarm if alarm is not None else seconds), radians, wrong


def _says_how_it_stands(run: Running) -> bool:
    return any("stands still" in line or "PRESS THE EMERGENCY" in line.upper() for _, line in run.lines[-8:])


@contextlib.contextmanager
def _arm(command: str) -> Iterator[tuple[Emulator, Callable[[], object]]]:
    """An emulated arm for a command, and what puts it, and the things at its table, back to the start."""
    if command == "solve":
        bench = Bench(BODY)
        emulator, put_back = bench.emulator, cast("Callable[[], object]", bench.put_back)
    else:
        emulator = Emulator("xarm6", ("--seconds", "14000"))
        home = read_workcell(WORLD).poses["home"].q
        assert home is not None
        put_back = cast("Callable[[], object]", partial(emulator.ask, teleport=[float(v) for v in home]))
    try:
        yield emulator, put_back
    finally:
        with contextlib.suppress(OSError):
            emulator.end()


MEASURES = {"signals": signals, "faults": faults}


def bench(
    n: int = 20, seed: int = 0, only: tuple[str, ...] = tuple(MEASURES), commands: tuple[str, ...] = tuple(COMMANDS)
) -> Iterator[Row]:
    """A row a run; `n` of each signal or fault and each command."""
    rendering.prepare(video=False)
    rng = np.random.default_rng(seed)
    for measure in only:
        yield from MEASURES[measure](n, commands, rng)
