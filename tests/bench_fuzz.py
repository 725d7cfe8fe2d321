"""`make bench-fuzz`: mutated files through `tamp validate`, `tamp check` and `tamp plan`.

Each input is a domain, a problem and a plan of which one to three were mutated (tests/fuzzing.py), given to one of the
commands. What must not happen: a traceback or an internal error, another exit code than 0, 1 or 2, more than 30 s, and
any other exit code than 2 where the files are not PDDL: their parentheses do not match, they are not text, or
unified-planning's reader does not take them. A case is the number that repeats it with the seed.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.bench import Kept, Row
from tests.forked import Begun
from tests.fuzzing import DOMAIN, PLANS, PROBLEM, mutated

DUE = 1.0
COMMANDS = {
    "validate": ["domain.pddl", "problem.pddl", "plan.txt"],
    "check": ["domain.pddl", "problem.pddl"],
    "plan": ["domain.pddl", "problem.pddl", "--timeout", "5", "--planner", "pyperplan"],
}
LONGEST = 30.0
"""Seconds that an input may take."""


def bench(kept: Kept, n: int = 20_000, seed: int = 0) -> Iterator[Row]:
    """A row an input, a line a command and exit code."""
    for number in range(n):
        if not kept.has(case := f"{seed}/{number}"):
            command, files = files_of(number, seed)
            code, wrong = fault(command, files)
            yield Row(f"{command}, exit {code}", not wrong, {}, wrong, case)


def files_of(number: int, seed: int) -> tuple[str, dict[str, bytes]]:
    """The command and the files of an input. They follow from its number and the seed."""
    rng = Random(f"{seed}/{number}")
    command = list(COMMANDS)[number % len(COMMANDS)]
    files = {"domain.pddl": DOMAIN.encode(), "problem.pddl": PROBLEM.encode(), "plan.txt": rng.choice(PLANS).encode()}
    used = [name for name in files if name in COMMANDS[command]]
    for name in rng.sample(used, rng.choice((1, 1, len(used)))):
        files[name] = mutated(files[name], rng)
    return command, files


def fault(command: str, files: dict[str, bytes]) -> tuple[int | None, str]:
    """A command's exit code, and what is wrong with how it ended; empty when nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            Path(folder, name).write_bytes(data)
        begun = Begun(command, *COMMANDS[command], cwd=Path(folder))
        try:
            code = begun.wait(LONGEST)
        except subprocess.TimeoutExpired:
            begun.kill()
            return None, f"takes more than {LONGEST:g} s"
        said = begun.out.read_text() + begun.errors.read_text()
    if "Traceback" in said or "internal error" in said:
        return code, f"error: {said[-300:]}"
    if code not in (0, 1, 2):
        return code, f"exit code {code}"
    if command != "check" and not is_pddl(files) and code != 2:
        return code, f"exit code {code} for what is not PDDL"
    return code, ""


def is_pddl(files: dict[str, bytes]) -> bool:
    """Whether unified-planning's own reader takes a domain and a problem, with whatever it raises otherwise."""
    from unified_planning.io import PDDLReader

    try:
        texts = [files[name].decode("utf-8-sig") for name in ("domain.pddl", "problem.pddl")]
        PDDLReader().parse_problem_string(*texts)
    except Exception:
        return False
    return not any("\0" in text for text in texts)
