"""The person at a terminal: who is asked what an instruction means, types orders, and stops an arm."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from cli.output import say
from tamp import Refusal

if TYPE_CHECKING:
    from tamp import Goal
    from tamp.api.live import Words
    from tamp.backends.xarm.arm_stop import ArmStop
    from tamp.runs.episode_log import EpisodeLog

UNHEARD = ("absent", "ambiguous", "beyond", "contradiction", "no goal", "nothing", "unclear", "unsolvable", "unsure")
"""Kinds of refusal after which other words may help."""
ASSUMED = {"ambiguous": "take the first", "unsure": "take it so"}
"""What --assume-first does where a refusal of such a kind has goals."""
KEYBOARD = "the keyboard"


def settled(text: str, read: Callable[[str], tuple[Goal, ...]], log: EpisodeLog) -> tuple[Goal, ...]:
    """What `read` makes of an instruction. At a terminal, what it refuses is asked about; elsewhere the refusal
    stands."""
    from tamp.api.sources import chosen, unasked

    while True:
        try:
            return unasked(text, read, log)
        except Refusal as refusal:
            if not (sys.stdin.isatty() and sys.stderr.isatty()):
                raise or_assumed(refusal) from None
            if len(refusal.readings) > 1:
                return chosen(_chosen(refusal), log)
            if refusal.kind not in UNHEARD:
                raise
            say(f"tamp: {refusal}")
            yes = "yes, or " if refusal.kind == "unsure" else ""
            if not (text := _answer(f"{yes}in other words? (Enter gives up) ")):
                raise
            if refusal.kind == "unsure" and text.lower() in ("y", "yes"):
                return chosen(refusal.alternatives[0], log)


def or_assumed(refusal: Refusal) -> Refusal:
    """The same refusal, which names the option that takes what it asks about, where it has something to take."""
    if refusal.assumable and (instead := ASSUMED.get(refusal.kind)):
        refusal.args = (f"{refusal}, or {instead} with --assume-first",)
    return refusal


def _chosen(refusal: Refusal) -> tuple[Goal, ...]:
    """The goals of one thing that the words fit; raises the refusal where no choice is made."""
    say("tamp: the instruction fits several goals:")
    for number, reading in enumerate(refusal.readings, 1):
        say(f"  {number}  {reading}")
    while (answer := _answer(f"which one, 1 to {len(refusal.readings)}? (Enter gives up) ")) != "":
        if answer.isdecimal() and 1 <= int(answer) <= len(refusal.readings):
            goals: tuple[Goal, ...] = refusal.alternatives[int(answer) - 1]
            return goals
    raise refusal


def _answer(question: str) -> str:
    """A line from the terminal; "" at its end."""
    sys.stderr.write(question)
    sys.stderr.flush()
    return sys.stdin.readline().strip()


def typed(words: Words) -> Iterator[str]:
    """Lines of standard input; at a terminal with a history, and completion by `words`."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        yield from sys.stdin
        return
    import readline

    def complete(begun: str, number: int) -> str | None:
        fitting = [w for w in words() if w.startswith(begun)]
        return fitting[number] if number < len(fitting) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
    with contextlib.suppress(EOFError):
        while True:
            yield input("")


@contextlib.contextmanager
def stoppable(stop: ArmStop, reads: bool = True) -> Iterator[None]:
    """Every signal that ends a program stops the arm instead, and the program once the arm has acknowledged. For
    a dead man each line on standard input is a sign of life, which is read here unless it has another reader; its
    end is none, so that the time runs out. The stop itself is in `tamp/backends/xarm/arm_stop.py`.
    """
    from tamp.api.arm_plans import stopped_by_every_signal

    def listen() -> None:
        for _ in sys.stdin:
            stop.alive()

    if reads and stop.dead_man is not None:
        threading.Thread(target=listen, daemon=True).start()
    with stopped_by_every_signal(stop):
        yield
