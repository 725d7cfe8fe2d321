"""A case as its folder says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.errors import InputError
from tamp.runs.cases.case import folders, read_case

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
