"""Valid examples of formats that hold numbers, and the cheapest reading of each."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.number_faults import Syntax
from tests.page_blocks import ROOT
from tests.page_episodes import lines, record
from tests.small_arm import ARM, TOLD


@dataclass(frozen=True)
class Example:
    """`text` is the file `name`, whose numbers are spoilt; `others` are files that go with it. It is read by a command
    in their folder, or by a function of the file's path, which raises what a command reports."""

    name: str
    syntax: Syntax
    text: str
    read: tuple[str, ...] | Callable[[Path], object]
    others: dict[str, str] = field(default_factory=dict)

    def write(self, folder: Path, text: str) -> None:
        """The files, the spoilt one with another text."""
        for name, content in {**self.others, self.name: text}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content, encoding="utf-8")


def examples() -> dict[str, Example]:
    """The examples by the name of their format."""
    return {**_arm(), **_bodies(), **_scenes(), **_domains(), **_plans(), **_sessions(), **_perception(), **_results()}


def _shipped(*parts: str) -> str:
    return (ROOT.joinpath(*parts)).read_text(encoding="utf-8")


PLAN = """{
  "goal": "each of the numbers",
  "steps": [
    {"action": "MOVE_TO_NAMED", "name": "home"},
    {"action": "APPROACH_NAMED", "name": "bin_drop", "hover_mm": 80},
    {"action": "MOVE_TO_POSE", "pose": {"xyz_mm": [400, 10, 250], "rpy_deg": [180, 0, 20]}},
    {"action": "RETREAT_Z", "dz_mm": 60},
    {"action": "SLEEP", "seconds": 1.5},
    {"action": "APPROACH_OBJECT", "label": "cup", "index": 1, "min_conf": 0.5, "timeout_sec": 2, "hover_mm": 90},
    {"action": "MOVE_TO_OBJECT", "labels": ["cup"], "offset_mm": [5, -10, 20], "timeout_sec": 0.5}
  ]
}
"""


def _arm() -> dict[str, Example]:
    from tamp.backends.xarm.detections import read_line

    world = _shipped("problems", "xarm", "bench.toml")
    dry = ("xarm", "run", "plan.json", "--world", "world.toml", "--dry-run")
    line = {"time": 1.7e9, "objects": [{"label": "cup", "confidence": 0.9, "xyz_mm": [400, 0.5, 30]}]}
    return {
        "arm's world": Example("world.toml", "toml", world, dry, {"plan.json": PLAN}),
        "action plan": Example("plan.json", "json", PLAN, dry, {"world.toml": world}),
        "detection line": Example(
            "seen.jsonl", "jsonl", json.dumps(line) + "\n", lambda p: _each_line(p, lambda s: read_line(s, {}))
        ),
    }


def _each_line(path: Path, read: Callable[[bytes], object]) -> None:
    """What reads a stream has no file: its errors get one, and the line."""
    from tamp.errors import InputError

    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            read(line)
        except (ValueError, InputError) as e:
            raise InputError(f"{path}:{number}: {e}") from e


BODY = """\
base = [-0.5, 0.1, 0.9]
yaw = 0.5
joint_period = 0.01
efforts = [50.0, 40.0, 30.0]
"""
SECTIONS = """\
pad_half_width = 0.007
pad_heights = [-0.0106, -0.0036, 0.0034]
finger = [0.012, 0.01, 0.02]
palm = [0.1, 0.03, 0.04]
underside = -0.042
fingertip = 0.014
closed = 0.05
footprint = [0.027, 0.011]
[gains]
lead = 0.19
inertia = 0.0067
gain = 1.2
final_gain = 1.6
fine = [0.004, 0.03]
coarse = [0.02, 0.15]
patience = 0.6
lag = [0.02, 0.05]
lag_share = 0.3
[response]
rate = 12.25
reach = [0.05, 0.5]
[limits]
joint_velocity = 1.8
joint_acceleration = 12.0
tool_velocity = 0.275
tool_acceleration = 4.0
tool_rotation = 1.6
tool_rotation_acceleration = 12.0
[ranges]
shoulder = [-1.5, 1.5]
"""


