"""Files as people give them: their text, where in it something stands, and what cannot be read at all."""

from __future__ import annotations

import codecs
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tamp.errors import InputError

LARGEST = 16_000_000
"""Bytes of a file that is read. unified-planning's parser takes minutes for more."""
STDIN = "-"
STDIN_NAME = "<stdin>"


@dataclass(frozen=True)
class Source:
    """A text and what messages call it. Line ends are `\\n`, whatever the file has. `first` numbers its lines."""

    name: str
    text: str
    first: int = 1

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of a character."""
        before = self.text[:offset]
        return before.count("\n") + self.first, offset - before.rfind("\n")

    def line(self, number: int) -> str:
        """The text of a line, from 1; empty when there is none."""
        lines = self.text.split("\n")
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def in_raw(self, raw: str, offset: int) -> int:
        """Where a character of the text is in what the file holds, with its own line ends and its mark at the start."""
        line, column = self.place(offset)
        starts = [1 if raw.startswith("\ufeff") else 0, *(m.end() for m in re.finditer(r"\r\n|\r|\n", raw))]
        return starts[line - 1] + column - 1

    def bare(self) -> str:
        """The text in lower case with blanks for comments and tabs: as long, so that places stay the same."""
        text = re.sub(r";[^\n]*", lambda m: " " * len(m[0]), self.text)
        text = text.replace("\t", " ")
        lower = text.lower()
        return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def read(path: Path | str) -> Source:
    """A text file, or standard input for `-`. InputError where it cannot be read or is not UTF-8 text."""
    if str(path) == STDIN:
        return Source(STDIN_NAME, _text(sys.stdin.buffer, STDIN_NAME))
    try:
        with Path(path).open("rb") as file:
            return Source(str(path), _text(file, str(path)))
    except OSError as e:
        raise InputError(f"cannot read {path}: {e.strerror}") from e


def _text(file: BinaryIO, name: str) -> str:
    data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise InputError(f"{name} is too large: at most {LARGEST // 1_000_000} MB are read")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{name} is UTF-16 text; valid: UTF-8")
    if b"\0" in data:
        raise InputError(f"{name} is binary, not text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        line = data[: e.start].count(b"\n") + 1
        raise InputError(f"{name}:{line}: not UTF-8 text: byte 0x{data[e.start]:02x}") from e
    return text.replace("\r\n", "\n").replace("\r", "\n")
