"""A UFACTORY arm from Python: its world, plans for it from words or files, and what carries them out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamp.api import language

if TYPE_CHECKING:
    from tamp.api.arm_plans import LoadedArm
    from tamp.backends.xarm.arm_stop import ArmResult


@dataclass(frozen=True)
class _Written:
    """A plan that was written."""

    success: bool
    plan: dict[str, Any]


def load_arm(
    world: str | Path = "xarm.toml",
    *,
    host: str | None = None,
    port: int | None = None,
    speed_scale: float = 1.0,
) -> LoadedArm:
    """Read the world of an arm: its model, poses, keep-out boxes, speeds, detector. Nothing is connected or moves.

    Args:
        world: A TOML file (docs/xarm.md), or the name of a shipped one: `bench`.
        host: The arm's address, an IPv4 address or `localhost`; the world's own unless given.
        port: Its control port; only emulated arms have another than 502.
        speed_scale: A share of the world's speeds, above 0 and at most 1.

    Returns:
        The arm, which is connected only while it is asked something, or carries something out.

    Raises:
        InputError: For a world or an address that is none.

    >>> import tamp
    >>> arm = tamp.load_arm("bench", host="127.0.0.2")
    >>> arm.address, arm.poses
    ('127.0.0.2', ('home', 'above_table', 'bin_drop'))
    """
    from tamp.api.arm_plans import address, loaded_arm
    from tamp.errors import InputError

    if not 0.0 < speed_scale <= 1.0:
        raise InputError(f"speed_scale {speed_scale:g}; valid: above 0 and at most 1, a share of the world's speeds")
    arm = loaded_arm(Path(world), host, port, speed_scale)
    if host is not None:
        address(arm.world, host)
    return arm


def write_plan(
    arm: LoadedArm, instruction: str, *, llm: str | None = None, out: str | Path | None = None
) -> dict[str, Any]:
    """Have a language model write the action plan that an instruction asks for; nothing moves.

    Args:
        arm: Whose poses and labels the instruction can name.
        instruction: Words, such as "approach the closest cup, touch it, lift, and go home".
        llm: As for `ground`.
        out: A folder for what was asked and answered, which must not hold a log yet; by default none is kept.

    Returns:
        The plan, for `run_plan`: `goal`, and `steps`, each with its `action`.

    Raises:
        InputError: For an empty instruction, and for a model that is missing.
        Refusal: When the words are about what is not there or no step says, or the world has no room for it.

    >>> import tamp
    >>> tamp.write_plan(tamp.load_arm("bench"), " ")
    Traceback (most recent call last):
        ...
    tamp.errors.InputError: the instruction is empty
    """
    from tamp.planning.assistant import JournalBuffer
    from tamp.runs.episode_runner import conduct

    text, model = language.instruction(instruction), language.model(llm)
    if out is None:
        return language.arm_plan(text, arm.world, model, JournalBuffer())
    return conduct(Path(out), lambda log: _Written(True, language.arm_plan(text, arm.world, model, log))).plan


def run_plan(
    arm: LoadedArm,
    plan: str | Path | Mapping[str, Any],
    *,
    dry_run: bool = False,
    second_check: bool = True,
    out: str | Path | None = None,
    say: Callable[[str], None] | None = None,
) -> ArmResult:
    """Carry out an action plan on an arm, or only go through it.

    Args:
        arm: Which arm, in which world.
        plan: What `write_plan` gave, or a file of the contract (docs/xarm-contract.md), or the name of a shipped one.
        dry_run: Go through it without moving: from where the arm is, if a `host` was given, else from its zero posture.
        second_check: Have PyBullet look at every motion again before it is sent.
        out: The folder of the log, which must not hold one yet; by default a new one in `episodes/`.
        say: Gets what happens, a line at a time.

    Returns:
        What became of it. What cannot be done, and an arm that stops, is no error: `kind` and `reason` say why.

    Raises:
        InputError: For a plan that breaks the contract or has no room in the world, and without an address.

    >>> import tamp
    >>> done = tamp.run_plan(tamp.load_arm("bench"), "tour", dry_run=True)
    >>> done.success, done.halted
    (True, None)
    """
    from tamp.api import arm_plans
    from tamp.api.solving import Person
    from tamp.api.sources import silent
    from tamp.backends.xarm.arm_steps import steps_of
    from tamp.files.source import Source, read

    if isinstance(plan, Mapping):
        source, label = Source("the plan", json.dumps(dict(plan))), "plan"
    else:
        file = arm_plans.plan_file(Path(plan))
        source, label = read(file), file.stem
    person = Person(say or silent)
    action_plan, begin = arm_plans.plan_in(source, arm, person.say), arm_plans.begin_of(arm, dry_run)
    folder = arm_plans.folder_for(label) if out is None else Path(out)
    how = arm_plans.ArmRun(dry_run, action_plan, begin=begin, second_check=second_check)
    return arm_plans.run(arm, steps_of(action_plan), folder, person, how)
