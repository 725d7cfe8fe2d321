"""What can be said against the arguments before anything heavy is built."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tamp.errors import InputError

if TYPE_CHECKING:
    from tamp.domain import Domain


@dataclass(frozen=True)
class RealArm:
    """The options of `tamp solve` that are for a real arm."""

    host: str | None = None
    port: int | None = None
    world: Path | None = None
    dry_run: bool = False
    speed_scale: float | None = None

    def given(self) -> list[str]:
        """Those that were given, as they are typed."""
        return [f"--{name.replace('_', '-')}" for name, value in vars(self).items() if value not in (None, False)]


def built(backend: str, perception: str, arm: RealArm) -> None:
    """InputError for what is announced and not built yet, and for options of another backend."""
    if backend not in ("libero", "xarm"):
        raise InputError(f"--backend {backend} is not built yet; valid: libero, xarm")
    if perception != "oracle":
        raise InputError(f"--perception {perception} is not built yet; valid: oracle")
    if backend != "xarm" and (given := arm.given()):
        raise InputError(f"{given[0]} is for a real arm; valid: --backend xarm")


def planner(name: str) -> None:
    """InputError when it is neither the language model nor an installed engine that finds plans."""
    from llm.skill_planner import NAME
    from tamp.planners import engines

    engines.check(name, [NAME])


def domain(name_or_dir: str) -> Domain:
    """The domain, parsed; InputError when it does not parse or an operator is bound to no known skill."""
    from tamp.domain import load
    from tamp.skills.registry import bind

    loaded = load(name_or_dir)
    bind(loaded)
    return loaded
