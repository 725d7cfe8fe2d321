"""Names for planning: in which order, and back again."""

from __future__ import annotations

from tamp.model.atoms import Atom
from tamp.model.state import WorldState
from tamp.pddl.domain_file import load
from tamp.planning import tie_breaking

SYMBOLS = {"apple": "item", "bowl": "item", "desk": "surface", "shelf": "surface", "bin": "bin", "stove": "appliance"}
STATE = WorldState(SYMBOLS, frozenset({Atom("on", ("apple", "desk")), Atom("on", ("bowl", "desk"))}))
GOAL = [Atom("in", ("apple", "bin"))]


def test_places_come_first_what_holds_little_before_and_what_is_wanted_later() -> None:
    names = tie_breaking.names(STATE, GOAL, load("tabletop"), frozenset({"item"}))
    assert sorted(SYMBOLS, key=names.given.__getitem__) == ["shelf", "stove", "desk", "bin", "bowl", "apple"]
