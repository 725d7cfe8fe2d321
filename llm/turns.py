"""What new words do to what is wanted: the model is asked, with what was said before beside what is said now.

Which of them it is decides what becomes of the goal that the new words come to. What cannot be read by itself, and
every correction, the model first puts into one sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from llm.model import Model, Prompt
from tamp.model.goal import Goal
from tamp.model.wishes import in_order, put_back, spoken_of, taken_back, together

if TYPE_CHECKING:
    from tamp.execution.performing import Going

Turn = Literal["new", "then", "first", "stop", "undo", "fix"]
"""Another task; one for afterwards; before it; none any more; as it was before; something else in its place."""
TURNS: tuple[Turn, ...] = get_args(Turn)
INCOMPLETE = ("ambiguous", "unclear", "unsure", "no goal", "nameless")
"""Kinds of refusal of words that may make sense beside what was said before. Not: a thing that is not there."""
TASK = (
    "A robot is busy with what it was told. Then somebody says something else. What is it to do?\n"
    "new: another task in the place of the old one\n"
    "then: one more task, after the old one\n"
    "first: something that is to be done before the old task\n"
    "stop: no task at all any more\n"
    "undo: make it as it was before the old task\n"
    "fix: the old task with another thing or another place"
)
EXAMPLES: tuple[tuple[str, str, Turn], ...] = (
    ("bring the kite to the shed", "switch on the fan", "new"),
    ("bring the kite to the shed", "and after that shut the gate", "then"),
    ("bring the kite to the shed", "wait, shut the gate first", "first"),
    ("bring the kite to the shed", "oh, leave it", "stop"),
    ("bring the kite to the shed", "return it to where you got it from", "undo"),
    ("bring the kite to the shed", "no, I meant the balloon", "fix"),
    ("hang the coat on the hook", "the scarf goes there too", "then"),
    ("hang the coat on the hook", "not that hook, the peg", "fix"),
    ("hang the coat on the hook", "forget about the coat", "stop"),
    ("hang the coat on the hook", "fold the towel", "new"),
    ("put the drum in the crate", "undo that", "undo"),
    ("put the drum in the crate", "before you do that, open the window", "first"),
    ("put the drum in the crate", "actually, the other drum", "fix"),
    ("put the drum in the crate", "that is enough, thanks", "stop"),
    ("put the drum in the crate", "then close the crate as well", "then"),
    ("put the drum in the crate", "lay the rope on the bench", "new"),
)
"""What was said, what is said now, and what that does. Invented, far from any benchmark's wording."""
MEANT = "A robot was told something. Then somebody says something else. Say in one sentence what that asks for."
IN_FULL: tuple[tuple[str, str, str], ...] = (
    ("bring the kite to the shed", "no, I meant the balloon", "bring the balloon to the shed"),
    ("hang the coat on the hook", "not that hook, the peg", "hang the coat on the peg"),
    ("hang the coat on the hook", "the scarf goes there too", "hang the scarf on the hook"),
    ("put the drum in the crate", "actually, the other drum", "put the other drum in the crate"),
    ("put the drum in the crate", "and close it", "close the crate"),
    ("lay the rope on the bench", "I said the shelf", "lay the rope on the shelf"),
    ("open the left window", "no no, the right one", "open the right window"),
    ("switch the fan on", "off, I mean", "switch the fan off"),
)


def turn_of(model: Model, before: str, now: str) -> Turn:
    """What `now` does to the task of `before`."""
    shown = tuple((_both(old, new), turn) for old, new, turn in EXAMPLES)
    reply = model.complete(Prompt(TASK, shown, _both(before, now)), "", f"({'|'.join(TURNS)})")
    return next(turn for turn in TURNS if turn == reply.text.strip())


def in_full(model: Model, before: str, now: str) -> str:
    """What `now` asks for, in one sentence that can be read without `before`."""
    shown = tuple((_both(old, new), meant) for old, new, meant in IN_FULL)
    return model.complete(Prompt(MEANT, shown, _both(before, now)), "", r"[a-z0-9][a-z0-9 ,'_-]{2,160}").text.strip()


def wanted_after(turn: Turn, going: Going, new: tuple[Goal, ...]) -> tuple[Goal, ...]:
    """All that is wanted once words were said that ask for `new`, whatever the model was told that the turns mean: of
    two wishes about one thing the later one counts, what was asked for by mistake is not to stay so, and the rest of
    what is not done yet stays wanted."""
    old = going.goals if going.busy else ()
    if turn == "then":
        return in_order(old, new)
    if turn == "first":
        return in_order(new, old) if old else new
    if turn in ("fix", "undo"):
        kept = put_back(old, going.last, new)
        mistaken = taken_back(going.last, going.before, spoken_of(new)) if turn == "fix" else None
        return together((mistaken,), kept) if mistaken else kept
    return together(old, new)


def _both(before: str, now: str) -> str:
    return f"Told: {before}\nNow: {now}"
