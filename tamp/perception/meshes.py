"""Meshes that people bring: read from a folder, checked, in metres, upright, in the middle of their own frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from motion.poses import Array
from tamp.errors import InputError
from tamp.files.toml_table import Table, read_placed

KINDS = (".obj", ".stl", ".ply", ".glb")
TOLD = "object.toml"
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254}
GUESSED = ("m", "mm", "cm")
"""Units that are tried, in this order, where none is told."""
SMALLEST, LARGEST = 0.01, 1.5
"""Metres that a thing's longest side can have."""
MOST = 2_000_000
"""Faces of a mesh, at most."""
UPS = ("z", "y")
TURNS = "a whole number of turns in a circle, 1 for no symmetry, 0 for a round thing"
GREY = (150, 150, 150)
"""Colour of what has none."""


@dataclass(frozen=True)
class Told:
    """What a folder's object.toml says; None is to be found out."""

    names: tuple[str, ...] | None = None
    unit: str | None = None
    scale: float = 1.0
    up: Literal["z", "y"] | None = None
    fixed: bool = False
    turns: int | None = None


@dataclass(frozen=True, eq=False)
class Piece:
    """Faces of one material: `corners` (n, 3, 3) metres, `colours` (n, 3) bytes of the faces, or where the material has
    an image (h, w, 3) bytes, the places in it (n, 3, 2), from its lower left corner."""

    corners: Array
    colours: Array
    places: Array | None = None
    image: Array | None = None


@dataclass(frozen=True, eq=False)
class Mesh:
    """A mesh as it stands, z up, metres, the middle of its box at the origin. `remarks` are what somebody should know
    who wonders about it."""

    pieces: tuple[Piece, ...]
    remarks: tuple[str, ...]

    @property
    def corners(self) -> Array:
        """The corners (n, 3, 3) of all faces."""
        return np.concatenate([p.corners for p in self.pieces])


def read_told(folder: Path) -> Told:
    """What the object.toml of a folder says, if there is one. InputError, with its line, for what it cannot say."""
    path = folder / TOLD
    if not path.exists():
        return Told()
    table = read_placed(path)
    table.only("names", "unit", "scale", "up", "fixed", "turns")
    return Told(
        names=table.texts("names", 'a list of names, ["red mug", "mug"]') or None if table.has("names") else None,
        unit=_one_of(table, "unit", tuple(UNITS)),
        scale=table.number("scale", "a number above 0", 1e-6, 1e6) if table.has("scale") else 1.0,
        up=_one_of(table, "up", UPS),
        fixed=table.has("fixed") and table.flag("fixed", "true, false"),
        turns=table.whole("turns", TURNS, 0, 36) if table.has("turns") else None,
    )


def _one_of(table: Table, key: str, known: tuple[str, ...]) -> Any:
    if not table.has(key):
        return None
    value = table.text(key, ", ".join(known))
    if value not in known:
        raise table.wrong(f"{table.called(key)} is {value!r}; valid: {', '.join(known)}", key)
    return value


def read_mesh(folder: Path, told: Told) -> Mesh:
    """The one mesh of a folder. InputError for none, several, and one that is no shape."""
    path = mesh_file(folder)
    loaded = list(_loaded(path))
    if not loaded:
        raise InputError(f"{path} has no faces; valid: a mesh of triangles")
    if (faces := sum(len(m.faces) for m in loaded)) > MOST:
        raise InputError(f"{path} has {faces:,} faces; valid: at most {MOST:,}")
    if not all(np.isfinite(m.vertices).all() for m in loaded):
        bad = sum(int((~np.isfinite(m.vertices)).any(axis=1).sum()) for m in loaded)
        raise InputError(f"{path}: {bad} of its vertices are no finite numbers; export it again")
    try:
        pieces = [_piece(m) for m in loaded]
    except (ValueError, IndexError, TypeError) as e:
        raise InputError(
            f"{path}: its faces and corners do not fit ({' '.join(str(e).split())}); export it again"
        ) from e
    every = np.concatenate([p.corners for p in pieces]).reshape(-1, 3)
    low, high = every.min(axis=0), every.max(axis=0)
    unit, remarks = _unit(path, float((high - low).max()), told)
    R = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]) if (told.up or _up(path)) == "y" else np.eye(3)
    middle, scale = 0.5 * (low + high), UNITS[unit] * told.scale
    moved = [Piece(((p.corners - middle) * scale) @ R.T, p.colours, p.places, p.image) for p in pieces]
    return Mesh(tuple(moved), (*remarks, *_holes(loaded)))


