"""Robots as others have written them, URDF and MJCF, read with every mesh that collides."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import mujoco
import numpy as np

from motion.mjcf_text import placed
from motion.poses import Array, from_quat
from motion.robot_parts import ModelError, Part, parts_in

Format = Literal["urdf", "mjcf"]

ROOTS: dict[Format, str] = {"urdf": "robot", "mjcf": "mujoco"}
MESHES = (".stl", ".obj", ".msh")
LIMITS = '<limit lower="…" upper="…"/>, or type="continuous"'
GREATEST = 1e18
"""No number in a model is greater: joints without limits have 1e16."""
LARGEST = 3.0
"""Metres that a link of an arm on a table is not."""


def read_parts(file: Path, format: Format, radians: bool = False) -> tuple[Part, ...]:
    """The parts of a robot in a file, parents first. With `radians` an MJCF that does not say so has its angles in
    these, as robosuite's have. ModelError, with the file and where there is one the line, for what is no such file,
    lacks a mesh or a joint's limits, or has links that are larger than an arm."""
    root, text = parsed(file, format)
    spec = _urdf(file, root, text) if format == "urdf" else _mjcf(file, radians)
    try:
        parts = parts_in(spec.compile())
    except ModelError as e:
        raise ModelError(f"{file}: {e}", format) from e
    except ValueError as e:
        raise ModelError(f"{file}{_named(text, one_line(e))}: {one_line(e)}", format) from e
    _check_sizes(file, format, parts, text)
    return parts


def parsed(file: Path, format: Format) -> tuple[ET.Element, str]:
    """The root of a model's file, and its text. ModelError, with the file and where there is one the line, for what
    cannot be read, is no XML, or another kind of model."""
    try:
        text = file.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as e:
        raise ModelError(f"cannot read {file}: {e.strerror}", format) from e
    try:
        root = ET.fromstring(text)
    except ET.ParseError as e:
        line, column = e.position
        raise ModelError(f"{file}:{line}: no XML: {e.msg.partition(':')[0]}, column {column + 1}", format) from e
    if root.tag != ROOTS[format]:
        other = next((f" (the file is {f}: say {f} = …)" for f, tag in ROOTS.items() if tag == root.tag), "")
        raise ModelError(f"{file}: the root is <{root.tag}>; valid: <{ROOTS[format]}>{other}", format)
    _check_numbers(file, root, text, format)
    return root, text


def _check_numbers(file: Path, root: ET.Element, text: str, format: Format) -> None:
    """ModelError for a number that nothing of a robot has: MuJoCo says of most that the simulation is unstable."""
    for element in root.iter():
        for key, value in element.attrib.items():
            bad = next((word for word in value.split() if not abs(_number(word, 0.0)) <= GREATEST), None)
            if bad is not None:
                where = f"{file}:{_line(text, value)}: {key} of <{element.tag}> is {bad[:20]}"
                raise ModelError(f"{where}; valid: a finite number", format)


