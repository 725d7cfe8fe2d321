"""Import a user's mesh into the library: read, check, scale, set upright, and make its model."""

from __future__ import annotations

import hashlib
import re
import struct
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import mujoco
import numpy as np

from motion.poses import Array, Numbers
from motion.shapes import Shape
from tamp.errors import InputError
from tamp.files.toml_table import Table, read_placed
from tamp.model.images import as_png
from tamp.model.scene import Part, SceneObject
from tamp.perception import library
from tamp.perception.box_cover import HOLLOW_CELL, HullPart, cover, inside_of
from tamp.perception.library import ADDED, BODY, MJCF, LibraryEntry, write
from tamp.perception.modelling import TIPS, UP, centre_of_mass, modelled, onto, picture, sides, skins, tipping
from tamp.perception.object_model import ObjectModel

KINDS = (".obj", ".stl", ".ply", ".glb")
TOLD = "object.toml"
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254}
GUESSED = ("m", "mm", "cm")
"""Units that are tried, in this order, where none is stated."""
SMALLEST, LARGEST = 0.01, 1.5
"""Metres that a thing's longest side can have."""
MOST_FACES = 2_000_000
UPS = ("z", "y")
TURNS = "a whole number of turns in a circle, 1 for no symmetry, 0 for a round thing"
GREY = (150, 150, 150)
"""Colour of what has none."""
NAME = re.compile(r"[a-z][a-z0-9_]*")
NamesOf = Callable[[str], tuple[str, ...]]
"""What people call a category."""
LEVELS = 32
"""Shades of each of red, green and blue that faces without an image have."""
DENSITY = 400.0
"""kg/m³ of what a thing's boxes fill: between what is hollow or of plastic, and what is full of water."""
WEIGHED = 20_000
"""Points by which that volume is found."""
MOST_CORNERS = 64
"""Of a convex piece."""
CONTACT = 'friction="0.95 0.3 0.1"'
"""Of a geom: the friction is that of LIBERO's things, whose contacts are too hard for convex pieces to be stable."""


@dataclass(frozen=True)
class MeshOptions:
    """What a folder's object.toml says; None is to be found out."""

    names: tuple[str, ...] | None = None
    unit: str | None = None
    scale: float = 1.0
    up: Literal["z", "y"] | None = None
    fixed: bool = False
    turns: int | None = None
    mass: float | None = None


@dataclass(frozen=True, eq=False)
class Piece:
    """Faces of one material: `corners` (n, 3, 3) metres, and the `places` (n, 3, 2) that these have in its `image`
    (h, w, 3) bytes, as shares of its size from its lower left corner."""

    corners: Array
    places: Array
    image: Numbers


@dataclass(frozen=True, eq=False)
class ImportedMesh:
    """A mesh as it stands, z up, metres, the middle of its box at the origin. `remarks` are for the user."""

    pieces: tuple[Piece, ...]
    remarks: tuple[str, ...]

    @property
    def corners(self) -> Array:
        """The corners (n, 3, 3) of all faces."""
        return np.concatenate([p.corners for p in self.pieces])

    def turned(self, R: Array) -> ImportedMesh:
        """The same in another attitude, with a remark on that."""
        corners = self.corners @ R.T
        middle = 0.5 * (corners.min(axis=(0, 1)) + corners.max(axis=(0, 1)))
        pieces = tuple(replace(p, corners=p.corners @ R.T - middle) for p in self.pieces)
        angle = np.degrees(np.arccos(np.clip(R[2, 2], -1.0, 1.0)))
        remark = f"it does not stand as its file has it: laid down, turned by {angle:.0f}°"
        return ImportedMesh(pieces, (*self.remarks, remark))


def read_options(folder: Path) -> MeshOptions:
    """What the object.toml of a folder says, if there is one. InputError, with its line, for what it cannot say."""
    path = folder / TOLD
    if not path.exists():
        return MeshOptions()
    table = read_placed(path)
    table.only("names", "unit", "scale", "up", "fixed", "turns", "mass")
    return MeshOptions(
        names=table.texts("names", 'a list of names, ["red mug", "mug"]') or None if table.has("names") else None,
        unit=_one_of(table, "unit", tuple(UNITS)),
        scale=table.number("scale", "a number above 0", 1e-6, 1e6) if table.has("scale") else 1.0,
        up=_one_of(table, "up", UPS),
        fixed=table.has("fixed") and table.flag("fixed", "true, false"),
        turns=table.whole("turns", TURNS, 0, 36) if table.has("turns") else None,
        mass=table.number("mass", "kilograms above 0", 1e-4, 1e3) if table.has("mass") else None,
    )


