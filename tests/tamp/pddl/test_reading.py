"""Domains and problems that do not parse: where, and what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from unified_planning.io import PDDLReader

from tamp.data import data_dir
from tamp.errors import InputError
from tamp.files.source import Source, read
from tamp.pddl.reading import locate, other_domain, parse, read_problem

DOMAIN = """(define (domain d)
  (:requirements :strips :typing)
  (:types thing - object)
  (:predicates (p ?x - thing) (q))
  (:action a :parameters (?x - thing) :precondition (p ?x) :effect (q)))
"""
PROBLEM = "(define (problem x) (:domain d)\n  (:objects o - thing)\n  (:init (p o))\n  (:goal (q)))\n"


def test_a_predicate_that_the_domain_lacks_is_named() -> None:
    domain = Source("d.pddl", DOMAIN)
    with pytest.raises(InputError, match=r"p\.pddl:4:\d+: there is no predicate 'served'; there are: p, q"):
        parse(domain, Source("p.pddl", PROBLEM.replace("(q)", "(served o)")))


def test_a_misspelt_name_is_refused_before_the_long_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tamp.pddl.reading.read_unified", lambda *texts: pytest.fail("read all the same"))
    problem = PROBLEM.replace("(p o)", f"{'(p o) ' * 20_000}(pp o)")
    with pytest.raises(InputError, match=r"^p\.pddl:3:\d+: there is no predicate 'pp'; did you mean 'p'\?$"):
        parse(Source("d.pddl", DOMAIN), Source("p.pddl", problem))


@pytest.mark.parametrize(("domain", "case"), [("tabletop", "drawer_first"), (None, "all_tidy")])
def test_a_problem_is_what_unified_planning_reads_by_itself(domain: str | None, case: str) -> None:
    folder = data_dir("problems") / "cases" / case
    texts = read(locate(domain or folder)), read(folder / "problem.pddl")
    assert parse(*texts) == PDDLReader().parse_problem_string(*(t.text for t in texts))


def test_a_problem_for_another_domain_is_noticed() -> None:
    domain, problem = Source("d.pddl", DOMAIN), Source("p.pddl", PROBLEM)
    assert other_domain(domain, problem) == ""
    other = Source("p.pddl", PROBLEM.replace("(:domain d)", "(:domain E) ; (:domain d)"))
    assert other_domain(domain, other) == "the problem is for 'e', the domain is 'd'"


def test_a_problem_parses() -> None:
    problem = parse(Source("d.pddl", DOMAIN), Source("p.pddl", PROBLEM))
    assert [a.name for a in problem.actions] == ["a"]


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


@pytest.mark.parametrize(("old", "new", "line"), [("(p o)", "(p u)", 3), ("(q)", "(r)", 4), ("(:goal", "(:goul", 4)])
def test_a_fault_of_the_problem_is_not_the_domains(old: str, new: str, line: int) -> None:
    with pytest.raises(InputError) as told:
        parse(Source("d.pddl", DOMAIN), Source("p.pddl", PROBLEM.replace(old, new)))
    assert all(m.startswith("p.pddl:") for m in told.value.messages)
    assert any(m.startswith(f"p.pddl:{line}:") for m in told.value.messages)


def test_all_that_is_wrong_is_told_at_once_with_its_place() -> None:
    domain = DOMAIN.replace("?x - thing) :pre", "?x - thin) :pre").replace(":effect (q)", ":effect (r)")
    problem = PROBLEM.replace("(p o)", "(p u)").replace("(q)", "(p o o)")
    with pytest.raises(InputError) as told:
        parse(Source("d.pddl", domain), Source("p.pddl", problem))
    places = [m.split(": ")[0] for m in told.value.messages]
    assert places == ["d.pddl:5:32", "d.pddl:5:68", "p.pddl:3:13", "p.pddl:4:10"]
    assert "did you mean 'thing'?" in told.value.messages[0] and str(told.value).endswith(" (and 3 more)")
    with pytest.raises(InputError) as told:
        parse(Source("d.pddl", DOMAIN), Source("p.pddl", PROBLEM.replace("(p o)", "(p u)").replace("(q)", "(r)")))
    assert [m.split(": ")[0] for m in told.value.messages] == ["p.pddl:3:13", "p.pddl:4:11"]


def test_a_domain_is_a_name_a_folder_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    assert locate("tabletop") == data_dir("domains") / "tabletop" / "domain.pddl"
    assert locate(str(tmp_path)) == locate(tmp_path / "domain.pddl") == tmp_path / "domain.pddl"
    with pytest.raises(InputError, match=r"no domain 'tableto': give one of .*tabletop"):
        locate("tableto")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"there is no domain\.pddl in .*empty"):
        locate(tmp_path / "empty")


def test_only_one_file_can_be_standard_input() -> None:
    with pytest.raises(InputError, match="only one of the files"):
        read_problem("-", Path("-"))


def test_what_is_changed_in_a_domain_is_not_in_one_that_is_read_afterwards() -> None:
    first = parse(Source("d.pddl", DOMAIN))
    first.clear_actions()
    assert [a.name for a in parse(Source("d.pddl", DOMAIN)).actions] == ["a"]
