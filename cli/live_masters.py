"""Who types the orders of a live session: lines of standard input."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tamp.api.live import Words

KEYBOARD = "the keyboard"


def typed(words: Words) -> Iterator[str]:
    """Lines of standard input; at a terminal with a history, and completion by `words`."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        yield from sys.stdin
        return
    import readline

    readline.set_completer(_completer(words))
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
    with contextlib.suppress(EOFError):
        while True:
            yield input("")


def _completer(words: Words) -> Callable[[str, int], str | None]:
    def complete(begun: str, number: int) -> str | None:
        fitting = [w for w in words() if w.startswith(begun)]
        return fitting[number] if number < len(fitting) else None

    return complete
