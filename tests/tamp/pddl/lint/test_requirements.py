"""Requirements: which imply which, what needs which, and adding what is missing to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.pddl.lint.texts import add_requirements
from tamp.skills.folder_check import check

FORMULAS = {
    ":negative-preconditions": "(not (p ?x))",
    ":disjunctive-preconditions": "(or (p ?x) (q ?x))",
    ":existential-preconditions": "(exists (?y) (and (p ?x) (q ?y)))",
    ":universal-preconditions": "(forall (?y) (and (p ?x) (q ?y)))",
    ":equality": "(and (p ?x) (= ?x c))",
    ":numeric-fluents": "(and (p ?x) (> (f) 1))",
}
IMPLIED = {
    ":adl": set(FORMULAS) - {":numeric-fluents"},
    ":quantified-preconditions": {":existential-preconditions", ":universal-preconditions"},
    ":fluents": {":numeric-fluents"},
    **{name: {name} for name in FORMULAS},
}
"""What each requirement allows of the formulas."""


def domain(requirements: str, condition: str = "(and (p ?x) (q ?x))", effect: str = "(p ?x)") -> str:
    return f"""(define (domain d)
  (:requirements {requirements})
  (:constants c)
  (:predicates (p ?x) (q ?x))
  (:functions (f))
  (:action a
    :parameters (?x)
    :precondition {condition}
    :effect {effect}))
"""


def codes(folder: Path, text: str) -> list[tuple[str, str]]:
    (folder / "d.pddl").write_text(text)
    found = check(folder / "d.pddl").findings
    return [(f.code, f.message.split()[0]) for f in found if f.code.endswith("requirement")]


@pytest.mark.parametrize("declared", IMPLIED)
@pytest.mark.parametrize("used", FORMULAS)
def test_a_requirement_allows_what_it_implies_and_no_more(declared: str, used: str, tmp_path: Path) -> None:
    found = codes(tmp_path, domain(f":strips {declared}", FORMULAS[used]))
    allowed = used in IMPLIED[declared] or (used, declared) == (
        ":negative-preconditions",
        ":disjunctive-preconditions",
    )
    assert (("missing-requirement", used) in found) == (not allowed), found


def test_costs_need_no_more_than_action_costs(tmp_path: Path) -> None:
    costs = domain(":strips :action-costs", effect="(and (p ?x) (increase (total-cost) 1))")
    costs = costs.replace("(f)", "(total-cost)")
    assert codes(tmp_path, costs) == []
    without = costs.replace(" :action-costs", "")
    assert codes(tmp_path, without) == [("missing-requirement", ":action-costs")]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_fixing_changes_nothing_else_to_the_byte(ends: str, mark: str, tmp_path: Path) -> None:
    text = domain(":strips  ; näher\n   :Typing", "(or (p ?x) (q ?x))").replace("(?x)\n", "(?x - OBJECT)\n")
    path, raw = tmp_path / "d.pddl", (mark + text.replace("\n", ends)).encode()
    path.write_bytes(raw)
    report = check(path)
    assert report.domain is not None and report.lacking == (":disjunctive-preconditions",)
    add_requirements(report.domain, report.lacking)
    assert path.read_bytes() == raw.replace(b":Typing", b":Typing :disjunctive-preconditions")
    assert check(path).lacking == ()


def test_what_only_the_goal_needs_is_asked_for(tmp_path: Path) -> None:
    path, problem = tmp_path / "d.pddl", tmp_path / "p.pddl"
    problem.write_text("(define (problem p) (:domain d) (:objects b) (:init (p b)) (:goal (or (p b) (q b))))")
    path.write_text(domain(":strips"))
    assert check(path, [problem]).lacking == (":disjunctive-preconditions",)
    problem.write_text(problem.read_text().replace("(:objects", "(:requirements :adl) (:objects"))
    path.write_text(domain(":strips"))
    assert check(path, [problem]).lacking == ()


def test_what_unified_planning_does_not_read_is_no_misspelling(tmp_path: Path) -> None:
    (tmp_path / "d.pddl").write_text(domain(":strips :derived-predicates"))
    found = [f for f in check(tmp_path / "d.pddl").findings if f.code == "unknown-requirement"]
    assert len(found) == 1 and "reads no requirement :derived-predicates" in found[0].message
    assert found[0].instead is None
