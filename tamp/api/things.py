"""Things: what a `scene.toml` can have in it, and the library of those that the camera mode recognises."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamp.api import language
from tamp.quiet import hush_simulator, hush_warnings

if TYPE_CHECKING:
    from tamp.backends.libero.categories import Category
    from tamp.perception.library import Library
    from tamp.perception.object_model import ObjectModel
    from tamp.runs.library_building import Built

Counted = Callable[[str, int], "AbstractContextManager[Callable[[str], None]]"]
"""Is called with what is begun and how many there are of it; yields what is called with a line for each one done."""


def categories(counted: Counted) -> dict[str, Any]:
    """Every category whose files load, with what is known of it; the tables; and what is not usable, and why.
    Metres."""
    from tamp.backends.libero import rendering

    rendering.prepare(video=False)
    hush_warnings()
    with hush_simulator():
        from tamp.backends.libero.categories import UnusableError, load, names
        from tamp.backends.libero.scene_description import ARENAS

        usable, unusable, known = [], [], names()
        with counted("categories", len(known)) as done:
            for name in known:
                try:
                    usable.append(_category(load(name, name, whole=True)))
                except UnusableError as e:
                    unusable.append({"name": name, "reason": str(e)})
                done("")
    tables = [
        {"name": a.name, "symbol": a.symbol, "x": [a.low[0], a.high[0]], "y": [a.low[1], a.high[1]], "z": a.height}
        for a in ARENAS
    ]
    return {"categories": usable, "tables": tables, "unusable": unusable}


def _category(category: Category) -> dict[str, Any]:
    """A category as plain data; size in metres."""
    from tamp.backends.libero.scene_description import types_of

    types = types_of(category.thing)
    regions = category.regions("surface", "interior")
    return {
        "name": category.name,
        "kind": category.kind,
        "size": category.thing.extent.round(3),
        "regions": [{"name": r.name.removeprefix(f"{category.name}_"), "type": types[r.name]} for r in regions],
        "open": [s.removesuffix("_region").removeprefix(f"{category.name}_") for s in _doors(category)],
        "turned_on": bool(category.knobs),
    }


def _doors(category: Category) -> list[str]:
    return [r.name for r in category.regions("interior") if r.door is not None]


def objects() -> Library:
    """The library of known things. InputError where it was not built."""
    from tamp.perception.library import load

    return load()


def rows(library: Library) -> list[dict[str, Any]]:
    """A line for each: name, kind, size (metres), symmetry, attitudes, moving parts, where it comes from."""
    return [_row(model, _source(library, model)) for _, model in sorted(library.items())]


def described(library: Library, name: str) -> dict[str, Any]:
    """All that is known of one. InputError where there is none of that name."""
    entry = library.entry(name)
    return _described(library[name], _source(library, library[name]), entry.remarks)


def build(counted: Counted) -> tuple[Path, list[Built]]:
    """Make the library, in the folder that is returned: every thing of LIBERO, and its robot. What has not changed
    since is kept; what was added stays. InputError where nothing can be drawn."""
    from tamp.backends.libero import rendering

    rendering.prepare(video=False, objects=True)
    from tamp.perception.library import objects_folder

    folder = objects_folder()
    outcomes: list[Built] = []
    hush_warnings()
    with hush_simulator():
        from tamp.runs.library_building import build as build_all
        from tamp.runs.library_building import due

        total = len(due())
    with counted("objects", total) as done:
        for outcome in build_all(folder, language.nouns):
            outcomes.append(outcome)
            done(f"{len(outcomes)}/{total} {outcome.name}: {outcome.state}")
    return folder, sorted(outcomes, key=lambda o: o.name)


def add(folder: Path) -> dict[str, Any]:
    """Add a thing from a folder with its mesh, and say all that is known of it. InputError for what is wrong there."""
    from tamp.backends.libero import rendering

    rendering.prepare(video=False, objects=True)
    hush_warnings()
    with hush_simulator():
        from tamp.backends.libero.categories import names
        from tamp.perception.library import objects_folder
        from tamp.perception.mesh_import import import_mesh

        model, remarks = import_mesh(folder, objects_folder(), frozenset(names()), language.nouns)
    return _described(model, "added", remarks)


def _source(library: Library, model: ObjectModel) -> str:
    return "added" if model.category in library.added else "libero"


def _row(model: ObjectModel, source: str) -> dict[str, Any]:
    """What a line of the list says; sizes in metres."""
    from tamp.perception.object_model import kind_of

    return {
        "name": model.category,
        "kind": kind_of(model.thing),
        "size": model.thing.extent.round(4),
        "turns": model.turns,
        "attitudes": len(model.rests),
        "joints": [{"part": p.name, "kind": p.kind} for p in model.jointed],
        "source": source,
    }


def _described(model: ObjectModel, source: str, remarks: tuple[str, ...]) -> dict[str, Any]:
    """All that is known of a thing; metres and radians, in the frame of the thing as it stands upright."""
    return {
        **_row(model, source),
        "names": model.names,
        "axis": model.axis.round(5),
        "rests": model.rests.round(5),
        "parts": [_part(model, p) for p in model.thing.parts],
        "regions": [
            {"name": r.name, "kind": r.kind, "part": r.part, "door": r.door, "half_extent": r.half_extent}
            for r in model.thing.regions
        ],
        "remarks": remarks,
        "hash": model.source,
    }


def _part(model: ObjectModel, part: Any) -> dict[str, Any]:
    skin, joint = model.skins.get(part.name), part.joint
    about = {"name": part.name, "kind": part.kind, "shapes": len(part.shapes)}
    about["points"] = 0 if skin is None else len(skin.points)
    if joint is not None:
        about["joint"] = {"kind": joint.kind, "limits": joint.limits, "active": joint.active, "rest": joint.rest}
    return about
