"""Meshes of users: unit, upright, remarks and refusals; boxes that cover them, few, hollow where they are hollow."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from motion.poses import Array
from motion.shapes import Shape
from tamp.errors import InputError
from tamp.perception.box_cover import MOST_BOXES, cover, inside_of
from tamp.perception.mesh_import import ImportedMesh, _surface, name_of, read_mesh, read_options
from tests.solids import BOWL, CAN, obj, revolved

TRAY = np.array([[0.0, 0.0], [0.1, 0.0], [0.1, 0.03], [0.098, 0.03], [0.098, 0.004], [0.0, 0.004]])
OPEN = np.array([[0.0, 0.0], [0.04, 0.0], [0.04, 0.09]])
"""A cup that is a single sheet, without a wall's other side."""
PROFILES = {"bowl": BOWL, "can": CAN, "tray": TRAY, "sheet": OPEN}


def written(folder: Path, corners: Array, shown: str | None = None) -> ImportedMesh:
    (folder / "thing.obj").write_text(obj(corners))
    if shown is not None:
        (folder / "object.toml").write_text(shown)
    return read_mesh(folder, read_options(folder))


def size(mesh: ImportedMesh) -> Array:
    return np.asarray(np.ptp(mesh.corners.reshape(-1, 3), axis=0))


@pytest.mark.parametrize(
    ("scale", "shown", "says"),
    [
        (1.0, None, None),
        (1000.0, None, "taken to be in mm: its longest side is 100;"),
        (1000.0, 'unit = "mm"', None),
        (100.0, 'unit = "cm"', None),
        (1 / 0.0254, 'unit = "in"', None),
        (2.0, "scale = 0.5", None),
        (50.0, 'unit = "cm"\nscale = 2', None),
    ],
)
def test_a_can_of_ten_centimetres_is_one_in_any_unit(
    tmp_path: Path, scale: float, shown: str | None, says: str | None
) -> None:
    mesh = written(tmp_path, revolved(CAN) * scale + scale * np.array([3.0, -7.0, 1.0]), shown)
    assert size(mesh) == pytest.approx([0.06, 0.06, 0.1], abs=1e-4)
    assert np.abs(mesh.corners.reshape(-1, 3).min(axis=0) + mesh.corners.reshape(-1, 3).max(axis=0)).max() < 1e-6
    assert [says in r for r in mesh.remarks] == ([True] if says else [])


