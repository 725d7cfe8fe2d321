"""`tamp xarm run`: an action plan carried out on an arm, or only gone through."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import numpy as np

from cli.arm_progress import Progress
from cli.output import INTERRUPTED, emit_json, say
from cli.viewed import viewed
from motion.bullet import loaded
from motion.poses import to_quat
from tamp.api import arguments
from tamp.backends.xarm.address import CONTROL_PORT, host_of
from tamp.data import located
from tamp.errors import InputError
from tamp.quiet import quiet_stdout

if TYPE_CHECKING:
    from motion.poses import Array
    from tamp.backends.xarm.hand import HandEvent
    from tamp.backends.xarm.steps import Step
    from tamp.backends.xarm.stopping import Stop
    from tamp.backends.xarm.verdict import Verdict
    from tamp.backends.xarm.workcell import Workcell
    from tamp.runs.episode_log import EpisodeLog

WORLD = Path("xarm.toml")
"""The world unless `--world` says otherwise."""
RUNS = Path("episodes")


def run_plan(
    plan: Path,
    world: Path | None,
    host: str | None,
    port: int,
    dry_run: bool,
    speed_scale: float,
    second_check: bool,
    dead_man: float | None,
    out: Path | None,
    json_output: bool,
    domain: str | None = None,
    problem: Path | None = None,
    view: bool = False,
) -> int:
    """0 when every step was done (or, with `dry_run`, could be), 1 when not, 2 for a plan or world that is wrong."""
    from tamp.backends.xarm.verdict import Verdict
    from tamp.runs.episode_log import new_folder

    with quiet_stdout() as stdout:
        cell, plan = read_world(world), located(plan, "plan", ".json", ".plan", folder="xarm")
        alone = domain is None and problem is None
        steps = read_steps(plan, cell) if alone else read_actions(plan, domain, problem, cell)
        if isinstance(steps, Verdict):
            return _refused(steps, dry_run, json_output, stdout)
        address, begin = arm_and_begin(cell, host, port, dry_run)
        out = out or new_folder(RUNS, f"xarm-{plan.stem}")
        with viewed(out, view):
            verdict, folder = carry_out(
                steps,
                slower(cell, speed_scale),
                address,
                plan.stem,
                port=port,
                begin=begin,
                second_check=second_check,
                dead_man=dead_man,
                out=out,
            )
        say(summary(verdict, len(steps), dry_run))
        if json_output:
            degrees = _begin_in_degrees(cell, begin) if dry_run else None
            emit_json({**verdict.as_dict(), "dry_run": dry_run, "begin": degrees, "out": folder}, stdout)
    if verdict.kind == "stopped":
        return INTERRUPTED
    return 0 if verdict.success else 1


def clear_error(world: Path | None, host: str | None, port: int) -> int:
    """Clear the error and the warning of an arm's controller. Nothing moves; the next run enables the arm.

    With a `host` no world is needed.
    """
    from tamp.backends.xarm.claim import claimed
    from tamp.backends.xarm.driver import Driver

    with quiet_stdout() as stdout:
        cell = None if host is not None and world is None and not WORLD.exists() else read_world(world)
        address = address_of(cell, host)
        with claimed(address):
            driver = Driver.connect(address, cell.arm if cell else None, port)
            try:
                was = driver.clear()
            finally:
                driver.close()
        stdout.write(f"cleared: {was}\n" if was else "there was no error and no warning\n")
    return 0


def read_world(path: Path | None) -> Workcell:
    """The world of the arm. InputError when there is none."""
    if path is None and not WORLD.exists():
        raise InputError(f"no world: give --world FILE, or have {WORLD} here; --world bench is an example")
    return arguments.workcell(path or WORLD)


def address_of(cell: Workcell | None, host: str | None) -> str:
    """The address that was given, else the world's. InputError when there is none."""
    if cell is None or host is not None:
        return _given(str(host))
    if cell.host is None:
        raise InputError(f"no address of an arm: give --host IP, or host in {cell.name}")
    return str(cell.host)


