"""Who gives a live session its orders: the keyboard, or standard input, and whoever connects."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator

from cli.output import say
from tamp.errors import InputError, TampError
from tamp.execution.masters import Masters
from tamp.execution.order_server import OrderServer
from tamp.execution.orders import WORDS, read_json, read_typed
from tamp.execution.session import Session

KEYBOARD = "the keyboard"


def listen(masters: Masters, port: int) -> OrderServer:
    """Take orders at a port of 127.0.0.1. InputError when it is taken."""
    try:
        server = OrderServer(masters, port)
    except OSError as e:
        raise InputError(f"--listen {port}: {e.strerror}; valid: a port that is free, or 0 for any") from e
    say(f"tamp: orders at tcp://127.0.0.1:{server.port}")
    return server


def heard(masters: Masters, session: Session) -> None:
    """Take orders from standard input, in a thread: lines of JSON, or typed words; an empty line asks for the state.
    Its end ends the session once nothing runs."""
    threading.Thread(target=_hear, args=(masters, session), name=KEYBOARD, daemon=True).start()


def _hear(masters: Masters, session: Session) -> None:
    for line in _typed(session):
        if not line.strip():
            session.tell_state = True
            continue
        try:
            masters.order(KEYBOARD, read_json(line) if line.lstrip().startswith("{") else read_typed(line))
        except TampError as e:
            say(f"tamp: no: {e}")
    session.ends_when_idle = True


def _typed(session: Session) -> Iterator[str]:
    """Lines of standard input; at a terminal with a history and completion."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        yield from sys.stdin
        return
    import readline

    readline.set_completer(_completer(session))
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
    with contextlib.suppress(EOFError):
        while True:
            yield input("")


def _completer(session: Session) -> Callable[[str, int], str | None]:
    def complete(begun: str, number: int) -> str | None:
        words = [*WORDS, *(a.name for a in session.activities), *session.performer.vocabulary()]
        fitting = [w for w in words if w.startswith(begun)]
        return fitting[number] if number < len(fitting) else None

    return complete
