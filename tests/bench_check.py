"""`make bench-check`: `tamp check` over the public domains of tests/public_domains.py and some problems of each.

unified-planning reads them all, so each error that `tamp check` finds in one has to be defended. Prints every finding
but those of the kinds named by --hide, and a count of each kind.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.bench import Row
from tests.public_domains import DOMAINS

DUE = 1.0
SECONDS = 120.0


def bench(problems: int = 10, hide: tuple[str, ...] = ()) -> Iterator[Row]:
    """A row a domain with its first problems."""
    for domain in DOMAINS:
        files = [str(domain.file), *map(str, domain.problems(problems))]
        command = [sys.executable, "-c", "from cli.main import main; main()", "check", *files, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        found: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
        counted = Counter(f["code"] for f in found)
        said = [f"{domain.name}: {Path(f['file']).name}:{f['line']}: {f['code']} {f['message']}" for f in found
                if f["code"] not in hide]  # fmt: skip
        yield Row(
            "public domains", done.returncode == 0, {"problems": len(files) - 1}, f"exit {done.returncode}",
            case=domain.name, data={"counted": dict(counted), "said": said},
        )  # fmt: skip


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """The findings, and how many of each kind."""
    total: Counter[str] = Counter()
    for row in rows:
        total.update(row.data["counted"])
        yield from row.data["said"]
    yield "; ".join(f"{n} {code}" for code, n in total.most_common())
