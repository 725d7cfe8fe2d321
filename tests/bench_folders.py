"""`make bench-folders`: faulty domain folders that a stranger wrote; does `tamp check` say so, and where?

80 folders with one fault each (arity, types, names, cycles, crashes, loops without end, units, missing parts), written
from the documentation alone with the places where a reasonable linter would point, and split before anything was built
on them; the measured half's sha256 is checked. `found`: with a finding that has a file and a line, and no crash; `at
the place`: with one at most a line away from a place that was expected.
"""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tamp.data import data_dir
from tests.bench import Row, check_committed
from tests.emulated import TAMP

SECONDS = 180
NEAR = 1
"""Lines off that still count as the place."""
Record = dict[str, Any]


def unpacked(part: str, folder: Path) -> list[Record]:
    """Unpack a half into a folder; what is expected, a record a folder."""
    path = data_dir("problems") / "faulty" / f"{part}.tar.gz"
    packed = gzip.decompress(path.read_bytes())
    check_committed(path, packed)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return [json.loads(line) for line in (folder / f"expected-{part}.jsonl").read_text().splitlines()]


def checked(folder: Path) -> tuple[int, list[Record]]:
    """The exit code of `tamp check` and its findings, none where it crashes; an exit code of -1 when it does not
    end."""
    command = [*TAMP, "check", str(folder), "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return -1, []
    return done.returncode, json.loads(done.stdout)["findings"] if done.stdout.startswith("{") else []


def verdict(case: Record, findings: list[Record]) -> str:
    """Whether a fault was found where it is, elsewhere, or not."""
    places = [case, *case.get("also", [])]
    for f in findings:
        for place in places:
            first, last = place["lines"]
            if Path(f["file"]).name == Path(place["file"]).name and first - NEAR <= f["line"] <= last + NEAR:
                return "at the place"
    return "elsewhere" if findings else "missed"


def bench(only: tuple[str, ...] = ("measured", "develop")) -> Iterator[Row]:
    """Two rows a folder."""
    for part in only:
        with tempfile.TemporaryDirectory() as folder:
            for case in unpacked(part, Path(folder)):
                code, findings = checked(Path(folder) / part / case["folder"])
                came_out = verdict(case, findings)
                printed = [f"{Path(f['file']).name}:{f['line']}: {f['message']}" for f in findings[:3]]
                shown = f"{case['folder']}: {case['fault']}: {printed}" if part == "develop" else case["kind"]
                yield Row(f"{part}: found", came_out != "missed" and code in (1, 2), detail=f"exit {code}: {shown}")
                yield Row(f"{part}: at the place", came_out == "at the place", detail=shown)
