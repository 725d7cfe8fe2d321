"""Models of the object library as files: one npz for each, with arrays and one JSON text inside."""

from __future__ import annotations

import contextlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from motion.shapes import Shape
from tamp.errors import InputError
from tamp.files.replacing import replacing
from tamp.model.scene import Joint, Part, Region, SceneObject
from tamp.perception.object_model import Field, ObjectModel, RobotSkin, Skin

FORMAT = 1
"""Of the files: one that says another number is not read."""
REMAKE = "make it anew: tamp objects build"
ADDED = "added"
"""Folder of the models that a user added: only he can make them anew."""


@dataclass(frozen=True, eq=False)
class Entry:
    """What a file holds: a model, what it was made with (`made_with`: names to versions and hashes), what was worth
    saying about its making, and a PNG of it, if one was drawn."""

    model: ObjectModel | RobotSkin
    made_with: Mapping[str, str]
    remarks: tuple[str, ...] = ()
    picture: bytes = b""


def write(path: Path, entry: Entry) -> None:
    """Write a model; the file gets its name once it is whole."""
    model = entry.model
    text: dict[str, Any] = {"format": FORMAT, "made_with": dict(entry.made_with), "remarks": entry.remarks}
    arrays: dict[str, Any] = {"picture": np.frombuffer(entry.picture, np.uint8)}
    text["skins"] = [_put_skin(arrays, i, name, skin) for i, (name, skin) in enumerate(model.skins.items())]
    text["source"] = model.source
    if isinstance(model, ObjectModel):
        text["names"], text["turns"], text["thing"] = model.names, model.turns, _of_thing(model.thing)
        arrays["rests"], arrays["axis"] = model.rests, model.axis
    arrays["json"] = np.frombuffer(json.dumps(text, default=np.ndarray.tolist).encode(), np.uint8)
    with library_file(path) as partial, partial.open("wb") as stream:
        np.savez(stream, **arrays)


@contextlib.contextmanager
def library_file(path: Path) -> Iterator[Path]:
    """The name under which to write a file of the library, as `replacing` has it."""
    with replacing(path, "; set TAMP_OBJECTS to another folder") as partial:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield partial


def read(path: Path) -> Entry:
    """The model in a file, without its picture. InputError, with the command that helps, for a damaged one."""
    with _opened(path) as (text, file):
        skins = {t["part"]: _get_skin(file, i, t) for i, t in enumerate(text["skins"])}
        made_with, remarks = dict(text["made_with"]), tuple(text["remarks"])
        if "thing" not in text:
            return Entry(RobotSkin(skins, text["source"]), made_with, remarks)
        names = tuple(map(str, text["names"]))
        thing = _to_thing(text["thing"])
        model = ObjectModel(thing, skins, file["rests"], int(text["turns"]), file["axis"], names, str(text["source"]))
        return Entry(model, made_with, remarks)


def read_picture(path: Path) -> bytes:
    """The PNG in a file; none where none was drawn. InputError as `read` has it."""
    with _opened(path) as (_, file):
        return bytes(file["picture"].tobytes())


def read_origin(path: Path) -> tuple[dict[str, str], str] | None:
    """What the model in a file was made with and the hash of what it was made from; None unless all of it can be
    read."""
    try:
        entry = read(path)
        read_picture(path)
    except InputError:
        return None
    return dict(entry.made_with), entry.model.source


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[tuple[dict[str, Any], Any]]:
    try:
        with np.load(path, allow_pickle=False) as file:
            text = json.loads(file["json"].tobytes())
            if text["format"] != FORMAT:
                raise InputError(f"{path} has format {text['format']}, tamp reads {FORMAT}; {_remedy(path)}")
            yield text, file
    except (OSError, EOFError, ValueError, KeyError, TypeError, IndexError, zipfile.BadZipFile) as e:
        raise InputError(f"{path} is damaged ({type(e).__name__}: {e}); {_remedy(path)}") from e


def _remedy(path: Path) -> str:
    again = "delete it or add it again: tamp objects add DIR"
    return f"{again} (the rest: tamp objects build)" if path.parent.name == ADDED else REMAKE


def _put_skin(arrays: dict[str, Any], i: int, part: str, skin: Skin) -> dict[str, Any]:
    f = skin.field
    arrays |= {f"points{i}": skin.points.astype(np.float32), f"normals{i}": skin.normals.astype(np.float32)}
    arrays |= {f"colours{i}": skin.colours, f"origin{i}": f.origin, f"steps{i}": f.steps}
    return {"part": part, "area": skin.area, "cell": f.cell, "unit": f.unit}


def _get_skin(file: Any, i: int, text: Mapping[str, Any]) -> Skin:
    field = Field(file[f"origin{i}"], text["cell"], text["unit"], file[f"steps{i}"])
    points, normals = file[f"points{i}"].astype(float), file[f"normals{i}"].astype(float)
    return Skin(points, normals, file[f"colours{i}"], text["area"], field)


def _of_thing(thing: SceneObject) -> dict[str, Any]:
    return {**vars(thing), "parts": [_of_part(p) for p in thing.parts], "regions": [vars(r) for r in thing.regions]}


def _of_part(part: Part) -> dict[str, Any]:
    joint = None if part.joint is None else vars(part.joint)
    return {**vars(part), "shapes": [vars(s) for s in part.shapes], "joint": joint}


def _to_thing(text: dict[str, Any]) -> SceneObject:
    parts, regions = map(_to_part, text.pop("parts")), (Region(**_arrays(r)) for r in text.pop("regions"))
    return SceneObject(parts=tuple(parts), regions=tuple(regions), **text)


def _to_part(text: dict[str, Any]) -> Part:
    joint, shapes = text.pop("joint"), text.pop("shapes")
    if joint is not None:
        joint = Joint(**_arrays(joint | {"limits": tuple(joint["limits"])}))
    return Part(shapes=tuple(Shape(**_arrays(s)) for s in shapes), joint=joint, **_arrays(text))


def _arrays(text: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of a dataclass; lists become arrays."""
    return {k: np.array(v, dtype=float) if isinstance(v, list) else v for k, v in text.items()}