def _one_of(table: Table, key: str, known: tuple[str, ...]) -> Any:
    if not table.has(key):
        return None
    value = table.text(key, ", ".join(known))
    if value not in known:
        raise table.wrong(f"{table.called(key)} is {value!r}; valid: {', '.join(known)}", key)
    return value


def read_mesh(folder: Path, options: MeshOptions) -> ImportedMesh:
    """The one mesh of a folder. InputError for none, several, and one that is no shape."""
    path = mesh_file(folder)
    loaded = list(_loaded(path))
    if not loaded:
        raise InputError(f"{path} has no faces; valid: a mesh of triangles")
    if (faces := sum(len(m.faces) for m in loaded)) > MOST_FACES:
        raise InputError(f"{path} has {faces:,} faces; valid: at most {MOST_FACES:,}")
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
    unit, remarks = _unit(path, float((high - low).max()), options)
    up = options.up or ("y" if path.suffix.lower() == ".glb" else "z")
    R = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]) if up == "y" else np.eye(3)
    middle, scale = 0.5 * (low + high), UNITS[unit] * options.scale
    moved = [replace(p, corners=((p.corners - middle) * scale) @ R.T) for p in pieces]
    return ImportedMesh(tuple(moved), (*remarks, *_holes(loaded)))


def mesh_file(folder: Path) -> Path:
    """The one mesh of a folder. InputError for none, and for several."""
    if not folder.is_dir():
        raise InputError(f"no folder {folder}; valid: a folder with a mesh ({', '.join(KINDS)})")
    found = sorted(p for p in folder.iterdir() if p.suffix.lower() in KINDS)
    if len(found) != 1:
        has = f"{len(found)} meshes ({', '.join(p.name for p in found[:4])})" if found else "no mesh"
        raise InputError(f"{folder} has {has}; valid: a folder with one mesh ({', '.join(KINDS)})")
    return found[0]


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
    visual, faces = mesh.visual, np.asarray(mesh.faces)
    corners = np.asarray(mesh.triangles, dtype=float).reshape(-1, 3, 3)
    colours: Any = GREY
    if visual.kind == "texture":
        material = visual.material
        image = getattr(material, "image", None) or getattr(material, "baseColorTexture", None)
        if image is not None and visual.uv is not None and len(visual.uv) == len(mesh.vertices):
            return Piece(corners, np.asarray(visual.uv, dtype=float)[faces], np.asarray(image.convert("RGB")))
        colours = np.asarray(material.main_color)[:3]
    elif visual.defined:
        colours = np.asarray(visual.face_colors)[:, :3]
    return _painted(corners, np.broadcast_to(np.asarray(colours, dtype=int), (len(faces), 3)))


def _painted(corners: Array, colours: Array) -> Piece:
    """Faces of one colour (n, 3) each, with an image of all colours."""
    shades = (colours * LEVELS) // 256
    every = np.stack(np.meshgrid(*[np.arange(LEVELS)] * 3, indexing="ij"), axis=-1)
    image = ((every + 0.5) * 256 / LEVELS).astype(np.uint8).reshape(LEVELS, LEVELS**2, 3)
    u = (shades[:, 1] * LEVELS + shades[:, 2] + 0.5) / LEVELS**2
    v = 1.0 - (shades[:, 0] + 0.5) / LEVELS
    return Piece(corners, np.repeat(np.column_stack([u, v])[:, None], 3, axis=1), image)


def _unit(path: Path, longest: float, options: MeshOptions) -> tuple[str, list[str]]:
    """The unit of a file whose longest side is so many of them, and what is to be said about it."""
    sizes = {unit: longest * UNITS[unit] * options.scale for unit in UNITS}
    limits = f"between {SMALLEST * 100:g} cm and {LARGEST:g} m"
    for unit in (options.unit,) if options.unit else GUESSED:
        if SMALLEST <= sizes[unit] <= LARGEST:
            if options.unit or unit == "m":
                return unit, []
            return unit, [f"taken to be in {unit}: its longest side is {longest:.4g}; `unit` in {TOLD} says otherwise"]
    what = f"{sizes[options.unit]:.3g} m long" if options.unit else f"{longest:.3g} long, in whatever unit"
    raise InputError(f"{path} is {what}; valid: a thing {limits}; `unit` and `scale` in {TOLD} say what it is in")


