"""What can be said against the arguments of an episode before anything heavy is built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tamp.backends.xarm.address import CONTROL_PORT as CONTROL_PORT  # noqa: PLC0414 (the default of commands)
from tamp.errors import InputError

if TYPE_CHECKING:
    from tamp.backends.xarm.address import ArmAddress
    from tamp.backends.xarm.workcell import Workcell
    from tamp.model.domain import Domain


UNSAID = 'say what to do: tamp solve "put the mug in the drawer", or give a --goal, or a --scene with its own'
"""What is said where nobody says what to do."""


@dataclass(frozen=True)
class RealArm:
    """The options of `tamp solve` that are for a real arm."""

    host: str | None = None
    port: int | None = None
    world: Path | None = None
    dry_run: bool = False
    speed_scale: float | None = None
    eyes: str | None = None
    dead_man: float | None = None
    twice: bool = True


def drawn(overlay: bool, video: bool, perception: str) -> None:
    """InputError where there is nothing to draw what was seen on, or nothing is seen."""
    if overlay and not (video and perception == "camera"):
        raise InputError("--overlay draws what cameras saw on the video; valid with --video --perception camera")


def searched(no_search: bool, perception: str) -> None:
    """InputError where there is no search to leave out."""
    if no_search and perception != "camera":
        raise InputError("--no-search: nothing is searched for with --perception oracle; valid: --perception camera")


def disturbed(kind: str | None, perception: str, stage: str = "all") -> None:
    """InputError for a disturbance that there is not, or that nobody would notice."""
    if kind is None:
        return
    if stage == "goal":
        raise InputError("--disturb: nothing moves with --stage goal; valid: --stage plan or all")
    from tamp.backends.libero.perturbation_schedule import check

    check(kind, perception)


def calibrated(path: Path | None, perception: str) -> None:
    """InputError for a file that is no calibration, or where no camera is asked."""
    if path is None:
        return
    if perception != "camera":
        raise InputError("--calibration is about cameras; valid with --perception camera")
    from tamp.perception.calibration import read

    read(path)


def left_out(text: str | None) -> tuple[str, ...]:
    """What `--without` names. InputError for what nobody does."""
    from tamp.agent.recovery_options import REFLEXES
    from tamp.model.goal_syntax import valid

    names = tuple(dict.fromkeys(name.strip() for name in (text or "").split(",") if name.strip()))
    if unknown := next((name for name in names if name not in REFLEXES), None):
        raise InputError(f"--without {unknown}: {valid(unknown, REFLEXES)}")
    return names


def driven(simulator: str, body: str | None, host: str | None, port: int | None, eyes: str | None) -> RealArm:
    """Where the arm is that works at a table. InputError for what is missing, and in a simulator for what is given."""
    given = [name for name, value in (("host", host), ("port", port), ("eyes", eyes)) if value is not None]
    if simulator != "xarm" and given:
        raise InputError(f"{', '.join(given)}: of an arm that is driven; valid with simulator='xarm'")
    if simulator == "xarm" and body is None:
        raise InputError("no body: which arm stands in the scene; valid: body='xarm7', or another of UFACTORY's")
    return RealArm(host, port, eyes=eyes)


def arm_at_table(backend: str, body: str | None, arm: RealArm) -> ArmAddress | None:
    """Where an arm is that works at a table, and who says what is around it. InputError where either is not said, or no
    address."""
    if backend != "xarm" or body is None:
        return None
    from tamp.backends import bodies
    from tamp.backends.xarm.address import ArmAddress, address_of, host_of

    bodies.find(body).for_sdk()
    if arm.host is None or arm.eyes is None:
        what = "--host" if arm.host is None else "--eyes"
        raise InputError(f"no {what}: an arm at a table needs its address, and the port of the emulator that sees")
    try:
        return ArmAddress(host_of(arm.host), arm.port or CONTROL_PORT, address_of(arm.eyes))
    except ValueError as e:
        raise InputError(f"--host {arm.host} --eyes {arm.eyes}: {e}") from e


def repaired(name: str | None, backend: str = "libero", stage: str = "all") -> None:
    """InputError for somebody who cannot be asked how to go on, or where nothing goes on."""
    from tamp.api.language import PLANS

    if name not in (None, PLANS):
        raise InputError(f"--repair {name}: nobody of that name can be asked; valid: {PLANS}")
    if name is not None and (backend != "libero" or stage == "goal"):
        raise InputError("--repair: nothing is repaired there; valid: --backend libero, of bench --stage plan or all")


def embodied(backend: str, body: str | None, only_libero: Mapping[str, bool]) -> None:
    """InputError for a robot that there is not, or that does not go there, and for what goes with LIBERO alone."""
    if body is not None:
        if backend == "libero":
            where = "valid with --backend mujoco, pybullet or xarm"
            raise InputError(f"--body: the robot of LIBERO's scenes is a Panda; {where}")
        from tamp.backends import bodies

        bodies.find(body)
    if backend != "libero" and (wrong := [option for option, given in only_libero.items() if given]):
        raise InputError(f"{' '.join(wrong)}: not with --backend {backend}; valid: --backend libero")


def refined(seconds: float | None, perception: str) -> None:
    """InputError for a time limit of refinement where nobody heeds it."""
    if seconds is not None and perception == "camera":
        raise InputError("--refine-timeout: not with --perception camera; valid: --perception oracle")


def seen(perception: str, noise: str = "clean") -> None:
    """InputError for cameras that lack something."""
    if perception == "camera":
        from tamp.perception.library import read_index

        read_index()
    elif noise != "clean":
        raise InputError(f"--noise {noise}: nothing is seen with --perception oracle; valid: --perception camera")


def usual_planner() -> str:
    """The engine that plans where none is named: Fast Downward, and pyperplan where only that is installed."""
    from tamp.pddl.engines import usual

    return usual()


def planner(name: str) -> None:
    """InputError when it is neither the language model nor an installed engine that finds plans."""
    from tamp.api.language import PLANS
    from tamp.pddl import engines

    engines.check(name, [PLANS])


def domain(name_or_dir: str) -> Domain:
    """The domain, parsed; InputError when it does not parse or an operator is bound to no known skill."""
    from tamp.pddl.domain_file import load
    from tamp.skills.registry import bind

    loaded = load(name_or_dir)
    bind(loaded)
    return loaded


def workcell(path: Path) -> Workcell:
    """The world of an arm: a file, or a shipped one by its name. InputError when it is none."""
    from tamp.backends.xarm.workcell import read_workcell
    from tamp.data import located

    return read_workcell(located(path, "world", ".toml", folder="xarm"))
