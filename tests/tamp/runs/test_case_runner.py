"""Cases: what is shipped comes out as it says, and what does not is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.data import data_dir
from tamp.runs.case_runner import run
from tamp.runs.cases import folders, read_case

pytestmark = pytest.mark.slow

SHIPPED = folders(data_dir("problems") / "cases")


def test_there_are_enough_of_them() -> None:
    cases = [read_case(f) for f in SHIPPED]
    assert len(cases) >= 15
    assert sum(p.good for c in cases for p in c.plans) >= 15 and sum(not p.good for c in cases for p in c.plans) >= 15
    assert {c.solvable for c in cases} == {True, False, None}


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda f: f.name)
def test_what_is_shipped_comes_out_as_it_says(folder: Path) -> None:
    outcomes = run(read_case(folder))
    assert outcomes and [o for o in outcomes if not o.agrees] == []


DOMAIN = """(define (domain d) (:requirements :strips :action-costs) (:predicates (p) (q)) (:functions (total-cost))
  (:action a :parameters () :precondition () :effect (and (p) (increase (total-cost) 2)))
  (:action b :parameters () :precondition (p) :effect (q)))"""
PROBLEM = """(define (problem x) (:domain d) (:init (= (total-cost) 0)) (:goal (and (q) (p)))
  (:metric minimize (total-cost)))"""


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ('goal = "(and (p) (Q))"', None),
        ('goal = "(q)"', "(p) (q)"),
        ("findings = []", None),
        ('findings = ["unused-predicate"]', "none"),
        ('[[good]]\nsteps = ["(a)", "(b)"]\ncost = 2', None),
        ('[[good]]\nsteps = ["(a)", "(b)"]\ncost = 3', "valid, cost 2"),
        ('[[good]]\nsteps = ["(b)"]', "invalid at step 1, unmet (p)"),
        ('[[bad]]\nsteps = ["(a)", "(b)"]', "valid, cost 2"),
        ('[[bad]]\nsteps = ["(b)"]', None),
        ('[[bad]]\nsteps = ["(b)"]\nstep = 1\nunmet = "( P )"', None),
        ('[[bad]]\nsteps = ["(b)"]\nstep = 2', "invalid at step 1"),
        ('[[bad]]\nsteps = ["(a)"]\nstep = 0\nunmet = "(q)"', None),
        ('[[bad]]\nsteps = ["(a)"]\nstep = 0\nunmet = "(p)"', "invalid at the goal, unmet (q)"),
        ('[[bad]]\nsteps = ["(c)"]', "cannot be read"),
        ('[[bad]]\nplan = "none.plan"', "cannot be read"),
    ],
)
def test_what_differs_is_told(said: str, found: str | None, tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    (tmp_path / "case.toml").write_text(f'domain = "domain.pddl"\nproblem = "problem.pddl"\n{said}\n')
    (outcome,) = run(read_case(tmp_path))
    assert outcome.agrees == (found is None), outcome
    assert found is None or outcome.found.startswith(found)


@pytest.mark.parametrize(("said", "agrees"), [("true", False), ("false", True)])
def test_what_no_planner_solves_is_unsolvable(said: str, agrees: bool, tmp_path: Path) -> None:
    domain = "(define (domain d) (:predicates (p) (q)) (:action a :parameters () :effect (q)))"
    (tmp_path / "domain.pddl").write_text(domain)
    (tmp_path / "problem.pddl").write_text("(define (problem x) (:domain d) (:init) (:goal (p)))")
    (tmp_path / "case.toml").write_text(f'domain = "domain.pddl"\nproblem = "problem.pddl"\nsolvable = {said}\n')
    (outcome,) = run(read_case(tmp_path))
    assert (outcome.found, outcome.agrees) == ("unsolvable", agrees)


def test_a_case_never_runs_the_python_of_the_domain_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    (tmp_path / "skills.toml").write_text('a = "pick"\nb = "own"\n')
    (tmp_path / "observers.py").write_text(f"open({str(tmp_path / 'run')!r}, 'w')\n")
    (tmp_path / "case.toml").write_text('domain = "domain.pddl"\nproblem = "problem.pddl"\nfindings = []\n')
    run(read_case(tmp_path))
    assert not (tmp_path / "run").exists()
