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
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

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
WITHIN = 0.15
"""Seconds from a signal to standstill, of which the emulated controller needs 0.05 to come to rest on its path."""
REPORTED = 1.5
"""Seconds from a fault to standstill, or to a report that the arm is not stopped."""
QUIET = 1.0
"""Seconds after a run in which nothing may move."""
LASTS = 60.0
"""Seconds that a command may take until the arm moves, and to end."""
BODY = "xarm7"
"""The arm at the table."""
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


class Running:
    """A command that moves the arm at a third of its speeds, what it has printed, with times, and where it logs."""

    def __init__(self, command: str, emulator: Emulator, folder: Path, options: tuple[str, ...]) -> None:
        """Returns once the arm moves. AssertionError where it never does."""
        self.emulator, self.folder, self.lines = emulator, folder / "run", list[tuple[float, str]]()
        before = emulator.state()["moved_at"] or 0.0
        typed = [*words_of(command, emulator, folder), "--host", emulator.host, "--port", str(emulator.port)]
        typed = [*TAMP, *typed, "--out", str(self.folder), *options]
        self.process = subprocess.Popen(
            [sys.executable, "-c", PARENT, *typed] if "--dead-man" in options else typed,
            cwd=folder, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()
        if command == "live":
            self.tell("start (move-to-named bin_drop)\n")
        until = time.monotonic() + LASTS
        while (emulator.state()["moved_at"] or 0.0) <= before:
            assert self.process.poll() is None and time.monotonic() < until, self.lines[-5:]
            self.tell()
            time.sleep(0.02)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append((time.monotonic(), line.rstrip()))

    def tell(self, text: str = "\n") -> None:
        """Something on standard input, by default a sign of life for a dead man."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self.process.stdin.write(text)
            self.process.stdin.flush()

    def wait(self, seconds: float) -> None:
        """Let time pass, with signs of life."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.tell()
            time.sleep(min(left, 0.1))

    def close(self) -> None:
        """End its standard input."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def end(self) -> None:
        """Wait for its end, which a session's has come with that of its orders, once nothing runs."""
        self.close()
        self.process.wait(LASTS)
        self._reading.join(LASTS)  # a killed parent ends before the command

    def printed(self, words: str, since: float) -> float | None:
        """Seconds after a moment at which something was printed."""
        return next((t - since for t, line in self.lines if words in line and t >= since), None)

    def ended(self, happen: Callable[[], object]) -> tuple[float, float, float]:
        """Make something happen, and wait for the end: by the wall's clock when; seconds to rest, and radians."""
        before, at = self.emulator.state(), time.monotonic()
        happen()
        self.end()
        time.sleep(QUIET)
        after = self.emulator.state()
        moved = float(np.abs(np.subtract(after["joints"], before["joints"])).max())
        return at, max(0.0, (after["moved_at"] or 0.0) - before["now"]), moved

    @property
    def says_how_it_stands(self) -> bool:
        return any("stands still" in line or "PRESS THE EMERGENCY" in line.upper() for _, line in self.lines[-8:])


COMMANDS = ("xarm run", "live", "solve")


def words_of(command: str, emulator: Emulator, folder: Path) -> list[str]:
    """A plan of an arm, a session that goes to a named pose, or a task at a table."""
    if command == "solve":
        eyes = f"tcp://{emulator.host}:{emulator.shown['fault_port']}"
        what = ["solve", "--scene", SCENE, "--init-state", str(STATE), "--backend", "xarm", "--body", BODY]
        return [*what, "--eyes", eyes]
    if command == "xarm run":
        return ["xarm", "run", "tour", "--world", "bench", "--speed-scale", "0.3"]
    lines = [f"{k}= {float(v.split('#')[0]) * 0.3}" if "speed" in k and "[" not in k else f"{k}={v}" if eq else k
             for k, eq, v in (line.partition("=") for line in WORLD.read_text().splitlines())]  # fmt: skip
    (folder / "slow.toml").write_text("\n".join(lines))
    return ["live", "--backend", "xarm", "--world", str(folder / "slow.toml")]


@contextlib.contextmanager
def _arm(command: str) -> Iterator[tuple[Emulator, Callable[[], Any]]]:
    """An emulated arm for a command, and what puts it, and the things at its table, back to the start."""
    put_back: Callable[[], Any]
    if command == "solve":
        bench = Bench(BODY)
        emulator, put_back = bench.emulator, bench.put_back
    else:
        emulator, home = Emulator("xarm6", ("--seconds", "14000")), read_workcell(WORLD).poses["home"].q
        assert home is not None
        put_back = partial(emulator.ask, teleport=[float(v) for v in home])
    try:
        yield emulator, put_back
    finally:
        with contextlib.suppress(OSError):
            emulator.end()


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


def _row(line: str, seconds: float, radians: float, wrong: list[str]) -> Row:
    return Row(line, not wrong, {"s": seconds, "rad": radians}, "; ".join(wrong), "run")


def signals(n: int, command: str, rng: np.random.Generator) -> Iterator[Row]:
    """Each signal to a command."""
    with _arm(command) as (emulator, put_back):
        for number in (s for s in SIGNALS for _ in range(n)):
            with _folder(small=False) as folder:
                put_back()
                run = Running(command, emulator, folder, ())
                run.wait(float(rng.uniform(0.0, 2.5)))
                _, seconds, radians = run.ended(partial(run.process.send_signal, number))
                wrong = [f"{seconds:.2f} s to rest"] if seconds > WITHIN else []
                if run.process.returncode != 130:
                    wrong.append(f"exit {run.process.returncode}: {run.lines[-1:]}")
                yield _row(f"{command}, {number.name}", seconds, radians, wrong)


def _fill(run: Running) -> None:
    with contextlib.suppress(OSError), (run.folder.parent / "filler").open("wb", buffering=0) as file:
        while True:
            file.write(b" " * 4096)


def _fault(**order: Any) -> Callable[[Running], object]:
    return lambda run: run.emulator.ask(**order)


KILLED, GONE, RESTARTED = "parent killed", "controller gone", "controller restarted"
FULL, EVERYWHERE, REMOVED = "disk of the log full", "every disk full", "log folder removed"
FAULTS: dict[str, Callable[[Running], object]] = {
    "stdin closed": Running.close,
    KILLED: lambda run: run.process.kill(),
    FULL: _fill,
    EVERYWHERE: lambda run: resource.prlimit(run.process.pid, resource.RLIMIT_FSIZE, (0, 0)),
    REMOVED: lambda run: shutil.rmtree(run.folder),
    **{f"cut for {seconds:g} s": _fault(fault="drop", seconds=seconds) for seconds in (0.3, 1.0, 3.0)},
    "controller frozen": _fault(fault="freeze", seconds=4.0),
    GONE: lambda run: run.emulator.process.kill(),
    RESTARTED: lambda run: run.emulator.restart(),
}
WITH_DEAD_MAN = ("stdin closed", KILLED)


def faults(n: int, command: str, rng: np.random.Generator) -> Iterator[Row]:
    """Each fault while a command moves the arm."""
    for kind in FAULTS:
        each = n if kind == GONE else 1
        for _ in range(each):
            with _arm(command) as (emulator, put_back):
                for _ in range(n // each):
                    emulator.ask(clear="faults")
                    put_back()
                    yield _row(f"{command}, {kind}", *_faulted(command, kind, emulator, rng))


def _faulted(command: str, kind: str, emulator: Emulator, rng: np.random.Generator) -> tuple[float, float, list[str]]:
    """Seconds to rest or to a report, radians, and what does not hold."""
    options = ("--dead-man", str(DEAD_MAN)) if kind in WITH_DEAD_MAN else ()
    with _folder(kind == FULL) as folder:
        run = Running(command, emulator, folder, options)
        run.wait(float(rng.uniform(0.0, 2.5)))
        if kind in (GONE, RESTARTED):
            at = time.monotonic()
            FAULTS[kind](run)
            run.end()
            seconds, radians = run.printed("stands still", at) or float("inf"), 0.0
        else:
            at, seconds, radians = run.ended(partial(FAULTS[kind], run))
        code, last = run.process.returncode, run.lines[-2:]
        if kind in (FULL, EVERYWHERE, REMOVED):  # of the log alone: the run goes on, or to what has to write a file
            warned = run.printed("is left incomplete", at)
            wrong = [f"warned after {warned}"] if kind != REMOVED and (warned is None or warned > REPORTED) else []
            if code != 0 and (kind != EVERYWHERE or not run.says_how_it_stands):
                wrong.append(f"exit {code}: {last}")
            return warned or 0.0, 0.0, wrong
        alarm, wrong = run.printed("NOT STOPPED", at), []
        seconds = min(max(0.0, seconds - DEAD_MAN) if options else seconds, float("inf") if alarm is None else alarm)
        if seconds > REPORTED:
            wrong.append(f"{seconds:.2f} s to rest, reported after {alarm}: {last}")
        if kind == RESTARTED and (moved := emulator.state()["moved_at"]) is not None:
            wrong.append(f"the restarted arm moved, at {moved:.2f} s")
        if code not in (1, 130) and kind != KILLED:
            wrong.append(f"exit {code}: {last}")
        if not run.says_how_it_stands:
            wrong.append(f"whether the arm stands still is not said at the end: {last}")
        return seconds, radians, wrong


MEASURES = {"signals": signals, "faults": faults}


def bench(
    n: int = 20, seed: int = 0, only: tuple[str, ...] = tuple(MEASURES), commands: tuple[str, ...] = COMMANDS
) -> Iterator[Row]:
    """A row a run; `n` of each signal or fault and each command."""
    rendering.prepare(video=False)
    rng = np.random.default_rng(seed)
    for measure, command in product(only, commands):
        yield from MEASURES[measure](n, command, rng)
