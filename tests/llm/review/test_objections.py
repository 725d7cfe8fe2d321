from dataclasses import replace

import pytest

from llm.decoding import Clause
from llm.grammar import language
from llm.phrases import vocabulary
from llm.review.objections import objections
from tamp.model.atoms import Atom


def review(scene, state, domain, text, *said):
    """(kind, reason) of what the words say against clauses, each as the model would have said it."""
    allowed = language(domain, state, vocabulary(scene, state), text, again=True)
    clauses = []
    for clause in said:
        heads = allowed.heads()
        atoms = heads.get(clause) or next(
            allowed.tails(h)[clause.removeprefix(f"{h} ")] for h in sorted(heads, key=len) if clause.startswith(f"{h} ")
        )
        clauses.append(Clause(clause, atoms, 1.0, " are " in clause))
    return [(o.kind, o.reason) for o in objections(text, tuple(clauses), allowed)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("put the bowl on the plate", ["the bowl is on the plate"]),
        ("put it on the plate, the bowl", ["the bowl is on the plate"]),
        ("open the top drawer and put the bowl inside", ["the top drawer is open", "the bowl is in the top drawer"]),
        ("put the bowl in the open top drawer", ["the bowl is in the top drawer"]),
        ("put the wine bottle behind the plate", ["the wine bottle is behind the plate"]),
        ("pick up the bowl", ["the bowl is held"]),
        (
            "open the top drawer, put the bowl in it and shut it",
            ["the bowl is in the top drawer", "the top drawer is closed"],
        ),
        ("make the stove be on", ["the stove is turned on"]),
        ("take the bowl to the plate from the table", ["the bowl is on the plate"]),
        (
            "the wine bottle goes on the stove and the bowl on the plate",
            ["the wine bottle is on the stove", "the bowl is on the plate"],
        ),
        ("push the top drawer in, put the bowl on the stove", ["the top drawer is closed", "the bowl is on the stove"]),
        ("turn on the stove and bring the plate the bowl", ["the stove is turned on", "the bowl is on the plate"]),
        (
            "close the top drawer of the cabinet and put the bowl on top of it",
            ["the top drawer is closed", "the bowl is on the top of the cabinet"],
        ),
    ],
)
def test_what_the_words_bear_out(kitchen, domain, text, said):
    found = review(*kitchen, domain, text, *said)
    assert found == []


@pytest.mark.parametrize(
    ("text", "said", "kind", "reason"),
    [
        (
            "put the bowl on the plate",
            ["the wine bottle is on the plate"],
            "unmentioned",
            "The instruction does not say the wine bottle.",
        ),
        (
            "put the bowl on top of the cabinet",
            ["the bowl is in the top drawer"],
            "misread relation",
            'The instruction says "on", not "in".',
        ),
        (
            "put the bowl to the right of the plate",
            ["the bowl is on the plate"],
            "misread relation",
            'The instruction says "to the right of", not "on".',
        ),
        (
            "put the bowl to the right of the plate",
            ["the bowl is to the left of the plate"],
            "misread relation",
            'The instruction says "to the right of", not "to the left of".',
        ),
        ("put the bowl on the plate", ["the bowl is held"], "misread relation", 'The instruction does not say "held".'),
        ("open the top drawer", ["the top drawer is closed"], "left out", 'It says "open".'),
        (
            "open the top drawer, put the bowl in it and shut it",
            ["the top drawer is open", "the bowl is in the top drawer"],
            "left out",
            'In the end it is "closed".',
        ),
        (
            "open the top drawer and close the middle drawer",
            ["the middle drawer is closed"],
            "left out",
            'It says "open".',
        ),
        (
            "put everything in the top drawer",
            ["the top drawer is closed"],
            "misread relation",
            'The instruction does not say "closed".',
        ),
        (
            "open the top drawer and put the bowl inside",
            ["the bowl is in the top drawer"],
            "left out",
            'It says "open".',
        ),
        ("open the drawer, put the bowl in", ["the top drawer is open"], "left out", 'It also says "black bowl".'),
        (
            "on the plate the wine bottle you set",
            ["the plate is on the wine bottle"],
            "misread relation",
            "It says: on the plate.",
        ),
        (
            "move the bowl over to the plate's left-hand side",
            ["the bowl is on the plate"],
            "misread relation",
            "It says: to the left of the plate.",
        ),
        (
            "take the bowl and set it on the stove",
            ["the bowl is held"],
            "misread relation",
            "It says: on the stove.",
        ),
        (
            "lift the bowl and lower it onto the plate",
            ["the bowl is on the plate", "the wine bottle is held"],
            "misread relation",
            'It does not say "held" of the wine bottle.',
        ),
        (
            "push the top drawer in and the middle one open",
            ["the middle drawer is open"],
            "left out",
            'It says "closed".',
        ),
    ],
)
def test_what_the_words_say_against_an_answer(kitchen, domain, text, said, kind, reason):
    assert (kind, reason) in review(*kitchen, domain, text, *said)


