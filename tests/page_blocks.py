"""The blocks of a page of the documentation: commands with their output, files, programs, drawings.

A comment right before a block says what a reader of the rendered page need not know:

    <!-- not run: REASON -->   nobody carries it out; Python in it is still compiled, data still parsed
    <!-- slow -->              carried out by `make docs-check` only
    <!-- file: NAME -->        the block is the content of a file for the commands after it
    <!-- of: PATH -->          the block is part of a file of the repository
    <!-- in: FOLDER -->        the commands find the files of tests/pages/FOLDER
    <!-- figures vary -->      numbers in the output are not compared
    <!-- real time -->         typed again, twice at most, when a busy machine makes the emulated arm stop
    <!-- exit N -->            the last command ends with this exit code
    <!-- synopsis -->          commands and options that exist, not to be carried out
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
MARKS = ("not run", "slow", "file", "of", "in", "figures vary", "real time", "exit", "synopsis")
COMMANDS = re.compile(r"(?:[A-Z_]+=\S+ )*(?:tamp|make|python|pip|cat|vllm|sudo|git|cp|grep|pre-commit) ")


@dataclass(frozen=True)
class Block:
    """A block of a page: its place, its language (`commands` of those to type, `text` of no other) and its marks."""

    page: Path
    line: int
    language: str
    text: str
    marks: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """`docs/check.md:12`."""
        return f"{self.page.relative_to(ROOT) if self.page.is_relative_to(ROOT) else self.page}:{self.line}"


@dataclass(frozen=True)
class Shown:
    """A command of a block, and the lines that it is said to print; None where the page shows none."""

    command: str
    lines: tuple[str, ...]


def pages() -> list[Path]:
    """Every page whose blocks are looked at."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path, text: str | None = None) -> list[Block]:
    """The fenced and indented blocks of a page, in order."""
    lines = (page.read_text() if text is None else text).splitlines()
    found, marks, i = [], {}, 0
    while i < len(lines):
        line = lines[i]
        if mark := re.fullmatch(r"\s*<!-- ([a-z ]+?)(?:: (.*)| (\d+))? -->", line):
            marks[mark[1]] = mark[2] or mark[3] or ""
            i += 1
        elif fence := re.match(r"( *)```(\w*)", line):
            end = next(j for j in range(i + 1, len(lines)) if lines[j].strip() == "```")
            body = [each.removeprefix(fence[1]) for each in lines[i + 1 : end]]
            found.append(_block(page, i + 1, fence[2], body, marks))
            marks, i = {}, end + 1
        elif line.startswith("    ") and line.strip() and _stands_apart(lines, i):
            ends = (j for j in range(i, len(lines)) if lines[j].strip() and not lines[j].startswith("    "))
            end = next(ends, len(lines))
            body = [each.removeprefix("    ") for each in lines[i:end]]
            found.append(_block(page, i + 1, "", body, marks))
            marks, i = {}, end
        else:
            marks = marks if not line.strip() else {}
            i += 1
    return found


def _stands_apart(lines: list[str], i: int) -> bool:
    """Whether an indented line begins a block: after an empty line, and not inside a list's item."""
    before = [each for each in lines[:i] if each.strip() and not each.startswith("    ")]
    return (i == 0 or not lines[i - 1].strip()) and not (before and re.match(r"\s*([-*]|\d+\.) ", before[-1]))


def _block(page: Path, line: int, language: str, body: list[str], marks: dict[str, str]) -> Block:
    while body and not body[-1].strip():
        body = body[:-1]
    text = "\n".join(body)
    if language in {"", "console", "sh", "bash"}:
        language = "commands" if _typed(body) else language or "text"
    return Block(page, line, language, text + "\n", marks)


def _typed(body: list[str]) -> bool:
    """Whether a block is commands: each after a `$ ` with its output, or nothing but commands."""
    starts = [each for before, each in zip(["", *body], body, strict=False) if each.strip() and before[-1:] != "\\"]
    return body[0].startswith("$ ") or all(COMMANDS.match(each) or each.startswith("#") for each in starts)


def commands(block: Block) -> list[Shown]:
    """The commands of a block, each with what it prints."""
    prompts = block.text.startswith("$ ")
    found: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if found and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0].removesuffix("\\").rstrip() + " " + line.strip(), [])
        elif line.startswith("$ ") or (not prompts and line.strip() and not line.startswith("#")):
            found.append((line.removeprefix("$ "), []))
        elif found and line.strip():
            found[-1][1].append(line)
    return [Shown(_bare(command), tuple(lines)) for command, lines in found]


def _bare(command: str) -> str:
    """Without the comment after a command."""
    return re.sub(r"\s+# .*", "", command)


def says(output: str, expected: tuple[str, ...]) -> bool:
    """Whether an output is what a page shows: a line `…` is any lines, `…` in a line anything."""
    lines = [line for line in expected if line.strip()]
    pattern = ""
    for line in lines:
        any_lines = line.strip() in {"…", "..."}
        pattern += r"(?:.*\n)*?" if any_lines else "[^\n]*?".join(map(re.escape, line.split("…"))) + "\n"
    text = "".join(line + "\n" for line in output.splitlines() if line.strip())
    return re.fullmatch(pattern, text) is not None


def normal(text: str, places: dict[str, str], figures: bool = True) -> str:
    """A text without what differs from run to run: seconds, times of day, ports, hashes, folders of this machine.

    `places` are such folders and what stands for them; without `figures` no number counts.
    """
    for place, name in places.items():
        text = text.replace(place, name)
    return "\n".join(_normal(line, figures) for line in text.splitlines())


CHANGING = (
    (r"\x1b\[[0-9;]*m", ""),
    (r"^tamp: checking step \d+ of \d+$", ""),  # told only when it takes long
    (r"\b\d{8}-\d{6}\b", "TIME"),
    (r"\b[0-9a-f]{12,40}\b", "HASH"),
    (r"\b\d+(\.\d+)? ?s\b", "N s"),
    (r"\b(faults?|port|control|http://[\d.]+:|ws://[\d.]+:) ?\d+", r"\1 N"),
    (r"^(seconds|waited|arms) .*", r"\1 N"),
    (r"-{3,}", "---"),
    (r" {2,}", "  "),
    (r"\s+$", ""),
)


def _normal(line: str, figures: bool) -> str:
    for pattern, with_what in CHANGING:
        line = re.sub(pattern, with_what, line)
    return line if figures else re.sub(r"-?\b\d+(\.\d+)?\b", "N", line)
