"""What becomes of things that the library does not have: it is taken without all that can be carried in a scene."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tamp.perception.library import Library
from tamp.perception.recordings import Truth
from tests.bench import share
from tests.perception_scores import SAME_COLOUR, look_alikes

Record = Mapping[str, Any]


def alikes(library: Library, shapes: bool = False) -> dict[str, set[str]]:
    """The models that look like each one, or that have the shape of it, whatever their colours."""
    alike: dict[str, set[str]] = {}
    for a, b in look_alikes(list(library.values()), np.inf if shapes else SAME_COLOUR):
        alike.setdefault(a, set()).add(b)
        alike.setdefault(b, set()).add(a)
    return alike


def without(library: Library, categories: Iterable[str], alike: Mapping[str, set[str]]) -> Library:
    """A library without some categories, and without those that look the same."""
    gone = set(categories)
    gone |= {twin for c in gone for twin in alike.get(c, ())}
    return replace(library, entries={n: e for n, e in library.entries.items() if library[n].category not in gone})


def carried(truth: Truth) -> set[str]:
    """The categories of what can be carried in a recording."""
    return {t.category for t in truth.things if t.movable}


def rows(records: Sequence[Record]) -> dict[str, str]:
    """What a column says of scenes that were perceived without the models of what can be carried in them."""
    pairs = [p for r in records if "refused" not in r for p in r["pairs"]]
    movable, fixed = ([p for p in pairs if p["movable"] == b] for b in (True, False))
    unknown = [p for p in movable if p["unknown"]]
    false = sum(len(r.get("false", ())) for r in records)
    known = [p for p in movable if p["found"] is not None and not p["unknown"]]
    return {
        "scenes": str(len(records)),
        "movable things flagged unknown, %": share(len(unknown), len(movable)),
        "taken for another, %": share(len(known), len(movable)),
        "missed, %": share(len(movable) - len(unknown) - len(known), len(movable)),
        "fixtures recognised, %": share(sum(p["found"] == p["category"] for p in fixed), len(fixed)),
        "known things where nothing is, a scene": f"{false / max(1, len(records)):.2f}",
    }


def named(records: Sequence[Record]) -> Iterator[str]:
    """What was taken for what, what was missed, and what unknown things were called."""
    pairs = [p for r in records if "refused" not in r for p in r["pairs"] if p["movable"]]
    wrong = Counter((p["category"], p["found"]) for p in pairs if p["found"] is not None and not p["unknown"])
    missed = Counter(p["category"] for p in pairs if p["found"] is None)
    names = Counter((p["category"], p["found"]) for p in pairs if p["unknown"])
    yield "taken for another: " + ("; ".join(f"{a} for {b} {n}" for (a, b), n in wrong.most_common()) or "-")
    yield "missed: " + ("; ".join(f"{a} {n}" for a, n in missed.most_common()) or "-")
    yield "called: " + ("; ".join(f"{a} {b} {n}" for (a, b), n in sorted(names.items())) or "-")
