"""Commands on a page of the documentation, and what the page says that they print."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Shown:
    """A command after `$ `, and the lines below it."""

    command: str
    lines: tuple[str, ...]


def shown(page: Path) -> list[Shown]:
    """The commands in the indented blocks of a page, in order."""
    found: list[tuple[str, list[str]]] = []
    for line in page.read_text().splitlines():
        if line.startswith("    $ "):
            found.append((line.removeprefix("    $ "), []))
        elif line.startswith("    ") and found:
            found[-1][1].append(line.removeprefix("    "))
        elif line.strip() and found:
            found.append(("", []))  # prose: an indented block after it is another one
    return [Shown(command, tuple(lines)) for command, lines in found if command]


def says(output: str, expected: tuple[str, ...]) -> bool:
    """Whether an output is what a page shows: a line `…` is any lines, `…` in a line anything."""
    parts = [".*" if line.strip() == "…" else ".*?".join(map(re.escape, line.split("…"))) for line in expected]
    pattern = "\n".join(parts).replace("\n.*\n", "\n(?:.*\n)?").removeprefix(".*\n").removesuffix("\n.*")
    begins = "" if expected[0].strip() == "…" else r"\A"
    ends = "" if expected[-1].strip() == "…" else r"\s*\Z"
    return re.search(begins + pattern + ends, output, re.DOTALL) is not None