def test_a_namesake_that_the_words_single_out(two_bowls, domain):
    text = "put the black bowl on the right on the plate"
    found = review(*two_bowls, domain, text, "the left bowl is on the plate")
    assert ("misread thing", "Not the black bowl: the black bowl on the right.") in found
    assert review(*two_bowls, domain, text, "the right bowl is on the plate") == []


@pytest.mark.parametrize(
    ("text", "crossed"),
    [
        ("put the left bowl on the plate and the right bowl on the ramekin", False),
        ("on the plate goes the left bowl, on the ramekin the right one", False),
        ("put the right bowl on the plate and the left bowl on the ramekin", True),
        ("on the plate goes the right bowl, on the ramekin the left one", True),
        ("put the left bowl and the right bowl on the plate and the ramekin", False),
    ],
)
def test_which_of_two_goes_where(two_bowls, domain, text, crossed):
    said = "the left bowl is on the plate", "the right bowl is on the ramekin"
    found = review(*two_bowls, domain, text, *said)
    assert (("misread thing", "The other way round.") in found) == crossed


def test_more_things_than_the_words_name(two_bowls, domain):
    text, said = "put the bowl on the plate", ("the left bowl is on the plate", "the right bowl is on the ramekin")
    assert "unmentioned" in {kind for kind, _ in review(*two_bowls, domain, text, *said)}
    again = "put one bowl on the plate and the other one on the ramekin"
    assert review(*two_bowls, domain, again, *said) == []


@pytest.fixture
def on_the_plate(kitchen):
    """The same, the bowl on the plate."""
    scene, state = kitchen
    atoms = {a for a in state.atoms if a.args[:1] != ("akita_black_bowl_1",)}
    return scene, replace(state, atoms=frozenset(atoms | {Atom("on", ("akita_black_bowl_1", "plate_1"))}))


def test_what_something_is_taken_from_is_not_left_out_and_not_moved(on_the_plate, domain):
    text = "take the bowl off the plate and put it on the stove"
    assert review(*on_the_plate, domain, text, "the bowl is on the stove") == []
    both = review(*on_the_plate, domain, text, "the bowl is on the stove", "the plate is on the stove")
    assert ("misread thing", "From the plate something is taken, and it stays.") in both
    named = "take the bowl off the plate and put the plate on the stove"
    found = review(*on_the_plate, domain, named, "the plate is on the stove")
    assert "misread thing" not in [kind for kind, _ in found], "it is named for itself too"


@pytest.mark.parametrize("said", ["the bowl is on the plate", "the plate is on the bowl"])
def test_what_is_named_beside_something_is_not_where_it_goes(kitchen, domain, said):
    assert ("misread relation", "It says the same of both things.") in review(
        *kitchen, domain, "swap the bowl and the plate", said
    )
