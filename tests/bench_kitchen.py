"""`make bench-kitchen`: what domains/kitchen brings of its own, from words to motion on LIBERO's scenes.

    python tests/bench_kitchen.py [--n SEEDS] [--from words goal] [--llm NAME] [--out DIR]

The 8 instructions of problems/kitchen.jsonl, written by who wrote the domain, each in scenes drawn by `SEEDS` seeds,
from the `words`, or from the `goal` that is meant, which shows planning and motion alone. Perception `oracle`. An
episode counts when the words came to the goal that is meant and the oracle of the formula says that it holds. Goes on
where it was interrupted.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from llm.models.model import Model
from tamp.api.language import model as load_model
from tamp.api.sources import from_language, from_pddl
from tamp.backends.libero import rendering
from tamp.backends.libero.tasks import find
from tamp.data import data_dir
from tamp.model.domain import Domain
from tamp.pddl.domain_file import load as load_domain
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs.bench.records import wilson
from tamp.runs.episode import Settings
from tests.bench import keep, read, resumed
from tests.places import in_libero as run

Record = dict[str, Any]


def episode(case: Record, kind: str, seed: int, model: Model | None, domain: Domain) -> Record:
    """One instruction in one drawn scene."""
    begun = time.perf_counter()
    with hush_simulator(), tempfile.TemporaryDirectory() as folder:
        task = find(case["scene"])
        words = model is not None and kind == "words"
        source = from_language(case["text"], model, task, True) if words else from_pddl([case["goal"]], [], domain)
        result = run(task, source, Settings(domain, seed=seed), Path(folder), lambda line: None)
    right = result.goal == case["goal"]
    verdict = "reached" if right and result.reached else f"failed: {result.reason}" if right else f"read {result.goal}"
    told = {"from": kind, "text": case["text"], "seed": seed, "verdict": verdict, "steps": result.steps}
    return told | {"seconds": round(time.perf_counter() - begun, 1)}


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, default=10, metavar="SEEDS")
    parser.add_argument("--from", dest="kinds", nargs="+", choices=("words", "goal"), default=["words"])
    parser.add_argument("--llm", default="qwen2.5-coder-1.5b")
    parser.add_argument("--out", type=Path, default=Path("results/kitchen"))
    asked = parser.parse_args()
    hush_warnings()
    rendering.prepare(video=False)
    asked.out.mkdir(parents=True, exist_ok=True)
    results, domain = asked.out / f"{asked.llm}.jsonl", load_domain("kitchen")
    model = load_model(asked.llm) if "words" in asked.kinds else None
    had = {(r["from"], r["text"], r["seed"]) for r in resumed(results)}
    for kind in asked.kinds:
        for case in read(data_dir("problems") / "kitchen.jsonl"):
            for seed in range(asked.n):
                if (kind, case["text"], seed) not in had:
                    keep(results, episode(case, kind, seed, model, domain))
    for kind in asked.kinds:
        some = [r for r in read(results) if r["from"] == kind]
        done, n = sum(r["verdict"] == "reached" for r in some), len(some)
        low, high = wilson(done, n)
        share = f"{100 * done / n:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
        sys.stdout.write(f"from {kind}: reached {done}/{n} = {share}\n")
        for text in dict.fromkeys(r["text"] for r in some):
            told = Counter(r["verdict"] for r in some if r["text"] == text)
            sys.stdout.write(f"    {text}: " + ", ".join(f"{verdict} {n}" for verdict, n in told.most_common()) + "\n")


if __name__ == "__main__":
    main()
