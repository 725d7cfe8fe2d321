"""`make bench-meaning`: instructions with not, except, or, all, then, if and pronouns, to goals; a table.

    python tests/bench_meaning.py [--part develop|measured] [--llm NAME] [--out DIR]

The instructions are in problems/meaning/, written by people who saw a picture of the scene and a list of its things
and nothing else, and split in two before anything was built; the measured half is run as it was committed, its sha256
is checked. A third of them is to be refused or asked back. Stored initial state 0, perception `oracle`, nothing moves.

Right: the goals that were expected, one after the other, or one of the others that are as right, not counting what
holds from the start where there is one goal only; or a refusal where one is due. A contradiction is a goal that asks
for what the instruction excludes. Goes on where it was interrupted, with the same --out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from cli.decoded import Looked, look_at
from cli.output import hush_simulator, hush_warnings
from cli.solve import load_model
from llm.expansion import milestones
from llm.forms import sayable
from llm.grounding import ground
from llm.phrases import vocabulary
from tamp import beside
from tamp.bench.records import wilson
from tamp.domain import Domain
from tamp.domain import load as load_domain
from tamp.errors import Refusal
from tamp.formula import Formula, alternatives, conjuncts
from tamp.goal import Goal, parse_goal
from tamp.libero import rendering
from tamp.libero.goals import equivalent
from tamp.planning import Engine

SETS = Path(__file__).parents[1] / "problems" / "meaning"
Record = dict[str, Any]


def cases(part: str) -> list[Record]:
    """The instructions of a half, each with what is expected."""
    path = SETS / f"meaning-{part}.jsonl"
    if part == "measured":
        digest = (SETS / "meaning-measured.sha256").read_text().split()[0]
        if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            raise SystemExit(f"{path.name} is not the one that was committed")
    return [json.loads(line) for line in path.read_text().splitlines()]


def judged(case: Record, goals: tuple[Goal, ...] | None, at: Looked, domain: Domain) -> tuple[str, bool]:
    """right, refused or wrong; and whether the goals ask for what was excluded."""
    if goals is None:
        return ("right" if case["refuse"] or case["refuse_ok"] else "refused"), False
    excluded = bool({str(a) for g in goals for a in g.atoms} & set(case["never"]))
    if case["refuse"]:
        return "wrong", excluded
    wanted = [w for w in (case["goal"], *case["also"]) if _same(goals, w, at, domain)]
    kept = set(case["untouched"]) <= set(goals[-1].untouched) | (set(case["untouched"]) - set(at.view.state.symbols))
    return ("right" if wanted and kept else "wrong"), excluded


def _same(goals: tuple[Goal, ...], wanted: list[str], at: Looked, domain: Domain) -> bool:
    """Whether goals are those that are written, each with what of the earlier ones is still to hold."""
    state = at.view.state.known_to(domain)
    can = sayable(domain, state, vocabulary(at.view.scene, state, at.task.names), "")
    symbols = state.symbols | beside.symbols(can.words.things)
    due = [parse_goal(text, domain, symbols, ranged=state.symbols).formula for text in wanted]
    ours, theirs = (milestones([list(conjuncts(f)) for f in some], can) for some in ([g.formula for g in goals], due))
    if len(ours) == len(theirs) == 1:
        return equivalent(Goal(ours[0]), Goal(theirs[0]), state.atoms)
    return [_sets(f) for f in ours] == [_sets(f) for f in theirs]


def _sets(formula: Formula) -> set[frozenset[Any]]:
    return {frozenset(some) for some in alternatives(formula)}


def run(part: str, llm: str, results: Path) -> None:
    """Ask what is not in the results yet, scene by scene."""
    done = {r["text"] for r in read(results)}
    left = [c for c in cases(part) if c["text"] not in done]
    model, domain = load_model(llm), load_domain("tabletop")
    for name in dict.fromkeys(c["scene"] for c in left):
        with hush_simulator():
            from tamp.libero import tasks

            at = look_at(tasks.find(name), 0, 0, sight=False)
        for case in (c for c in left if c["scene"] == name):
            record = _ask(case, at, model, domain)
            with results.open("a") as f:
                f.write(json.dumps(record) + "\n")


def _ask(case: Record, at: Looked, model: Any, domain: Domain) -> Record:
    begun, goals, why, confidence = time.perf_counter(), None, "", None
    try:
        answer = ground(
            case["text"], at.view.scene, at.view.state, domain, model, names=at.task.names, planner=Engine()
        )
        goals, confidence = answer.goals, answer.confidence
    except Refusal as e:
        why = f"{e.kind}: {e}"
    verdict, excluded = judged(case, goals, at, domain)
    told = {"verdict": verdict, "contradicts": excluded, "goals": [str(g) for g in goals or ()], "why": why}
    seconds = round(time.perf_counter() - begun, 3)
    return {k: case[k] for k in ("scene", "text", "kind")} | told | {"confidence": confidence, "seconds": seconds}


def read(results: Path) -> list[Record]:
    """What is in the results so far."""
    return [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []


def table(records: list[Record]) -> None:
    """Print it, by kind and in all."""
    kinds = Counter((r["kind"], r["verdict"]) for r in records)
    for kind in sorted({r["kind"] for r in records}):
        told = ", ".join(f"{verdict} {kinds[kind, verdict]}" for verdict in ("right", "refused", "wrong"))
        sys.stdout.write(f"{kind:10} {told}\n")
    n, right = len(records), sum(r["verdict"] == "right" for r in records)
    low, high = wilson(right, n)
    wrong, against = sum(r["verdict"] == "wrong" for r in records), sum(r["contradicts"] for r in records)
    sure = sum(r["verdict"] == "wrong" and r["confidence"] > 0.8 for r in records)
    sys.stdout.write(f"right {right}/{n} = {100 * right / n:.1f} % ({100 * low:.1f} to {100 * high:.1f})\n")
    sys.stdout.write(f"wrong {wrong}, contradicting what was said {against}, wrong with confidence over 0.8: {sure}\n")
    sys.stdout.write(f"seconds, median: {statistics.median(r['seconds'] for r in records):.2f}\n")


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", choices=("develop", "measured"), default="measured")
    parser.add_argument("--llm", default="qwen2.5-coder-1.5b")
    parser.add_argument("--out", type=Path, default=Path("results/meaning"))
    asked = parser.parse_args()
    hush_warnings()
    rendering.prepare(video=False)
    asked.out.mkdir(parents=True, exist_ok=True)
    results = asked.out / f"{asked.part}-{asked.llm}.jsonl"
    run(asked.part, asked.llm, results)
    table(read(results))


if __name__ == "__main__":
    main()
