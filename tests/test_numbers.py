"""No number of a file ends in an internal error, or is refused without file and line, whatever it is.

A text is changed in place, one number at a time, so that each fault stays on the line of its number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from cli.main import app
from cli.output import run
from llm.models.load import read as read_model
from tamp.agent.orders import read_script
from tamp.backends.libero.bddl import read_bddl
from tamp.backends.libero.scene_file import read_scene
from tamp.perception import calibration
from tamp.runs.cases import read_case
from tests.page_blocks import ROOT
from tests.page_episodes import lines, record
from tests.small_arm import ARM, TOLD

EACH = 3
PLACED = ("model.toml", "script.jsonl", "calibration.json", "case.toml")
"""What has its file, line and field whatever the fault is: elsewhere the cause may be in another file."""


@dataclass(frozen=True)
class Example:
    """The file whose numbers are spoilt, read by a command in its folder or by a function of its path, and the files
    that go with it."""

    name: str
    text: str
    read: tuple[str, ...] | Callable[[Path], object]
    others: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Fault:
    """A text with a number that is spoilt, and the key before it, empty where the format has none."""

    kind: str
    line: int
    field: str
    text: str


def shipped(*parts: str) -> str:
    return ROOT.joinpath(*parts).read_text(encoding="utf-8")


PLAN = """{
  "goal": "each of the numbers",
  "steps": [
    {"action": "APPROACH_NAMED", "name": "bin_drop", "hover_mm": 80},
    {"action": "MOVE_TO_POSE", "pose": {"xyz_mm": [400, 10, 250], "rpy_deg": [180, 0, 20]}},
    {"action": "RETREAT_Z", "dz_mm": 60},
    {"action": "SLEEP", "seconds": 1.5},
    {"action": "APPROACH_OBJECT", "label": "cup", "index": 1, "min_conf": 0.5, "timeout_sec": 2, "hover_mm": 90},
    {"action": "MOVE_TO_OBJECT", "labels": ["cup"], "offset_mm": [5, -10, 20], "timeout_sec": 0.5}
  ]
}
"""
BODY = """\
base = [-0.5, 0.1, 0.9]
yaw = 0.5
joint_period = 0.01
efforts = [50.0, 40.0, 30.0]
"""
DECLARED = """\
goal = "(on mug_1 plate_1)"
seed = 3
step_limit = 500
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
SCRIPT = '{"at": 2.5, "stop": "wave"}\n{"skip": 3}\n{"at": 4, "disturb": {"thing": "mug_1", "by": [0.1, 0.0, 0.02]}}\n'
MODEL = 'backend = "server"\nurl = "http://127.0.0.1:1"\nmodel = "m"\ntimeout = 60.5\n'


def calibrated() -> str:
    T = [[1.0, 0.0, 0.0, 0.4], [0.0, 1.0, 0.0, 0.1], [0.0, 0.0, 1.0, 1.1], [0.0, 0.0, 0.0, 1.0]]
    camera = {"on_hand": False, "off": T, "T": T, "views": 12, "mm": 4.58, "degrees": 0.1, "scatter_mm": 1.2}
    return json.dumps({"format": 1, "about": {"seed": 0}, "cameras": {"front": camera}}, indent=1)


def examples() -> dict[str, Example]:
    world, tabletop = shipped("problems", "xarm", "bench.toml"), shipped("domains", "tabletop", "domain.pddl")
    believed = shipped("domains", "tabletop", "skills.toml") + "[predicates.dusty]\nbelieved = true\nage = 20.0\n"
    roads = {name: shipped("problems", "cases", "toll_roads", name) for name in ("domain.pddl", "problem.pddl")}
    roads["cheap.plan"] = shipped("problems", "cases", "toll_roads", "cheap.plan")
    case = shipped("problems", "cases", "toll_roads", "case.toml").replace("findings", "timeout = 30\nfindings")
    tank = {"domain.pddl": NUMERIC, "problem.pddl": FILLED, "plan.txt": "(fill a)\n(fill a)\n; cost = 6\n"}
    oven = {name: shipped("tests", "pages", "oven", name) for name in ("oven.pddl", "bakery.pddl", "early.txt")}
    dry = ("xarm", "run", "plan.json", "--world", "world.toml", "--dry-run")
    show = ("body", "show", "arm.toml")
    results = lines(record("libero_goal", 0, 1, planning_seconds=0.5, wall_seconds=2.5, confidence=0.9))
    dusty = tabletop.replace("(:predicates", "(:predicates (dusty ?i - item)")
    found = (
        Example("world.toml", world, dry, {"plan.json": PLAN}),
        Example("plan.json", PLAN, dry, {"world.toml": world}),
        Example("arm.toml", BODY + TOLD, show, {"arm.urdf": ARM}),
        Example("arm.urdf", ARM, show, {"arm.toml": TOLD}),
        Example("scene.toml", DECLARED, read_scene),
        Example("scene.bddl", shipped("problems", "mug_in_drawer", "scene.bddl"), read_bddl),
        Example("skills.toml", believed, ("check", "domain.pddl"), {"domain.pddl": dusty}),
        Example("case.toml", case, read_case, roads),
        Example("model.toml", MODEL, read_model),
        Example("domain.pddl", NUMERIC, ("validate", *tank), tank),
        Example("early.txt", oven["early.txt"], ("validate", *oven), oven),
        Example("script.jsonl", SCRIPT, read_script),
        Example("calibration.json", calibrated(), calibration.read),
        Example("results.jsonl", results, ("report", "results.jsonl")),
    )
    return {example.name: example for example in found}


