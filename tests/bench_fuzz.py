"""`make bench-fuzz`: mutated files through `tamp validate`, `tamp check` and `tamp plan`.

    python tests/bench_fuzz.py [--n 20000] [--seed 0] [--workers 2] [--out DIR]

Each input is a domain, a problem and a plan of which one to three were mutated (tests/fuzzing.py), given to one of
the commands, in this process but for the search. What must not happen: a traceback or an internal error, another
exit code than 0, 1 or 2, more than 30 s, and any other exit code than 2 where the files are not PDDL: their
parentheses do not match, they are not text, or unified-planning's reader does not take them. Prints a line a command
and every failure with the number that repeats it.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from tests.bench import keep, resumed
from tests.fuzzing import DOMAIN, PLANS, PROBLEM, mutated

COMMANDS = {
    "validate": ["domain.pddl", "problem.pddl", "plan.txt"],
    "check": ["domain.pddl", "problem.pddl"],
    "plan": ["domain.pddl", "problem.pddl", "--timeout", "5", "--planner", "pyperplan"],
}
LONGEST = 30.0
"""Seconds that an input may take."""
BATCH = 100


def files_of(number: int, seed: int) -> tuple[str, dict[str, bytes]]:
    """The command and the files of an input. They follow from its number and the seed."""
    rng = Random(f"{seed}/{number}")
    command = list(COMMANDS)[number % len(COMMANDS)]
    files = {"domain.pddl": DOMAIN.encode(), "problem.pddl": PROBLEM.encode(), "plan.txt": rng.choice(PLANS).encode()}
    used = [name for name in files if name in COMMANDS[command]]
    for name in rng.sample(used, rng.choice((1, 1, len(used)))):
        files[name] = mutated(files[name], rng)
    return command, files


def is_pddl(files: dict[str, bytes]) -> bool:
    """Whether unified-planning's own reader takes a domain and a problem, with whatever it raises otherwise."""
    from unified_planning.io import PDDLReader

    try:
        texts = [files[name].decode("utf-8-sig") for name in ("domain.pddl", "problem.pddl")]
        PDDLReader().parse_problem_string(*texts)
    except Exception:
        return False
    return not any("\0" in text for text in texts)


def fault(number: int, seed: int) -> tuple[str, int, str]:
    """The command, its exit code, and what is wrong with how it ended; empty when nothing is."""
    from cli.main import app

    command, files = files_of(number, seed)
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            Path(folder, name).write_bytes(data)
        code, said = caught(lambda: app([command, *COMMANDS[command]]), folder)
    if "Traceback" in said or "internal error" in said:
        return command, code, f"error: {said[-300:]}"
    if code not in (0, 1, 2):
        return command, code, f"exit code {code}"
    if command != "check" and not is_pddl(files) and code != 2:
        return command, code, f"exit code {code} for what is not PDDL"
    return command, code, ""


def caught(call: Callable[[], object], folder: str) -> tuple[int, str]:
    """Exit code and words of a command that runs in a folder, caught at the file descriptors."""
    with tempfile.TemporaryFile("w+") as said:
        saved, here, streams = [os.dup(1), os.dup(2)], Path.cwd(), (sys.stdout, sys.stderr)
        sys.stdout.flush()
        for stream in (1, 2):
            os.dup2(said.fileno(), stream)
        os.chdir(folder)
        sys.stdout, sys.stderr = os.fdopen(os.dup(1), "w"), os.fdopen(os.dup(2), "w")  # not where pytest has them
        try:
            call()
            code = 0
        except SystemExit as e:
            code = e.code if isinstance(e.code, int) else 1
        except BaseException as e:
            code = 70
            sys.stderr.write(f"Traceback: {type(e).__name__}: {e}")
        finally:
            sys.stdout.close()
            sys.stderr.close()
            sys.stdout, sys.stderr = streams
            os.chdir(here)
            for stream, fd in zip((1, 2), saved, strict=True):
                os.dup2(fd, stream)
                os.close(fd)
        said.seek(0)
        return code, said.read()


def _work(numbers: list[int], seed: int, results: Connection) -> None:
    for number in numbers:
        results.send((number, *fault(number, seed)))
    results.close()


def batch(numbers: list[int], seed: int) -> list[dict[str, object]]:
    """The inputs one after another in a process of their own, which is ended when one takes too long."""
    context, found, left = multiprocessing.get_context("fork"), [], list(numbers)
    while left:
        mine, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(left, seed, theirs))
        process.start()
        theirs.close()
        with contextlib.suppress(EOFError):
            while left and mine.poll(LONGEST):
                number, command, code, wrong = mine.recv()
                found.append({"number": number, "command": command, "code": code, "fault": wrong})
                left.remove(number)
        process.kill()
        process.join()
        if left:
            command = files_of(left[0], seed)[0]
            found.append({"number": left.pop(0), "command": command, "code": None, "fault": "hung or died"})
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, default=Path("results/fuzz"))
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    path = asked.out / f"seed{asked.seed}.jsonl"
    told = resumed(path)
    done = {t["number"] for t in told}
    todo = [n for n in range(asked.n) if n not in done]
    parts = [todo[i : i + BATCH] for i in range(0, len(todo), BATCH)]
    import unified_planning.engines
    import unified_planning.io  # noqa: F401 (once, before the processes that inherit it)

    with ThreadPoolExecutor(asked.workers) as pool:
        for some in pool.map(lambda part: batch(part, asked.seed), parts):
            told += some
            keep(path, *some)
            sys.stderr.write(f"{len(told)}/{asked.n}\n")
    report(told, asked.seed)


def report(told: list[dict[str, object]], seed: int) -> None:
    for command in COMMANDS:
        mine = [t for t in told if t["command"] == command]
        codes = Counter(t["code"] for t in mine)
        shown = ", ".join(f"{n} exit {c}" for c, n in sorted(codes.items(), key=str))
        sys.stdout.write(f"{command:9} {len(mine)} inputs: {shown}; {sum(bool(t['fault']) for t in mine)} faults\n")
    for t in told:
        if t["fault"]:
            sys.stdout.write(f"seed {seed}, number {t['number']}, {t['command']}: {t['fault']}\n")


if __name__ == "__main__":
    main()
