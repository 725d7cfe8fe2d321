"""Domains and problems that do not parse: where, and what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from unified_planning.io import PDDLReader

from tamp.data import data_dir
from tamp.errors import InputError
from tamp.files.source import Source, read
from tamp.pddl.judges import judge_of
from tamp.pddl.reading import locate, parse

DOMAIN = """(define (domain d)
  (:requirements :strips :typing)
  (:types thing - object)
  (:predicates (p ?x - thing) (q))
  (:action a :parameters (?x - thing) :precondition (p ?x) :effect (q)))
"""
PROBLEM = "(define (problem x) (:domain d)\n  (:objects o - thing)\n  (:init (p o))\n  (:goal (q)))\n"


def test_a_misspelt_name_is_refused_before_the_long_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("lint.check", "reading"):  # the first imports from the second
        monkeypatch.setattr(f"tamp.pddl.{module}.read_unified", lambda *texts: pytest.fail("read all the same"))
    problem = PROBLEM.replace("(p o)", f"{'(p o) ' * 20_000}(pp o)")
    with pytest.raises(InputError, match=r"^p\.pddl:3:\d+: there is no predicate 'pp'; did you mean 'p'\?$"):
        parse(Source("d.pddl", DOMAIN), Source("p.pddl", problem))


@pytest.mark.parametrize(("domain", "case"), [("tabletop", "drawer_first"), (None, "all_tidy")])
def test_a_problem_is_what_unified_planning_reads_by_itself(domain: str | None, case: str) -> None:
    folder = data_dir("problems") / "cases" / case
    texts = read(locate(domain or folder)), read(folder / "problem.pddl")
    assert parse(*texts) == PDDLReader().parse_problem_string(*(t.text for t in texts))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("(p ?x) :effect", "(r ?x) :effect", r"d\.pddl:5:\d+: .*r"),
        ("thing - object)", "thing - object", r"d\.pddl:3:3: a '\(' that is not closed before the next section"),
        ("(q)))", "(q))))", r"d\.pddl:5:\d+: a '\)' that closes nothing"),
        (DOMAIN, " \n", r"d\.pddl:1:1: there is nothing in it; valid: \(define"),
        (DOMAIN, "hello", r"d\.pddl:1:1: "),
    ],
)
def test_a_domain_that_does_not_parse_says_where(old: str, new: str, says: str) -> None:
    assert old in DOMAIN
    with pytest.raises(InputError, match=says):
        parse(Source("d.pddl", DOMAIN.replace(old, new)), Source("p.pddl", PROBLEM))


def test_all_that_is_wrong_is_told_at_once_with_its_place() -> None:
    domain = DOMAIN.replace("?x - thing) :pre", "?x - thin) :pre").replace(":effect (q)", ":effect (r)")
    problem = PROBLEM.replace("(p o)", "(p u)").replace("(q)", "(p o o)")
    with pytest.raises(InputError) as shown:
        parse(Source("d.pddl", domain), Source("p.pddl", problem))
    places = [m.split(": ")[0] for m in shown.value.messages]
    assert places == ["d.pddl:5:32", "d.pddl:5:68", "p.pddl:3:13", "p.pddl:4:10"]
    assert "did you mean 'thing'?" in shown.value.messages[0] and str(shown.value).endswith(" (and 3 more)")
    with pytest.raises(InputError) as shown:
        parse(Source("d.pddl", DOMAIN), Source("p.pddl", PROBLEM.replace("(p o)", "(p u)").replace("(q)", "(r)")))
    assert [m.split(": ")[0] for m in shown.value.messages] == ["p.pddl:3:13", "p.pddl:4:11"]


def test_a_domain_is_a_name_a_folder_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    assert locate("tabletop") == data_dir("domains") / "tabletop" / "domain.pddl"
    assert locate(str(tmp_path)) == locate(tmp_path / "domain.pddl") == tmp_path / "domain.pddl"
    with pytest.raises(InputError, match=r"no domain 'tableto': give one of .*tabletop"):
        locate("tableto")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"there is no domain\.pddl in .*empty"):
        locate(tmp_path / "empty")


SMALL = """(define (domain d) (:requirements :strips :typing)
 (:types a - object)
 (:predicates (p ?x - a) (q))
{extra}
 (:action go :parameters (?x - {type}) :precondition (p ?x) :effect {effect}))
"""
TASK = "(define (problem p) (:domain d) (:objects o - a{more}) (:init (p o)) (:goal {goal}) {tail})"


def refused(
    extra: str = "", type: str = "a", effect: str = "(q)", more: str = "", goal: str = "(q)", tail: str = ""
) -> str:
    with pytest.raises(InputError) as raised:
        judge_of(
            parse(
                Source("domain.pddl", SMALL.format(extra=extra, type=type, effect=effect)),
                Source("problem.pddl", TASK.format(more=more, goal=goal, tail=tail)),
            )
        )
    return str(raised.value)


def test_what_the_parser_does_not_read_is_named_with_its_place() -> None:
    derived = refused(extra=" (:derived (q) (exists (?x - a) (p ?x)))")
    assert derived.startswith("domain.pddl:4:2: ") and derived.endswith("does not read :derived")
    assert "domain.pddl:5:32: unified-planning does not read (either …)" in refused(type="(either a object)")
    assert "unified-planning reads no (probabilistic …)" in refused(effect="(probabilistic 0.5 (q))")
    assert "problem.pddl:1:80: unified-planning reads no (preference …)" in refused(
        goal="(and (q) (preference g (p o)))"
    )
    assert "domain.pddl:4:2: unified-planning does not read :constraints" in refused(
        extra=" (:constraints (always (q)))"
    )


STORE = """(define (domain store) (:requirements :strips :typing)
 (:types hoist surface area place - object area crate - surface depot - place)
 (:predicates (in ?x - (either area crate) ?p - (either place hoist)) (free ?a - area))
 (:action fill :parameters (?c - crate ?a - area ?p - place)
  :precondition (and (in ?a ?p) (free ?a)) :effect (in ?c ?p)))
"""


@pytest.mark.parametrize("types", ["surface area place", "surface place - object area"])
def test_a_type_in_two_lines_and_either_are_read(types: str) -> None:
    """As in the Storage domain of the planning competitions."""
    task = "(define (problem p) (:domain store) (:objects k - crate a - area d - depot) (:init (in a d) (free a))"
    problem = parse(Source("d", STORE.replace("surface area place", types)), Source("p", f"{task} (:goal (in k d)))"))
    assert [t.name for t in problem.user_type("area").ancestors] == ["area", "surface", "object"]
    assert [str(p.type) for p in problem.fluent("in").signature] == ["surface - object", "object"]


def test_what_is_read_but_cannot_be_followed_is_named() -> None:
    assert "does not support trajectory constraints" in refused(tail="(:constraints (sometime (q)))")