def _holes(meshes: list[Any]) -> list[str]:
    """A remark on the edges that only one face has."""
    import trimesh

    whole: Any = trimesh.util.concatenate([trimesh.Trimesh(m.vertices, m.faces, process=False) for m in meshes])
    whole.merge_vertices(merge_tex=True, merge_norm=True)
    grouping: Any = trimesh.grouping
    open_edges = len(grouping.group_rows(whole.edges_sorted, require_count=1))
    return [f"the mesh has holes: {open_edges} edges with one face only; it counts as hollow"] if open_edges else []


def import_mesh(
    folder: Path, into: Path, taken: frozenset[str], names_of: NamesOf
) -> tuple[ObjectModel, tuple[str, ...]]:
    """Make a model of the mesh in a folder, called as the folder is, and put it into the library `into`; with remarks.

    One that was added before by this name is replaced. InputError for a folder without one mesh that is a thing, for a
    name that is none or `taken` by a category that is not the user's, and for an object.toml that says what it cannot.
    """
    name = name_of(folder, taken)
    options = read_options(folder)
    mesh = read_mesh(folder, options)
    solids = cover(mesh.corners, np.random.default_rng(0))
    if not options.fixed and (R := _laid(mesh, solids)) is not None:
        mesh = mesh.turned(R)
        solids = cover(mesh.corners, np.random.default_rng(0))
    shapes = tuple(solid.box for solid in solids)
    part = Part(name, "body", np.eye(4), shapes)
    thing = SceneObject(name, name, not options.fixed, (part,), inside_of(name, *_surface(mesh.corners)))
    xml, assets = mjcf(mesh, solids, options.mass or DENSITY * filled(shapes))
    model, data = compiled(xml, assets, folder)
    found = skins(model, data, {name: [model.body(BODY).id]}, both_sides=True)
    if name not in found:
        raise InputError(f"{folder}: nothing of its mesh can be seen; its faces are too small or have no area")
    made = modelled(thing, found, options.names or names_of(name), _hash(folder), options.turns)
    entry = LibraryEntry(made, library.made_with(), mesh.remarks, picture(model, data, both_sides=True))
    for file, content in {**assets, MJCF: xml.encode()}.items():
        with library.library_file(into / ADDED / name / file) as partial:
            partial.write_bytes(content)
    write(into / ADDED / f"{name}.npz", entry)
    return made, mesh.remarks


def _surface(corners: Array) -> tuple[Array, float]:
    """Points (n, 3) all over faces with corners (n, 3, 3), and the height of the lowest."""
    from trimesh import remesh

    cut: Any = remesh.subdivide_to_size
    points, _ = cut(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3), 0.5 * HOLLOW_CELL)
    return points, float(points[:, 2].min())


def _laid(mesh: ImportedMesh, solids: Sequence[HullPart]) -> Array | None:
    """The rotation (3, 3) to the nearest attitude in which a thing stays, where it does not as its file has it."""
    points = mesh.corners.reshape(-1, 3)
    weight = centre_of_mass(tuple(solid.box for solid in solids))
    if tipping(points, weight, -UP) > 0.0:
        return None
    stays = [n for n in sides(points) if tipping(points, weight, n) > TIPS]
    return onto(max(stays, key=lambda n: -float(n[2]))) if stays else None


def name_of(folder: Path, taken: frozenset[str]) -> str:
    """The name of the category that a folder makes: its words as a-z, 0-9 and _, those before the first letter behind
    the others, since a name begins with a letter. InputError when there is no letter in it, or another has the name."""
    plain = unicodedata.normalize("NFKD", folder.resolve().name.casefold()).encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", plain)
    first = next((i for i, word in enumerate(words) if word[0].isalpha()), 0)
    name = "_".join([*words[first:], *words[:first]])
    if not NAME.fullmatch(name):
        rule = "a name has letters from a to z, digits and _, and begins with a letter, as red_mug or mug_2"
        raise InputError(f"the folder {folder} gives no name for a thing: rename it; {rule}")
    if name in taken:
        raise InputError(f"{name!r} is a category of LIBERO already; rename the folder {folder}, say to my_{name}")
    return name


