"""`make bench-arm-language`: instructions to action plans in the world of problems/xarm.

`ok`: the plan is one of those expected, or the instruction is refused where that is due. In
problems/xarm/instructions.jsonl a plan is written as `brief` writes it; a step that ends with ? may be missing. The
parts `develop` and `harder` were used while the checks were made, `others` to repair them; `unseen` was looked at only
after it had been measured for the first time.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from typing import Any

from llm.reader.arm import ArmNames, plan_of
from tamp.api.language import model as load_model
from tamp.backends.xarm.workcell import read_workcell
from tamp.errors import Refusal
from tamp.planning.assistant import JournalBuffer
from tests.bench import ROOT, Row, read

FOLDER = ROOT / "problems" / "xarm"


def brief(step: dict[str, Any]) -> str:
    """A step as the file writes it: above cup [1] ~bin_drop 60; touch cup surest; lift 80; at home; wait 2; pose …"""
    match step["action"]:
        case "APPROACH_OBJECT":
            return f"above {_which(step)} {step['hover_mm']}"
        case "MOVE_TO_OBJECT":
            return f"touch {_which(step)}{' offset ' + str(step['offset_mm']) if 'offset_mm' in step else ''}"
        case "APPROACH_NAMED":
            return f"above {step['name']} {step['hover_mm']}"
        case "MOVE_TO_NAMED":
            return f"at {step['name']}"
        case "RETREAT_Z":
            return f"lift {step['dz_mm']}"
        case "SLEEP":
            return f"wait {step['seconds']}"
    return "pose " + " ".join(str(n) for n in step["pose"]["xyz_mm"] + step["pose"]["rpy_deg"])


def _which(step: dict[str, Any]) -> str:
    index, near = step.get("index", 0), step.get("ref", {}).get("named")
    words = [*step["labels"], *([f"[{index}]"] if index else []), *([f"~{near}"] if near else [])]
    return " ".join([*words, *(["surest"] if step["selector"] == "highest_conf" else [])])


def accepted(plan: str) -> Iterator[str]:
    """A plan of the file, with and without the steps that may be missing."""
    ways = [(s.rstrip("?"), None) if s.endswith("?") else (s,) for s in plan.split("; ")]
    for way in itertools.product(*ways):
        yield "; ".join(s for s in way if s is not None)


def bench(
    parts: tuple[str, ...] = ("develop", "measured", "harder", "others", "unseen"),
    n: int = 1000,
    llm: str = "qwen2.5-coder-1.5b",
) -> Iterator[Row]:
    """A row an instruction, a line a part; at most `n` of each."""
    names, model = ArmNames.of(read_workcell(FOLDER / "bench.toml")), load_model(llm)
    items = read(FOLDER / "instructions.jsonl")
    for item in (i for part in parts for i in [i for i in items if i["part"] == part][:n]):
        begun, due = time.perf_counter(), item.get("refuse", False)
        try:
            answer = "; ".join(map(brief, plan_of(item["text"], names, model, JournalBuffer())["steps"]))
            right, unsafe = answer in [w for plan in item.get("steps", []) for w in accepted(plan)], due
        except Refusal as e:
            answer, right, unsafe = f"no ({e.kind}): {e}", due, False
        detail = f"{item['text']}: {answer}, due {item.get('steps', 'no')}"
        yield Row(item["part"], right, {"s": time.perf_counter() - begun}, detail, data={"unsafe": unsafe})


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """How many plans were made where none was due."""
    yield f"plans where a refusal was due: {sum(row.data['unsafe'] for row in rows)}"
