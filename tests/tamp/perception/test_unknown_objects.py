"""Things that no model explains."""

from __future__ import annotations

import numpy as np
import pytest

from motion.poses import Array
from tamp.perception.segmentation import Ground, Points, above
from tamp.perception.unknown_objects import of_one_thing, unknown_thing
from tests.synthetic_looks import BASE, CAMERAS, HEIGHT, library, look, standing, taken

GROUND = Ground(0.9, np.array([-0.5, -0.5]), np.array([0.5, 0.5]), 0.9)
SPOT = np.array([0.1, 0.2, 0.9])
COLOURS = {"red": (200, 30, 20), "blue": (20, 40, 180), "white": (240, 240, 235), "black": (20, 22, 20),
           "green": (30, 150, 40), "yellow": (220, 210, 40), "grey": (120, 120, 122)}  # fmt: skip


def block(size: tuple[float, float, float], yaw: float, colour: str = "red") -> Points:
    """What is seen of a block from above and before it, standing on the ground at (0.1, 0.2)."""
    x, y, z = (np.linspace(-0.5, 0.5, 40) * s for s in size)
    top = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    front = np.stack(np.meshgrid(y, z + 0.5 * size[2]), axis=-1).reshape(-1, 2)
    local = np.concatenate([np.insert(top, 2, size[2], axis=1), np.insert(front, 0, 0.5 * size[0], axis=1)])
    c, s = np.cos(yaw), np.sin(yaw)
    p = local @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]).T + [0.1, 0.2, 0.9]
    return Points(p, np.tile(np.array(COLOURS[colour], dtype=np.float32), (len(p), 1)))


def ring(radius: float, z: float, angle: Array) -> Array:
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(len(angle), z)])


@pytest.mark.parametrize("yaw", [0.0, 0.3, 0.8, 2.0])
def test_a_block_is_a_box_of_its_size_and_colour(yaw: float) -> None:
    placed = unknown_thing(block((0.06, 0.1, 0.05), yaw), GROUND)
    assert placed is not None
    thing = placed.as_object("unknown_1")
    assert (thing.category, thing.name, thing.movable) == ("red_box", "unknown_1", True)
    low, high = bounding_in_own_axes(thing.parts[0].shapes)
    assert sorted(high[:2] - low[:2]) == pytest.approx([0.06, 0.1], abs=0.003)
    assert high[2] - low[2] == pytest.approx(0.05, abs=0.006)
    assert [z[2] for z in thing.bounds()] == pytest.approx([0.9, 0.95], abs=0.006), "it stands on the table"


def bounding_in_own_axes(shapes: tuple) -> tuple[Array, Array]:
    corners = np.concatenate([s.corners() for s in shapes])
    return corners.min(axis=0), corners.max(axis=0)


def lot(x: float, z: float) -> Points:
    """Points all through a block of 6 x 10 x 5 cm."""
    axes = (np.linspace(x, x + 0.06, 6), np.linspace(0.0, 0.1, 8), np.linspace(z, z + 0.05, 5))
    p = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 3)
    return Points(p, np.zeros_like(p))


@pytest.mark.parametrize(
    "other, together", [((0.0, 0.04), True), ((0.02, 0.0), True), ((0.04, 0.0), False), ((0.0, 0.12), False)]
)
def test_two_sides_of_a_thing_are_one_and_what_is_beside_or_hangs_over_it_is_not(
    other: tuple[float, float], together: bool
) -> None:
    lots = of_one_thing([lot(0.0, 0.0), lot(0.3, 0.0), lot(*other)])
    assert sorted(len(found) for found in lots) == ([240, 480] if together else [240, 240, 240])


def test_what_is_hollow_from_above_stays_hollow() -> None:
    angle = np.linspace(0, 2 * np.pi, 200)
    wall = [ring(0.05, z, angle) for z in np.linspace(0.0, 0.05, 12)]
    floor = [ring(r, 0.004, angle) for r in np.linspace(0, 0.045, 15)]
    p = np.concatenate(wall + floor) + SPOT
    placed = unknown_thing(Points(p, np.zeros_like(p)), GROUND)
    assert placed is not None
    shapes = placed.model.thing.parts[0].shapes
    middle = [s for s in shapes if np.all(np.abs(s.T_body_shape[:2, 3]) < s.half_extent[:2] + 1e-9)]
    assert max(2 * s.half_extent[2] for s in middle) < 0.015
    (inside,) = placed.as_object("unknown_1").regions
    assert (inside.name, inside.kind) == ("unknown_1_contain_region", "interior"), "things can be put into it"
    assert 2 * inside.half_extent == pytest.approx([0.06, 0.06, 0.045], abs=0.015)


def test_the_hidden_half_of_a_round_thing_is_completed_and_what_is_seen_through_is_left_out() -> None:
    can = standing(library()["can"], 0.1, 0.0, 0.0)
    front = look(taken(CAMERAS[0], [can]))
    points = above([front], GROUND, BASE)
    points = points.where(np.linalg.norm(points.p[:, :2] - [0.1, 0.0], axis=1) < 0.05)  # without the robot
    assert np.ptp(points.p[points.p[:, 2] < HEIGHT + 0.08, 0]) < 0.04, "one side of it is seen"
    placed = unknown_thing(points, GROUND, [front])
    assert placed is not None
    low, high = placed.as_object("unknown_1").bounds()
    assert np.concatenate([low, high]) == pytest.approx([0.067, -0.033, 0.9, 0.133, 0.033, 1.0], abs=0.008)
    assert np.percentile(can.distance(placed.points()), 95) < 0.006, "nothing of it is where nothing is"
