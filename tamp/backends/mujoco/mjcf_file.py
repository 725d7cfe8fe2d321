"""Reads an MJCF scene, and reports everything in it that this toolkit cannot handle."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import mujoco

from motion.robot_files import parsed
from motion.robot_parts import ModelError
from motion.xml_document import mujoco_error
from tamp.errors import InputError

HINGE, SLIDE, FREE = (int(getattr(mujoco.mjtJoint, f"mjJNT_{kind}")) for kind in ("HINGE", "SLIDE", "FREE"))


@dataclass(frozen=True, eq=False)
class MjcfFile:
    """A scene as MuJoCo reads it. `model` is compiled from `spec`, at the first keyframe where it has one."""

    path: Path
    spec: mujoco.MjSpec
    model: mujoco.MjModel
    lines: dict[tuple[str, str], str]
    """`FILE:LINE` of elements by tag and name, those of included files, too."""

    def wrong(self, message: str, tag: str = "", name: str = "") -> InputError:
        """The error about an element, with its file and line."""
        return InputError(f"{self.lines.get((tag, name), self.path)}: {message}")


def read_mjcf(path: Path) -> MjcfFile:
    """The scene in a file. InputError, with file and line where there is one, for what MuJoCo does not compile, and
    for a robot, motors, flexible things and joints that nothing here can use."""
    try:
        document = parsed(path, "mjcf")
    except ModelError as e:
        raise InputError(str(e)) from e
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        model = spec.compile()
    except ValueError as e:
        raise InputError(mujoco_error(e, document)) from e
    names = ((e.tag, name, document.at(e)) for e in document.root.iter() if (name := e.get("name")))
    lines = {(tag, name): at for tag, name, at in names}
    read = MjcfFile(path, spec, model, lines)
    _check_motors(read)
    for j in range(model.njnt):
        _check_joint(read, j)
    return read


def _check_motors(read: MjcfFile) -> None:
    advice = "take the robot out, base = [x, y, z] in scene.toml says where tamp puts one"
    if read.spec.actuators:
        name = read.spec.actuators[0].name
        tag = next((t for t, n in read.lines if n == name and t in ACTUATORS), "")
        what = f"the actuator {name!r} moves something, and only tamp's own robot does"
        raise read.wrong(f"{what}; valid: {advice}", tag, name)
    if read.model.nflex:
        raise read.wrong("something in it is flexible; valid: rigid bodies")


ACTUATORS = ("motor", "position", "velocity", "general", "intvelocity", "damper", "cylinder", "muscle", "adhesion")


def _check_joint(read: MjcfFile, j: int) -> None:
    m = read.model
    kind, body = int(m.jnt_type[j]), int(m.jnt_bodyid[j])
    name, on = m.joint(j).name, called(m, body)
    joint = f"the joint {name!r} of {on}" if name else f"a joint of {on}"
    at = ("joint", name) if name else ("body", m.body(body).name)
    if kind == FREE:
        return
    if kind not in (HINGE, SLIDE):
        raise read.wrong(f"{joint} is a ball; valid: slide (a drawer), hinge (a door), free (what can be carried)", *at)
    if m.body_jntnum[body] > 1:
        raise read.wrong(f"{on} moves on {m.body_jntnum[body]} joints; valid: one joint a body", *at)
    up = int(m.body_parentid[body])
    if up == 0:
        valid = "in a body that stands still, as a drawer is in its cabinet"
        raise read.wrong(f"{joint} is on nothing; valid: {on} {valid}", *at)
    while up and not m.body_jntnum[up]:
        up = int(m.body_parentid[up])
    if up:
        free = int(m.jnt_type[m.body_jntadr[up]]) == FREE
        what = "can be carried; valid: without the joint" if free else "moves itself; valid: one joint after the other"
        raise read.wrong(f"{joint} is on {called(m, up)}, which {what}", *at)
    if not m.body(body).name:
        raise read.wrong(f'{joint} moves, and has none; valid: name="top_drawer"', *at)
    if not m.jnt_limited[j]:
        raise read.wrong(f'{joint} has no limits; valid: range="CLOSED OPEN", or the other way round', *at)


def called(model: mujoco.MjModel, body: int) -> str:
    """What messages call a body."""
    name = model.body(body).name
    return f"the body {name!r}" if name else "a body without a name"
