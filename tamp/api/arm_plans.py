"""A UFACTORY arm in the world that a file describes: plans for it, and runs of them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tamp.api import arguments, language
from tamp.api.sources import Say
from tamp.backends.xarm.address import CONTROL_PORT, host_of
from tamp.backends.xarm.arm_steps import steps_of as steps_of  # noqa: PLC0414 (for the command line)
from tamp.backends.xarm.arm_stop import STANDS, ArmResult
from tamp.errors import InputError
from tamp.runs.episode_log import new_folder

if TYPE_CHECKING:
    from motion.poses import Array
    from tamp.api.language import Model
    from tamp.api.solving import Person
    from tamp.backends.xarm.arm_steps import Step
    from tamp.backends.xarm.arm_stop import ArmStop
    from tamp.backends.xarm.domain_plans import JudgedArmPlan
    from tamp.backends.xarm.hand import HandEvent
    from tamp.backends.xarm.workcell import Workcell
    from tamp.files.source import Source
    from tamp.runs.episode_log import EpisodeLog

EVERY = 2.0
"""Seconds between two lines about what is only gone through."""


@dataclass
class Progress:
    """Passes events on to the log, and says of the `total` steps what becomes of them."""

    log: Callable[..., None]
    total: int
    say: Say
    _said: float = field(default_factory=time.monotonic, init=False)
    _begun: bool = field(default=False, init=False)
    _internal: bool = field(default=False, init=False)

    def event(self, name: str, /, **fields: Any) -> None:
        """Take an event as the log does."""
        self.log(name, **fields)
        if name == "done":
            near = f", nearest {fields['nearest'] * 1000:.0f} mm" if fields["nearest"] is not None else ""
            self.say(f"{fields['action']}: done ({fields['number']} of {self.total}; {fields['seconds']:.1f} s{near})")
        elif name == "jumped":
            moved = f"{fields['label']} has moved {fields['metres'] * 1000:.0f} mm since it was approached"
            self.say(f"{moved}: approaching it anew")
        elif name == "warning":
            self.say(f"warning: {fields['message']}")
        elif name == "abort":
            self._internal = fields["why"] == "internal"
        elif name == "halted" and self._internal:  # an error follows, and no summary
            self.say(STANDS[fields["acknowledged"]])
        elif name == "step":
            self._begun = True
        elif name == "second_look" and not self._begun and time.monotonic() - self._said > EVERY:
            self._said = time.monotonic()
            self.say(f"checking step {fields['number']} of {self.total}")


WORLD = Path("xarm.toml")
"""The world unless another one is named."""
RUNS = Path("episodes")
"""Where runs go unless it is said otherwise."""


@dataclass(frozen=True, eq=False)
class LoadedArm:
    """An arm in its world; made by `load_arm`. It is connected only while something is asked of it, or carried out.

    `world` has its poses, limits and labels; `host` is the address that was given, else the world's own is taken.
    """

    world: Workcell = field(repr=False)
    host: str | None = None
    port: int = CONTROL_PORT

    @property
    def name(self) -> str:
        """The file of its world."""
        return self.world.name

    @property
    def address(self) -> str:
        """Where it is. InputError when neither the caller nor its world says so."""
        return address(self.world, self.host)

    @property
    def poses(self) -> tuple[str, ...]:
        """The names of poses that a plan or an instruction can go to."""
        return tuple(self.world.poses)

    @property
    def labels(self) -> tuple[str, ...]:
        """What its detector can see; empty where it says nothing of that."""
        return tuple(self.world.labels)

    def joints(self) -> Array:
        """Where its joints are now (n,), radians. It is only asked: nothing is enabled, and nothing moves."""
        from tamp.backends.xarm.driver import Driver

        with closing(Driver.connect(self.address, self.world.arm, self.port)) as driver:
            return driver.condition().q


def world(path: Path | None) -> Workcell:
    """The world of an arm: a file, a shipped one by its name, or `WORLD`. InputError when there is none."""
    if path is None and not WORLD.exists():
        raise InputError(f"no world: give --world FILE, or have {WORLD} here; --world bench is an example")
    return arguments.workcell(path or WORLD)


def address(cell: Workcell | None, host: str | None) -> str:
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


def loaded_arm(path: Path | None, host: str | None, port: int | None, speed_scale: float | None) -> LoadedArm:
    """An arm in its world, as slow as `speed_scale` says: a share of the world's speeds."""
    return LoadedArm(slower(world(path), speed_scale or 1.0), host, port or CONTROL_PORT)


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


