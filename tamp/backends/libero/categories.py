"""LIBERO's categories of things: size, regions, doors, whether one is fixed, and when it counts as open or on."""

from __future__ import annotations

import contextlib
import hashlib
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import mujoco
import numpy as np

from motion.poses import from_quat, to_quat
from tamp.backends.mujoco.model_objects import Ends, ObjectReader, ThingKind
from tamp.errors import InputError
from tamp.model.goal_syntax import valid
from tamp.model.scene import Part, Region, SceneObject
from tamp.perception.library import ADDED, MJCF, objects_folder, read
from tamp.perception.object_model import Kind, ObjectModel, kind_of
from tamp.skills.place_targets import upright

LEAST_INERTIA = "0.001"
"""Mass (kg) and inertia (kg m²) of what has no collision shape, so that a model without pictures compiles."""

UPRIGHT = 0.3
"""Vertical component of a surface's normal up to which nothing can be put on it."""


class UnusableError(InputError):
    """A category whose files are missing or do not load, or that nothing could touch."""


@dataclass(frozen=True, eq=False)
class Category:
    """A kind of thing. `thing` is one of it with a name, upright with its origin at the world's; `fixed`: it stands
    where it stands, and only its drawers, doors and knobs move. `model` and `data` are MuJoCo's, with all that a
    picture shows, of one that was loaded whole."""

    name: str
    thing: SceneObject
    fixed: bool
    model: Any = None
    data: Any = None

    @property
    def kind(self) -> Kind:
        """Item, container, appliance or fixture."""
        return kind_of(self.thing)

    @property
    def doors(self) -> tuple[Part, ...]:
        """Its drawers and doors."""
        return tuple(p for p in self.thing.parts if p.kind in ("drawer", "door"))

    @property
    def knobs(self) -> tuple[Part, ...]:
        """What turns it on."""
        return tuple(p for p in self.thing.parts if p.kind == "knob")

    def regions(self, *kinds: str) -> tuple[Region, ...]:
        """Its regions of some kinds that something can be put on or into: no surface that stands upright."""
        usable = [r for r in self.thing.regions if r.kind == "interior" or abs(r.T_world_region[2, 2]) > UPRIGHT]
        return tuple(r for r in usable if r.kind in kinds)


def names() -> list[str]:
    """Every category that the installed LIBERO registers; the files of some may be missing."""
    return sorted(_classes())


def load(category: str, name: str, *, whole: bool = False) -> Category:
    """A category, as a thing called `name`.

    Its pictures are not looked at unless `whole`. Raises InputError, with the nearest ones, for a name that is no
    category, UnusableError for one that cannot be used.
    """
    known = _classes()
    if category not in known and not _add(category):
        raise InputError(
            f"no category {category!r}; {valid(category, [*known, *added()])} (`tamp scene categories` lists them)"
        )
    with _usable(category):
        return _read(_registered()[category], category, name, whole)


def source_of(category: str) -> str:
    """A hash of all that a category is made of: its MJCF, and the files that it names. UnusableError when one is
    missing."""
    with _usable(category):
        return source_hash(_made(_classes()[category], category)[0].get_xml())


def source_hash(mjcf: str) -> str:
    """A hash of an MJCF and of the contents of the files that it names, wherever they are."""
    root, digest = ET.fromstring(mjcf), hashlib.sha256()
    for element in root.iter():
        if path := element.get("file"):
            element.set("file", Path(path).name)
            digest.update(Path(path).read_bytes())
    digest.update(ET.tostring(root))
    return digest.hexdigest()