def _bodies() -> dict[str, Example]:
    show = ("body", "show", "arm.toml")
    body = BODY + TOLD.replace("xyz = [0.0, 0.0, 0.3]", "xyz = [0.0, 0.0, 0.3]\nrpy = [0.0, 0.1, 0.0]") + SECTIONS
    return {
        "robot in a model": Example("arm.toml", "toml", body, show, {"arm.urdf": ARM}),
        "URDF": Example("arm.urdf", "xml", ARM, show, {"arm.toml": TOLD}),
    }


DECLARED = """\
goal = "(on mug_1 plate_1)"
seed = 3
step_limit = 500
[things.cabinet_1]
category = "wooden_cabinet"
at = [-0.2, -0.25]
yaw = 3.1416
open = ["top"]
[things.stove_1]
category = "flat_stove"
region = [-0.25, 0.2, -0.15, 0.3]
turned_on = true
[things.plate_1]
category = "plate"
at = [0.1, 0.2]
[things.mug_1]
category = "porcelain_mug"
at = [0.05, 0.0]
yaw = 0.5
"""


def _scenes() -> dict[str, Example]:
    from tamp.backends.libero.bddl import read_bddl
    from tamp.backends.libero.scene_file import read_scene

    kitchenette = _shipped("docs", "examples", "kitchenette", "scene.toml")
    xml = _shipped("docs", "examples", "kitchenette", "scene.xml")
    mjcf = kitchenette.replace("scatter", "yaw = 0.1\nscatter")
    return {
        "scene, declared": Example("scene.toml", "toml", DECLARED, read_scene),
        "scene of MJCF": Example("scene.toml", "toml", mjcf, read_scene, {"scene.xml": xml}),
        "BDDL": Example("scene.bddl", "pddl", _shipped("problems", "mug_in_drawer", "scene.bddl"), read_bddl),
    }


def _domains() -> dict[str, Example]:
    from tamp.runs.cases import read_case, read_scene_case

    domain = _shipped("domains", "tabletop", "domain.pddl")
    domain = domain.replace("(:predicates", "(:predicates (dusty ?i - item)")
    skills = _shipped("domains", "tabletop", "skills.toml") + "[predicates.dusty]\nbelieved = true\nage = 20.0\n"
    roads = ("problems", "cases", "toll_roads")
    others = {f: _shipped(*roads, f) for f in ("domain.pddl", "problem.pddl", "cheap.plan")}
    case = _shipped(*roads, "case.toml").replace("findings", "timeout = 30\nfindings")
    model = 'backend = "server"\nurl = "http://127.0.0.1:1"\nmodel = "m"\ntimeout = 60.5\n'
    return {
        "skills.toml": Example("skills.toml", "toml", skills, ("check", "domain.pddl"), {"domain.pddl": domain}),
        "case.toml": Example("case.toml", "toml", case, read_case, others),
        "case about a scene": Example(
            "scene.toml", "toml", 'scene = "mug_in_drawer"\ngoal = "(hand-empty)"\nseeds = [0, 12]\n', read_scene_case
        ),
        "language model": Example("model.toml", "toml", model, _model),
    }


def _model(path: Path) -> object:
    from llm.models.load import read

    return read(path)


NUMERIC = """(define (domain tank)
  (:requirements :strips :typing :fluents)
  (:types jug)
  (:predicates (open ?j - jug))
  (:functions (level ?j - jug) (total-cost))
  (:action fill :parameters (?j - jug) :precondition (and (open ?j) (<= (level ?j) 8.5))
    :effect (and (increase (level ?j) 2.5) (increase (total-cost) 3))))
"""
FILLED = """(define (problem p) (:domain tank)
  (:objects a - jug)
  (:init (open a) (= (level a) 1.5) (= (total-cost) 0))
  (:goal (>= (level a) 6))
  (:metric minimize (total-cost)))
"""


