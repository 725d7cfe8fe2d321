"""What a goal of a domain can say: read from its operators."""

from __future__ import annotations

from pathlib import Path

import pytest

from llm.vocabulary.forms import Form, Sayable, forms, sayable
from llm.vocabulary.phrases import vocabulary
from tamp.model.atoms import Atom
from tamp.pddl.domain_file import load

BOWL, TOP = "akita_black_bowl_1", "wooden_cabinet_1_top_region"


def can_say(scene, state, domain) -> Sayable:
    return sayable(domain, state, vocabulary(scene, state))


def form(can: Sayable, words: str) -> Form:
    return next(f for f in can.forms if f.words == words)


def test_forms_are_what_operators_are_for(domain) -> None:
    assert {f.predicate for f in forms(domain)} == {
        "on", "in", "holding", "open", "closed", "turned-on", "turned-off", "left-of", "right-of", "in-front-of",
        "behind", "next-to", "near", "between",
    }  # fmt: skip


def test_an_edit_of_the_domain_adds_what_can_be_said(domain, kitchen, tmp_path: Path) -> None:
    text = domain.text.replace("(hand-empty)\n", "(hand-empty)\n    (wiped ?s - surface)\n", 1)
    action = "(:action wipe :parameters (?s - surface) :precondition (hand-empty) :effect (wiped ?s))"
    (tmp_path / "domain.pddl").write_text(text.rstrip().removesuffix(")") + action + ")")
    edited = can_say(*kitchen, load(str(tmp_path)))
    assert "flat_stove_1_cook_region" in edited.argument(form(edited, "wiped"), 0)
    assert "wiped" not in {f.words for f in can_say(*kitchen, domain).forms}


@pytest.mark.parametrize(
    ("said", "place", "atom"),
    [
        ("in", BOWL, Atom("on", ("wine_bottle_1", BOWL))),
        ("on", TOP, Atom("in", ("wine_bottle_1", TOP))),
        ("on top of", TOP, Atom("on", ("wine_bottle_1", "wooden_cabinet_1_top_side"))),
        ("on top of", "plate_1", Atom("on", ("wine_bottle_1", "plate_1"))),
        ("behind", "plate_1", Atom("behind", ("wine_bottle_1", "plate_1"))),
        ("on", "wine_bottle_1", None),
    ],
)
def test_what_a_preposition_comes_to(kitchen, domain, said: str, place: str, atom: Atom | None) -> None:
    can = can_say(*kitchen, domain)
    assert can.atom(form(can, said), ("wine_bottle_1", place)) == atom
