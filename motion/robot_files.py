"""Robots as others have written them, URDF and MJCF, read with every mesh that collides."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import mujoco
import numpy as np

from motion.poses import Array, from_quat
from motion.robot_parts import ModelError, RigidPart, parts_in, placed
from motion.xml_document import Document, mujoco_error, read_included

Format = Literal["urdf", "mjcf"]

ROOTS: dict[str, Format] = {"robot": "urdf", "mujoco": "mjcf"}
LINKS = ("link", "body")
MESHES = (".stl", ".obj", ".msh")
CONVERTED = (".ply",)
"""Meshes that MuJoCo does not read, and trimesh does."""
LIMITS = '<limit lower="…" upper="…"/>, or type="continuous"'
MOMENTS = (("ixx", "ixy", "ixz"), ("ixy", "iyy", "iyz"), ("ixz", "iyz", "izz"))
LEAST_INERTIA = 1e-6
"""kg m² about an axis, of a link in a URDF."""
GREATEST = 1e18
"""No number in a model is greater: joints without limits have 1e16."""
LARGEST = 3.0
"""Metres that a link of an arm on a table is not."""
XACRO = "a xacro, from which a URDF has to be made: `xacro in.urdf.xacro > out.urdf`"
OTHERS = {
    "xacro": XACRO,
    "sdf": "SDF, Gazebo's format: use the robot's URDF or MJCF, or convert it, as with sdf2urdf of sdformat_tools",
    "world": "a world of Gazebo: use the URDF or MJCF of a robot in it",
    "mujocoinclude": "a part of an MJCF: use the file that includes it",
    "srdf": "SRDF, which has groups of joints and no links: use the URDF that it is about",
    **dict.fromkeys(("usd", "usda", "usdc", "usdz"), "USD: export the robot as URDF or MJCF"),
    **dict.fromkeys(("dae", "obj", "ply", "stl"), "a mesh: use the URDF or MJCF that names it"),
}
"""What files are, by how their names end or their roots, that cannot be read alone, and what to do."""


def other_kind(file: str | Path) -> str | None:
    """What a file is that is no URDF and no MJCF, by its name, and what to do with it; None where that is unknown."""
    return OTHERS.get(Path(file).suffix.lower().removeprefix("."))


def read_parts(file: Path, format: Format | None = None, radians: bool = False) -> tuple[RigidPart, ...]:
    """The parts of a robot in a file, parents first; without a `format` it is that of its root. With `radians` an MJCF
    that does not say so has its angles in these, as robosuite's have. ModelError, with the file and where there is one
    the line, for what is no such file, lacks links, a mesh or a joint's limits, or has links larger than an arm."""
    try:
        document = parsed(file, format)
        parts = _urdf(file, document) if document.root.tag == "robot" else _mjcf(file, document, radians)
        if not parts:
            raise ModelError(
                f"{document.at(document.root)}: no link; valid: a <{LINKS[document.root.tag == 'mujoco']}>"
            )
        _check_sizes(document, parts)
    except ModelError as e:
        raise ModelError(str(e), *([format] if format else ())) from e
    return parts


def parsed(file: Path, format: Format | None = None) -> Document:
    """What a model's file says, with the files that an MJCF includes. ModelError, with the file and where there is one
    the line, for what cannot be read, is no XML, or another kind of model."""
    if kind := other_kind(file) if file.is_file() else None:
        raise ModelError(f"{file} is {kind}")
    document = read_included(file)
    tag = document.root.tag
    for element in document.root.iter():
        if element.tag.startswith("xacro:"):
            raise ModelError(f"{document.at(element)}: <{element.tag}> is of {XACRO}")
    if (found := ROOTS.get(tag)) is None or format not in (found, None):
        valid = " or ".join(f"<{t}>" for t, f in ROOTS.items() if format in (f, None))
        hint = (
            f"the file is {found}: say {found} = …" if found else f"the file is {OTHERS[tag]}" if tag in OTHERS else ""
        )
        what = hint and f" ({hint})"
        raise ModelError(f"{document.at(document.root)}: the root is <{tag}>; valid: {valid}{what}")
    _check_numbers(document)
    return document


