"""Plans of a domain for an arm: which steps and events they come to, and what is refused."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tamp.backends.xarm import arm_steps as s
from tamp.backends.xarm.domain_plans import JudgedArmPlan, read_plan_steps
from tamp.backends.xarm.hand import HandEvent
from tamp.backends.xarm.workcell import Workcell, read_workcell
from tamp.data import data_dir
from tamp.errors import InputError
from tamp.files.source import Source
from tamp.skills.folder_check import check

BENCH = data_dir("problems") / "xarm"
PROBLEM = """(define (problem p) (:domain xarm)
  (:objects cup_1 cup_2 wine_glass - item home above_table - place bin_drop - dropoff)
  (:init (hand-empty) (hand-open) (at cup_1 above_table) (at cup_2 above_table) (at wine_glass above_table))
  (:goal {goal}))"""
TOUCHED = "(go-to home) (approach {0} above_table) (touch {0} above_table) (lift) (go-to home)"
FIRST = (
    "(go-to home) (approach cup_1 above_table) (touch cup_1 above_table) (grasp cup_1 above_table) (lift) "
    "(go-over bin_drop) (lower bin_drop) (release cup_1 bin_drop) (lift)"
)


@pytest.fixture(scope="module")
def bench() -> Workcell:
    return read_workcell(BENCH / "bench.toml")


def judged(plan: str, goal: str, world: Workcell, folder: Path, domain: str = "xarm") -> JudgedArmPlan:
    problem = folder / "p.pddl"
    problem.write_text(PROBLEM.format(goal=goal))
    return read_plan_steps(Source("plan", plan.replace(") (", ")\n(")), domain, problem, world)


def test_picking_and_placing_is_movements_with_events_between_them(bench: Workcell, tmp_path: Path) -> None:
    cup = {"labels": ("cup",), "ref": "above_table"}
    assert judged(FIRST, "(at cup_1 bin_drop)", bench, tmp_path).steps == (
        s.MoveToNamed("home"),
        s.ApproachObject(**cup),
        s.MoveToObject(**cup),
        HandEvent("close", 4, {"action": "grasp", "args": ["cup_1", "above_table"]}),
        s.RetreatZ(0.08),
        s.ApproachNamed("bin_drop"),
        s.MoveToNamed("bin_drop"),
        HandEvent("open", 8, {"action": "release", "args": ["cup_1", "bin_drop"]}),
        s.RetreatZ(0.08),
    )


@pytest.mark.parametrize(
    ("item", "label", "index"), [("cup_1", "cup", 0), ("cup_2", "cup", 1), ("wine_glass", "wine glass", 0)]
)
def test_numbers_count_the_things_of_a_label_from_the_place(
    item: str, label: str, index: int, bench: Workcell, tmp_path: Path
) -> None:
    steps = judged(TOUCHED.format(item), f"(touched {item})", bench, tmp_path).steps
    assert steps[1:3] == (
        s.ApproachObject((label,), ref="above_table", index=index),
        s.MoveToObject((label,), ref="above_table", index=index),
    )


def test_a_thing_that_was_taken_away_counts_no_more_there_but_where_it_is(bench: Workcell, tmp_path: Path) -> None:
    plan = f"{FIRST} (approach cup_2 above_table) (touch cup_2 above_table) (lift) (approach cup_1 bin_drop)"
    steps = judged(plan, "(above cup_1)", bench, tmp_path).steps
    assert steps[9] == s.ApproachObject(("cup",), ref="above_table", index=0)
    assert steps[-1] == s.ApproachObject(("cup",), ref="bin_drop", index=0)


def test_a_plan_that_is_not_valid_has_no_steps_but_a_reason(bench: Workcell, tmp_path: Path) -> None:
    found = judged("(go-to home) (touch cup_1 above_table)", "(touched cup_1)", bench, tmp_path)
    assert found.steps == ()
    assert (found.verdict.failed_at, found.verdict.unmet[0].literal) == (2, "(above cup_1)")


def test_what_the_world_does_not_have_is_told_with_its_step(bench: Workcell, tmp_path: Path) -> None:
    plan, goal = TOUCHED.format("wine_glass"), "(touched wine_glass)"
    with pytest.raises(InputError, match=r"step 2, \(approach wine_glass above_table\): .*no label .*cup"):
        judged(plan, goal, replace(bench, labels=("cup", "bowl")), tmp_path)
    without = replace(bench, poses={n: p for n, p in bench.poses.items() if n != "home"})
    with pytest.raises(InputError, match=r"step 1, \(go-to home\): there is no named pose 'home'; there are: "):
        judged(plan, goal, without, tmp_path)


def test_work_for_a_hand_that_is_not_there_is_refused_before_anything_moves(bench: Workcell, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"step 4, \(grasp cup_1 above_table\): .*names none; valid: hand = "):
        judged(FIRST, "(at cup_1 bin_drop)", replace(bench, hand=None), tmp_path)


# The table


def copy(folder: Path, operator: str, binding: str) -> Path:
    shutil.copytree(data_dir("domains") / "xarm", folder / "xarm")
    domain, table = folder / "xarm" / "domain.pddl", folder / "xarm" / "skills.toml"
    domain.write_text(f"{domain.read_text().rstrip().removesuffix(')')}\n{operator})\n")
    table.write_text(f"{table.read_text()}\n{binding}\n")
    return folder / "xarm"


def test_an_operator_is_added_by_two_lines(bench: Workcell, tmp_path: Path) -> None:
    nod = "(:action nod :parameters (?p - place) :precondition (tool-at ?p) :effect (above ?p))"
    folder = str(copy(tmp_path, nod, 'nod = "approach-named"'))
    assert check(folder).findings == ()
    steps = judged("(go-to home) (nod home)", "(above home)", bench, tmp_path, folder).steps
    assert steps[1] == s.ApproachNamed("home")
