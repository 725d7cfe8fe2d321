"""Models are tried in the right turns; compiled loops say what they should."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from motion.poses import Array, from_rpy, inverse, pose
from tamp.model.images import pinhole
from tamp.perception.fitting import roundest
from tamp.perception.kernels import on_skin, seen_past, splat
from tests.synthetic_looks import model

POSES = st.tuples(*[st.floats(-0.05, 0.05)] * 3, *[st.floats(-3, 3)] * 3)
FAR, REACH = 4.0, 0.008


@given(x=st.floats(-0.05, 0.05), y=st.floats(-0.05, 0.05), widens=st.floats(0.0, 0.02), handle=st.floats(0.01, 0.05))
def test_a_mug_is_round_about_its_own_axis_whatever_its_handle(
    x: float, y: float, widens: float, handle: float
) -> None:
    rng = np.random.default_rng(0)
    angle, up = rng.uniform(0, 2 * np.pi, 4000), rng.uniform(0, 1, 4000)
    radius = 0.035 + widens * up
    cup = np.column_stack([x + radius * np.cos(angle), y + radius * np.sin(angle), 0.1 * up])
    grip = np.column_stack(
        [x + 0.04 + rng.uniform(0, handle, 500), y + rng.uniform(-0.005, 0.005, 500), rng.uniform(0.02, 0.08, 500)]
    )
    assert np.linalg.norm(roundest(np.concatenate([cup, grip])) - (x, y)) < 0.002


def T_of(told: tuple[float, ...]) -> Array:
    return from_rpy(list(told[:3]), list(told[3:]))


@settings(max_examples=20)
@given(told=POSES, seed=st.integers(0, 999))
def test_points_on_a_skin_are_counted_as_its_field_has_them(told: tuple[float, ...], seed: int) -> None:
    f, T = model("carton").skins["carton"].field, T_of(told)
    points = np.random.default_rng(seed).uniform(-0.12, 0.12, (200, 3))
    local = (points - T[:3, 3]) @ T[:3, :3]
    slow = np.clip(1.0 - f.distance(local) / REACH, 0.0, None).mean()
    fast = on_skin(points.astype(np.float32), T[None].astype(np.float32), f.steps, f.origin, f.cell, f.unit, REACH)
    assert abs(float(fast[0]) - slow) < 0.02, "points on the border of two cells may be of either"


@settings(max_examples=20)
@given(seed=st.integers(0, 999), size=st.sampled_from([(300,), (20, 15)]))
def test_a_field_has_the_distance_of_its_nearest_cell(seed: int, size: tuple[int, ...]) -> None:
    f = model("carton").skins["carton"].field
    points = np.random.default_rng(seed).uniform(-0.2, 0.2, (*size, 3))
    points[0] = np.nan
    index = np.floor((points - f.origin) / f.cell + 0.5)
    inside = np.all((index >= 0) & (index < f.steps.shape), axis=-1)
    cells = np.where(inside[..., None], index, 0).astype(int)
    slow = np.where(inside, f.steps[tuple(np.moveaxis(cells, -1, 0))], 255) * f.unit
    np.testing.assert_array_equal(f.distance(points), slow)


@settings(max_examples=20)
@given(told=POSES, seed=st.integers(0, 999))
def test_what_one_sees_past_is_as_a_projection_has_it(told: tuple[float, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    K, h, w = pinhole(40, 60, 0.8), 40, 60
    nearest = rng.uniform(0.3, 0.8, (h, w)).astype(np.float32)
    camera, T, past, fully = pose([0.0, 0.0, -0.5]), T_of(told), 0.006, 0.014
    samples = rng.uniform(-0.2, 0.2, (80, 3)).astype(np.float32)
    M = inverse(camera)
    fast = seen_past(
        samples, T[None].astype(np.float32), M.astype(np.float32), K.astype(np.float32), nearest, past, fully
    )[0]
    for sample, found in zip(samples, fast, strict=True):
        x, y, z = M[:3, :3] @ (T[:3, :3] @ sample + T[:3, 3]) + M[:3, 3]
        u, v = x / z * K[0, 0] + K[0, 2] + 0.5, y / z * K[1, 1] + K[1, 2] + 0.5
        if min(abs(u - round(u)), abs(v - round(v))) < 1e-3:
            continue  # on the border of two pixels: either is right
        inside = z > 1e-3 and 0 <= u < w and 0 <= v < h
        gap = nearest[int(v), int(u)] - z if inside else -1.0
        expected = -1.0 if gap <= -past else min(max((gap - past) / fully, 0.0), 1.0)
        if inside and abs(gap + past) < 1e-4:
            continue
        assert abs(found - expected) < 1e-2


@settings(max_examples=20)
@given(tilt=st.floats(-1.2, 1.2), turn=st.floats(0, 6.28), z=st.floats(0.3, 1.0), radius=st.floats(0.01, 0.1))
def test_a_disc_is_drawn_where_rays_meet_it(tilt: float, turn: float, z: float, radius: float) -> None:
    K, size = pinhole(50, 50, 0.8), (50, 50)
    n = -from_rpy([0, 0, 0], [tilt, 0.0, turn])[:3, 2]
    p = np.array([0.02, -0.01, z])
    nearest, numbers = np.full(size, np.inf), np.zeros(size, np.uint8)
    splat(p[None], n[None], radius, K, 7, nearest, numbers)
    v, u = np.mgrid[:50, :50]
    rays = np.stack([(u - K[0, 2]) / K[0, 0], (v - K[1, 2]) / K[1, 1], np.ones(size)], axis=-1)
    at = (n @ p) / (rays @ n)
    off = np.linalg.norm(rays * at[..., None] - p, axis=-1)
    well_inside, outside = off < 0.98 * radius, off > 1.02 * radius
    own = np.hypot(u - (p[0] / z * K[0, 0] + K[0, 2]), v - (p[1] / z * K[1, 1] + K[1, 2])) < 1.0
    assert (numbers[well_inside] == 7).all() and not numbers[outside & ~own].any()
    assert np.abs(nearest - at)[well_inside & ~own].max(initial=0.0) < 1e-9
