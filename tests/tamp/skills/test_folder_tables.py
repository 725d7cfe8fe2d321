"""The tables of skills and of words in a domain's folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.data import data_dir
from tamp.skills.folder_check import check

DOMAIN = """(define (domain d)
  (:requirements :typing) (:types item) (:predicates (on ?i ?at - item) (holding ?i - item))
  (:action grab :parameters (?i ?at - item) :precondition (on ?i ?at) :effect (holding ?i))
  (:action drop :parameters (?i ?at - item) :precondition (holding ?i) :effect (on ?i ?at)))
"""


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ('grab = "pick"\ndrop = "place"\n', []),
        ('grab = "pick"\n', [("domain.pddl", 4, "unbound-operator")]),
        ('grab = "pick"\n\n"drop" = "throw"\n', [("skills.toml", 3, "unknown-skill")]),
        ('grab = "pick"\ndrop = "place"\nlift = "pick"\n', [("skills.toml", 3, "unknown-operator")]),
        ('grab = "pick"\ndrop = 3\n', [("skills.toml", 2, "bad-table")]),
        ('grab = "pick"\ndrop = \n', [("skills.toml", 2, "bad-table")]),
        (None, []),
    ],
)
def test_what_does_not_fit_is_found_where_it_is(
    table: str | None, found: list[tuple[str, int, str]], tmp_path: Path
) -> None:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    if table is not None:
        (tmp_path / "skills.toml").write_text(table)
    shown = [(Path(f.file).name, f.line, f.code) for f in check(tmp_path).findings]
    assert shown == found


@pytest.mark.parametrize("domain", sorted(p.parent.name for p in data_dir("domains").glob("*/domain.pddl")))
def test_what_is_shipped_has_nothing_wrong(domain: str) -> None:
    assert check(domain).findings == ()


def test_what_geometry_says_later_is_not_called_never_produced(tmp_path: Path) -> None:
    """No problem begins with (no-grasp …): a failed refinement adds it, when operators are carried out."""
    problem = tmp_path / "p.pddl"
    problem.write_text(
        "(define (problem p) (:domain tabletop) (:objects cup dish - item bench shelf - surface) (:init (hand-empty) "
        "(on cup bench) (on dish bench) (clear cup) (clear dish) (clear shelf)) (:goal (on cup shelf)))"
    )
    assert check("tabletop", [problem]).findings == ()
    (tmp_path / "domain.pddl").write_text((data_dir("domains") / "tabletop" / "domain.pddl").read_text())
    codes = {f.code for f in check(tmp_path, [problem]).findings}
    assert codes == {"never-produced", "unreachable-operator"}


SPOKEN = """(define (domain d)
  (:predicates (holding) (p))
  (:action grab :parameters () :precondition (p) :effect (holding))
  (:action drop :parameters () :precondition (holding) :effect (p)))
"""


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ('[predicates]\nholding = "held"\n[things]\n"moka pot" = ["pot", "coffee maker"]\n', []),
        ('[predicates]\nholds = "held"\n', [("words.toml", 2, "unknown-predicate")]),
        ("[predicates]\nholding = 3\n", [("words.toml", 2, "bad-words")]),
        ('[things]\npot = "jug"\n', [("words.toml", 2, "bad-words")]),
        ('[belongs]\nmug = "shelf"\n', [("words.toml", 2, "bad-words")]),
        ('[nouns]\npot = ["jug"]\n', [("words.toml", 1, "bad-words")]),
        ("[things\n", [("words.toml", 1, "bad-words")]),
    ],
)
def test_what_are_no_words_of_the_domain_is_found_where_it_is(
    table: str, found: list[tuple[str, int, str]], tmp_path: Path
) -> None:
    (tmp_path / "domain.pddl").write_text(SPOKEN)
    (tmp_path / "words.toml").write_text(table)
    shown = [(Path(f.file).name, f.line, f.code) for f in check(tmp_path).findings]
    assert shown == found
