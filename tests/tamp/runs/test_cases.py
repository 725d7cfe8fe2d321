"""Cases about problems and about scenes as their files say them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.errors import InputError
from tamp.runs.case_runner import run
from tamp.runs.cases import Case, SceneCase, cases_of, folders, read_case, read_scene_case

TABLE = 'domain = "tabletop"\nproblem = "p.pddl"\n'


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (TABLE + "solveable = true", "unknown key 'solveable'; valid: domain, problem, goal, solvable"),
        (TABLE + 'solvable = "yes"', "case.toml:3: solvable is yes; valid: true or false"),
        (TABLE + "timeout = true", "case.toml:3: timeout is True; valid: seconds"),
        (
            TABLE + "[[good]]\nplan = 'a'\nstep = 1",
            "case.toml:5: unknown key 'step' of good.0; valid: plan, steps, cost",
        ),
        (TABLE + "[[bad]]\nstep = 1", "case.toml:3: give either plan"),
        (TABLE + "[[bad]]\nplan = 'a'\nsteps = []", "case.toml:3: give either plan"),
        (TABLE + "[[bad]]\nplan = 'a'\nstep = '1'", "case.toml:5: bad.0.step is 1; valid: the number of a step"),
        (TABLE + "bad = [1]", "case.toml:3: bad is [1]; valid: tables [[bad]]"),
        ('domain = "tabletop"', "problem is missing"),
        ("domain =", "not TOML"),
    ],
)
def test_a_table_that_says_nothing_sensible_is_refused(table: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "case.toml").write_text(table)
    with pytest.raises(InputError, match=r"case\.toml") as refused:
        read_case(tmp_path)
    assert says in str(refused.value)


def test_files_are_those_of_the_folder_and_domains_also_those_by_name(tmp_path: Path) -> None:
    (tmp_path / "case.toml").write_text(TABLE)
    case = read_case(tmp_path)
    assert (case.domain, case.problem) == ("tabletop", tmp_path / "p.pddl")
    (tmp_path / "tabletop").mkdir()
    assert read_case(tmp_path).domain == str(tmp_path / "tabletop")


def test_a_folder_is_a_case_or_has_cases(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no case\.toml"):
        folders(tmp_path)
    for name in ("b", "a", "c/deep"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "case.toml").write_text(TABLE)
    assert folders(tmp_path) == [tmp_path / "a", tmp_path / "b"]
    assert folders(tmp_path / "a") == [tmp_path / "a"]
    with pytest.raises(InputError, match="no folder"):
        folders(tmp_path / "none")


SAID = 'scene = "mug_in_drawer"\ngoal = "(on mug_1 plate_1)"\n'


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (SAID + "seed = 1", "case.toml:3: unknown key 'seed'; valid: scene, goal, instruction, seeds, expect"),
        ('scene = "mug_in_drawer"', "nothing is asked for; valid: goal"),
        (SAID + "seeds = [0, -1]", "case.toml:3: seeds is [0, -1]; valid: whole numbers from 0"),
        (SAID + "seeds = []", "seeds is []; valid"),
        (SAID + "seeds = 3", "seeds is 3; valid"),
        (SAID + 'expect = "refusal"', "case.toml:3: expect is 'refusal'; valid: reached, refused"),
        ('scene = 3\ngoal = "(x)"', "case.toml:1: scene is 3; valid"),
        ('scene = "mug_in_drawer"\ngoal = [1]', "case.toml:2: goal is [1]; valid"),
    ],
)
def test_a_scenes_table_that_says_nothing_sensible_is_refused(table: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "case.toml").write_text(table)
    with pytest.raises(InputError) as refused:
        read_scene_case(tmp_path / "case.toml")
    assert says in str(refused.value)


def test_what_is_left_out_is_one_draw_that_is_to_be_reached(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(SAID)
    case = read_scene_case(tmp_path / "a.toml")
    assert (case.goals, case.seeds, case.expect, case.instruction) == (("(on mug_1 plate_1)",), (0,), "reached", None)
    (tmp_path / "b.toml").write_text('scene = "kitchen"\ngoal = ["(a)", "(b)"]\nseeds = [3, 1]\nexpect = "refused"\n')
    (tmp_path / "kitchen").mkdir()
    case = read_scene_case(tmp_path / "b.toml")
    assert (case.goals, case.seeds, case.expect) == (("(a)", "(b)"), (3, 1), "refused")
    assert case.scene == str(tmp_path / "kitchen")  # what is beside the file is meant first


def test_words_that_come_to_another_goal_are_misread(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(SAID + 'instruction = "put the mug on the plate"\n')
    case = read_scene_case(tmp_path / "a.toml")
    assert case.misread("(on mug_1  plate_1 )") is None and case.misread(None) is None
    assert case.misread("(on plate_1 mug_1)") == "the words came to (on plate_1 mug_1)"


def test_cases_about_problems_stand_beside_those_about_scenes(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    domain = "(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))"
    (tmp_path / "domain.pddl").write_text(domain)
    (tests / "p.pddl").write_text("(define (problem x) (:domain d) (:init) (:goal (p)))")
    (tests / "a.toml").write_text(SAID)
    (tests / "b.toml").write_text('problem = "p.pddl"\nsolvable = true\n[[good]]\nsteps = ["(a)"]\n')
    (_, scene), (_, problem) = cases_of(tmp_path)
    assert isinstance(scene, SceneCase) and isinstance(problem, Case)
    assert problem.name == "b" and all(o.agrees for o in run(problem))
    (tests / "c.toml").write_text("expect = 'reached'\n")
    with pytest.raises(InputError, match=r"c\.toml: it names no scene and no problem; valid: "):
        cases_of(tmp_path)


def test_a_case_about_a_scene_is_none_about_a_problem(tmp_path: Path) -> None:
    (tmp_path / "case.toml").write_text(SAID)
    with pytest.raises(InputError, match=r"about a scene; `tamp test FOLDER` runs it"):
        read_case(tmp_path)
