"""Shipped files by their names and paths, from anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.data import data_dir, located
from tamp.errors import InputError

BENCH = data_dir("problems") / "xarm" / "bench.toml"
WORLD = ("world", ".toml")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("given", ["bench", "problems/xarm/bench.toml", Path("problems/xarm/bench.toml")])
def test_what_is_shipped_is_found_from_anywhere(given: Path | str) -> None:
    assert located(given, *WORLD, folder="xarm") == BENCH


def test_what_is_here_comes_first_and_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "bench").mkdir()
    assert located("bench", *WORLD, folder="xarm") == BENCH, "such as a folder of tamp bench --out bench"
    (tmp_path / "problems").mkdir()
    assert located("problems") == Path("problems")
    (tmp_path / "tour").write_text("{}")
    assert located("tour", "plan", ".json") == Path("tour")


def test_a_name_that_there_is_none_of_is_told_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"no world 'bnch'; did you mean 'bench'\? valid: a file, or .*: bench$"):
        located("bnch", *WORLD, folder="xarm")
    with pytest.raises(InputError, match=r"no plan 'tuor'; did you mean 'tour'\? valid: .*: closest_cup, "):
        located("tuor", "plan", ".json", folder="xarm")


def test_shipped_problems_are_called_by_what_they_are_about() -> None:
    assert located("continuous", "problem", ".pddl") == data_dir("problems") / "continuous" / "problem.pddl"
    says = r"valid: .*: continuous, cup_to_bin; the problem of a scene is problem\.pddl in the folder of its episode$"
    with pytest.raises(InputError, match=says):
        located("mug_in_drawer", "problem", ".pddl")
