"""`make bench-household`: household meshes of other people's, added by `tamp objects add`: grasped, put on and in.

The meshes are those in `object_sim` and `YCB_sim` of the Python package MyoSuite 2.8.0, all under Apache-2.0 (`pip
download --no-deps MyoSuite==2.8.0`), read where its wheel was unpacked: `--meshes`. Their sizes are real. Each is added
to a library in the bench's folder, drawn on a table with a plate and a basket, and put on the one and in the other, in
scenes of so many `--seeds`. Perception `oracle`.

Due is what a person with such a hand could do, judged by the mesh alone: two patches of its surface, within a cone of
friction and 7.6 cm apart, between which a level hand closes; and for the basket that it fits in. The rest is a row too,
where nothing is due. The goal is given. By camera: `make bench-unknown`.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from tests.bench import Kept, Row

TOYS = "airplane elephant rubberduck stanfordbunny train cubesmall cylindermedium pyramidmedium spheremedium toruslarge"
THINGS = (
    "alarmclock apple banana binoculars bowl camera cup doorknob eyeglasses flashlight flute fryingpan gamecontroller "
    "hammer headphones knife lightbulb mouse mug phone piggybank scissors stapler teapot toothbrush toothpaste "
    "torussmall waterbottle wineglass wristwatch " + TOYS
).split()
"""Of object_sim those that are things of a household, each once; with the ten of YCB_sim they are fifty."""
DUE = 0.85
WIDEST, LEVEL, CONE = 0.076, 0.5, np.cos(np.radians(15))
"""Metres between two patches that such a hand holds, the vertical component of the line between them up to which it
closes, and the cosine of the cone of friction around it."""
ABOVE, PATCHES, SHARE = 0.008, 1500, 0.02
"""Metres above the ground from which on there is room for a finger; patches of a mesh, and their least share."""
BASKET = 0.12
"""Metres of each side of what goes into the basket, but for the longest."""
GOALS = {"on": "(on thing_1 plate_1)", "in": "(in thing_1 basket_1_contain_region)"}
SCENE = (
    '[things.thing_1]\ncategory = "{}"\n[things.plate_1]\ncategory = "plate"\n[things.basket_1]\ncategory = "basket"\n'
)


def folders(meshes: Path, out: Path) -> Iterator[Path]:
    """A folder for each mesh, as the command takes them, below `out`."""
    for name in THINGS:
        yield _folder(out / name, ".stl", (meshes / "object_sim" / name / f"{name}.stl").read_bytes())
    for path in sorted((meshes / "YCB_sim" / "meshes").glob("*.msh")):
        yield _folder(out / path.stem, ".glb", _glb(path, meshes / "YCB_sim" / "textures" / f"{path.stem}.png"))


def _folder(folder: Path, ending: str, content: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"mesh{ending}").write_bytes(content)
    return folder


def _glb(path: Path, texture: Path) -> bytes:
    """A mesh in MuJoCo's own format with its texture, as others can read it."""
    import trimesh
    from PIL import Image

    data = path.read_bytes()
    vertices, normals, places, faces = np.frombuffer(data[:16], np.int32)
    numbers = np.frombuffer(data, np.float32, 3 * vertices + 3 * normals + 2 * places, 16)
    triangles = np.frombuffer(data, np.int32, 3 * faces, 16 + 4 * len(numbers)).reshape(-1, 3)
    p = numbers[: 3 * vertices].reshape(-1, 3) @ np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])  # y up, as a GLB has it
    uv = numbers[-2 * places :].reshape(-1, 2) * [1, -1] + [0, 1]
    look = trimesh.visual.material.PBRMaterial(baseColorTexture=Image.open(texture).convert("RGB"))
    visual = trimesh.visual.TextureVisuals(uv=uv, material=look)
    return bytes(trimesh.Trimesh(p, triangles, visual=visual, process=False).export(file_type="glb"))


def graspable(corners: Array) -> float:
    """The share of a mesh (n, 3, 3), standing on the ground, that has a patch opposite for a hand that is level."""
    rng = np.random.default_rng(0)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    chosen = rng.choice(len(corners), PATCHES, p=areas / areas.sum())
    p = np.einsum("nk,nkj->nj", rng.dirichlet(np.ones(3), PATCHES), corners[chosen])
    n = normals[chosen] / areas[chosen, None]
    d = p[None] - p[:, None]
    length = np.linalg.norm(d, axis=2) + 1e-9
    d = d / length[..., None]
    held = (length < WIDEST) & (np.abs(d[..., 2]) < LEVEL)
    held &= (np.einsum("ij,ikj->ik", n, d) < -CONE) & (np.einsum("kj,ikj->ik", n, d) > CONE)
    return float((held.any(axis=1) & (p[:, 2] > corners[..., 2].min() + ABOVE)).mean())


def shape_of(size: Array) -> str:
    """The line of a thing in the table, by its sides in metres."""
    a, b, c = np.sort(size)
    form = "flat" if c > 3 * a and b > 2 * a else "long" if c > 2.2 * b else "compact"
    return f"{'small' if c < 0.1 else 'large' if c > 0.16 else 'medium'} {form}"


@dataclass(frozen=True)
class HouseholdEpisode:
    """What an episode came to: whether the thing was taken and lifted, whether the goal was reached, and why not."""

    taken: bool
    reached: bool
    why: str


