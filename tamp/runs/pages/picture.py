"""What the picture in space of an episode is drawn from, as its scripts read it (templates/space.js, episode.js)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from motion.poses import pose
from motion.robot_shape import Solid
from tamp.runs.moving_parts import DrawnPart
from tamp.runs.pages.drawing import drawing, polyhedra
from tamp.runs.pages.fields import Point
from tamp.runs.pages.paths import Course
from tamp.runs.pages.places import Thing
from tamp.runs.robot_shape import DrawnRobot

MOST_PLACES = 2000
"""Places of a thing on its way: more cannot be told apart."""
MOST_POSTURES = 20
"""Postures of an arm that the picture is made large enough for."""


def picture_of(courses: Sequence[Course], things: Sequence[Thing]) -> dict[str, Any]:
    """`scene` is what stays, `courses` and `things` what changes from one control period to the next."""
    ground = next((t.box[1][2] for t in things if t.ground and t.box), None)
    shown = [t for t in things if not t.ground]
    drawn = [c for c in courses if c.robot is not None]
    return {
        "scene": {
            "robots": [_robot(c.arm, c.robot) for c in drawn if c.robot],
            "extent": _extent(courses, shown),
            "floor": ground if ground is not None else _lowest(shown),
        },
        "courses": [_course(c, drawn.index(c) if c in drawn else None) for c in courses],
        "things": [_thing(t) for t in shown],
    }


def _robot(arm: str, robot: DrawnRobot) -> dict[str, Any]:
    """`rest` are the values that it is drawn with before any are known, or None."""
    rest = None if robot.posture is None else [*(round(float(v), 4) for v in robot.posture), 0.0]
    return {"name": arm or "arm", "links": drawing(robot.shape), "rest": rest}


def _course(course: Course, robot: int | None) -> dict[str, Any]:
    """`robot` is its number among those that are drawn. The path are those points that are known, `at` how many of them
    there are up to each step."""
    points, at = list[Point](), list[int]()
    for point in course.points:
        if point is not None:
            points.append(point)
        at.append(len(points))
    name = f"{course.arm} tool" if course.arm else "tool"
    return {"name": name, "robot": robot, "steps": course.steps, "points": points, "at": at, "values": course.values}


def _thing(thing: Thing) -> dict[str, Any]:
    """`box` are the corners as they are beside the place."""
    box = thing.box_at((0.0, 0.0, 0.0))
    rounded = None if box is None else [[round(x, 4) for x in corner] for corner in box]
    every = max(1, len(thing.places) // MOST_PLACES)
    places = (*thing.places[:-1:every], thing.places[-1])
    return {"name": thing.name, "places": places, "box": rounded, "parts": [_part(thing, p) for p in thing.parts]}


def _part(thing: Thing, part: DrawnPart) -> dict[str, Any]:
    """`at` are the 12 numbers that lead from where its joint turns to the place of the thing, 3 rows of rotation and
    position, and `solids` are in the frame of that; `moves` are how far the joint is from where it was described, from
    which control period on, each with a word for it."""
    told: dict[str, Any] = {"name": part.called(thing.name), "joint": None, "moves": []}
    T, joint = pose(np.zeros(3), thing.turned), part.joint
    anchor = np.zeros(3) if joint is None else joint.anchor
    solids = [Solid(s.points - anchor, s.faces) for s in part.solids]
    if joint is not None:
        told["joint"] = {"kind": joint.kind, "axis": joint.axis.round(5).tolist()}
        seen = thing.values.get(part.name) or ((0, joint.value),)
        told["moves"] = [(since, round(v - joint.value, 4), part.state(v)) for since, v in seen]
    at = (T @ pose(anchor))[:3].round(5).ravel().tolist()
    return {**told, "at": at, "solids": polyhedra(solids)}


def _extent(courses: Sequence[Course], things: Sequence[Thing]) -> list[Point]:
    """The corners of the box around all that is there at some time."""
    spots = [p for c in courses for p in c.points if p is not None]
    spots += [p for c in courses for p in _reached(c)]
    for thing in things:
        changes = {0, *(m for m, _ in thing.places), *(m for seen in thing.values.values() for m, _ in seen)}
        for moment in changes:
            spots += thing.bounds(moment) or (thing.at(moment),)
    if not spots:
        return []
    low, high = ([round(of(p[k] for p in spots), 4) for k in range(3)] for of in (min, max))
    sides = list(zip(low, high, strict=True))
    return [(x, y, z) for x in sides[0] for y in sides[1] for z in sides[2]]


def _reached(course: Course) -> list[Point]:
    """Where the links of an arm were at some of its steps."""
    if course.robot is None:
        return []
    known = [v for v in course.values if v is not None]
    if not known and course.robot.posture is not None:
        known = [(*course.robot.posture, 0.0)]
    if not known:
        return []
    some = known[:: -(-len(known) // MOST_POSTURES)]
    frames = np.concatenate([course.robot.shape.frames(v[:-1], v[-1]) for v in some])
    return [(float(x), float(y), float(z)) for x, y, z in frames[:, :3, 3]]


def _lowest(things: Sequence[Thing]) -> float | None:
    return min((t.box[0][2] for t in things if t.box), default=None)