def cleared(path: Path | None, host: str | None, port: int) -> str:
    """Clear the error and the warning of an arm's controller, and say which they were; empty for none. Nothing moves;
    the next run enables the arm. With a `host` no world is needed."""
    from tamp.backends.xarm.driver import Driver
    from tamp.backends.xarm.opening import claimed

    cell = None if host is not None and path is None and not WORLD.exists() else world(path)
    where = address(cell, host)
    with claimed(where), closing(Driver.connect(where, cell.arm if cell else None, port)) as driver:
        return driver.clear()


def plan_file(path: Path) -> Path:
    """A plan's file, or the shipped one of that name. InputError when there is none."""
    from tamp.data import located

    return located(path, "plan", ".json", ".plan", folder="xarm")


def plan_in(source: Source, arm: LoadedArm, say: Say) -> dict[str, Any]:
    """An action plan. InputError with all that is wrong with it in the arm's world."""
    from tamp.backends.xarm.contract import breaches_in, place_of, read_contract, unread
    from tamp.files.json_text import places_of
    from tamp.pddl.plan_formats import recognised

    if source.text.lstrip().startswith(("(", ";")) and recognised(source.text) == "pddl":
        raise InputError(f"{source.name} is no action plan; a plan of a domain needs --domain and --problem")
    plan = read_contract(source)
    for vain in unread(plan):
        say(f"warning: {source.name}: {vain}")
    if wrong := breaches_in(plan, arm.world):
        places = places_of(source)
        each = (f"{source.name}:{':'.join(map(str, place_of(b, places)))}: {b}" for b in wrong)
        raise InputError("\n  ".join([f"{source.name} cannot be run in {arm.name}:", *each]))
    return plan


def plan_in_file(path: Path, arm: LoadedArm, say: Say) -> dict[str, Any]:
    """The same of a file."""
    from tamp.files.source import read

    return plan_in(read(path), arm, say)


def plan_of_domain(path: Path, domain: str | None, problem: Path | None, arm: LoadedArm) -> JudgedArmPlan:
    """A plan of a domain, the verdict on it, and its steps where it is valid. InputError for files that are wrong, or
    do not belong together, and with all that is wrong with the steps in the arm's world."""
    from tamp.backends.xarm.domain_plans import read_plan_steps
    from tamp.files.source import read

    if domain is None or problem is None:
        raise InputError("a plan of a domain needs both --domain and --problem; an action plan needs neither")
    return read_plan_steps(read(path), domain, problem, arm.world)


def folder_for(label: str) -> Path:
    """A new folder for a run."""
    return new_folder(RUNS, f"xarm-{label}")


def begin_of(arm: LoadedArm, dry_run: bool) -> Array | None:
    """Where a dry run begins (n,): where the arm at a host that was given is now; None elsewhere.

    InputError for a run on an arm without an address, before anything else.
    """
    if dry_run:
        return None if arm.host is None else arm.joints()
    address(arm.world, arm.host)
    return None


def solved(
    text: str, arm: LoadedArm, model: Model, folder: Path, person: Person, *, dry_run: bool, begin: Array | None
) -> tuple[dict[str, Any] | None, ArmResult]:
    """The action plan that words ask for, and what became of it; none, and the kind `goal`, where they come to no plan,
    or to one that the world does not have room for. What was asked and answered, and what was objected to it, is in the
    folder, then too."""
    from tamp.errors import Refusal
    from tamp.runs.episode_runner import conduct

    plan: dict[str, Any] | None = None

    def act(log: EpisodeLog) -> ArmResult:
        nonlocal plan
        try:
            plan = language.arm_plan(text, arm.world, model, log)
        except Refusal as e:
            log.event("refused", why=e.kind, message=str(e))
            return ArmResult(False, kind="goal", reason=str(e), out=folder)
        for step in plan["steps"]:
            person.say(json.dumps(step))
        how = ArmRun(dry_run, plan, goal=text, begin=begin)
        return carried_out(arm, steps_of(plan), log, person, how)

    result = conduct(folder, act)
    return plan, result