SKIPPED = r'"(?:\\.|[^"\\\n])*"|[;#][^\n]*|[?:]?[A-Za-z_][\w.-]*'
SKIPPED_IN_XML = r"<\?[^>]*>|<!--.*?-->|[A-Za-z_][\w.-]*"
NUMBER = r"(?P<number>(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w))"


def faults(example: Example) -> Iterator[Fault]:
    """All faults of a file, number after number: what is no number, and the enormous."""
    text, kind = example.text, Path(example.name).suffix
    quoted, has_keys = kind in (".toml", ".json", ".jsonl"), kind in (".toml", ".json", ".jsonl", ".urdf")
    nan, inf = ("NaN", "Infinity") if kind in (".json", ".jsonl") else ("nan", "inf")
    for found in re.finditer(rf"(?s:{SKIPPED_IN_XML if kind == '.urdf' else SKIPPED})|{NUMBER}", text):
        if not (number := found["number"]):
            continue
        start, end = found.span()
        keys = re.findall(r'([A-Za-z_][\w-]*)"?\s*[=:]', text[:start]) if has_keys else []
        instead = {
            "nan": nan, "inf": inf, "-inf": f"-{inf}", "null": "null", "1e15": "1e15", "1e308": "1e308",
            "1e999": "1e999", "digits": "1" + "0" * 400, "-1": "-1", "0": "0",
            "empty": '""' if quoted else "", "text": '"x"' if quoted else "x",
            "list": f"[{number}]" if quoted else f"({number})",
            "nested": "[" * 3000 + "]" * 3000 if quoted else "(" * 3000 + ")" * 3000,
            "float": number[:-1] if "." in number else f"{number}.5",
        }  # fmt: skip
        for name, other in instead.items():
            line = text.count("\n", 0, start) + 1
            yield Fault(name, line, keys[-1] if keys else "", text[:start] + other + text[end:])


def lacks(output: str, file: str, fault: Fault) -> str:
    """What a refusal does not say of file, line and field; empty when it says all that the format has.

    What is no value in the file's syntax has a place, and no field; a line before that of the number is that of the
    table, or of the key of a list.
    """
    if file not in output:
        return "file"
    numbers = [int(n) for found in re.findall(rf"{re.escape(file)}:(\d+)|line (\d+)", output) for n in found if n]
    if not numbers:
        return "line"
    if re.search(r"not (TOML|JSON|XML|BDDL)|no XML|nested too deeply", output):
        return ""
    if fault.field not in output:
        return "field"
    return "" if any(fault.line - 40 <= n <= fault.line + 1 for n in numbers) else "right line"


Outcome = Callable[[Example, Fault], tuple[str, str]]


@pytest.fixture
def outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Outcome:
    """Reads a file with a fault: `accepted`, `refused`, `no file`, `no line` …, or `internal error`; and the output."""
    monkeypatch.chdir(tmp_path)

    def found(example: Example, fault: Fault) -> tuple[str, str]:
        for name, content in {**example.others, example.name: fault.text}.items():
            (tmp_path / name).write_text(content, encoding="utf-8")
        read, code = example.read, 0
        try:
            if callable(read):
                code = run(lambda: (read(Path(example.name)), 0)[1], "read")
            else:
                app([*read])
        except SystemExit as e:
            code = int(e.code or 0)
        output = "".join(capfd.readouterr())
        if code == 0 or (code == 1 and (callable(read) or read[0] != "check")):
            return "accepted", output
        if code not in (1, 2) or "internal error" in output:
            return "internal error", output
        lacking = lacks(output, example.name, fault)
        return f"no {lacking}" if lacking else "refused", output

    return found


@pytest.mark.parametrize("name", examples())
def test_a_number_that_is_none_is_refused_where_it_stands(name: str, outcome: Outcome) -> None:
    example = examples()[name]
    found, output = outcome(example, Fault("none", 1, "", example.text))
    assert found == "accepted", output
    for fault in Random(name).sample(list(faults(example)), EACH):
        kind, output = outcome(example, fault)
        assert kind != "internal error", (fault.kind, fault.line, fault.field, output)
        if name in PLACED:
            assert kind in ("accepted", "refused"), (fault.kind, fault.line, fault.field, output)


def test_the_grave_ones_are_refused_before_anything_is_sampled(outcome: Outcome) -> None:
    plan = examples()["plan.json"]
    for fault in faults(plan):
        if fault.kind == "1e15" and fault.field in ("dz_mm", "hover_mm", "xyz_mm", "offset_mm"):
            kind, output = outcome(plan, fault)
            assert kind == "refused" and "valid: millimetres, at most 100000" in output, output
