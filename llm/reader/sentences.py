"""Files of sentences with their programs, scene by scene: what a reader is taught with and measured on.

    ## any title
    cups [item]: blue cup (on table), red cup (on table)
    tables [surface]: table
    can be: on(item, surface), holding(item)

    # take the red one
    holding(red cup)

    now: holding(red cup)
    # no, the other
    drop holding(red cup)
    holding(blue cup)

Blank lines separate blocks. `now:` is for the sentence below it alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from llm.reader.program import NotAProgram, Program, read_program
from llm.reader.setting import NotASetting, Setting, read_setting
from tamp.errors import InputError


@dataclass(frozen=True)
class Sentence:
    """What is said in a setting, and the program that a careful person makes of it. `line` is where it stands."""

    setting: Setting
    words: str
    program: Program
    line: int


def read_sentences(path: Path) -> tuple[Sentence, ...]:
    """All of a file. InputError with every line that is wrong."""
    found, wrong = list[Sentence](), list[str]()
    setting: Setting | None = None
    for line, block in _blocks(path.read_text(encoding="utf-8")):
        try:
            if block.startswith("## "):
                setting = None
                setting = read_setting(block.partition("\n")[2])
            elif setting is not None:
                found.append(_sentence(block, setting, line))
        except (NotASetting, NotAProgram) as e:
            wrong.append(f"{path}:{line}: {e}")
    if wrong:
        raise InputError(*wrong)
    return tuple(found)


def _sentence(block: str, setting: Setting, line: int) -> Sentence:
    lines = block.splitlines()
    if lines[0].startswith("now: "):
        now = lines.pop(0).removeprefix("now: ")
        read_program(now.replace(" / ", "\n"), setting)
        setting = replace(setting, now=now)
    said = [text.removeprefix("# ") for text in lines if text.startswith("# ")]
    if not said:
        raise NotAProgram(f"{lines[0]!r}: no words; valid: # what is said, and its program below")
    return Sentence(setting, " ".join(said), read_program("\n".join(lines[len(said) :]), setting), line)


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Blocks between blank lines, with the lines on which they begin."""
    for found in re.finditer(r"(?:^.*\S.*$\n?)+", text, re.MULTILINE):
        yield text.count("\n", 0, found.start()) + 1, found[0].strip()