@dataclass(frozen=True, eq=False)
class ArmRun:
    """How steps are run: with `dry_run` they are only gone through, from the configuration `begin` (n,), the arm's zero
    posture unless given. `goal` says in words what they are for, where that is known, and `plan` is the action plan
    that has them, for the log. With `dead_man` the person there has to give a sign of life every so many seconds."""

    dry_run: bool
    plan: dict[str, Any] | None = None
    goal: str | None = None
    begin: Array | None = None
    second_check: bool = True
    dead_man: float | None = None


def run(arm: LoadedArm, steps: Sequence[Step | HandEvent], folder: Path, person: Person, how: ArmRun) -> ArmResult:
    """Run steps on the arm, which the person there may stop, with a log in a folder that does not hold one yet."""
    from tamp.runs.episode_runner import conduct

    return conduct(folder, lambda log: carried_out(arm, steps, log, person, how))


def carried_out(
    arm: LoadedArm, steps: Sequence[Step | HandEvent], log: EpisodeLog, person: Person, how: ArmRun
) -> ArmResult:
    """The same with a log that is there."""
    from tamp.backends.xarm.arm_stop import ArmStop
    from tamp.backends.xarm.opening import cell_fields, performer_at, refiner_in
    from tamp.model.events import Events
    from tamp.runs.episode_log import SCHEMA
    from tamp.runs.versions import versions

    cell, host = arm.world, None if how.dry_run else arm.address
    with ExitStack() as opened:
        says = [repr(s) for s in steps]
        log.event("start", schema=SCHEMA, goal=how.goal, **cell_fields(cell, host), steps=says, versions=versions())
        if how.plan is not None:
            log.write("plan.json", json.dumps(how.plan, indent=2))
        tell = Progress(log.event, len(steps), person.say).event
        refiner = refiner_in(cell, tell, person.say, opened, how.second_check)
        if host is None:
            q, where = _begin(cell, how)
            tell("begin", q=q, where=where)
            person.say(f"begins {where}, joints {' '.join(f'{v:.1f}' for v in np.rad2deg(q))} degrees")
            return replace(refiner.rehearsed(steps, q), out=log.folder)
        stop = ArmStop(how.dead_man)
        opened.enter_context(person.stops(stop))
        performer = performer_at(host, arm.port, refiner, stop, opened)
        log.best_effort()
        return replace(performer.carry_out(steps, Events(log.take)), out=log.folder)


def _begin(cell: Workcell, how: ArmRun) -> tuple[Array, str]:
    """Where a dry run begins (n,), and that in words."""
    if how.begin is None:
        return np.zeros(cell.arm.joints), "in the arm's zero posture (--host IP: where that arm is)"
    return how.begin, "where the arm is now"


def summary(result: ArmResult, steps: int, dry_run: bool) -> str:
    """A line for a person."""
    if result.success:
        rest = f"; {result.reason}" if result.reason else ""
        return f"tamp: {steps} step{'s' if steps != 1 else ''} {'can be done' if dry_run else 'done'}{rest}"
    state = "" if dry_run else f"; {STANDS[result.halted]}"
    return f"tamp: no ({result.kind}): {result.reason}{state}"


def stopped_by_every_signal(stop: ArmStop) -> AbstractContextManager[None]:
    """Every signal that ends a program stops the arm instead, as long as this lasts."""
    from tamp.backends.xarm.arm_stop import SIGNALS, stopped_by_signals

    return stopped_by_signals(stop, SIGNALS)
