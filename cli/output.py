"""What every command shares: where its words go, and how it ends.

Standard output carries a command's answer and nothing else. Progress, logs and whatever third-party
libraries print go to standard error (`tamp.quiet.quiet_stdout`).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TextIO

from cli import missing
from tamp.errors import InputError, TampError, disk_error, is_interrupt
from tamp.quiet import debugging, hush_warnings

MOST_REPORTED = 20
"""Mistakes in one input that are reported; `--json`, where a command has them there, has all."""

INTERRUPTED = 130  # 128 + SIGINT
BROKEN_PIPE = 141  # 128 + SIGPIPE
INTERNAL_ERROR = 70  # sysexits.h: EX_SOFTWARE


@dataclass(frozen=True)
class Output:
    """Where a command's answer goes, and whether it is to be one JSON object."""

    stream: TextIO | None
    json: bool

    def answer(self, value: Mapping[str, object], lines: Iterable[str] = ()) -> None:
        """Give the answer as one object, or else as lines."""
        if self.json:
            self.emit(value)
        else:
            self.print(lines)

    def emit(self, value: object) -> None:
        """Write one JSON value."""
        emit_json(value, self._stream)

    def print(self, lines: Iterable[str]) -> None:
        """Write lines."""
        for line in lines:
            self._stream.write(f"{line}\n")
        self._stream.flush()

    @property
    def _stream(self) -> TextIO:
        return sys.stdout if self.stream is None else self.stream


def emit_json(value: object, stream: TextIO) -> None:
    """Write one JSON value and a line end. Paths are written as text; NaN is refused, it is not JSON."""
    stream.write(json.dumps(value, default=_plain, allow_nan=False, ensure_ascii=False) + "\n")
    stream.flush()


def _plain(value: object) -> object:
    """Numpy scalars and arrays by their own conversion, paths as text; anything else is a mistake."""
    convert = getattr(value, "tolist", None)
    if callable(convert):
        return convert()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def say(line: str) -> None:
    """One plain line of progress on standard error. A terminal that is gone is no error: an arm may be moving."""
    with suppress(OSError):
        sys.stderr.write(line + "\n")
        sys.stderr.flush()


def note(line: str) -> None:
    """The same, with the name of the program before it."""
    say(f"tamp: {line}")


def counted(n: int, what: str) -> str:
    """A number of things in words."""
    return f"{n} {what}{'' if n == 1 else 's'}"


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[str], None]]:
    """Yields a function that counts one more done and says a line about it, if it has one; a bar on a terminal."""
    if not sys.stderr.isatty():
        yield lambda line: say(line) if line else None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True, highlight=False)) as bar:
        task = bar.add_task(what, total=total)

        def advance(line: str) -> None:
            if line:
                bar.console.print(line, markup=False)
            bar.advance(task)

        yield advance


def say_wrong(error: TampError) -> None:
    """An error on standard error, all that is wrong a line each, the first `MOST_REPORTED`."""
    wrong = error.messages if isinstance(error, InputError) else (str(error),)
    for message in wrong[:MOST_REPORTED]:
        say(f"tamp: error: {' '.join(message.split())}")
    if len(wrong) > MOST_REPORTED:
        say(f"tamp: error: … and {len(wrong) - MOST_REPORTED} more like these")


def run(command: Callable[[], int], name: str = "") -> int:
    """Run a command and return its exit code: an error is a line on standard error, several are as many.

    `name` is what the command is called, for what it lacks.
    With `TAMP_DEBUG=1` errors are raised instead, to see where they come from, and libraries may warn.
    """
    hush_warnings()
    try:
        return command()
    except TampError as error:
        if debugging():
            raise
        say_wrong(error)
        return error.exit_code
    except KeyboardInterrupt:
        if debugging():
            raise
        say("tamp: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone; the interpreter must not find out once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return BROKEN_PIPE
    except Exception as error:
        if debugging():
            raise
        return _unforeseen(error, name)


def _unforeseen(error: Exception, name: str) -> int:
    """Say what an error is that no part of tamp raised: an interrupt in disguise, a full disk, something that is not
    installed, or a fault."""
    if is_interrupt(error):
        say("tamp: interrupted")
        return INTERRUPTED
    if full := disk_error(error):
        say(f"tamp: error: cannot write{f' to {full.filename}' if full.filename else ''}: {full.strerror}")
        return TampError.exit_code
    if lacks := missing.advice(error, name):
        say(f"tamp: {lacks}")
        return TampError.exit_code
    text = " ".join(f"{type(error).__name__}: {error}".split())
    say(f"tamp: internal error: {text} (a fault of tamp; TAMP_DEBUG=1 shows where)")
    return INTERNAL_ERROR
