"""What is looked at of every block of the documentation, as a table; with `--run` it is done, the slow ones too.

python -m tests.page_table [--run] [--quick] [PAGE ...]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from tests.page_blocks import blocks, pages
from tests.page_check import KINDS, ROOT, Verdict, check_page, kind


def table(verdicts: dict[Path, list[Verdict]]) -> str:
    """A row a page, and the reasons for what is not run."""
    rows = [("page", "blocks", *KINDS, "wrong")]
    for page, each in verdicts.items():
        rows.append((str(page.relative_to(ROOT)), *_counts(each)))
    rows.append(("all", *_counts([v for each in verdicts.values() for v in each])))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    ]
    reasons = [
        f"{v.block.place}: {v.block.marks['not run']}"
        for each in verdicts.values()
        for v in each
        if v.kind == "not run"
    ]
    return "\n".join([*lines, "", "not run:", *reasons])


def _counts(verdicts: list[Verdict]) -> list[str]:
    found = Counter(v.kind for v in verdicts)
    return [str(n) for n in (len(verdicts), *(found[k] for k in KINDS), sum(bool(v.wrong) for v in verdicts))]


def main() -> int:
    """Exit 1 when something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=lambda name: Path(name).resolve())
    parser.add_argument("--run", action="store_true", help="carry everything out")
    parser.add_argument("--quick", action="store_true", help="with --run: not what is slow")
    given = parser.parse_args()
    verdicts = {}
    for page in given.pages or pages():
        begun = time.monotonic()
        verdicts[page] = (
            check_page(page, slow=not given.quick) if given.run else [Verdict(b, kind(b)) for b in blocks(page)]
        )
        if given.run:
            sys.stderr.write(f"{page.name}: {time.monotonic() - begun:.1f} s\n")
        for verdict in verdicts[page]:
            for wrong in verdict.wrong:
                sys.stderr.write(f"{verdict.block.place}: {wrong}\n\n")
    sys.stdout.write(table(verdicts) + "\n")
    return 1 if any(v.wrong or v.kind == "unmarked" for each in verdicts.values() for v in each) else 0


if __name__ == "__main__":
    sys.exit(main())
