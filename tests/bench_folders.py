"""`make bench-folders`: faulty domain folders that a stranger wrote; does `tamp check` say so, and where?

    python tests/bench_folders.py [--part develop|measured] [--show]

80 folders with one fault each (arity, types, names, cycles, crashes, loops without end, units, missing parts), written
from the documentation alone with the places where a reasonable linter would point, and split before anything was built
on them; the measured half's sha256 is checked. `found` counts folders with a finding that has a file and a line, `at
the place` those with one at most a line away from a place that was expected. `--show` tells of the develop half what
was not found there.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tamp.data import data_dir
from tamp.runs.bench.records import wilson

TAMP = Path(sys.executable).with_name("tamp")
SECONDS = 180
NEAR = 1
"""Lines off that still count as the place."""
Record = dict[str, Any]


def unpacked(part: str, folder: Path) -> list[Record]:
    """Unpack a half into a folder; what is expected, a record a folder."""
    packed = gzip.decompress((data_dir("problems") / "faulty" / f"{part}.tar.gz").read_bytes())
    if part == "measured":
        digest = (data_dir("problems") / "faulty" / "measured.sha256").read_text().split()[0]
        if hashlib.sha256(packed).hexdigest() != digest:
            raise SystemExit("measured.tar.gz is not the one that was committed")
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return [json.loads(line) for line in (folder / f"expected-{part}.jsonl").read_text().splitlines()]


def checked(folder: Path) -> tuple[int, list[Record]]:
    """The exit code of `tamp check` and its findings; an exit code of -1 when it does not end."""
    try:
        done = subprocess.run(
            [TAMP, "check", str(folder), "--json"], capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return -1, []
    try:
        return done.returncode, json.loads(done.stdout)["findings"]
    except (json.JSONDecodeError, KeyError):
        return done.returncode, []


def verdict(case: Record, findings: list[Record]) -> str:
    """Whether a fault was found where it is, elsewhere, or not."""
    places = [case, *case.get("also", [])]
    for f in findings:
        for place in places:
            first, last = place["lines"]
            if Path(f["file"]).name == Path(place["file"]).name and first - NEAR <= f["line"] <= last + NEAR:
                return "at the place"
    return "elsewhere" if findings else "missed"


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", choices=("develop", "measured"), default="measured")
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    counts, exits = Counter[tuple[str, str]](), Counter[int]()
    with tempfile.TemporaryDirectory() as temporary:
        for case in unpacked(asked.part, Path(temporary)):
            code, findings = checked(Path(temporary) / asked.part / case["folder"])
            came_out = verdict(case, findings)
            counts[case["kind"], came_out] += 1
            exits[code] += 1
            if asked.show and asked.part == "develop" and came_out != "at the place":
                told = [f"{Path(f['file']).name}:{f['line']}: {f['message']}" for f in findings[:3]]
                sys.stdout.write(f"{case['folder']}: {case['fault']}: {came_out} {told}\n")
    n = counts.total()
    for name, which in (("found", ("at the place", "elsewhere")), ("at the place", ("at the place",))):
        k = sum(count for (_, came_out), count in counts.items() if came_out in which)
        low, high = wilson(k, n)
        sys.stdout.write(f"{name}: {k}/{n} = {100 * k / n:.1f} % ({100 * low:.1f} to {100 * high:.1f})\n")
    for kind in sorted({kind for kind, _ in counts}):
        told = ", ".join(f"{w} {counts[kind, w]}" for w in ("at the place", "elsewhere", "missed") if counts[kind, w])
        sys.stdout.write(f"    {kind:8} {told}\n")
    sys.stdout.write(f"exit codes: {', '.join(f'{code}: {count}' for code, count in sorted(exits.items()))}\n")


if __name__ == "__main__":
    main()