def _given(host: str) -> str:
    try:
        return host_of(host)
    except ValueError as e:
        raise InputError(f"--host {host}: {e}") from e


def arm_and_begin(cell: Workcell, host: str | None, port: int, dry_run: bool) -> tuple[str | None, Array | None]:
    """The arm's address, none for a dry run; and where that begins (n,), which is where the arm at a `host` is now.

    That arm is only asked: nothing is enabled and nothing moves.
    """
    from tamp.backends.xarm.driver import Driver

    if not dry_run:
        return address_of(cell, host), None
    if host is None:
        return None, None
    driver = Driver.connect(address_of(cell, host), cell.arm, port)
    try:
        return None, driver.condition().q
    finally:
        driver.close()


def _begin_in_degrees(cell: Workcell, begin: Array | None) -> list[float]:
    """The joints at which a dry run begins."""
    q = np.zeros(cell.arm.joints) if begin is None else begin
    return [round(float(v), 2) for v in np.rad2deg(q)]


def read_steps(path: Path, cell: Workcell) -> tuple[Step, ...]:
    """The steps of a plan. InputError with all that is wrong with it in this world."""
    from tamp.backends.xarm.contract import read_contract, unread
    from tamp.backends.xarm.contract_world import breaches_in
    from tamp.backends.xarm.steps import steps_of
    from tamp.pddl.source import read
    from tamp.plans.formats import recognised

    source = read(path)
    if source.text.lstrip().startswith(("(", ";")) and recognised(source.text) == "pddl":
        raise InputError(f"{path} is no action plan; a plan of a domain needs --domain and --problem")
    plan = read_contract(source)
    for vain in unread(plan):
        say(f"tamp: warning: {path}: {vain}")
    if wrong := breaches_in(plan, cell):
        raise InputError("\n  ".join([f"{path} cannot be run in {cell.name}:", *map(str, wrong)]))
    return steps_of(plan)


def read_actions(
    path: Path, domain: str | None, problem: Path | None, cell: Workcell
) -> tuple[Step | HandEvent, ...] | Verdict:
    """The steps of a plan of a domain, or the verdict on one that is not valid. InputError as `read_plan_steps`."""
    from cli.validate import lines_of
    from tamp.backends.xarm.from_plan import read_plan_steps
    from tamp.backends.xarm.verdict import Verdict
    from tamp.pddl.source import read

    if domain is None or problem is None:
        raise InputError("a plan of a domain needs both --domain and --problem; an action plan needs neither")
    judged = read_plan_steps(read(path), domain, problem, cell)
    if judged.verdict.valid:
        return judged.steps
    return Verdict(False, (), judged.verdict.failed_at, "invalid", "\n".join(lines_of(judged.plan, judged.verdict)))


def _refused(verdict: Verdict, dry_run: bool, json_output: bool, stdout: TextIO) -> int:
    """Say why a plan is not run at all."""
    say(f"tamp: no: {verdict.reason}")
    if json_output:
        emit_json({**verdict.as_dict(), "dry_run": dry_run, "out": None}, stdout)
    return 1


def slower(cell: Workcell, scale: float) -> Workcell:
    """The world with speeds times `scale`, and accelerations with its square: the same motion in slow time."""
    rates = cell.rates
    return replace(
        cell,
        rates=replace(
            rates,
            joint_speed=rates.joint_speed * scale,
            joint_acceleration=rates.joint_acceleration * scale**2,
            tool_speed=rates.tool_speed * scale,
            tool_acceleration=rates.tool_acceleration * scale**2,
        ),
    )


