"""A thing that somebody brings as a mesh, made into a model of the library."""

from __future__ import annotations

import hashlib
import re
import struct
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from motion.poses import Array
from tamp.errors import InputError
from tamp.model.scene import Part, SceneObject
from tamp.perception import library
from tamp.perception.boxing import boxes
from tamp.perception.drawing import picture
from tamp.perception.meshes import Mesh, Piece, read_mesh, read_told
from tamp.perception.model_files import ADDED, Entry, write
from tamp.perception.modelling import modelled
from tamp.perception.object_model import ObjectModel
from tamp.perception.skinning import skins

NAME = re.compile(r"[a-z][a-z0-9_]*")
NamesOf = Callable[[str], tuple[str, ...]]
"""What people call a category."""
LEVELS = 32
"""Shades of each of red, green and blue that faces without an image have."""


def add(folder: Path, into: Path, taken: frozenset[str], names_of: NamesOf) -> Entry:
    """Make a model of the mesh in a folder, called as the folder is, and put it into the library `into`.

    One that was added before by this name is replaced. InputError for a folder without one mesh that is a thing, for a
    name that is none or `taken` by a category that is not the user's, and for an object.toml that says what it cannot.
    """
    name = name_of(folder, taken)
    told = read_told(folder)
    mesh = read_mesh(folder, told)
    shapes = boxes(mesh.corners, np.random.default_rng(0))
    thing = SceneObject(name, name, not told.fixed, (Part(name, "body", np.eye(4), shapes),))
    model, data = compiled(mesh, name)
    found = skins(model, data, {name: [model.body(name).id]}, both_sides=True)
    if name not in found:
        raise InputError(f"{folder}: nothing of its mesh can be seen; its faces are too small or have no area")
    made = modelled(thing, found, told.names or names_of(name), _hash(folder), told.turns)
    entry = Entry(made, library.made_with(), mesh.remarks, picture(model, data, both_sides=True))
    write(into / ADDED / f"{name}.npz", entry)
    return entry


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


def compiled(mesh: Mesh, name: str) -> tuple[Any, Any]:
    """A MuJoCo model with a mesh as the body `name`, and its data."""
    assets: dict[str, bytes] = {}
    defined, geoms = [], []
    for i, piece in enumerate(mesh.pieces):
        image, places = (piece.image, piece.places) if piece.places is not None else _painted(piece)
        assets[f"{i}.msh"], assets[f"{i}.png"] = _msh(piece.corners, np.asarray(places)), _png(np.asarray(image))
        defined.append(
            f'<mesh name="m{i}" file="{i}.msh" inertia="shell"/><texture name="t{i}" type="2d" file="{i}.png"/>'
            f'<material name="a{i}" texture="t{i}"/>'
        )
        geoms.append(f'<geom type="mesh" mesh="m{i}" material="a{i}" group="1" contype="0" conaffinity="0"/>')
    xml = (
        f'<mujoco><compiler boundmass="0.001" boundinertia="0.001"/><asset>{"".join(defined)}</asset>'
        f'<worldbody><body name="{name}">{"".join(geoms)}</body></worldbody></mujoco>'
    )
    try:
        model = mujoco.MjModel.from_xml_string(xml, assets)
    except ValueError as e:
        raise InputError(f"the mesh of {name!r} is no shape: {' '.join(str(e).split())}") from e
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


def _painted(piece: Piece) -> tuple[Any, Array]:
    """An image of all colours, and the places (n, 3, 2) in it of faces that have one colour each."""
    shades = (np.asarray(piece.colours, dtype=int) * LEVELS) // 256
    every = np.stack(np.meshgrid(*[np.arange(LEVELS)] * 3, indexing="ij"), axis=-1)
    image = ((every + 0.5) * 256 / LEVELS).astype(np.uint8).reshape(LEVELS, LEVELS**2, 3)
    u = (shades[:, 1] * LEVELS + shades[:, 2] + 0.5) / LEVELS**2
    v = 1.0 - (shades[:, 0] + 0.5) / LEVELS
    return image, np.repeat(np.column_stack([u, v])[:, None], 3, axis=1)


def _png(image: Array) -> bytes:
    import imageio.v3 as imageio

    return bytes(imageio.imwrite("<bytes>", image, extension=".png"))


def model_in(entry: Entry) -> ObjectModel:
    """The model of a thing in an entry."""
    assert isinstance(entry.model, ObjectModel)
    return entry.model