def mesh_file(folder: Path) -> Path:
    """The one mesh of a folder. InputError for none, and for several."""
    if not folder.is_dir():
        raise InputError(f"no folder {folder}; valid: a folder with a mesh ({', '.join(KINDS)})")
    found = sorted(p for p in folder.iterdir() if p.suffix.lower() in KINDS)
    if len(found) != 1:
        has = f"{len(found)} meshes ({', '.join(p.name for p in found[:4])})" if found else "no mesh"
        raise InputError(f"{folder} has {has}; valid: a folder with one mesh ({', '.join(KINDS)})")
    return found[0]


def _up(path: Path) -> str:
    return "y" if path.suffix.lower() == ".glb" else "z"


def _loaded(path: Path) -> Iterator[Any]:
    """The meshes of a file that have faces, where they are in its scene."""
    import trimesh

    try:
        scene = trimesh.load_scene(path, process=False, skip_materials=False)
        found = [g for g in scene.dump() if isinstance(g, trimesh.Trimesh) and len(g.faces)]
    except Exception as e:  # whatever its readers make of broken files
        raise InputError(f"cannot read {path}: {' '.join(str(e).split())[:200] or type(e).__name__}") from e
    yield from found


def _piece(mesh: Any) -> Piece:
    corners = np.asarray(mesh.triangles, dtype=float).reshape(-1, 3, 3)
    visual, faces = mesh.visual, np.asarray(mesh.faces)
    plain: Any = np.tile(np.array(GREY, np.uint8), (len(faces), 1))
    if visual.kind != "texture":
        return Piece(corners, np.asarray(visual.face_colors)[:, :3] if visual.defined else plain)
    material = visual.material
    image = getattr(material, "image", None) or getattr(material, "baseColorTexture", None)
    if image is not None and visual.uv is not None and len(visual.uv) == len(mesh.vertices):
        return Piece(corners, plain, np.asarray(visual.uv, dtype=float)[faces], np.asarray(image.convert("RGB")))
    plain[:] = np.asarray(material.main_color)[:3]
    return Piece(corners, plain)


def _unit(path: Path, longest: float, told: Told) -> tuple[str, list[str]]:
    """The unit of a file whose longest side is so many of them, and what is to be said about it."""
    sizes = {unit: longest * UNITS[unit] * told.scale for unit in UNITS}
    limits = f"between {SMALLEST * 100:g} cm and {LARGEST:g} m"
    for unit in (told.unit,) if told.unit else GUESSED:
        if SMALLEST <= sizes[unit] <= LARGEST:
            if told.unit or unit == "m":
                return unit, []
            return unit, [f"taken to be in {unit}: its longest side is {longest:.4g}; `unit` in {TOLD} says otherwise"]
    what = f"{sizes[told.unit]:.3g} m long" if told.unit else f"{longest:.3g} long, in whatever unit"
    raise InputError(f"{path} is {what}; valid: a thing {limits}; `unit` and `scale` in {TOLD} say what it is in")


def _holes(meshes: list[Any]) -> list[str]:
    """A remark on the edges that only one face has."""
    import trimesh

    whole: Any = trimesh.util.concatenate([trimesh.Trimesh(m.vertices, m.faces, process=False) for m in meshes])
    whole.merge_vertices(merge_tex=True, merge_norm=True)
    a, b = np.sort(whole.edges, axis=1).astype(np.int64).T
    _, counts = np.unique(a * len(whole.vertices) + b, return_counts=True)
    open_edges = int((counts == 1).sum())
    return [f"the mesh has holes: {open_edges} edges with one face only; it counts as hollow"] if open_edges else []
