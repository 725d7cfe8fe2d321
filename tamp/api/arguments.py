"""What can be wrong with options, found out before anything heavy is built; what goes together is in the configs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tamp.api.configs import LANGUAGE_PLANNER
from tamp.backends.xarm.address import CONTROL_PORT
from tamp.errors import InputError

if TYPE_CHECKING:
    from tamp.backends.xarm.address import ArmAddress
    from tamp.backends.xarm.workcell import Workcell
    from tamp.model.domain import Domain


def check_disturbance(kind: str | None, perception: str) -> None:
    """InputError for a disturbance that there is not, or that shows only in pictures."""
    if kind is None:
        return
    from tamp.backends.libero.perturbation_schedule import check

    check(kind, perception)


def check_perception(simulator: str, body: str | Path | None, perception: str, calibration: Path | str | None) -> None:
    """InputError for a robot that there is not, cameras without a library of objects, and a file that is no
    calibration."""
    if body is not None:
        from tamp.backends import bodies

        described = bodies.find(str(body))
        if simulator == "xarm":
            described.for_sdk()
    if perception == "camera":
        from tamp.perception.library import read_index

        read_index()
    if calibration is not None:
        from tamp.perception.calibration import read

        read(Path(calibration))


def arm_at_table(
    simulator: str, body: str | Path | None, host: str | None, port: int | None, eyes: str | None
) -> ArmAddress | None:
    """Where an arm is that works at a table, and what says what is around it; None in a simulator. InputError where
    either is not said, or no address, and in a simulator for what is."""
    given = [name for name, value in (("host", host), ("port", port), ("eyes", eyes)) if value is not None]
    if simulator != "xarm":
        if given:
            raise InputError(f"{', '.join(given)}: of an arm that is driven; valid with simulator='xarm'")
        return None
    if body is None:
        raise InputError("no body: which arm stands in the scene; valid: body='xarm7', or another of UFACTORY's")
    from tamp.backends.xarm.address import ArmAddress, address_of, host_of

    if host is None or eyes is None:
        what = "--host" if host is None else "--eyes"
        raise InputError(f"no {what}: an arm at a table needs its address, and the port of the emulator that sees")
    try:
        return ArmAddress(host_of(host), port or CONTROL_PORT, address_of(eyes))
    except ValueError as e:
        raise InputError(f"--host {host} --eyes {eyes}: {e}") from e


def check_planner(name: str) -> None:
    """InputError when it is neither the language model nor an installed engine that finds plans."""
    from tamp.pddl import engines

    engines.check(name, [LANGUAGE_PLANNER])


def domain(name_or_dir: str | Path) -> Domain:
    """The domain, parsed; InputError when it does not parse or an operator is bound to no known skill."""
    from tamp.pddl.domain_file import load
    from tamp.skills.registry import bind

    loaded = load(str(name_or_dir))
    bind(loaded)
    return loaded


def workcell(path: Path) -> Workcell:
    """The world of an arm: a file, or a shipped one by its name. InputError when it is none."""
    from tamp.backends.xarm.workcell import read_workcell
    from tamp.data import located

    return read_workcell(located(path, "world", ".toml", folder="xarm"))
