"""Asking the person at the terminal what an instruction means; elsewhere the refusal stands."""

from __future__ import annotations

import sys
from collections.abc import Callable

from cli.output import say
from llm.grounding import AmbiguousError, UnsureError
from tamp.errors import Refusal
from tamp.model.goal import Goal, in_pddl
from tamp.runs.episode_log import EpisodeLog

UNHEARD = (
    *("absent", "ambiguous", "beyond", "contradiction", "nameless", "no goal"),
    *("quantity", "unclear", "unsolvable", "unsure"),
)
"""Kinds of refusal after which other words may help."""
YES = ("y", "yes")
"""Answers that say that what was understood is meant."""


def settled(text: str, read: Callable[[str], tuple[Goal, ...]], log: EpisodeLog, *, asks: bool) -> tuple[Goal, ...]:
    """What `read` makes of an instruction. With `asks`, at a terminal, what it refuses is asked about."""
    while True:
        try:
            return read(text)
        except Refusal as refusal:
            log.event("refused", why=refusal.kind, message=str(refusal))
            if not (asks and sys.stdin.isatty() and sys.stderr.isatty()):
                raise
            if isinstance(refusal, AmbiguousError):
                return _chosen(refusal, log)
            if refusal.kind not in UNHEARD:
                raise
            text = _other_words(refusal)
            if isinstance(refusal, UnsureError) and text.lower() in YES:
                log.event("chosen", by="user", goal=in_pddl(refusal.goals))
                return refusal.goals


def _chosen(refusal: AmbiguousError, log: EpisodeLog) -> tuple[Goal, ...]:
    """The goals of one thing that the words fit; raises the refusal when nobody chooses."""
    say("tamp: the instruction fits several goals:")
    for number, reading in enumerate(refusal.readings, 1):
        say(f"  {number}  {reading}")
    while (answer := _answer(f"which one, 1 to {len(refusal.readings)}? (Enter gives up) ")) != "":
        if answer.isdecimal() and 1 <= int(answer) <= len(refusal.readings):
            goals = refusal.alternatives[int(answer) - 1]
            log.event("chosen", by="user", goal=in_pddl(goals))
            return goals
    raise refusal


def _other_words(refusal: Refusal) -> str:
    """The instruction in other words, or that it is what is meant; raises the refusal when there are none."""
    say(f"tamp: {refusal}")
    yes = "yes, or " if isinstance(refusal, UnsureError) else ""
    if not (text := _answer(f"{yes}in other words? (Enter gives up) ")):
        raise refusal
    return text


def _answer(question: str) -> str:
    """A line from the terminal; "" at its end."""
    sys.stderr.write(question)
    sys.stderr.flush()
    return sys.stdin.readline().strip()
