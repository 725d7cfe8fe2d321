import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from llm.decoding import decode
from llm.grammar import MAX_CLAUSES, forms, language, pattern
from llm.model import Completion, Prompt
from llm.phrases import vocabulary
from tamp.model.atoms import Atom
from tamp.model.domain import load
from tamp.model.goal import Goal, parse_goal

PROMPT = Prompt("", (), "")


def words_of(scene, state, domain, text=""):
    return language(domain, state, vocabulary(scene, state), text)


def meaning(allowed, text):
    """The atoms that a clause may mean, [] when it cannot be said."""
    heads = allowed.heads()
    if text in heads:
        return list(heads[text])
    return [a for h in heads if text.startswith(h + " ") for a in allowed.tails(h).get(text.removeprefix(h + " "), ())]


def test_forms_are_what_operators_are_for(domain):
    assert {f.predicate for f in forms(domain)} == {
        "on", "in", "holding", "open", "closed", "turned-on", "turned-off",
    }  # fmt: skip


def test_geometry_facts_and_bookkeeping_are_no_goals(domain):
    known = {f.predicate for f in forms(domain, "reach the unreachable, put the too tall bowl in the hand")}
    assert not known & {"unreachable", "too-tall", "obstructed", "does-not-fit", "hand-empty"}


def test_arguments_have_the_operators_types(domain):
    closed = next(f for f in forms(domain) if f.predicate == "closed")
    assert closed.types == (frozenset({"drawer", "cupboard"}),)


def test_an_edit_of_the_domain_reaches_the_grammar(domain, kitchen, tmp_path):
    text = domain.text.replace("(hand-empty)\n", "(hand-empty)\n    (wiped ?s - surface)\n", 1)
    action = """(:action wipe :parameters (?s - surface) :precondition (hand-empty) :effect (wiped ?s))"""
    path = Path(tmp_path) / "domain.pddl"
    path.write_text(text.rstrip().removesuffix(")") + action + ")")
    allowed = words_of(*kitchen, load(str(tmp_path)))
    assert meaning(allowed, "the stove is wiped") == [Atom("wiped", ("flat_stove_1_cook_region",))]
    assert meaning(words_of(*kitchen, domain), "the stove is wiped") == []


@pytest.mark.parametrize(
    ("text", "atom"),
    [
        ("the bowl is on the plate", "(on akita_black_bowl_1 plate_1)"),
        ("the black bowl is in the top drawer", "(in akita_black_bowl_1 wooden_cabinet_1_top_region)"),
        ("the wine bottle is on the top of the cabinet", "(on wine_bottle_1 wooden_cabinet_1_top_side)"),
        ("the wine bottle is in the bowl", "(on wine_bottle_1 akita_black_bowl_1)"),
        ("the stove is turned on", "(turned-on flat_stove_1)"),
        ("the middle drawer of the wooden cabinet is open", "(open wooden_cabinet_1_middle_region)"),
    ],
)
def test_sayable(kitchen, domain, text, atom):
    assert [str(a) for a in meaning(words_of(*kitchen, domain), text)] == [atom]


@pytest.mark.parametrize(
    "text",
    [
        "the bowl is open",
        "the stove is on the plate",
        "the plate is turned on",
        "the bowl is on the bowl",
        "the bowl is on the table",
        "the mug is on the plate",
        "the drawer is open",
        "the bowl is in the drawer",
        "the bowl is in the cabinet",
    ],
)
def test_not_sayable(kitchen, domain, text):
    assert meaning(words_of(*kitchen, domain), text) == []


def test_of_several_the_pending_one_is_meant(kitchen, domain):
    scene, state = kitchen
    top = Atom("closed", ("wooden_cabinet_1_top_region",))
    ajar = replace(state, atoms=state.atoms - {top})
    assert meaning(words_of(scene, ajar, domain), "the drawer is closed") == [top]


def test_all_of_them(two_bowls, domain):
    heads = words_of(*two_bowls, domain, "put both on the plate").heads()
    assert "the bowls are on the" not in words_of(*two_bowls, domain, "put the bowl on the plate").heads()
    assert {a.args[0] for a in heads["the bowls are on the"]} == {"akita_black_bowl_1", "akita_black_bowl_2"}


def test_what_was_said_cannot_be_contradicted_or_repeated(kitchen, domain):
    allowed = words_of(*kitchen, domain)
    in_drawer = Atom("in", ("akita_black_bowl_1", "wooden_cabinet_1_top_region"))
    left = allowed.without([in_drawer, Atom("open", ("wooden_cabinet_1_top_region",))])
    for text in (
        "the bowl is on the plate",
        "the bowl is held",
        "the bowl is in the bottom drawer",
        "the top drawer is closed",
        "the top drawer is open",
    ):
        assert meaning(allowed, text)
        assert not meaning(left, text)
    assert meaning(left, "the bottom drawer is closed")


def test_nothing_stands_on_what_stands_on_it(kitchen, domain):
    allowed = words_of(*kitchen, domain)
    said = [
        Atom("on", ("plate_1", "akita_black_bowl_1")),
        Atom("on", ("akita_black_bowl_1", "wine_bottle_1")),
    ]
    assert meaning(allowed, "the wine bottle is on the plate")
    assert not meaning(allowed.without(said), "the wine bottle is on the plate")
    assert meaning(allowed.without(said), "the wine bottle is on the stove")


def test_every_clause_is_well_typed(kitchen, two_bowls, domain):
    for scene, state in (kitchen, two_bowls):
        allowed = words_of(scene, state, domain)
        atoms = {
            a
            for h, meant in allowed.heads().items()
            for a in (meant if len(meant[0].args) == 1 else (b for t in allowed.tails(h).values() for b in t))
            if allowed.form(a.predicate).in_domain
        }
        assert len(atoms) > 10
        for a in atoms:
            assert parse_goal(str(a), domain, state.symbols).atoms == (a,)


def test_pattern_matches_its_texts_and_no_more():
    found = pattern(["a b", "c.d"], ";.")
    assert all(re.fullmatch(found, t + e) for t, e in product(["a b", "c.d"], ";."))
    assert not re.fullmatch(found, "cxd;")
    assert not re.fullmatch(found, "a b")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_answer_contradicts_itself(data, kitchen, domain):
    """Whatever a model picks, the goal type-checks, no item is in two places, nothing is open and closed."""
    scene, state = kitchen

    class Arbitrary:
        name = "arbitrary"

        def complete(self, prompt, begun, found):
            return Completion(data.draw(st.from_regex(found, fullmatch=True)))

    clauses = decode(Arbitrary(), PROMPT, words_of(scene, state, domain))
    assert 1 <= len(clauses) <= MAX_CLAUSES
    atoms = [a for c in clauses for a in (c.atoms if c.together else c.atoms[:1])]
    assert len(set(atoms)) == len(atoms)
    placed = [a.args[0] for a in atoms if len(a.args) == 2 or a.predicate == "holding"]
    switched = [a.args[0] for a in atoms if len(a.args) == 1 and a.predicate != "holding"]
    assert len(set(placed)) == len(placed)
    assert len(set(switched)) == len(switched)
    known = [a for a in atoms if a.predicate in domain.predicates]
    if known:
        assert set(parse_goal(str(Goal.of(known)), domain, state.symbols).atoms) == set(known)