def _hash(folder: Path) -> str:
    """A hash of all files of a folder."""
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.iterdir() if p.is_file()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def mjcf(mesh: ImportedMesh, solids: Sequence[HullPart], mass: float) -> tuple[str, dict[str, bytes]]:
    """A mesh as a thing in MuJoCo's format, in the form that robosuite reads, and the files that belong to it: group 1
    is what is seen, group 0 the convex pieces to touch it by, which have its `mass` (kg) as the boxes around them."""
    assets: dict[str, bytes] = {}
    defined, geoms = [], []
    for i, piece in enumerate(mesh.pieces):
        assets[f"{i}.msh"], assets[f"{i}.png"] = _msh(piece.corners, piece.places), as_png(piece.image)
        defined.append(
            f'<mesh name="m{i}" file="{i}.msh" inertia="shell"/><texture name="t{i}" type="2d" file="{i}.png"/>'
            f'<material name="a{i}" texture="t{i}"/>'
        )
        geoms.append(f'<geom type="mesh" mesh="m{i}" material="a{i}" group="1" contype="0" conaffinity="0" mass="0"/>')
    volumes = np.array([solid.box.size.prod() for solid in solids])
    for i, (solid, share) in enumerate(zip(solids, volumes / volumes.sum(), strict=True)):
        defined.append(f'<mesh name="c{i}" maxhullvert="{MOST_CORNERS}" vertex="{_numbers(solid.hull.ravel())}"/>')
        geoms.append(f'<geom type="mesh" mesh="c{i}" mass="{mass * share:.6g}" group="0" {CONTACT}/>')
    half = np.ptp(mesh.corners, axis=(0, 1)) / 2
    corners = {"bottom": [0, 0, -half[2]], "top": [0, 0, half[2]], "horizontal_radius": [half[0], half[1], 0]}
    sites = [f'<site name="{n}_site" pos="{_numbers(p)}" size="0.005" rgba="0 0 0 0"/>' for n, p in corners.items()]
    for region in inside_of("", *_surface(mesh.corners)):
        at, half = _numbers(region.T_world_region[:3, 3]), _numbers(region.half_extent)
        geoms.append(f'<site name="{region.name[1:]}" type="box" pos="{at}" size="{half}" rgba="0 0 0 0"/>')
    body = f'<body><body name="{BODY}">{"".join(geoms)}</body>{"".join(sites)}</body>'
    limits = '<compiler boundmass="0.001" boundinertia="1e-6"/>'
    return f"<mujoco>{limits}<asset>{''.join(defined)}</asset><worldbody>{body}</worldbody></mujoco>", assets


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{v:.6g}" for v in values)


def filled(shapes: tuple[Shape, ...]) -> float:
    """The volume (m³) of some boxes that stand straight and may overlap."""
    middle, half = np.array([s.T_body_shape[:3, 3] for s in shapes]), np.array([s.size for s in shapes])
    low, high = (middle - half).min(axis=0), (middle + half).max(axis=0)
    points = np.random.default_rng(0).uniform(low, high, (WEIGHED, 3))
    within = (np.abs(points[:, None] - middle) <= half).all(axis=2).any(axis=1)
    return float(within.mean() * np.prod(high - low))


def compiled(xml: str, assets: dict[str, bytes], folder: Path) -> tuple[Any, Any]:
    """The MuJoCo model of a thing, and its data. InputError, naming its folder, where its mesh is no shape."""
    try:
        model = mujoco.MjModel.from_xml_string(xml, assets)
    except ValueError as e:
        raise InputError(f"the mesh in {folder} is no shape: {' '.join(str(e).split())}") from e
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def _msh(corners: Array, places: Array) -> bytes:
    """MuJoCo's binary mesh with a vertex for each corner (n, 3, 3) and its place (n, 3, 2) in the image."""
    n = len(corners)
    v = 1.0 - places[..., 1]  # MuJoCo counts from the upper left corner
    texture = np.stack([places[..., 0], v], axis=-1)
    faces = np.arange(3 * n, dtype=np.int32)
    arrays = corners.astype(np.float32), texture.astype(np.float32), faces
    return struct.pack("4i", 3 * n, 0, 3 * n, n) + b"".join(a.tobytes() for a in arrays)