def _plans() -> dict[str, Example]:
    tank = {
        "domain.pddl": NUMERIC,
        "problem.pddl": FILLED,
        "plan.txt": "(fill a)\n(fill a)\n; cost = 6 (general cost)\n",
    }
    oven = {f"{n}.pddl": _shipped("tests", "pages", "oven", f"{n}.pddl") for n in ("oven", "bakery")}
    early = _shipped("tests", "pages", "oven", "early.txt")
    baked = ("validate", "oven.pddl", "bakery.pddl", "plan.txt")
    return {
        "PDDL domain": Example("domain.pddl", "pddl", NUMERIC, ("validate", *tank), tank),
        "plan with times": Example("plan.txt", "plan", early, baked, oven),
    }


def _sessions() -> dict[str, Example]:
    from tamp.agent.orders import read_json, read_script

    script = (
        '{"at": 2.5, "stop": "wave"}\n{"skip": 3}\n{"at": 4, "disturb": {"thing": "mug_1", "by": [0.1, 0.0, 0.02]}}\n'
    )
    return {
        "script of a session": Example("script.jsonl", "jsonl", script, read_script),
        "order": Example(
            "orders.jsonl", "jsonl", '{"skip": 2.5}\n', lambda p: _each_line(p, lambda s: read_json(s.decode()))
        ),
    }


OBJECT = 'names = ["block"]\nunit = "m"\nscale = 1.5\nturns = 4\n'


def _block() -> str:
    import trimesh

    exported: Any = trimesh.creation.box((0.05, 0.06, 0.1)).export(file_type="obj")
    return str(exported)


def _perception() -> dict[str, Example]:
    from motion.arm_model import robot_model
    from motion.arms import ARMS
    from tamp.perception import calibration, recordings

    def mesh(path: Path) -> object:
        from tamp.perception.mesh_import import read_mesh, read_options

        return read_mesh(path.parent, read_options(path.parent))

    with TemporaryDirectory() as folder:
        recordings.Writer(Path(folder), robot_model(ARMS["xarm6"]), {}).close()
        recorded = json.loads(Path(folder, recordings.INDEX).read_text())
    T = [[1.0, 0.0, 0.0, 0.4], [0.0, 1.0, 0.0, 0.1], [0.0, 0.0, 1.0, 1.1], [0.0, 0.0, 0.0, 1.0]]
    recorded["robot"]["mjcf"] = "<mujoco/>"
    recorded["felt"] = [{"time": 0.05, "q": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "opening": 0.02, "T_world_tool": T}]
    recorded["moments"] = [{"period": 0, "pictures": []}]
    off = [[1.0, 0.0, 0.0, 0.004], [0.0, 1.0, 0.0, 0.002], [0.0, 0.0, 1.0, 0.001], [0.0, 0.0, 0.0, 1.0]]
    camera = {"on_hand": False, "off": off, "T": T, "views": 12, "mm": 4.58, "degrees": 0.1}
    found = {"format": 1, "about": {"seed": 0}, "cameras": {"front": camera | {"scatter_mm": 1.2}}}
    return {
        "calibration": Example("calibration.json", "json", json.dumps(found, indent=1), calibration.read),
        "recording": Example(
            "recording.json", "json", json.dumps(recorded, indent=1), lambda p: recordings.read(p.parent)
        ),
        "object.toml": Example("object.toml", "toml", OBJECT, mesh, {"block.obj": _block()}),
    }


def _results() -> dict[str, Example]:
    verdicts = {"right": 3, "done": 1, "undone": 0}
    seconds = {"planning_seconds": 0.5, "execution_seconds": 1.5, "language_seconds": 0.2, "wall_seconds": 2.5}
    more = {"touched": {"mug_1": 3}, "confidence": 0.9, "reaches": True, "goal": "(a)", "verdicts": verdicts}
    line = lines(record("libero_goal", 0, 1, **seconds, **more))
    return {"results of a bench": Example("results.jsonl", "jsonl", line, ("report", "results.jsonl"))}