def carry_out(
    steps: Sequence[Step | HandEvent],
    cell: Workcell,
    host: str | None,
    label: str,
    *,
    port: int = CONTROL_PORT,
    begin: Array | None = None,
    goal: str | None = None,
    second_check: bool = True,
    dead_man: float | None = None,
    out: Path | None = None,
    log: EpisodeLog | None = None,
) -> tuple[Verdict, Path]:
    """Run steps on the arm at `host`, or only go through them when it is None; the verdict and the log's folder.

    `goal` says in words what they are for, where that is known. Without an arm they are gone through from the
    configuration `begin` (n,), its zero posture unless given. A `log` that is open already is gone on with, and left
    open.
    """
    from tamp.backends.xarm.claim import claimed
    from tamp.backends.xarm.detections import open_detector
    from tamp.backends.xarm.driver import Driver
    from tamp.backends.xarm.executor import Executor
    from tamp.backends.xarm.from_plan import movements
    from tamp.backends.xarm.hand import HandEvent, TcpHand
    from tamp.backends.xarm.rehearsal import rehearsed
    from tamp.backends.xarm.stopping import Stop
    from tamp.backends.xarm.targets import Targets
    from tamp.backends.xarm.ways import Ways
    from tamp.runs.episode_log import EpisodeLog, new_folder

    with ExitStack() as opened:
        if log is None:
            log = opened.enter_context(EpisodeLog(out or new_folder(RUNS, f"xarm-{label}")))
        folder = log.folder
        if steps and not any(isinstance(s, HandEvent) for s in steps):  # what a contract can say
            log.write("plan.json", json.dumps(movements(steps, goal or label), indent=2).encode())
        T, says = cell.T_flange_tool, [repr(s) for s in steps]
        tool = [*T[:3, 3], *to_quat(T[:3, :3])]
        log.event("start", goal=goal, world=cell.name, arm=cell.arm.name, tool=tool, host=host, steps=says)
        detector = open_detector(cell, say) if cell.detector.source else None
        if detector is not None:
            opened.callback(detector.close)
        ways, targets, tell = Ways(cell), Targets(cell, detector), Progress(log.event, len(steps)).event
        if second_check:
            loaded()  # now, not while the arm moves
        if host is None:
            q = np.zeros(cell.arm.joints) if begin is None else begin
            zero = "in the arm's zero posture (--host IP: where that arm is)"
            where = zero if begin is None else "where the arm is now"
            log.event("begin", q=q, where=where)
            say(f"tamp: begins {where}, joints {' '.join(f'{v:.1f}' for v in np.rad2deg(q))} degrees")
            return rehearsed(steps, q, ways, targets, tell, second_check), folder
        opened.enter_context(claimed(host))
        stop = Stop(dead_man)
        opened.enter_context(stopped_by_signals(stop))
        if dead_man is not None:
            threading.Thread(target=listen, args=(stop,), daemon=True).start()
        driver = Driver.connect(host, cell.arm, port)
        opened.callback(driver.close)
        hand = TcpHand(cell.hand) if cell.hand is not None else None
        if hand is not None:
            opened.callback(hand.close)
        executor = Executor(driver, ways, targets, stop, tell, hand, second_check)
        return executor.run(steps), folder


def listen(stop: Stop) -> None:
    """Each line on standard input says that somebody is there; its end says nothing, so that the time runs out."""
    for _ in sys.stdin:
        stop.alive()


@contextmanager
def stopped_by_signals(stop: Stop) -> Iterator[None]:
    """Ctrl-C and SIGTERM stop the arm instead of the program: it ends when the arm has acknowledged."""
    reasons = {signal.SIGINT: "interrupted (Ctrl-C)", signal.SIGTERM: "ended by SIGTERM"}

    def told(number: int, _: object) -> None:
        stop.now(reasons[signal.Signals(number)])

    before = {number: signal.signal(number, told) for number in reasons}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def summary(verdict: Verdict, steps: int, dry_run: bool) -> str:
    """A line for a person."""
    if verdict.success:
        rest = f"; {verdict.reason}" if verdict.reason else ""
        return f"tamp: {steps} step{'s' if steps != 1 else ''} {'can be done' if dry_run else 'done'}{rest}"
    unheard = "THE ARM DID NOT ACKNOWLEDGE THE STOP: PRESS THE EMERGENCY STOP"
    halted = {None: "nothing moved", True: "the arm stands still", False: unheard}
    state = "" if dry_run else f"; {halted[verdict.halted]}"
    return f"tamp: no ({verdict.kind}): {verdict.reason}{state}"
