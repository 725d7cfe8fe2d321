"""What a policy saw and the simulator's things: matched by category and place, and said when there is no match."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from motion.poses import pose
from motion.shapes import Shape
from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.goal import Goal
from tamp.model.scene import Part, Region, RobotState, Scene, SceneObject
from tamp.runs.matching import match


def thing(name: str, category: str, x: float, y: float, *regions: str) -> SceneObject:
    T = pose([x, y, 0.9])
    part = Part(name, "body", T, (Shape("box", np.full(3, 0.02), np.eye(4)),))
    found = tuple(Region(f"{name}_{r}", "surface", T, np.full(3, 0.01), name) for r in regions)
    return SceneObject(name, category, True, (part,), found)


def ground() -> SceneObject:
    region = Region("main_table", "surface", pose([0.0, 0.0, 0.9]), np.array([0.4, 0.4, 0.0]), "main_table_body")
    body = Part("main_table_body", "body", np.eye(4), (Shape("box", np.ones(3), np.eye(4)),))
    return SceneObject("main_table_body", "table", False, (body,), (region,))


SCENE = Scene(
    (
        thing("bowl_1", "bowl", 0.1, 0.0),
        thing("bowl_2", "bowl", 0.2, 0.0),
        thing("shelf_1", "shelf", 0.0, 0.3, "top_side"),
        ground(),
    ),
    RobotState(np.zeros(7), 0.08, np.eye(4)),
)


def shown(**poses: tuple[str, float, float]) -> dict[str, Any]:
    return {
        "objects": {n: c for n, (c, _, _) in poses.items()} | {"bench_body": "table"},
        "poses": {n: [x, y, 0.91, 1, 0, 0, 0] for n, (_, x, y) in poses.items()} | {"bench_body": [9.0] * 7},
        "regions": {"shelf_5": ["shelf_5_top_side", "shelf_5_own_idea"], "bench_body": ["bench"]},
    }


def test_twins_are_told_apart_by_where_they_are() -> None:
    names = match(shown(bowl_9=("bowl", 0.21, 0.0), bowl_3=("bowl", 0.12, 0.01), shelf_5=("shelf", 0.0, 0.32)), SCENE)
    assert names.true == {
        "bowl_9": "bowl_2",
        "bowl_3": "bowl_1",
        "shelf_5": "shelf_1",
        "shelf_5_top_side": "shelf_1_top_side",
        "bench_body": "main_table_body",
        "bench": "main_table",
    }
    goal = Goal.of([Atom("left-of", ("bowl_9", "shelf_5")), Atom("on", ("bowl_3", "bench"))], ("shelf_5",))
    theirs = names.of(goal)
    assert str(theirs) == "(and (left-of bowl_2 shelf_1) (on bowl_1 main_table))"
    assert theirs.untouched == ("shelf_1",)
    assert names.backwards().of(theirs) == goal
    assert names.operands("(pick bowl_9 bench)") == ("bowl_2", "main_table")


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (("bowl", 0.5, 0.0), "where it_1 was seen there is no bowl; the nearest is 30 cm away"),
        (("mug", 0.1, 0.0), "where it_1 was seen there is no mug"),
        (("unknown", 0.1, 0.0), "where it_1 was seen there is no unknown"),
    ],
)
def test_what_is_seen_where_it_is_not_has_no_name(seen: tuple[str, float, float], why: str) -> None:
    names = match(shown(it_1=seen), SCENE)
    with pytest.raises(Refusal) as e:
        names.of(Goal(Atom("on", ("it_1", "bench"))))
    assert str(e.value) == why and names.operands("(pick it_1 bench)") == ("main_table",)


def test_what_was_not_seen_cannot_be_asked_for() -> None:
    names = match(shown(bowl_9=("bowl", 0.2, 0.0)), SCENE).backwards()
    with pytest.raises(Refusal, match="nothing that was seen was found to be bowl_1"):
        names.of(Goal(Atom("on", ("bowl_1", "main_table"))))


def test_what_is_unknown_is_matched_by_where_it_is_alone() -> None:
    seen = shown(unknown_1=("red_box", 0.21, 0.01), bowl_3=("bowl", 0.1, 0.0), unknown_2=("bowl", -0.3, 0.0))
    seen["unknown"] = ["unknown_1", "unknown_2"]
    seen["boxes"] = {
        "unknown_1": [[0.2, 0.0, 0.9], [0.22, 0.02, 1.5]],
        "unknown_2": [[-0.4, 0.0, 0.9], [-0.2, 0.0, 0.9]],
    }
    names = match(seen, SCENE)
    assert (names.true["unknown_1"], names.true["bowl_3"]) == ("bowl_2", "bowl_1")
    assert names.why["unknown_2"] == "where unknown_2 was seen there is nothing"