def _urdf(file: Path, root: ET.Element, text: str) -> mujoco.MjSpec:
    """MuJoCo's reading of a URDF. It knows files by their last names alone, so it is given them under others; links
    on fixed joints stay links of their own."""
    assets: dict[str, bytes] = {}
    _check_limits(file, root, text)
    for link in root.iter("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
        for n, collision in enumerate(link.findall("collision")):
            collision.set("name", f"{link.get('name')}/{n}")
    for mesh in root.iter("mesh"):
        told = mesh.get("filename", "")
        found = _mesh(file, told, _line(text, told))
        name = f"{len(assets)}{found.suffix.lower()}"
        assets[name] = found.read_bytes()
        mesh.set("filename", name)
    for own in root.findall("mujoco"):
        root.remove(own)
    bounds = {"boundmass": "1e-3", "boundinertia": "1e-6", "balanceinertia": "true"}
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", {"fusestatic": "false", **bounds})
    try:
        return mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"), assets=assets)
    except ValueError as e:
        raise ModelError(f"{file}: {one_line(e)}", "urdf") from e


def _check_limits(file: Path, root: ET.Element, text: str) -> None:
    for joint in root.findall("joint"):
        limit = joint.find("limit")
        low, high = ("0", "0") if limit is None else (limit.get("lower", "0"), limit.get("upper", "0"))
        if joint.get("type") in ("revolute", "prismatic") and not _number(low) < _number(high):
            name = joint.get("name", "")
            has = "no limits" if low == high == "0" else f"limits from {low} to {high}"
            raise ModelError(f"{file}:{_line(text, name)}: joint {name!r} has {has}; valid: {LIMITS}", "urdf")


def _number(text: str, otherwise: float = np.nan) -> float:
    try:
        return float(text)
    except ValueError:
        return otherwise


def _line(text: str, told: str) -> int:
    """The line on which an attribute has a value for the first time."""
    return text[: max(text.find(f'"{told}"'), 0)].count("\n") + 1


def _named(text: str, said: str) -> str:
    """`:` and the line of the element whose name an error of MuJoCo says, if it says one."""
    found = re.search(r"[Nn]ame '([^'/]+)", said)
    return f":{_line(text, found[1])}" if found else ""


def _mesh(file: Path, told: str, line: int) -> Path:
    """The file of a mesh. A package is a folder of that name above the URDF's, or beside one of these."""
    places, valid = [file.parent / told.removeprefix("file://")], "a file that is there"
    if packaged := re.match(r"(?:package|model)://([^/]+)/(.*)", told):
        places = list(_in_package(file, packaged[1], packaged[2]))
        valid = f"a file in a folder {packaged[1]!r} that the URDF is in, or that is beside it or above"
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise ModelError(f"{file}:{line}: no mesh {told!r}; valid: {valid}", "urdf")
    if (kind := found.suffix.lower()) not in MESHES:
        valid = f"{', '.join(MESHES)}: convert what collides"
        raise ModelError(f"{file}:{line}: a mesh {kind or 'without a suffix'} is not read; valid: {valid}", "urdf")
    if kind == ".stl" and _is_text(found):
        raise ModelError(f"{file}:{line}: {found.name} is STL as text; valid: binary STL, or OBJ", "urdf")
    return found


def _in_package(file: Path, package: str, rest: str) -> Iterator[Path]:
    for folder in file.resolve().parents:
        if folder.name == package:
            yield folder / rest
        yield folder / package / rest


def _is_text(file: Path) -> bool:
    data = file.read_bytes()
    return data[:5] == b"solid" and len(data) != 84 + 50 * int.from_bytes(data[80:84], "little")


def _mjcf(file: Path, radians: bool) -> mujoco.MjSpec:
    """MuJoCo's reading of an MJCF file, without what is only seen."""
    try:
        spec = mujoco.MjSpec.from_file(str(file))
    except ValueError as e:
        raise ModelError(f"{file}: {one_line(e)}", "mjcf") from e
    spec.compiler.degree = spec.compiler.degree and not radians
    for geom in list(spec.geoms):
        geom.material = ""
        if not geom.contype and not geom.conaffinity:
            geom.delete()
    used = {geom.meshname for geom in spec.geoms}
    for unused in [*(mesh for mesh in spec.meshes if mesh.name not in used), *spec.materials, *spec.textures]:
        unused.delete()
    return spec


def _check_sizes(file: Path, format: Format, parts: tuple[Part, ...], text: str) -> None:
    for part in parts:
        corners = part.corners()
        size = float((corners.max(axis=0) - corners.min(axis=0)).max()) if len(corners) else 0.0
        if size > LARGEST:
            large = f"{file}:{_line(text, part.name)}: link {part.name!r} is {size:.4g} m large"
            hint = "Are these millimetres? Then the mesh wants scale 0.001"
            raise ModelError(f"{large}; valid: up to {LARGEST:g} m. {hint}", format)


def one_line(e: Exception) -> str:
    """What an error says, on one line."""
    return " ".join(str(e).split())


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
