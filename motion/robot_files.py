"""Robots from the models that others have written, URDF or MJCF: an arm, a hand on one of its links, and the names in
them that matter. Nothing but what collides and weighs is kept.
"""

from __future__ import annotations

import difflib
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from motion.poses import Array, from_quat, to_quat

DRAWS, OFTEN = 300, 0.9
"""Random configurations that are looked at, and the share of them from which two links that touch always do."""
LARGEST = 3.0
"""Metres: no link of an arm is larger."""
ROTOR = 0.1
"""kg m² of a motor's rotor as its joint feels it, where the model has none."""
UNUSED = ("sensor", "keyframe", "contact", "equality", "tendon", "actuator")
"""Of a model, what neither collides nor weighs."""
POINT, PAD = "tool_point", "pad_of_"


@dataclass(frozen=True, eq=False)
class HandFile:
    """A hand in a file of its own, and where it is on a `link` of the arm (4, 4)."""

    file: Path
    link: str
    T_link_hand: Array


@dataclass(frozen=True, eq=False)
class Names:
    """What there is in a model: joints of the arm from the base on, those of the fingers, the links (or geoms) whose
    shapes touch what is held, and the link of the tool frame, with where that is on it (4, 4)."""

    arm_joints: tuple[str, ...]
    finger_joints: tuple[str, ...]
    pads: tuple[str, ...]
    tool_link: str
    T_link_tool: Array


@dataclass(frozen=True, eq=False)
class Model:
    """A robot as MJCF with its base where the file has it: see `motion.robot.RobotDescription`."""

    mjcf: str
    pads: tuple[str, ...]
    pinned_bodies: frozenset[str]
    limits: Array
    travels: Array
    """Metres that each finger's joint can move."""


def read(file: Path, hand: HandFile | None, names: Names, posture: Array, radians: bool = False) -> Model:
    """The robot in a file. With `radians` an MJCF that does not say so has its angles in these, as robosuite's have.
    ValueError for what is no model, lacks something, or cannot be."""
    spec = _loaded(file, radians)
    if hand is not None:
        spec.attach(_loaded(hand.file, radians), frame=_frame(spec, hand.link, hand.T_link_hand), prefix="")
    _check(spec, names, file)
    position, quaternion = names.T_link_tool[:3, 3], to_quat(names.T_link_tool[:3, :3])
    spec.body(names.tool_link).add_site(name=POINT, pos=position, quat=quaternion)
    pads = tuple(_pad(spec, name) for name in names.pads)
    for joint in spec.joints:
        if joint.type == mujoco.mjtJoint.mjJNT_HINGE and np.ptp(joint.range) == 0.0:
            turn = 180.0 if spec.compiler.degree else np.pi
            joint.range = [-turn, turn]  # it turns for ever: once round is enough
        if joint.armature == 0.0 and joint.type == mujoco.mjtJoint.mjJNT_HINGE:
            joint.armature = ROTOR
    root = ET.fromstring(_text(spec))
    _drop_what_is_only_seen(root)
    m = _compiled(ET.tostring(root, encoding="unicode"), file)
    _check_sizes(m, file)
    limits = np.array([m.joint(name).range for name in names.arm_joints])
    contact = ET.SubElement(root, "contact")
    for a, b in _apart(root, names.arm_joints, posture):
        ET.SubElement(contact, "pair", geom1=a, geom2=b)
    pinned = frozenset(m.body(b).name for b in range(1, m.nbody) if m.body_weldid[b] == 0)
    travels = np.array([float(np.ptp(m.joint(name).range)) for name in names.finger_joints])
    return Model(ET.tostring(root, encoding="unicode"), pads, pinned, limits, travels)


def _loaded(file: Path, radians: bool) -> Any:
    """A model whose meshes are known by where they are."""
    try:
        root = ET.parse(file).getroot()
    except ET.ParseError as e:
        raise ValueError(f"{file.name} is no XML: {e}") from e
    if root.tag == "robot":
        return _from_urdf(root, file)
    if root.tag != "mujoco":
        raise ValueError(f"{file.name} is neither URDF (<robot>) nor MJCF (<mujoco>) but <{root.tag}>")
    try:
        spec = mujoco.MjSpec.from_file(str(file))
    except ValueError as e:
        raise ValueError(f"{file.name}: {e}") from e
    spec.compiler.degree = spec.compiler.degree and not radians
    folder = file.parent / (spec.meshdir or "")
    for mesh in spec.meshes:
        if mesh.file:
            mesh.file = str(_found(folder / mesh.file, mesh.file, file))
    spec.meshdir = ""
    return spec