def _check_numbers(document: Document) -> None:
    """ModelError for a number that nothing of a robot has: MuJoCo says of most that the simulation is unstable."""
    for element in document.root.iter():
        for key, value in element.attrib.items():
            bad = next((word for word in value.split() if not abs(_number(word, 0.0)) <= GREATEST), None)
            if bad is not None:
                what = f"{key} of <{element.tag}> is {bad[:20]}; valid: a finite number"
                raise ModelError(f"{document.at(element)}: {what}")


def _parts(spec: mujoco.MjSpec, document: Document, written: bool) -> tuple[RigidPart, ...]:
    try:
        return parts_in(_compiled(spec))
    except ModelError as e:
        raise ModelError(f"{document.of(e.link, *LINKS)}: {e}") from e
    except ValueError as e:
        raise ModelError(mujoco_error(e, document, written)) from e


def _compiled(spec: mujoco.MjSpec) -> mujoco.MjModel:
    """The model. A mesh that is open or flat has no volume, and weighs as its hull does."""
    try:
        return spec.compile()
    except ValueError as e:
        if "mesh volume" not in str(e) and "orientation" not in str(e):
            raise
    for mesh in spec.meshes:
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
    return spec.compile()


def _urdf(file: Path, document: Document) -> tuple[RigidPart, ...]:
    """MuJoCo's reading of a URDF. It knows files by their last names alone, so it is given them under others; links
    on fixed joints stay links of their own."""
    root, assets = document.root, dict[str, bytes]()
    _check_limits(document)
    for link in root.iter("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
        for n, collision in enumerate(link.findall("collision")):
            collision.set("name", f"{link.get('name')}/{n}")
            if any(_number(sphere.get("radius", "")) == 0 for sphere in collision.iter("sphere")):
                link.remove(collision)  # a point
    for inertia in root.iter("inertia"):
        _make_positive(inertia)
    for mesh in root.iter("mesh"):
        found = _mesh(file, mesh.get("filename", ""), document.at(mesh))
        name, data = _asset(found, document.at(mesh))
        mesh.set("filename", f"{len(assets)}_{name}")
        assets[mesh.get("filename", "")] = data
    for own in root.findall("mujoco"):
        root.remove(own)
    bounds = {"boundmass": "1e-3", "boundinertia": repr(LEAST_INERTIA), "balanceinertia": "true"}
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", {"fusestatic": "false", **bounds})
    try:
        spec = mujoco.MjSpec.from_string(document.text(), assets=assets)
    except ValueError as e:
        raise ModelError(mujoco_error(e, document, written=True)) from e
    return _parts(spec, document, written=True)


def _check_limits(document: Document) -> None:
    for joint in document.root.findall("joint"):
        limit = joint.find("limit")
        low, high = ("0", "0") if limit is None else (limit.get("lower", "0"), limit.get("upper", "0"))
        if joint.get("type") in ("revolute", "prismatic") and not _number(low) < _number(high):
            has = "no limits" if low == high == "0" else f"limits from {low} to {high}"
            raise ModelError(f"{document.at(joint)}: joint {joint.get('name', '')!r} has {has}; valid: {LIMITS}")


def _make_positive(inertia: ET.Element) -> None:
    """Give an inertia that no body can have the nearest one with moments of at least `LEAST_INERTIA`."""
    moments = np.array([[_number(inertia.get(key, "")) for key in row] for row in MOMENTS])
    if not np.isfinite(moments).all():
        return
    values, R = np.linalg.eigh(moments)
    if values[0] <= 0:
        moments = R @ np.diag(np.maximum(values, LEAST_INERTIA)) @ R.T
        inertia.attrib |= {
            key: repr(float(moments[i, j])) for i, row in enumerate(MOMENTS) for j, key in enumerate(row)
        }


def _number(text: str, otherwise: float = np.nan) -> float:
    try:
        return float(text)
    except ValueError:
        return otherwise


def _mesh(file: Path, name: str, at: str) -> Path:
    """The file of a mesh. A package is a folder of that name, or with a package.xml of that name, above
    the URDF's, or a folder of that name beside one of these."""
    places, valid = [file.parent / name.removeprefix("file://")], "a file that is there"
    if packaged := re.match(r"(?:package|model)://([^/]+)/(.*)", name):
        places = list(_in_package(file, packaged[1], packaged[2]))
        valid = f"a file in a folder {packaged[1]!r} that the URDF is in, or that is beside it or above"
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise ModelError(f"{at}: no mesh {name!r}; valid: {valid}")
    return found


def _in_package(file: Path, package: str, rest: str) -> Iterator[Path]:
    for folder in file.resolve().parents:
        manifest = folder / "package.xml"  # of a repository that is called otherwise
        named = manifest.is_file() and f"<name>{package}</name>" in manifest.read_text(errors="replace")
        if folder.name == package or named:
            yield folder / rest
        yield folder / package / rest


def _asset(file: Path, at: str) -> tuple[str, bytes]:
    """The name and the data of a mesh as MuJoCo reads it."""
    kind = file.suffix.lower()
    if kind not in (*MESHES, *CONVERTED):
        valid = f"{', '.join((*MESHES, *CONVERTED))}: convert what collides"
        raise ModelError(f"{at}: a mesh {kind or 'without a suffix'} is not read; valid: {valid}")
    data = file.read_bytes()
    is_text = data[:5] == b"solid" and len(data) != 84 + 50 * int.from_bytes(data[80:84], "little")
    if kind in CONVERTED or (kind == ".stl" and is_text):
        return f"{file.stem}.obj", _as_obj(file, at)
    return f"{file.stem}{kind}", data


def _as_obj(file: Path, at: str) -> bytes:
    import trimesh

    try:
        mesh = trimesh.load_mesh(file)
        text = mesh.export(file_type="obj", include_normals=False, include_color=False, include_texture=False)
        return str(text).encode()
    except Exception as e:  # whatever its readers make of broken files
        raise ModelError(f"{at}: cannot read the mesh {file}: {' '.join(str(e).split()) or type(e).__name__}") from e


def _mjcf(file: Path, document: Document, radians: bool) -> tuple[RigidPart, ...]:
    """MuJoCo's reading of an MJCF file, without meshes that are only seen, except where a link has no inertia but
    theirs. What is in a pair collides."""
    try:
        spec = mujoco.MjSpec.from_file(str(file))
    except ValueError as e:
        raise ModelError(mujoco_error(e, document)) from e
    spec.compiler.degree = spec.compiler.degree and not radians
    paired = {name for pair in spec.pairs for name in (pair.geomname1, pair.geomname2)}
    for geom in spec.geoms:
        geom.material = ""
        if geom.name and geom.name in paired:
            geom.contype = 1
        elif not geom.contype and not geom.conaffinity and geom.meshname and geom.parent.explicitinertial:
            geom.type, geom.size, geom.meshname = mujoco.mjtGeom.mjGEOM_SPHERE, [1e-3, 0, 0], ""
    used = {geom.meshname for geom in spec.geoms}
    unused = (mesh for mesh in spec.meshes if (mesh.name or Path(mesh.file).stem) not in used)
    for asset in [*unused, *spec.materials, *spec.textures]:
        asset.delete()
    return _parts(spec, document, written=False)


def _check_sizes(document: Document, parts: tuple[RigidPart, ...]) -> None:
    for part in parts:
        corners = part.corners()
        size = float((corners.max(axis=0) - corners.min(axis=0)).max()) if len(corners) else 0.0
        if size > LARGEST:
            what = f"link {part.name!r} is {size:.4g} m large; valid: up to {LARGEST:g} m"
            question = "Are these millimetres? Then the mesh wants scale 0.001"
            raise ModelError(f"{document.of(part.name, *LINKS)}: {what}. {question}")


def standing(mjcf: str, T_world_base: Array) -> str:
    """A robot's MJCF with its base somewhere else: `T_world_base` (4, 4) leads what it had at the world's origin."""
    root = ET.fromstring(mjcf)
    world = root.find("worldbody")
    assert world is not None
    for body in world.findall("body"):
        position = np.array([float(v) for v in body.get("pos", "0 0 0").split()])
        quaternion = np.array([float(v) for v in body.get("quat", "1 0 0 0").split()])
        T = T_world_base @ from_quat(position, quaternion)
        body.attrib.update(placed(T))
    return ET.tostring(root, encoding="unicode")