@contextlib.contextmanager
def _usable(category: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as e:  # what missing and broken files come to
        raise UnusableError(f"the installed LIBERO cannot load {category!r}: {_first_line(e)}") from e


def _first_line(e: Exception) -> str:
    if isinstance(e, FileNotFoundError) and e.filename:
        return f"it lacks {Path(e.filename).name}"
    return (str(e).splitlines() or [type(e).__name__])[0]


def _classes() -> dict[str, Any]:
    return {name: cls for name, cls in _registered().items() if not hasattr(cls, "of_library")}


def _registered() -> dict[str, Any]:
    """LIBERO's classes by category, from which its environments are built."""
    from libero.libero.envs.objects import get_object_dict

    return dict(get_object_dict())


def _add(category: str) -> bool:
    """Make LIBERO know a thing that a user added to the object library, if there is one."""
    from libero.libero.envs.base_object import OBJECTS_DICT
    from robosuite.models.objects import MujocoXMLObject

    folder = objects_folder() / ADDED
    file, model = folder / category / MJCF, folder / f"{category}.npz"
    if not (category in added() and file.is_file()):
        return False
    made = read(model).model
    assert isinstance(made, ObjectModel)
    thing = made.thing

    class Added(MujocoXMLObject):  # type: ignore[misc]
        of_library = True
        category_name = category
        rotation, rotation_axis = (0.0, 0.0), "z"
        object_properties: ClassVar[dict[str, Any]] = {"vis_site_names": {}}
        fixed, shapes = not thing.movable, thing.parts[0].shapes

        def __init__(self, name: str, joints: Any = "default") -> None:
            super().__init__(str(file), name, joints, duplicate_collision_geoms=False)

    OBJECTS_DICT[category] = Added
    return True


def added() -> list[str]:
    """The things that a user added to the object library."""
    return sorted(path.stem for path in (objects_folder() / ADDED).glob("*.npz"))


def _read(cls: Any, category: str, name: str, whole: bool) -> Category:
    made, fixable = _made(cls, name)
    model = _compiled(made, whole)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    fixed = fixable and _stays(model, made, data)
    roots = {name: model.body(made.root_body).id}
    reader = ObjectReader(model, kinds_of({name: made}), roots, () if fixed else (name,))
    if not fixed:
        _set_upright(made, model, data)
    thing = reader.read(name, data)
    if not any(p.shapes for p in thing.parts):
        raise UnusableError(f"{category!r} has no shape that could be touched")
    return Category(category, thing, fixed, model if whole else None, data if whole else None)


def _made(cls: Any, name: str) -> tuple[Any, bool]:
    """One of a class of LIBERO, without a free joint where it may have none, and whether it may."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fixable = "joints" in cls.__init__.__code__.co_varnames
        return (cls(name=name, joints=None) if fixable else cls(name=name)), fixable


def _stays(model: Any, made: Any, data: Any) -> bool:
    """Whether LIBERO's tasks have it as a fixture: what has joints, a top to stand on or several places inside."""
    reader = ObjectReader(model, kinds_of({made.name: made}), {made.name: model.body(made.root_body).id}, ())
    regions = reader.read(made.name, data).regions
    return getattr(made, "fixed", model.njnt > 0 or len(regions) > 1 or any(r.kind == "surface" for r in regions))


def _set_upright(made: Any, model: Any, data: Any) -> None:
    """Turn a thing as LIBERO's tasks have it start."""
    T = upright(from_quat(np.zeros(3), attitude(made)))
    body = model.body(made.root_body).id
    quaternion = to_quat(T[:3, :3])
    if model.body_jntnum[body]:
        address = model.jnt_qposadr[model.body_jntadr[body]]
        data.qpos[address + 3 : address + 7] = quaternion
    else:
        model.body_quat[body] = quaternion
    mujoco.mj_forward(model, data)


def attitude(made: Any) -> np.ndarray:
    """The quaternion w x y z in which LIBERO's tasks have a thing start; without a turn about the vertical."""
    from libero.libero.envs.regions.workspace_region_sampler import TableRegionSampler

    turn = made.rotation if isinstance(made.rotation, dict) else max(made.rotation, key=abs)
    sampler = TableRegionSampler(made.name, made, [[0, 0]], [[0, 0]], rotation=turn, rotation_axis=made.rotation_axis)
    return np.asarray(sampler._sample_quat(), dtype=float)


def _compiled(made: Any, whole: bool) -> Any:
    from robosuite.models.world import MujocoWorldBase

    world = MujocoWorldBase()
    world.merge_assets(made)
    world.worldbody.append(made.get_obj())
    if not whole:
        _without_pictures(world.root)
    return mujoco.MjModel.from_xml_string(world.get_xml())


def _without_pictures(root: Any) -> None:
    """Take out meshes and textures, which take long to load; no collision shape is one."""
    compiler = root.find("compiler")
    compiler.set("boundmass", LEAST_INERTIA)
    compiler.set("boundinertia", LEAST_INERTIA)
    for asset in root.findall("asset"):
        asset[:] = []
    for parent in list(root.iter()):
        for geom in parent.findall("geom"):
            geom.attrib.pop("material", None)
            if geom.get("type") == "mesh" or geom.get("mesh") is not None:
                parent.remove(geom)
    for site in root.iter("site"):
        site.attrib.pop("material", None)


def kinds_of(classes: Mapping[str, Any]) -> dict[str, ThingKind]:
    """The kinds of LIBERO's objects, by name."""
    return {name: _kind(cls) for name, cls in classes.items()}


def _kind(cls: Any) -> ThingKind:
    ends = _thresholds(cls)
    shapes = getattr(cls, "shapes", None)
    return ThingKind(str(cls.category_name), lambda model, joint: ends, hasattr(cls, "turn_on"), shapes)


def _thresholds(cls: Any) -> Ends | None:
    """Joint values that LIBERO's class counts as (open or on, closed or off); None when it names none."""
    ranges = getattr(cls, "object_properties", {}).get("articulation", {})
    on, off = ranges.get("default_turnon_ranges"), ranges.get("default_turnoff_ranges")
    if on:
        return min(on), max(off)
    opened, closed = ranges.get("default_open_ranges"), ranges.get("default_close_ranges")
    if not opened:
        return None
    return (max(opened), min(closed)) if max(opened) < min(closed) else (min(opened), max(closed))
