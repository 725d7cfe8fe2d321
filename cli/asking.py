"""Asking the person at the terminal what an instruction means; elsewhere the refusal stands."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from cli.output import say
from tamp import Refusal

if TYPE_CHECKING:
    from tamp import Goal
    from tamp.runs.episode_log import EpisodeLog

UNHEARD = ("absent", "ambiguous", "beyond", "contradiction", "no goal", "nothing", "unclear", "unsolvable", "unsure")
"""Kinds of refusal after which other words may help."""
ASSUMED = {"ambiguous": "take the first", "unsure": "take it so"}
"""What --assume-first does where a refusal of such a kind has goals."""
YES = ("y", "yes")
"""Answers that say that what was understood is meant."""


def settled(text: str, read: Callable[[str], tuple[Goal, ...]], log: EpisodeLog) -> tuple[Goal, ...]:
    """What `read` makes of an instruction. At a terminal, what it refuses is asked about."""
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
            text = _other_words(refusal)
            if refusal.kind == "unsure" and text.lower() in YES:
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


def _other_words(refusal: Refusal) -> str:
    """The instruction in other words, or that it is what is meant; raises the refusal when there are none."""
    say(f"tamp: {refusal}")
    yes = "yes, or " if refusal.kind == "unsure" else ""
    if not (text := _answer(f"{yes}in other words? (Enter gives up) ")):
        raise refusal
    return text


def _answer(question: str) -> str:
    """A line from the terminal; "" at its end."""
    sys.stderr.write(question)
    sys.stderr.flush()
    return sys.stdin.readline().strip()
