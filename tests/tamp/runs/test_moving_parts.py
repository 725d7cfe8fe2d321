"""Things with drawers and doors as a log describes them: drawn where the scene has them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from motion.poses import Array, moved, pose, rotation_about
from motion.robot_shape import solids_of
from motion.shapes import Shape, bounds
from tamp.model.scene import (
    Joint,
    Part,
    PartKind,
    RobotState,
    Scene,
    SceneObject,
    joints_of,
    poses_of,
    with_joint_at,
    with_object_at,
)
from tamp.runs.moving_parts import part_state, parts_of, parts_record, values_of
from tamp.view.log_fields import pose_in

UP = np.array([0.0, 0.0, 1.0])
TURNED = pose([0.4, -0.2, 0.9], rotation_about(UP, 0.7))
PLATE = Shape("box", np.array([0.1, 0.01, 0.1]), pose([0.0, 0.1, 0.0]))
CAN = Shape("cylinder", np.array([0.01, 0.03, 0.0]), np.eye(4))


def part(end: str, kind: PartKind, shape: Shape, joint: Joint | None = None) -> Part:
    return Part(f"oven{end}", kind, TURNED, (shape,), joint)


def joint(kind: Any, axis: Array, at: Array, active: float) -> Joint:
    limits = (min(active, 0.0), max(active, 0.0))
    return Joint(kind, TURNED[:3, :3] @ axis, moved(at[None], TURNED)[0], limits, 0.0, 0.9 * active, 0.1 * active)


def scene() -> Scene:
    """An oven, turned, with a drawer, a door on a hinge at its side, and a knob; and a cup."""
    oven = (
        part("", "body", Shape("box", np.full(3, 0.1), np.eye(4))),
        part("_drawer", "drawer", PLATE, joint("slide", np.array([0.0, 1.0, 0.0]), np.zeros(3), 0.2)),
        part("_door", "door", PLATE, joint("hinge", UP, np.array([0.1, 0.1, 0.0]), -1.5)),
        part("_knob", "knob", CAN, joint("hinge", np.array([1.0, 0.0, 0.0]), np.zeros(3), 2.0)),
    )
    cup = SceneObject("cup", "cup", True, (Part("cup", "body", pose([0.0, 0.0, 0.9]), (CAN,)),))
    return Scene((SceneObject("oven", "oven", False, oven), cup), RobotState(np.zeros(7), 0.08, pose([0.0, 0, 1])))


def logged(seen: Scene) -> dict[str, Any]:
    """What a log has of a scene, once it was written and read."""
    shown_text = {"poses": poses_of(seen), "joints": joints_of(seen), "parts": parts_record(seen)}
    return dict(json.loads(json.dumps(shown_text)))


def extents(parts: tuple[Part, ...], e: dict[str, Any]) -> list[Array]:
    """The boxes around the parts of the oven as they are drawn for an event."""
    T, values = pose_in(e["poses"]["oven"]), values_of(e).get("oven", {})
    assert T is not None
    moves = [p.joint.displacement(values.get(p.name, p.joint.value)) if p.joint else np.eye(4) for p in parts]
    points = [moved(solids_of(p.shapes)[0].points, T @ by) for p, by in zip(parts, moves, strict=True)]
    return [np.array([p.min(axis=0), p.max(axis=0)]) for p in points]


@pytest.mark.parametrize(
    "opened", [{}, {"_drawer": 0.15}, {"_door": -1.2}, {"_drawer": 0.2, "_door": -1.5, "_knob": 1.0}]
)
def test_parts_are_drawn_where_the_scene_has_them(opened: dict[str, float]) -> None:
    parts, later = parts_of(logged(scene()))["oven"], scene()
    for end, value in opened.items():
        later = with_joint_at(later, "oven", f"oven{end}", value)
    for away in (later, with_object_at(later, "oven", pose([0.1, 0.2, 1.0], rotation_about(UP, -0.4)))):
        drawn = extents(parts, logged(away))
        meant = [np.array(bounds(p.shapes, p.T_world_part)) for p in away.object("oven").parts]
        assert [p.name for p in parts] == ["", "_drawer", "_door", "_knob"]
        for shown, real in zip(drawn[:3], meant[:3], strict=True):
            assert shown == pytest.approx(real, abs=1e-3)


def test_what_was_open_when_it_was_described_closes() -> None:
    opened = with_joint_at(scene(), "oven", "oven_drawer", 0.2)
    closed = extents(parts_of(logged(opened))["oven"], logged(scene()))
    assert closed[1] == pytest.approx(extents(parts_of(logged(scene()))["oven"], logged(scene()))[1], abs=1e-3)


def test_only_things_of_which_something_moves_have_parts() -> None:
    assert list(parts_record(scene())) == ["oven"]
    assert parts_of({"event": "scene"}) == {}  # as in logs of before


@pytest.mark.parametrize(
    ("end", "value", "word"),
    [
        *(
            ("_drawer", 0.0, "closed"),
            ("_drawer", 0.03, "closed"),
            ("_drawer", 0.1, "half open"),
            ("_drawer", 0.2, "open"),
        ),
        *(("_door", 0.0, "closed"), ("_door", -1.4, "open"), ("_knob", 0.0, "off"), ("_knob", 1.9, "on")),
    ],
)
def test_a_part_is_told_in_words(end: str, value: float, word: str) -> None:
    [found] = (p for p in parts_of(logged(scene()))["oven"] if p.name == end)
    assert part_state(found, value) == word


@pytest.mark.parametrize("wrong", [None, 3, "x", [], {}, [None], [{}], float("inf"), [["box", [1, 1, 1], [0] * 7]]])
def test_what_is_not_of_its_kind_is_left_out(wrong: object) -> None:
    e = logged(scene())
    for shown_text in (wrong, {"oven": wrong}):
        assert parts_of(e | {"parts": shown_text}) == {}
        assert values_of(e | {"joints": shown_text}).get("oven", {}) == {}

    def with_wrong(key: str) -> tuple[Part, ...]:
        return parts_of({"parts": {"oven": [p | {key: wrong} for p in e["parts"]["oven"]]}}).get("oven", ())

    assert with_wrong("shapes") == ()
    assert [p.joint for p in with_wrong("joint")] == [None] * 4
    assert {p.name for p in with_wrong("name")} <= {"", "x"} and {p.kind for p in with_wrong("kind")} <= {"body"}
