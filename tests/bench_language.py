"""`make bench-language`: instructions to goals, what the models make of them, as a table against what is due.

    python tests/bench_language.py [--models 1.5b 0.5b] [--sets official …] [--out DIR]

The sets are LIBERO's 130 official instructions, the parts of problems/paraphrases/ that may be looked at (develop,
and the harder further) and the measured one, and the 40 instructions that are to be refused; all in the stored
initial state 0, perception `oracle`. The measured part is run as it is committed: its sha256 is checked. Goes on where
it was interrupted, with the same --out.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from llm.models.language_model import Model
from tamp.api.decoding import Looked, decode, look_at
from tamp.api.language import model as load_model
from tamp.backends.libero import rendering
from tamp.errors import TampError
from tamp.model.goal import parse_goal
from tamp.pddl.domain_file import load as load_domain
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs.bench.records import wilson
from tamp.runs.bench.wordings import Wording, load
from tamp.runs.versions import versions
from tests.bench import keep, read, resumed

PARAPHRASES = Path(__file__).parents[1] / "problems" / "paraphrases"
OFFICIAL = {"libero_spatial": 10, "libero_object": 10, "libero_goal": 10, "libero_10": 10, "libero_90": 90}
SETS = ("official", "develop", "further", "measured", "refused")
MODELS = {"1.5b": "qwen2.5-coder-1.5b", "0.5b": "qwen2.5-coder-0.5b"}
DUE = {
    ("official", "1.5b"): 0.97,
    ("official", "0.5b"): 0.85,
    ("measured", "1.5b"): 0.92,
    ("measured", "0.5b"): 0.75,
    ("refused", "1.5b"): 0.90,
    ("refused", "0.5b"): 0.80,
}

Record = dict[str, Any]


@dataclass(frozen=True)
class Item:
    """One question: which set it is of, and its number there."""

    set: str
    number: int
    wording: Wording

    def key(self, model: str) -> str:
        return f"{self.set}/{self.number}/{model}"


def items(sets: list[str]) -> Iterator[Item]:
    for name in sets:
        if name == "official":
            official = [Wording(suite, i, "") for suite, n in OFFICIAL.items() for i in range(n)]
            yield from (Item(name, n, w) for n, w in enumerate(official))
        else:
            yield from (Item(name, n, w) for n, w in enumerate(load(PARAPHRASES / f"{name}.toml")))


def check_measured() -> None:
    """The measured part is the one whose digest was committed before any prompt was written for it."""
    digest, name = (PARAPHRASES / "measured.sha256").read_text().split()
    if hashlib.sha256((PARAPHRASES / name).read_bytes()).hexdigest() != digest:
        raise SystemExit(f"{name} is not the one that was committed: its sha256 is not that of measured.sha256")


def run(due: dict[str, list[Item]], results: Path) -> None:
    """Ask what is not in the results yet, scene by scene, so that each is built once."""
    done = {r["key"] for r in resumed(results)}
    left = [(i, m) for m, some in due.items() for i in some if i.key(m) not in done]
    scenes = dict.fromkeys((i.wording.suite, i.wording.task_id) for i, _ in left)
    models = {m: load_model(MODELS[m]) for m in dict.fromkeys(m for _, m in left)}
    domain = load_domain("tabletop")
    for n, (suite, task_id) in enumerate(scenes, 1):
        at = look(suite, task_id)
        for item, short in left:
            if (item.wording.suite, item.wording.task_id) == (suite, task_id):
                keep(results, _ask(item, at, short, models[short], domain, results.parent))
        sys.stderr.write(f"{n}/{len(scenes)} {suite}/{task_id}\n")


def look(suite: str, task_id: int) -> Looked:
    """A task's scene in its stored initial state 0."""
    with hush_simulator():
        from tamp.backends.libero import tasks

        return look_at(tasks.find(f"{suite}/{task_id}"), 0, 0, sight=False)


def _ask(item: Item, at: Looked, short: str, model: Model, domain: Any, out: Path) -> Record:
    text, key = item.wording.text or at.task.instruction, item.key(short)
    folder = out / "episodes" / key.replace("/", "-")
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed over it
    told = decode(text, at, model, domain, folder, bool(item.wording.refuse))
    where = {"key": key, "set": item.set, "model": short, "scene": at.task.name, "text": text}
    return where | {"reaches": None, "goal": None, "wrong_type": _ill_typed(told.get("goal"), at, domain)} | told


def _ill_typed(goal: str | None, at: Looked, domain: Any) -> bool:
    from tamp.perception import relative_places

    if goal is None:
        return False
    try:
        parse_goal(goal, domain, at.view.state.symbols | relative_places.symbols(relative_places.things(at.view.scene)))
    except TampError:
        return True
    return False


def seconds_of(some: list[Record]) -> float:
    """The median of the seconds an instruction."""
    return statistics.median(r["language_seconds"] for r in some)


def table(records: list[Record]) -> bool:
    """Print what it comes to; whether all that is due is there."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for r in records:
        groups.setdefault((r["set"], r["model"]), []).append(r)
    good = True
    for (name, model), some in sorted(groups.items()):
        n, right = len(some), sum(r["success"] for r in some)
        low, high = wilson(right, n)
        due = DUE.get((name, model))
        kept = due is None or right / n >= due
        reaching = sum(bool(r["reaches"]) for r in some)
        told = f"{right}/{n} = {100 * right / n:.1f} % ({100 * low:.1f} to {100 * high:.1f}), reaching {reaching}"
        wrong = sum(r["wrong_type"] for r in some)
        mark = "    " if due is None else "ok  " if kept else "FAIL"
        due_said = "" if due is None else f", due {100 * due:.0f} %"
        print_line(f"{mark} {name:9} {model}: {told}{due_said}; {seconds_of(some):.2f} s; ill-typed {wrong}")
        good &= kept and wrong == 0
    return good


def print_line(line: str) -> None:
    sys.stdout.write(line + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--out", type=Path, default=Path("results/language"))
    asked = parser.parse_args()
    check_measured()
    hush_warnings()
    rendering.prepare(video=False)
    asked.out.mkdir(parents=True, exist_ok=True)
    results = asked.out / "results.jsonl"
    due = {model: list(items(asked.sets)) for model in asked.models}
    run(due, results)
    told = ", ".join(f"{name} {version}" for name, version in versions().items())
    print_line(f"{os.cpu_count()} cores, load {os.getloadavg()[1]:.1f}; {told}")
    sys.exit(0 if table(read(results)) else 1)


if __name__ == "__main__":
    main()
