"""Where the goal of a run comes from, in its log and in words."""

from __future__ import annotations

from typing import get_args

import pytest

from tamp.api.configs import SolveConfig
from tamp.api.solving import Person, prepare
from tamp.runs.goal_origin import GoalOrigin, Kind, read_origin


@pytest.mark.parametrize("kind", get_args(Kind))
@pytest.mark.parametrize("file", ["", "/a/kitchenette/scene.toml"])
def test_a_log_gives_it_back(kind: Kind, file: str) -> None:
    origin = GoalOrigin(kind, file)
    assert read_origin({"schema": 1, **origin.as_fields()}) == origin
    assert "/a/" not in origin.in_words


@pytest.mark.parametrize("start", [{}, {"goal_from": None}, {"goal_from": 3}, {"goal_from": "elsewhere"}])
def test_what_no_log_says_is_not_known(start: dict[str, object]) -> None:
    assert read_origin(start) is None


def test_a_file_is_named_with_its_folder() -> None:
    assert GoalOrigin("scene", "/a/kitchenette/scene.toml").in_words == "the scene's file kitchenette/scene.toml"
    assert GoalOrigin("scene", "../scene.toml").in_words == "the scene's file scene.toml"
    assert GoalOrigin("words", "/a/b/c.bddl").in_words == "the scene's own words, in b/c.bddl"


def test_what_is_asked_for_says_where_it_comes_from() -> None:
    goal, scene = ("(on mug_1 plate_1)",), "breakfast"

    def origin(config: SolveConfig, called: bool = False) -> GoalOrigin | None:
        return prepare(config, Person(), called).settings.origin

    assert origin(SolveConfig(goal=goal)) == GoalOrigin("option")
    assert origin(SolveConfig(goal=goal), called=True) == GoalOrigin("library")
    own = origin(SolveConfig(scene=scene))
    assert own is not None and own.kind == "scene" and own.in_words == f"the scene's file {scene}/scene.toml"
