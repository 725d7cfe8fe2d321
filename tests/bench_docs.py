"""`make docs-check`: every block of the documentation carried out and compared with its page, the slow ones too.

`--quick` leaves out what is slow, as `make test` does. What is not run is listed with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.bench import ROOT, Row
from tests.page_blocks import pages
from tests.page_check import check_page

DUE = 1.0


def bench(page: tuple[str, ...] = (), quick: bool = False) -> Iterator[Row]:
    """A row a block, a line a page."""
    for path in [Path(name).resolve() for name in page] or pages():
        for verdict in check_page(path, slow=not quick):
            good = not verdict.wrong and verdict.kind != "unmarked"
            data = {"kind": verdict.kind, "why": verdict.block.marks.get("not run", "")}
            yield Row(str(path.relative_to(ROOT)), good, {}, "\n".join(verdict.wrong), verdict.block.place, data)


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """How many blocks of each kind there are, and what is not run."""
    yield "; ".join(f"{n} {kind}" for kind, n in Counter(row.data["kind"] for row in rows).items())
    yield from (f"not run: {row.case}: {row.data['why']}" for row in rows if row.data["why"])
