"""Which options go with which backend."""

from __future__ import annotations

from collections.abc import Sequence

from tamp import InputError
from tamp.api.arguments import UNSAID

ARM_ONLY = ("--host", "--port", "--world", "--dry-run", "--speed-scale")
AT_TABLE = (
    "--scene", "--body", "--init-state", "--seed", "--untouched", "--planner", "--refine-timeout", "--domain",
    "--assume-first",
)  # fmt: skip
SCENE_ONLY = (
    *AT_TABLE, "--perception", "--noise", "--calibration", "--disturb", "--no-search", "--video", "--overlay",
)  # fmt: skip
ARM_AT_TABLE = (
    *AT_TABLE, "--perception", "--no-search", "--host", "--port", "--eyes", "--dead-man", "--no-second-check",
)  # fmt: skip
OPTIONS = dict.fromkeys((*SCENE_ONLY, *ARM_ONLY, *ARM_AT_TABLE))
"""Those that not every backend takes."""


def for_backend(backend: str, given: Sequence[str]) -> None:
    """InputError for options that a backend does not take: none is dropped without a word."""
    taken: Sequence[str] = SCENE_ONLY
    whose = "a real arm, --backend xarm"
    if backend == "xarm":
        at_table = "--body" in given
        taken = ARM_AT_TABLE if at_table else ARM_ONLY
        whose = "other backends" if at_table else "simulated scenes, or an arm at a table with --body"
    if wrong := [option for option in given if option in OPTIONS and option not in taken]:
        raise InputError(f"{' '.join(wrong)}: for {whose}; valid for --backend {backend}: {', '.join(taken)}")


def said(text: str | None, goals: Sequence[str], given: Sequence[str]) -> None:
    """InputError where nobody says what to do: neither words nor a goal, nor a scene that has its own."""
    if text is None and not goals and "--scene" not in given:
        raise InputError(UNSAID)