def test_parts_of_several_colours_keep_them(tmp_path: Path) -> None:
    import trimesh

    red, blue = trimesh.creation.box([0.05] * 3), trimesh.creation.box([0.05] * 3)
    red.visual.face_colors, blue.visual.face_colors = [255, 0, 0, 255], [0, 0, 255, 255]
    blue.apply_translation([0.0, 0.1, 0.0])
    trimesh.Scene([red, blue]).export(tmp_path / "both.glb")
    pieces = read_mesh(tmp_path, read_options(tmp_path)).pieces
    for piece in pieces:
        h, w = piece.image.shape[:2]
        u, v = piece.places.reshape(-1, 2).T
        colours = piece.image[((1.0 - v) * h).astype(int), (u * w).astype(int)]
        assert np.abs(colours - ((0, 0, 255) if piece.corners[..., 2].mean() > 0 else (255, 0, 0))).max() < 8


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "has no mesh; valid: a folder with one mesh (.obj, .stl, .ply, .glb)"),
        ({"a.obj": "x", "b.stl": "y"}, "has 2 meshes (a.obj, b.stl)"),
        ({"a.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\n"}, "has no faces"),
        ({"a.obj": "v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n"}, "1 of its vertices are no finite numbers"),
        ({"a.obj": "v 0 0 0\nv 1e9 0 0\nv 0 1 0\nf 1 2 3\n"}, "valid: a thing between 1 cm and 1.5 m"),
        ({"a.obj": "v 0 0 0\nv 1e-9 0 0\nv 0 1e-9 0\nf 1 2 3\n"}, "valid: a thing between 1 cm and 1.5 m"),
        ({"a.glb": "glTF, or not"}, "cannot read"),
        ({"a.stl": "solid of nothing"}, "has no faces"),
    ],
)
def test_what_is_no_thing_is_refused(tmp_path: Path, files: dict[str, str], says: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as error:
        read_mesh(tmp_path, read_options(tmp_path))
    assert says in str(error.value) and str(tmp_path) in str(error.value)


@pytest.mark.parametrize(
    ("shown", "says"),
    [
        ('name = "mug"', "object.toml:1: unknown key 'name'; valid: names, unit, scale, up, fixed, turns, mass; did"),
        ('names = "mug"', 'names is mug; valid: a list of names, ["red mug", "mug"]'),
        ('\nunit = "km"', "object.toml:2: unit is 'km'; valid: m, cm, mm, in"),
        ("scale = 0", "scale is 0; valid: a number above 0"),
        ("scale = inf", "scale is inf; valid: a number above 0"),
        ('up = "x"', "up is 'x'; valid: z, y"),
        ("fixed = 1", "fixed is 1; valid: true, false"),
        ("turns = 2.5", "turns is 2.5; valid: a whole number of turns in a circle"),
        ("turns = -1", "turns is -1; valid"),
        ("turns", "object.toml: not TOML"),
    ],
)
def test_what_an_object_toml_cannot_say(tmp_path: Path, shown: str, says: str) -> None:
    (tmp_path / "object.toml").write_text(shown)
    with pytest.raises(InputError) as error:
        read_options(tmp_path)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("004_tea_tin", "tea_tin_004"),
        ("Tea-Tin_500g", "tea_tin_500g"),
        ("3D_Dollhouse", "dollhouse_3d"),
        ("9 Lives!", "lives_9"),
        ("Soßen-Flasche (0.33l)", "sossen_flasche_0_33l"),
    ],
)
def test_numbers_hyphens_and_sizes_in_a_folders_name(tmp_path: Path, folder: str, name: str) -> None:
    assert name_of(tmp_path / folder, frozenset()) == name
    with pytest.raises(InputError, match=rf"'{name}' is a category of LIBERO already; .* my_{name}"):
        name_of(tmp_path / folder, frozenset({name}))


@cache
def made(name: str) -> tuple[Array, tuple[Shape, ...]]:
    corners = revolved(PROFILES[name])
    return corners, tuple(piece.box for piece in cover(corners, np.random.default_rng(0)))


def inside(shapes: tuple[Shape, ...], points: Array, slack: float = 0.0) -> Array:
    off = [np.abs(points - s.T_body_shape[:3, 3]) - s.size for s in shapes]
    return np.asarray((np.min([o.max(axis=1) for o in off], axis=0)) <= slack)


@pytest.mark.parametrize("name", PROFILES)
def test_few_boxes_cover_the_faces(name: str) -> None:
    corners, shapes = made(name)
    assert 1 <= len(shapes) <= MOST_BOXES
    weights = np.random.default_rng(1).dirichlet(np.ones(3), len(corners))
    assert inside(shapes, np.einsum("nk,nkj->nj", weights, corners), slack=0.001).mean() > 0.97
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    ends = np.array([[s.T_body_shape[:3, 3] - s.size, s.T_body_shape[:3, 3] + s.size] for s in shapes])
    assert ends[:, 0].min(axis=0) == pytest.approx(low, abs=0.002)
    assert ends[:, 1].max(axis=0) == pytest.approx(high, abs=0.002)


@pytest.mark.parametrize(
    ("name", "bottom", "radius"), [("bowl", 0.02, 0.02), ("tray", 0.015, 0.07), ("sheet", 0.015, 0.02)]
)
def test_what_is_hollow_stays_hollow(name: str, bottom: float, radius: float) -> None:
    _, shapes = made(name)
    around = np.linspace(0, 2 * np.pi, 12)
    heights = np.linspace(bottom, PROFILES[name][:, 1].max(), 5)
    points = np.array([[r * np.cos(a), r * np.sin(a), z] for r in (0.0, radius) for a in around for z in heights])
    assert not inside(shapes, points).any()


def test_a_bowl_of_a_mesh_can_be_filled() -> None:
    (region,) = inside_of("bowl", *_surface(made("bowl")[0]))
    assert (region.name, region.kind, region.part) == ("bowl_contain_region", "interior", "bowl")
    assert region.half_extent[:2].min() > 0.02 and not inside_of("can", *_surface(made("can")[0]))