def bench(
    kept: Kept,
    meshes: str = "myosuite/simhive",
    seeds: int = 1,
    things: tuple[str, ...] = (),
    goals: tuple[str, ...] = ("on", "in"),
) -> Iterator[Row]:
    """Rows of what is added, grasped, put on and put in, a line each."""
    for name, corners, why in added(kept.folder, Path(meshes), things):
        if not kept.has(case := f"{name}: added"):
            yield Row("added", not why, {}, why, case)
        if why:
            continue
        size = np.ptp(corners, axis=(0, 1))
        about = {"shape": shape_of(size), "size": [round(100 * float(s), 1) for s in size]}
        about["graspable"] = share = graspable(corners)
        for goal in goals:
            fits = share > SHARE and (goal == "on" or np.sort(size)[1] < BASKET)
            for seed in range(1, seeds + 1):
                if not kept.has(case := f"{name}: {goal}, seed {seed}"):
                    done = episode(name, SCENE.format(name), GOALS[goal], seed, kept.folder)
                    data = {**about, "could": fits, "grasped": done.taken, "reached": done.reached}
                    yield Row(f"put {goal}", done.reached if fits else None, {}, done.why, case, data)


def added(out: Path, meshes: Path, things: Sequence[str] = ()) -> Iterator[tuple[str, Array, str]]:
    """The things, by their categories, that are added to a library below `out`, unless they are there: the corners
    (n, 3, 3) of each one's mesh, and why it could not be added. All of them without `things`."""
    os.environ["TAMP_OBJECTS"] = full = str(out.absolute() / "objects")
    from tamp.api import things as library
    from tamp.backends.libero import rendering
    from tamp.errors import InputError

    rendering.prepare(video=False, objects=True)
    from tamp.perception.mesh_import import name_of, read_mesh, read_options

    for folder in folders(meshes, out / "things"):
        if things and folder.name not in things:
            continue
        name, why = name_of(folder, frozenset()), ""
        try:
            if not (Path(full) / "added" / f"{name}.npz").is_file():
                library.add(folder)
        except InputError as e:
            why = str(e)
        yield name, read_mesh(folder, read_options(folder)).corners if not why else np.zeros((0, 3, 3)), why


def episode(
    name: str, scene_text: str, goal: str, seed: int, folder: Path, known: str | None = None
) -> HouseholdEpisode:
    """Pursue a goal in a scene with a thing; by a policy with cameras and the library in `known` where that is given,
    the user's own for ""."""
    from tamp.api.sources import from_pddl
    from tamp.backends.libero import tasks
    from tamp.errors import InputError
    from tamp.pddl.domain_file import load
    from tamp.quiet import hush_simulator, hush_warnings
    from tamp.runs.episode import Settings
    from tests.places import by_policy, in_libero

    hush_warnings()
    domain, lines = load("tabletop"), list[str]()
    out = folder / "scenes" / name / f"{goal.split(maxsplit=1)[0][1:]}-{seed}"
    shutil.rmtree(out, ignore_errors=True)  # of a run that was interrupted
    scene = out.parent / "scene.toml"
    scene.parent.mkdir(parents=True, exist_ok=True)
    scene.write_text(scene_text)
    try:
        with hush_simulator():
            source = from_pddl([goal], [], domain)
            task, settings = tasks.find(str(scene)), Settings(domain, seed=seed)
            if known is None:
                result = in_libero(task, source, settings, out, lines.append)
            else:
                with _library(known):
                    result = by_policy(task, source, settings, _policy(), out, lines.append)
    except (InputError, np.linalg.LinAlgError) as e:  # the latter from a simulation that has become unstable
        return HouseholdEpisode(False, False, str(e))
    taken = any("(pick" in line and "): done" in line for line in lines)
    return HouseholdEpisode(taken, result.reached, "" if result.reached else f"{result.stage}: {result.reason}")


@cache
def _policy() -> Any:
    """A policy, which starts a process of its own."""
    from tamp.api import camera_policies

    return camera_policies.process(camera_policies.PolicyRecipe("tabletop", "fast-downward", None))


@contextlib.contextmanager
def _library(folder: str) -> Iterator[None]:
    """Have the object library in a folder, or the user's own."""
    before = os.environ.pop("TAMP_OBJECTS")
    os.environ.update({"TAMP_OBJECTS": folder} if folder else {})
    try:
        yield
    finally:
        os.environ["TAMP_OBJECTS"] = before


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """A table by size and shape: things, of those that could be grasped the share that was, and was put on and in."""
    done = [row for row in rows if row.line != "added"]
    for shape in (*sorted({row.data["shape"] for row in done}), "all"):
        own = [row for row in done if shape in (row.data["shape"], "all")]
        counts = [
            _counted(own, "put on", "grasped"),
            _counted(own, "put on", "reached"),
            _counted(own, "put in", "reached"),
        ]
        n = len({row.case.partition(":")[0] for row in own})
        yield f"{shape:15} n {n:3}  grasped {counts[0]:9}  on {counts[1]:9}  in {counts[2]:9}"


def _counted(rows: Sequence[Row], line: str, key: str) -> str:
    due: list[Any] = [row.data for row in rows if row.line == line and row.data["could"]]
    return f"{sum(d[key] for d in due)} of {len(due)}"
