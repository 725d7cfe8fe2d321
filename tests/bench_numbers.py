"""`make bench-numbers`: every number of every file format as a wrong unit, as no number, and enormous.

    python tests/bench_numbers.py [FORMAT ...] [--most 400] [--seed 0] [--workers 2] [--out DIR]

Takes a valid example of each format (tests/number_files.py), spoils its numbers one at a time (tests/number_faults.py;
of more than `--most` faults so many are drawn) and has the cheapest command read it, with 2 GiB more memory than before
and 20 s. Prints a line a format: how many were accepted, refused with file, line and field, and refused without one of
these; and every internal error, time-out, and refusal that lacks its place. An accepted fault may be a value that
somebody could mean: those of a wrong unit are in the file of results.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

from tests.bench_fuzz import caught
from tests.number_faults import Fault, faults, lacks
from tests.number_files import Example, examples

LONGEST = 20.0
"""Seconds that a file may take."""
MEMORY = 2 << 30
"""Bytes that reading it may take."""
BATCH = 60
FAULTS = ("internal error", "out of time")
"""What must never happen."""

Outcome = dict[str, Any]


def drawn(example: Example, most: int, seed: int) -> list[Fault]:
    """The faults of an example, or so many of them."""
    found = list(faults(example.text, example.syntax))
    return found if len(found) <= most else Random(seed).sample(found, most)


def unspoilt(example: Example) -> Outcome:
    """What becomes of the example itself."""
    return outcome(example, Fault("none", 1, "", example.text))


def outcome(example: Example, fault: Fault) -> Outcome:
    """What became of a file with a fault: accepted, answered `no`, refused, or one of FAULTS; and what was said."""
    from cli.main import app
    from cli.output import run

    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        example.write(Path(folder), fault.text)
        read = example.read
        if callable(read):
            path = Path(example.name)
            code, said = caught(lambda: sys.exit(run(lambda: (read(path), 0)[1], "read")), folder)
        else:
            code, said = caught(lambda: app([*read]), folder)
    found = code == 1 and read[0] == "check" if not callable(read) else False  # its findings are refusals
    kind = "refused" if found else {0: "accepted", 1: "accepted", 2: "refused"}.get(code, "internal error")
    wants = lacks(said, example.name, fault) if kind == "refused" else ""
    return {
        "kind": fault.kind, "line": fault.line, "field": fault.field, "code": code,
        "outcome": f"no {wants}" if wants else kind, "said": said[-400:], "seconds": time.perf_counter() - begun,
    }  # fmt: skip


def _work(example: Example, some: list[tuple[int, Fault]], results: Connection) -> None:
    before = unspoilt(example)  # what is imported on first use does not count
    assert before["outcome"] == "accepted", before
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for number, fault in some:
        results.send((number, outcome(example, fault)))
    results.close()


def batch(example: Example, some: list[Fault]) -> list[Outcome]:
    """Faults one after another in a process of their own, which is ended when one takes too long."""
    context, found, left = multiprocessing.get_context("fork"), [], list(enumerate(some))
    while left:
        mine, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(example, left, theirs))
        process.start()
        theirs.close()
        waits = 6 * LONGEST
        with contextlib.suppress(EOFError):
            while left and mine.poll(waits):
                number, one = mine.recv()
                found.append(one)
                left.remove((number, some[number]))
                waits = LONGEST
        process.kill()
        process.join()
        if left:
            fault = left.pop(0)[1]
            found.append({"kind": fault.kind, "line": fault.line, "field": fault.field, "outcome": "out of time"})
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("formats", nargs="*", metavar="FORMAT")
    parser.add_argument("--most", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, default=Path("results/numbers"))
    asked = parser.parse_args()
    known = examples()
    if unknown := [name for name in asked.formats if name not in known]:
        parser.error(f"no format {unknown[0]!r}; valid: {', '.join(known)}")
    todo = {name: known[name] for name in asked.formats or known}
    parts = []
    for name, example in todo.items():
        some = drawn(example, asked.most, asked.seed)
        parts += [(name, example, some[i : i + BATCH]) for i in range(0, len(some), BATCH)]
    found: dict[str, list[Outcome]] = {name: [] for name in todo}
    with ThreadPoolExecutor(asked.workers) as pool:
        for (name, _, some), outcomes in zip(parts, pool.map(lambda p: batch(p[1], p[2]), parts), strict=True):
            found[name] += outcomes
            sys.stderr.write(f"{name}: {len(some)}\n")
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / f"seed{asked.seed}.json").write_text(json.dumps(found, indent=1))
    report(found)


def report(found: dict[str, list[Outcome]]) -> None:
    """A table, and what is wrong, each kind of it once a field."""
    columns = ("accepted", "refused", "no file", "no line", "no field", "no right line", *FAULTS)
    sys.stdout.write(f"{'format':28}{'faults':>8}" + "".join(f"{c:>16}" for c in columns) + "\n")
    for name, outcomes in found.items():
        count = Counter(o["outcome"] for o in outcomes)
        sys.stdout.write(f"{name:28}{len(outcomes):>8}" + "".join(f"{count[c]:>16}" for c in columns) + "\n")
    seen = set()
    for name, outcomes in found.items():
        for o in outcomes:
            what = (name, o["outcome"], o["field"], o.get("said", "")[:60])
            if o["outcome"] not in ("accepted", "refused") and what not in seen:
                seen.add(what)
                said = " ".join(o.get("said", "").split())
                sys.stdout.write(
                    f"{name}, {o['kind']} at line {o['line']} {o['field']}: {o['outcome']}: {said[:300]}\n"
                )


if __name__ == "__main__":
    main()
