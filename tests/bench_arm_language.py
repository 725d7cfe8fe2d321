"""`make bench-arm-language`: instructions to action plans in the world of problems/xarm, what a model makes of them.

    python tests/bench_arm_language.py [--llm NAME] [--parts develop measured harder others unseen] [--out FILE]

Right is a plan that is one of those expected, or a refusal where one is due. In problems/xarm/instructions.jsonl a
plan is written as `brief` writes it; a step that ends with ? may be missing. The checks were made with the parts
`develop` and `harder`, and mended by `others`, which somebody else wrote; `unseen` was looked at only after it had been
measured for the first time (docs/xarm-contract.md).
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from llm.models.language_model import Model
from llm.reader.arm import ArmNames, plan_of
from tamp.api.language import model as load_model
from tamp.backends.xarm.workcell import read_workcell
from tamp.errors import Refusal
from tamp.planning.assistant import JournalBuffer
from tamp.runs.bench.records import wilson

ROOT = Path(__file__).parents[1] / "problems" / "xarm"
PARTS = ("develop", "measured", "harder", "others", "unseen")


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
    said = [*step["labels"], *([f"[{index}]"] if index else []), *([f"~{near}"] if near else [])]
    return " ".join([*said, *(["surest"] if step["selector"] == "highest_conf" else [])])


def accepted(plan: str) -> Iterator[str]:
    """A plan of the file, with and without the steps that may be missing."""
    ways = [(s.rstrip("?"), None) if s.endswith("?") else (s,) for s in plan.split("; ")]
    for way in itertools.product(*ways):
        yield "; ".join(s for s in way if s is not None)


def ask(item: dict[str, Any], names: ArmNames, model: Model) -> dict[str, Any]:
    begun = time.perf_counter()
    try:
        said = "; ".join(map(brief, plan_of(item["text"], names, model, JournalBuffer())["steps"]))
        right = said in [w for plan in item.get("steps", []) for w in accepted(plan)]
    except Refusal as e:
        said, right = f"no ({e.kind}): {e}", item.get("refuse", False)
    seconds = round(time.perf_counter() - begun, 3)
    return item | {"said": said, "right": right, "seconds": seconds}


def told(part: str, some: list[dict[str, Any]], llm: str) -> str:
    right = sum(r["right"] for r in some)
    low, high = wilson(right, len(some))
    seconds = statistics.median(r["seconds"] for r in some)
    unsafe = sum(r.get("refuse", False) and not r["right"] for r in some)
    shares = f"{right}/{len(some)} = {100 * right / len(some):.0f} % ({100 * low:.0f} to {100 * high:.0f})"
    return f"{part:8} {llm}: {shares}; median {seconds:.2f} s; plans where a refusal was due: {unsafe}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--llm", default="qwen2.5-coder-1.5b")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--out", type=Path, help="every answer, as lines of JSON")
    asked = parser.parse_args()
    cell, model = read_workcell(ROOT / "bench.toml"), load_model(asked.llm)
    items = [json.loads(line) for line in (ROOT / "instructions.jsonl").read_text(encoding="utf-8").splitlines()]
    results = []
    for item in (i for i in items if i["part"] in asked.parts):
        results.append(ask(item, ArmNames.of(cell), model))
        if not results[-1]["right"]:
            sys.stderr.write(f"{item['text']}\n  said {results[-1]['said']}\n  due  {item.get('steps', 'no')}\n")
    for part in (p for p in asked.parts if any(r["part"] == p for r in results)):
        sys.stdout.write(told(part, [r for r in results if r["part"] == part], asked.llm) + "\n")
    if asked.out:
        asked.out.write_text("".join(json.dumps(r) + "\n" for r in results), encoding="utf-8")


if __name__ == "__main__":
    main()
