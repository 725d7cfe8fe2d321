"""A PyBullet client of one's own, and rigid parts as URDF, since it reads nothing else that has joints."""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from motion.poses import Array, pose, to_quat, to_rpy
from motion.robot_parts import Hull, RigidPart, numbers
from motion.shapes import Shape

EFFORT, VELOCITY = 200.0, 10.0
"""Nm or N, and rad/s or m/s: more than anything here has; drivers have limits of their own."""
JOINTS = {"hinge": "revolute", "slide": "prismatic"}
MOMENTS = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
LIGHTEST, LEAST = 1e-3, 1e-6
"""Kilograms and kg m² of a part that has none: engines want some."""
WORLD = RigidPart("world", None, np.eye(4))
"""The root of a robot, on which its base is fixed."""


def loaded() -> Any:
    """PyBullet, imported without what it prints when it is imported first: when it was built."""
    if "pybullet" not in sys.modules:
        with _hush_compiled():
            import pybullet  # noqa: F401
    return sys.modules["pybullet"]


@contextmanager
def _hush_compiled() -> Iterator[None]:
    """Drop what compiled code prints inside, at the file descriptors: Python's own streams are not asked. Errors come
    through."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = {fd: os.dup(fd) for fd in (1, 2)}
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123
        for fd in kept:
            os.dup2(nowhere.fileno(), fd)
    try:
        yield
    finally:
        ctypes.CDLL(None).fflush(None)
        for fd, copy in kept.items():
            os.dup2(copy, fd)
            os.close(copy)


class Bullet:
    """PyBullet's functions with a client of their own: `bullet.stepSimulation()`. Closed at the end by `close`."""

    def __init__(self) -> None:
        self._pybullet = pybullet = loaded()
        self.client = pybullet.connect(pybullet.DIRECT)
        if self.client < 0:
            raise RuntimeError("PyBullet has no client to spare")

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._pybullet, name)
        if not callable(found):
            return found

        def call(*args: Any, **kwargs: Any) -> Any:
            return found(*args, physicsClientId=self.client, **kwargs)

        self.__dict__[name] = call
        return call

    def load(self, write: Callable[[Path], str], T: Array, fixed: bool, flags: int = 0) -> int:
        """The body of the URDF text that `write` gives, which may put meshes into the folder that it is given. Its root
        is at `T` (4, 4)."""
        w, x, y, z = to_quat(T[:3, :3]).tolist()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.urdf"
            file.write_text(write(Path(folder)))
            place = {"basePosition": T[:3, 3].tolist(), "baseOrientation": [x, y, z, w]}
            flags |= self.URDF_USE_INERTIA_FROM_FILE
            return int(self.loadURDF(str(file), useFixedBase=fixed, flags=flags, **place))

    def close(self) -> None:
        """Disconnect."""
        self._pybullet.disconnect(self.client)


def written(name: str, parts: Sequence[RigidPart], folder: Path) -> str:
    """The URDF of parts, the first of which is the root: those without a parent are fixed to it. Their hulls become
    files in a folder. ValueError for a plane."""
    root = ET.Element("robot", name=name)
    for part in parts:
        link = ET.SubElement(root, "link", name=part.name)
        inertial = ET.SubElement(link, "inertial")
        ET.SubElement(inertial, "origin", _origin(pose(part.p_part_com)))
        ET.SubElement(inertial, "mass", value=repr(float(max(part.mass, LIGHTEST))))
        inertia = _inertia(part)
        ET.SubElement(inertial, "inertia", {key: repr(float(inertia[at])) for key, at in MOMENTS.items()})
        for n, solid in enumerate(part.solids.values()):
            _add(link, solid, folder / f"{len(root)}-{n}.obj")  # a part's name may be no file's
        if part is not parts[0]:
            _add_joint(root, part, part.parent or parts[0].name)
    ET.indent(root)  # PyBullet reads no line longer than 1,000 characters or so
    return ET.tostring(root, encoding="unicode")


def _inertia(part: RigidPart) -> Array:
    """The inertia (3, 3) of a part, with that of its motor's rotor about the joint's axis: URDF cannot say it, and an
    arm without it gives way at a touch. About the other axes half of it is added, since no rigid body
    has less."""
    inertia = part.inertia + LEAST * np.eye(3)
    if part.joint is not None and part.joint.kind == "hinge":
        axis = part.joint.axis
        inertia = inertia + 0.5 * part.joint.armature * (np.eye(3) + np.outer(axis, axis))
    return np.asarray(inertia)


def _add_joint(root: ET.Element, part: RigidPart, parent: str) -> None:
    joint = part.joint
    name, kind = (f"{part.name} fixed", "fixed") if joint is None else (joint.name, JOINTS[joint.kind])
    made = ET.SubElement(root, "joint", name=name, type=kind)
    ET.SubElement(made, "parent", link=parent)
    ET.SubElement(made, "child", link=part.name)
    ET.SubElement(made, "origin", _origin(part.T_parent_part))
    if joint is not None:
        ET.SubElement(made, "axis", xyz=numbers(joint.axis))
        low, high = (repr(float(v)) for v in joint.limits or (0.0, 0.0))
        ET.SubElement(made, "limit", lower=low, upper=high, effort=repr(EFFORT), velocity=repr(VELOCITY))


def _add(link: ET.Element, solid: Shape | Hull, file: Path) -> None:
    collision = ET.SubElement(link, "collision")
    geometry = ET.SubElement(collision, "geometry")
    if isinstance(solid, Hull):
        lines = [f"v {x} {y} {z}" for x, y, z in solid.points.tolist()]
        file.write_text("\n".join([*lines, *(f"f {a} {b} {c}" for a, b, c in _faces(solid.points))]) + "\n")
        ET.SubElement(geometry, "mesh", filename=file.name)
        return
    ET.SubElement(collision, "origin", _origin(solid.T_body_shape))
    radius, length = repr(float(solid.size[0])), repr(2 * float(solid.size[1]))
    match solid.kind:
        case "box":
            ET.SubElement(geometry, "box", size=numbers(2 * np.asarray(solid.size)))
        case "sphere":
            ET.SubElement(geometry, "sphere", radius=radius)
        case "capsule" | "cylinder":
            ET.SubElement(geometry, solid.kind, radius=radius, length=length)
        case _:
            raise ValueError(f"a link cannot be a {solid.kind}; it may be a box, capsule, cylinder or sphere")


def _faces(points: Array) -> list[list[int]]:
    """Triangles of the numbers, from 1, of points (n, 3) of a hull; all of them also where they are flat."""
    try:
        return [[int(n) + 1 for n in face] for face in ConvexHull(points).simplices]
    except QhullError:
        return [[1, n, n + 1] for n in range(2, len(points))]


def _origin(T: Array) -> dict[str, str]:
    return {"xyz": numbers(T[:3, 3]), "rpy": numbers(to_rpy(T[:3, :3]))}