def _from_urdf(root: ET.Element, file: Path) -> Any:
    for joint in root.iter("joint"):
        limit = joint.find("limit")
        lacks = limit is None or "lower" not in limit.attrib or "upper" not in limit.attrib
        if joint.get("type") in ("revolute", "prismatic") and lacks:
            raise ValueError(f"{file.name}: joint {joint.get('name')} has no limits; valid: <limit lower=… upper=…/>")
    for link in root.iter("link"):
        for seen in link.findall("visual"):
            link.remove(seen)
        for n, collides in enumerate(link.findall("collision")):
            collides.set("name", f"{link.get('name')}.{n}")
        for mesh in link.iter("mesh"):
            mesh.set("filename", str(_found_from(file, str(mesh.get("filename")))))
    for told in root.findall("mujoco"):
        root.remove(told)
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", fusestatic="false", strippath="false", angle="radian")
    try:
        return mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"))
    except ValueError as e:
        raise ValueError(f"{file.name}: {e}") from e


def _found_from(file: Path, name: str) -> Path:
    """A mesh that a URDF names: `package://` is one of the folders that the file is in, or begins there."""
    if not name.startswith("package://"):
        return _found(file.parent / name.removeprefix("file://"), name, file)
    rest = Path(name.removeprefix("package://"))
    tails = (rest, Path(*rest.parts[1:]))
    places = (folder / tail for folder in file.resolve().parents for tail in tails)
    return next((p for p in places if p.is_file()), None) or _found(file.parent / rest, name, file)


def _found(path: Path, name: str, file: Path) -> Path:
    if not path.is_file():
        raise ValueError(f"{file.name}: the mesh {name} is missing; looked for beside the file, in {file.parent}")
    return path.resolve()


def _frame(spec: Any, link: str, T: Array) -> Any:
    known = [b.name for b in spec.bodies]
    if link not in known:
        raise ValueError(f"no link {link!r}; {_meant(link, known)}")
    return spec.body(link).add_frame(pos=T[:3, 3], quat=to_quat(T[:3, :3]))


def _check(spec: Any, names: Names, file: Path) -> None:
    joints = {j.name: j for j in spec.joints}
    for name in (*names.arm_joints, *names.finger_joints):
        if name not in joints:
            raise ValueError(f"{file.name} has no joint {name!r}; {_meant(name, joints)}")
    if names.tool_link not in (bodies := [b.name for b in spec.bodies]):
        raise ValueError(f"{file.name} has no link {names.tool_link!r} for the tool; {_meant(names.tool_link, bodies)}")
    moving = [n for n in joints if n not in (*names.arm_joints, *names.finger_joints)]
    if moving:
        raise ValueError(f"{file.name}: {', '.join(moving)} move and are neither the arm's nor a finger's; weld them")


def _pad(spec: Any, name: str) -> str:
    """The name of the shape that touches what is held: the geom of that name, or the last one of the link."""
    geoms = {g.name for g in spec.geoms if g.name}
    bodies = {b.name: b for b in spec.bodies}
    if name in geoms:
        return name
    if name not in bodies:
        raise ValueError(f"no pad {name!r}; {_meant(name, [*bodies, *geoms])}")
    solid = [g for g in bodies[name].geoms if g.contype or g.conaffinity]
    if not solid:
        raise ValueError(f"the link {name!r} has no collision shape that could touch what is held")
    solid[-1].name = solid[-1].name or PAD + name
    return str(solid[-1].name)


def _meant(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, known := [k for k in known if k], 1)
    return f"did you mean {near[0]!r}?" if near else f"valid: {', '.join(known)}"


def _text(spec: Any) -> str:
    spec.compile()
    return str(spec.to_xml())


