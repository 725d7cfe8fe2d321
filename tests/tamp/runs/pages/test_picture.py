"""What the picture in space of an episode is drawn from, for every kind of log."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tamp.runs.pages.moments import moments_of, period_of
from tamp.runs.pages.paths import courses_of
from tamp.runs.pages.picture import picture_of
from tamp.runs.pages.places import things
from tamp.runs.pages.timeline import deeds
from tamp.runs.robot_shape import robots_of
from tests.page_episodes import event, of_an_arm, two_arms, with_arm, with_chest


def drawn(events: list[dict[str, Any]]) -> dict[str, Any]:
    moments = moments_of(events)
    return picture_of(courses_of(events, moments, robots_of(events)), things(events, moments))


def posed(links: list[dict[str, Any]], values: tuple[float, ...]) -> list[np.ndarray]:
    """As templates/links.js does it."""
    frames: list[np.ndarray] = []
    for link in links:
        T = np.vstack([np.reshape(link["at"], (3, 4)), [0, 0, 0, 1]])
        T = T if link["parent"] < 0 else frames[link["parent"]] @ T
        if joint := link["joint"]:
            x, moved = np.array(joint["axis"]), np.eye(4)
            by = joint["times"] * values[joint["value"]]
            if joint["kind"] == "slide":
                moved[:3, 3] = x * by
            else:
                K = np.cross(np.eye(3), x)
                moved[:3, :3] = np.eye(3) + np.sin(by) * K + (1 - np.cos(by)) * K @ K
            T = T @ moved
        frames.append(T)
    return frames


def test_the_arm_is_drawn_as_its_description_has_it() -> None:
    events = with_arm()
    picture = drawn(events)
    [robot], [course] = picture["scene"]["robots"], picture["courses"]
    shape = robots_of(events)[0].shape
    values = course["values"][-1]
    frames = [T for T, link in zip(posed(robot["links"], values), robot["links"], strict=True) if link["solids"]]
    assert np.allclose(frames, shape.frames(values[:-1], values[-1]), atol=1e-4)
    assert course["robot"] == 0 and len(course["values"]) == len(course["steps"])


def test_a_thing_goes_with_the_tool_that_holds_it() -> None:
    [mug] = (t for t in drawn(with_arm())["things"] if t["name"] == "mug_1")
    places = dict(mug["places"])
    assert places[0] == (0.0, 0.1, 0.9)
    held = [at for moment, at in places.items() if 30 <= moment <= 50]
    assert len(held) > 10 and held[-1][2] > 0.95
    assert mug["places"][-1][1] == (0.3, 0.0, 1.0)  # as it is seen in the end


def corners_at(chest: dict[str, Any], step: int) -> list[np.ndarray]:
    """The boxes around the parts of a thing at a control step, as templates/episode.js has them."""
    found, place = [], next(at for since, at in reversed(chest["places"]) if since <= step)
    for part in chest["parts"]:
        link: dict[str, Any] = {"parent": -1, "at": part["at"], "joint": None}
        moves = [by for since, by, _ in part["moves"] if since <= step]
        if part["joint"]:
            link["joint"] = {**part["joint"], "times": 1.0, "value": 0}
        [T] = posed([link], (moves[-1] if moves else 0.0,))
        points = np.concatenate([points for points, _ in part["solids"]]) @ T[:3, :3].T + T[:3, 3] + place
        found.append(np.array([points.min(axis=0), points.max(axis=0)]))
    return found


def test_a_drawer_and_a_door_are_drawn_where_they_were_seen() -> None:
    [chest] = (t for t in drawn(with_chest())["things"] if t["name"] == "chest")
    assert [part["name"] for part in chest["parts"]] == ["chest", "chest_drawer", "chest_door"]
    body, drawer, door = corners_at(chest, 1)
    assert body == pytest.approx(np.array([[0.4, 0.4, 0.8], [0.6, 0.6, 1.0]]), abs=1e-3)
    assert drawer == pytest.approx(np.array([[0.4, 0.42, 0.82], [0.6, 0.58, 0.98]]), abs=1e-3)
    assert door == pytest.approx(np.array([[0.59, 0.4, 0.8], [0.61, 0.6, 1.0]]), abs=1e-3)
    out, still = corners_at(chest, 25)[1], corners_at(chest, 25)[2]
    assert out == pytest.approx(drawer - [0.2, 0, 0], abs=1e-3) and still == pytest.approx(door)
    ajar = corners_at(chest, 60)[2]  # it hinges on the right edge of what was the back: now it points along x
    assert ajar == pytest.approx(np.array([[0.6, 0.59, 0.8], [0.8, 0.61, 1.0]]), abs=1e-3)
    assert [move[2] for move in chest["parts"][1]["moves"]] == ["closed", "open"]


@pytest.mark.parametrize("end", ["_drawer", "_door"])
def test_what_fingers_open_goes_with_them(end: str) -> None:
    """The tool comes, closes on the front in step 5, pulls until it opens in step 15, and goes away."""
    turned, chest = with_chest(), []
    value = {"_drawer": 0.2, "_door": 1.0}[end]

    def tool(step: int) -> list[float]:
        share = min(max(step - 5, 0), 10) / 10
        if end == "_drawer":
            return [0.4 - 0.2 * share - 0.01 * max(0, step - 15), 0.5, 0.9]
        angle = 1.0 * share  # on an arc of 20 cm about the hinge, which is at (0.6, 0.6) in the world
        return [0.6 + 0.2 * np.sin(angle), 0.6 - 0.2 * np.cos(angle), 0.9]

    for e in turned:
        if e["event"] == "command" and e["step"] <= 20:
            chest.append(e | {"tool": tool(e["step"]), "stage": "grip" if e["step"] in (5, 15) else "move"})
        elif e["event"] == "state" and "_drawer" in e["joints"]["chest"]:
            chest.append(e | {"joints": {"chest": {end: value}}})
        else:
            chest.append(e)
    [thing] = (t for t in drawn(chest)["things"] if t["name"] == "chest")
    [part] = (p for p in thing["parts"] if p["name"] == f"chest{end}")
    at = {step: by for step, by, _ in part["moves"]}
    assert [at[step] for step in (10, 15)] == pytest.approx([value / 2, value], abs=0.01)
    assert max(at[step] for step in at if step <= 5) == 0 and {at[s] for s in at if 15 < s <= 20} <= {value}


def test_a_picture_has_room_for_what_is_open() -> None:
    low, high = (of(drawn(with_chest())["scene"]["extent"], axis=0) for of in (np.min, np.max))
    assert low[0] <= 0.201 and high[0] >= 0.8


def test_how_far_off_something_is_counts_from_the_open_drawer() -> None:
    events = with_chest()
    moments = moments_of(events)
    [chest] = (t for t in things(events, moments) if t.name == "chest")
    shut, out = chest.bounds(1), chest.bounds(25)
    assert shut is not None and out is not None
    assert (shut[0][0], out[0][0]) == pytest.approx((0.4, 0.2), abs=1e-3)


def test_what_all_stands_on_is_the_floor_of_the_picture() -> None:
    scene = event("scene", 0.0, objects={"t": "table"}, poses={"t": [0, 0, 0]}, boxes={"t": [[-3, -3, 0], [3, 3, 0.9]]})
    picture = drawn([scene])
    assert (picture["scene"]["floor"], picture["things"]) == (0.9, [])


def test_steps_are_as_the_log_counts_them_and_as_long_as_it_says() -> None:
    events = [event("robot", 0.0, period=0.01), *(event("command", k / 10, step=k) for k in (1, 2, 4))]
    assert (moments_of(events).of, period_of(events)) == ((0, 1, 2, 4), 0.01)


def test_two_arms_share_their_control_periods() -> None:
    events = two_arms()
    begun = deeds(events, moments_of(events))
    assert [(d.arm, d.first_step, d.last_step, d.how) for d in begun] == [
        ("near", 1, 5, "done"),
        ("far", 1, 8, "done"),
        ("near", 6, 8, "unfinished"),
    ]
    picture = drawn(events)
    assert [c["name"] for c in picture["courses"]] == ["near tool", "far tool"]
    assert [r["name"] for r in picture["scene"]["robots"]] == ["near", "far"]


def test_an_arm_that_runs_a_plan_has_its_steps() -> None:
    events = of_an_arm()
    moments = moments_of(events)
    told = [(d.action, d.how, d.why) for d in deeds(events, moments)]
    assert told == [("MoveToNamed('home')", "done", ""), ("RetreatZ(80 mm)", "failed", "error 31")]
    assert period_of(events) == pytest.approx(0.02)
    picture = drawn(events)
    assert picture["scene"]["robots"] and len(picture["courses"][0]["points"]) == 10
    # its maker has the flange at 207 and 112 mm where all joints are at zero; the tool is 120 mm long, downwards
    assert picture["courses"][0]["points"][0] == pytest.approx([0.207, 0.0, -0.008], abs=1e-3)
