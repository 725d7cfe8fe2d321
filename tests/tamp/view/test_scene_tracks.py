"""Where robots and things were, and what the 3-D view is drawn from, for every kind of log."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tamp.view.scene_tracks import history_of, scene_of, state_of
from tamp.view.story import Story
from tests.page_episodes import event, of_an_arm, with_arm, with_chest


def story_of(events: list[dict[str, Any]]) -> Story:
    story = Story()
    for e in events:
        story.add(e)
    return story


def things_in(events: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The things that are drawn, with their places and the moves of their parts."""
    tracks = story_of(events).tracks
    found = zip(scene_of(tracks)["things"], history_of(tracks)["things"], strict=True)
    return {thing["name"]: {**thing, **history} for thing, history in found}


def at(track: list[Any], step: int) -> Any:
    return next((value for since, value in reversed(track) if since <= step), track[0][1])


def posed(links: list[dict[str, Any]], values: tuple[float, ...]) -> list[np.ndarray]:
    """As templates/space.js does it."""
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
    tracks = story_of(with_arm()).tracks
    assert tracks.robot is not None
    links, values, shape = scene_of(tracks)["links"], state_of(tracks)["values"], tracks.robot.shape
    frames = [T for T, link in zip(posed(links, values), links, strict=True) if link["solids"]]
    due = shape.part_frames(values[:-1], values[-1])
    assert np.allclose(frames, [due[link] for link in shape.links], atol=1e-4)


def test_a_thing_goes_with_the_tool_that_holds_it() -> None:
    track = things_in(with_arm())["mug_1"]["at"]
    places = [(since, (T[3], T[7], T[11])) for since, T in track]
    assert places[0] == (0, (0.0, 0.1, 0.9))
    held = [place for since, place in places if 30 < since <= 50]
    assert len(held) > 10 and held[-1][2] > 0.95
    assert places[-1][1] == (0.3, 0.0, 1.0)  # as it is seen in the end


def corners_at(chest: dict[str, Any], step: int) -> list[np.ndarray]:
    """The boxes around the parts of a thing at a control step, as templates/space.js has them."""
    found, T_thing = [], np.vstack([np.reshape(at(chest["at"], step), (3, 4)), [0, 0, 0, 1]])
    for part, moves in zip(chest["parts"], chest["by"], strict=True):
        link: dict[str, Any] = {"parent": -1, "at": part["at"], "joint": None}
        if part["joint"]:
            link["joint"] = {**part["joint"], "times": 1.0, "value": 0}
        T = T_thing @ posed([link], (at(moves, step),))[0]
        points = np.concatenate([points for points, _ in part["solids"]]) @ T[:3, :3].T + T[:3, 3]
        found.append(np.array([points.min(axis=0), points.max(axis=0)]))
    return found


def test_a_drawer_and_a_door_are_drawn_where_they_were_seen() -> None:
    chest = things_in(with_chest())["chest"]
    body, drawer, door = corners_at(chest, 1)
    assert body == pytest.approx(np.array([[0.4, 0.4, 0.8], [0.6, 0.6, 1.0]]), abs=1e-3)
    assert drawer == pytest.approx(np.array([[0.4, 0.42, 0.82], [0.6, 0.58, 0.98]]), abs=1e-3)
    assert door == pytest.approx(np.array([[0.59, 0.4, 0.8], [0.61, 0.6, 1.0]]), abs=1e-3)
    out, still = corners_at(chest, 25)[1], corners_at(chest, 25)[2]
    assert out == pytest.approx(drawer - [0.2, 0, 0], abs=1e-3) and still == pytest.approx(door)
    ajar = corners_at(chest, 60)[2]  # it hinges on the right edge of what was the back: now it points along x
    assert ajar == pytest.approx(np.array([[0.6, 0.59, 0.8], [0.8, 0.61, 1.0]]), abs=1e-3)


def test_what_all_stands_on_is_the_floor_of_the_picture() -> None:
    scene = event("scene", 0.0, objects={"t": "table"}, poses={"t": [0, 0, 0]}, boxes={"t": [[-3, -3, 0], [3, 3, 0.9]]})
    picture = scene_of(story_of([scene]).tracks)
    assert (picture["floor"], picture["things"]) == (0.9, [])


def test_an_arm_that_runs_a_plan_has_its_steps() -> None:
    story = story_of(of_an_arm())
    found = [(a.action, a.state, a.why) for a in story.actions]
    assert found == [("MoveToNamed('home')", "done", ""), ("RetreatZ(80 mm)", "failed", "error 31")]
    assert story.period == pytest.approx(0.02)
    path = history_of(story.tracks)["path"]
    assert scene_of(story.tracks)["links"] and len(path) == 10
    # its maker has the flange at 207 and 112 mm where all joints are at zero; the tool is 120 mm long, downwards
    assert path[0][1] == pytest.approx([0.207, 0.0, -0.008], abs=1e-3)
