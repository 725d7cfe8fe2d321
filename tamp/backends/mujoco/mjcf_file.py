"""Reads an MJCF scene, and reports everything in it that this toolkit cannot handle."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from motion.robot_files import parsed
from motion.robot_parts import ModelError
from motion.xml_document import mujoco_error
from tamp.errors import InputError
from tamp.files.quantities import FARTHEST, not_metres

HINGE, SLIDE, FREE = (int(getattr(mujoco.mjtJoint, f"mjJNT_{kind}")) for kind in ("HINGE", "SLIDE", "FREE"))
ACTUATORS = ("motor", "position", "velocity", "general", "intvelocity", "damper", "cylinder", "muscle", "adhesion")


@dataclass(frozen=True, eq=False)
class MjcfFile:
    """A scene as MuJoCo reads it. `model` is compiled from `spec`."""

    path: Path
    spec: mujoco.MjSpec
    model: mujoco.MjModel
    lines: dict[tuple[str, str], str]
    """`FILE:LINE` of elements by tag and name, those of included files, too."""

    def wrong(self, message: str, tag: str = "", name: str = "") -> InputError:
        """The error about an element, with its file and line."""
        return InputError(f"{self.lines.get((tag, name), self.path)}: {message}")


def read_mjcf(path: Path) -> MjcfFile:
    """The scene in a file. InputError, with file and line where there is one, for what MuJoCo does not compile, for
    motors, flexible things and joints that nothing here can use, and for lengths that no arm can work with."""
    try:
        document = parsed(path, "mjcf")
    except ModelError as e:
        raise InputError(str(e)) from e
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        model = spec.compile()
    except ValueError as e:
        raise InputError(mujoco_error(e, document)) from e
    lines = {(e.tag, name): document.at(e) for e in document.root.iter() if (name := e.get("name"))}
    read = MjcfFile(path, spec, model, lines)
    _check_motors(read)
    for j in range(model.njnt):
        _check_joint(read, j)
    _check_lengths(read)
    return read


def at_start(model: mujoco.MjModel) -> mujoco.MjData:
    """The start that the file states: its first keyframe, where it has one."""
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    return data


def _check_motors(read: MjcfFile) -> None:
    if read.spec.actuators:
        name = read.spec.actuators[0].name
        tag = next((t for t, n in read.lines if n == name and t in ACTUATORS), "")
        what = f"the actuator {name!r} moves something, and only tamp's own robot does"
        advice = "take the robot out, base = [x, y, z] in scene.toml says where tamp puts one"
        raise read.wrong(f"{what}; valid: {advice}", tag, name)
    if read.model.nflex:
        raise read.wrong("something in it is flexible; valid: rigid bodies")


def _check_joint(read: MjcfFile, j: int) -> None:
    m = read.model
    kind, body = int(m.jnt_type[j]), int(m.jnt_bodyid[j])
    if kind == FREE:
        return
    name, on = m.joint(j).name, _called(m, body)
    joint = f"the joint {name!r} of {on}" if name else f"a joint of {on}"
    up = int(m.body_parentid[body])
    carrier = up
    while carrier and not m.body_jntnum[carrier]:
        carrier = int(m.body_parentid[carrier])
    wrong = ""
    if kind not in (HINGE, SLIDE):
        wrong = f"{joint} is a ball; valid: slide (a drawer), hinge (a door), free (what can be carried)"
    elif m.body_jntnum[body] > 1:
        wrong = f"{on} moves on {m.body_jntnum[body]} joints; valid: one joint a body"
    elif up == 0:
        wrong = f"{joint} is on nothing; valid: {on} in a body that stands still, as a drawer is in its cabinet"
    elif carrier and int(m.jnt_type[m.body_jntadr[carrier]]) == FREE:
        wrong = f"{joint} is on {_called(m, carrier)}, which can be carried; valid: without the joint"
    elif carrier:
        wrong = f"{joint} is on {_called(m, carrier)}, which moves itself; valid: one joint after the other"
    elif not m.body(body).name:
        wrong = f'{joint} moves, and has none; valid: name="top_drawer"'
    elif not m.jnt_limited[j]:
        wrong = f'{joint} has no limits; valid: range="CLOSED OPEN", or the other way round'
    if wrong:
        raise read.wrong(wrong, *(("joint", name) if name else ("body", m.body(body).name)))


def _called(model: mujoco.MjModel, body: int) -> str:
    name = model.body(body).name
    return f"the body {name!r}" if name else "a body without a name"


def _check_lengths(read: MjcfFile) -> None:
    """InputError for a body that is somewhere, or has shapes as large as, no arm can work: as numbers of a mistake."""
    m, data = read.model, at_start(read.model)
    for b in range(1, m.nbody):
        first, count = m.body_geomadr[b], m.body_geomnum[b]
        ends = data.geom_xpos[first : first + count] - data.xpos[b]
        most = m.geom_rbound[first : first + count] + np.linalg.norm(ends, axis=1)
        for what, values in (("where it is (m)", data.xpos[b]), ("its size (m)", most)):
            if why := not_metres([float(v) for v in values], FARTHEST):
                name = m.body(b).name
                raise read.wrong(f"the body {name!r}: {what}, valid: {why}", "body", name)
