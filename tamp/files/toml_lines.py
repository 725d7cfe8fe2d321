"""On which line of a TOML text each of its keys stands, which tomllib does not say."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable

Key = tuple[str | int, ...]
"""The way to a value: keys of tables and, in arrays, numbers from 0."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_WORD = re.compile(r"""[ \t]*("(?:\\.|[^"\\])*"|'[^']*'|[A-Za-z0-9_-]+)[ \t]*""")
_TEXT = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?:"{0,2})' r"|'''.*?'''(?:'{0,2})" r'|"(?:\\.|[^"\\])*"' r"|'[^']*'",
    re.DOTALL,
)
_BARE = re.compile(r"[^,\]}#\n]+")


def lines_of(text: str) -> dict[Key, int]:
    """The line, from 1, of every key, table and element of an array. The text must be TOML, as tomllib takes it."""
    return _Walk(text).document()


class _Walk:
    """One pass over a text that is known to be TOML, so that nothing has to be checked."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.line, self.counted = text, 0, 1, 0
        self.lines: dict[Key, int] = {}
        self.arrays: dict[Key, int] = {}

    def document(self) -> dict[Key, int]:
        table: Key = ()
        while self._next():
            if self.text.startswith("[[", self.at):
                table = self._header(2)
            elif self.text[self.at] == "[":
                table = self._header(1)
            else:
                self._pair(table)
        return self.lines

    def _header(self, brackets: int) -> Key:
        self.at += brackets
        line, words = self._here(), self._words()
        self.at += brackets
        table = self._into((), words[:-1])
        if brackets == 2:
            self.arrays[*table, words[-1]] = self.arrays.get((*table, words[-1]), -1) + 1
            self.lines.setdefault((*table, words[-1]), line)
        table = self._into(table, words[-1:])
        self.lines.setdefault(table, line)
        return table

    def _into(self, table: Key, words: Iterable[str]) -> Key:
        """The table that words lead to from one: of an array of tables, its last."""
        for word in words:
            table = (*table, word)
            self.lines.setdefault(table, self._here())
            if table in self.arrays:
                table = (*table, self.arrays[table])
        return table

    def _pair(self, table: Key) -> None:
        line, words = self._here(), self._words()
        self.at += 1  # the sign of equality
        for n in range(1, len(words) + 1):
            self.lines.setdefault((*table, *words[:n]), line)
        self._value((*table, *words))

    def _value(self, key: Key) -> None:
        self._next()
        self.lines.setdefault(key, self._here())
        begin = self.text[self.at]
        if begin == "[":
            self._listed(key, "]")
        elif begin == "{":
            self._listed(key, "}")
        elif found := _TEXT.match(self.text, self.at) or _BARE.match(self.text, self.at):
            self.at = found.end()

    def _listed(self, key: Key, end: str) -> None:
        """What stands between brackets: values, or pairs of an inline table."""
        self.at, number = self.at + 1, 0
        while self._next() and self.text[self.at] != end:
            if self.text[self.at] == ",":
                self.at += 1
            elif end == "]":
                self._value((*key, number))
                number += 1
            else:
                self._pair(key)
        self.at += 1

    def _words(self) -> list[str]:
        """A key with dots."""
        words: list[str] = []
        while found := _WORD.match(self.text, self.at):
            words.append(_plain(found[1]))
            self.at = found.end()
            if not self.text.startswith(".", self.at):
                break
            self.at += 1
        return words

    def _next(self) -> bool:
        """To the next thing that is no blank and no comment; whether there is one."""
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.at < len(self.text)

    def _here(self) -> int:
        self.line += self.text.count("\n", self.counted, self.at)
        self.counted = self.at
        return self.line


def _plain(word: str) -> str:
    """A key without its quotes."""
    if word.startswith('"'):
        value: str = tomllib.loads(f"key = {word}")["key"]
        return value
    return word.strip("'")