def _drop_what_is_only_seen(root: ET.Element) -> None:
    """Leave what collides and weighs, each shape with a name."""
    world, number = root.find("worldbody"), 0
    assert world is not None
    for body in world.iter("body"):
        for part in [p for p in body if p.tag in ("camera", "light")]:
            body.remove(part)
        for geom in body.findall("geom"):
            if geom.get("contype") == "0" and geom.get("conaffinity") == "0":
                body.remove(geom)
                continue
            geom.attrib.pop("material", None)
            geom.set("name", geom.get("name") or f"{body.get('name')}.{(number := number + 1)}")
    used = {g.get("mesh") for g in world.iter("geom")}
    for asset in root.findall("asset"):
        for element in [e for e in asset if e.tag != "mesh" or e.get("name") not in used]:
            asset.remove(element)
    for element in [e for e in root if e.tag in UNUSED]:
        root.remove(element)
    _drop_nameless_defaults(root)


def _drop_nameless_defaults(root: ET.Element) -> None:
    """What the model of a hand brings: MuJoCo writes it and does not read it."""
    for default in list(root.iter("default")):
        for nameless in [d for d in default.findall("default") if not d.get("class")]:
            default.remove(nameless)
    for element in root.iter():
        for key in ("class", "childclass"):
            if element.get(key) == "":
                element.attrib.pop(key)


def _compiled(text: str, file: Path) -> mujoco.MjModel:
    try:
        return mujoco.MjModel.from_xml_string(text)
    except ValueError as e:
        raise ValueError(f"{file.name}: {e}") from e


def _check_sizes(m: mujoco.MjModel, file: Path) -> None:
    for g in range(m.ngeom):
        if float(m.geom_rbound[g]) > LARGEST:
            size, link = 2 * float(m.geom_rbound[g]), m.body(m.geom_bodyid[g]).name
            raise ValueError(f"{file.name}: {link} would be {size:.0f} m large; is its mesh in millimetres? scale it")


def _apart(root: ET.Element, joints: Sequence[str], posture: Array) -> list[tuple[str, str]]:
    """Pairs of shapes that must not touch: all but those of neighbouring links, and those that touch at the posture or
    nearly wherever the arm is, as the models of neighbours do."""
    root = ET.fromstring(ET.tostring(root))
    for geom in root.iter("geom"):
        geom.set("contype", "1")
        geom.set("conaffinity", "1")
    m = mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))
    d, rng = mujoco.MjData(m), np.random.default_rng(0)
    addresses = [int(m.joint(name).qposadr[0]) for name in joints]
    low, high = np.array([m.joint(name).range for name in joints]).T
    touching: dict[tuple[int, int], int] = {}
    for n in range(DRAWS + 1):
        d.qpos[addresses] = rng.uniform(low, high) if n else posture
        mujoco.mj_kinematics(m, d)
        mujoco.mj_collision(m, d)
        for pair in {(min(a, b), max(a, b)) for a, b in d.contact.geom[: d.ncon].tolist()}:
            touching[pair] = touching.get(pair, 0) + (DRAWS if n == 0 else 1)
    always = {pair for pair, count in touching.items() if count > OFTEN * DRAWS}
    weld, parent = m.body_weldid, m.body_parentid
    out = []
    for a in range(m.ngeom):
        for b in range(a + 1, m.ngeom):
            one, other = int(weld[m.geom_bodyid[a]]), int(weld[m.geom_bodyid[b]])
            neighbours = one == other or one == weld[parent[other]] or other == weld[parent[one]]
            if not neighbours and (a, b) not in always:
                out.append((m.geom(a).name, m.geom(b).name))
    return out


def standing(mjcf: str, T_world_base: Array) -> str:
    """A robot's MJCF with its base somewhere else: `T_world_base` (4, 4) leads what it had at the world's origin."""
    root = ET.fromstring(mjcf)
    world = root.find("worldbody")
    assert world is not None
    for body in world.findall("body"):
        position = np.array([float(v) for v in body.get("pos", "0 0 0").split()])
        quaternion = np.array([float(v) for v in body.get("quat", "1 0 0 0").split()])
        T = T_world_base @ from_quat(position, quaternion)
        body.set("pos", " ".join(repr(float(v)) for v in T[:3, 3]))
        body.set("quat", " ".join(repr(float(v)) for v in to_quat(T[:3, :3])))
    return ET.tostring(root, encoding="unicode")
