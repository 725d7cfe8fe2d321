"""What a plan's symbols are called in an arm's world: places are its named poses, items the labels of its detector.

A symbol of PDDL has no blanks and no upper case: `wine_glass` and `wine-glass` are the label "wine glass". Several
things of one label are numbered, `cup_1`, `cup_2`, and their numbers are their order of distance from the place that
they are at.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from tamp.errors import InputError
from tamp.lint.findings import valid
from tamp.model.atoms import Atom

AT = "at"
"""The predicate `(at ITEM PLACE)`: a thing is among the nearest with its label to a place."""
_NUMBERED = re.compile(r"(.+)[_-](\d+)")


def pose_named(symbol: str, poses: Collection[str]) -> str:
    """The named pose that a symbol stands for. InputError when there is none, or more than one."""
    if found := _meant(symbol, poses):
        return found
    raise InputError(f"there is no named pose {symbol!r}; {valid(symbol, poses)}")


def label_named(symbol: str, labels: Collection[str]) -> str:
    """The label that a symbol stands for, with or without its number. InputError when there is none.

    Where a world does not say what its detector names, `labels` is empty, and the symbol says it itself, with blanks
    for the lines.
    """
    plain = _split(symbol)[0]
    if not labels:
        return re.sub("[_-]+", " ", plain)
    if found := _meant(symbol, labels) or _meant(plain, labels):
        return found
    raise InputError(f"the detector has no label for {symbol!r}; {valid(plain, labels)}")


def rank(item: str, place: str, facts: Iterable[Atom], labels: Collection[str]) -> int:
    """How many of the things with an item's label are nearer to a place than the item is: those that are at the place
    by the facts, and come before it by their numbers, the unnumbered first."""
    label = label_named(item, labels)
    there = {a.args[0] for a in facts if a.predicate == AT and a.args[1:] == (place,)} - {item}
    return sum(label_named(i, labels) == label and _order(i) < _order(item) for i in there)


def _order(symbol: str) -> tuple[int, str]:
    return _split(symbol)[1], symbol


def _split(symbol: str) -> tuple[str, int]:
    found = _NUMBERED.fullmatch(symbol)
    return (found[1], int(found[2])) if found else (symbol, -1)


def _meant(symbol: str, names: Collection[str]) -> str | None:
    same = [name for name in names if _plain(name) == _plain(symbol)]
    if len(same) > 1:
        raise InputError(f"{symbol!r} may be any of {', '.join(map(repr, same))} of the world; give them other names")
    return same[0] if same else None


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.lower())
