"""`make bench-mends`: how often `tamp validate` mends a plan with several mistakes, and how long it takes.

Plans come from walks by chance through the problems of this repository, each with two mistakes by chance; seed 0.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

from tamp.api.judging import Mending, judged
from tamp.files.source import Source
from tamp.pddl.edits import Mend
from tamp.pddl.judges import PlanJudge, judge_of
from tamp.pddl.plan_file import BadPlan
from tests.mutations import Plan
from tests.walked_plans import ROOT, problems, spoilt, walked


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--plans", type=int, default=10, help="of each problem and length")
    options.add_argument("--mistakes", type=int, default=2)
    options.add_argument("--lengths", type=int, nargs="*", default=[8, 20])
    options.add_argument("--seconds", type=float, default=2.0)
    options.add_argument("--only", default="", help="problems with this in their path")
    asked = options.parse_args()
    sys.stdout.write(
        "| problem | steps | plans | valid all the same | mended | seconds, median | most "
        "| of a processor, median | most | none because |\n"
    )
    sys.stdout.write("|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n")
    total = Counter[str]()
    for (domain, file), length in ((one, n) for one in problems() for n in asked.lengths):
        if asked.only in str(file):
            total += _row(domain, file, length, asked)
    spoiled = total["plans"] - total["valid"]
    sys.stdout.write(f"{total['mended']} of {spoiled} mended, by {dict(total)}\n")
    return 0


def _work() -> float:
    """Seconds of a processor, of this process and of those that it has started."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def _judged(plan: Plan, judge: PlanJudge, seconds: float) -> tuple[bool, Mend, float]:
    """Whether a plan is valid, what mends it otherwise, and how long it took to find out."""
    begun, source = time.perf_counter(), Source("plan", "".join(f"{act}\n" for act in plan) or "; none\n")
    try:
        verdict = judged(source, judge, mending=Mending(seconds)).verdict
        return verdict.valid, verdict.mended, time.perf_counter() - begun
    except BadPlan as e:
        return False, e.mend, time.perf_counter() - begun


def _row(domain: str, file: Path, length: int, asked: argparse.Namespace) -> Counter[str]:
    told, seconds, none = Counter[str](), list[float](), Counter[str]()
    lengths, works = list[int](), list[float]()
    for n in range(asked.plans):
        rng = random.Random(f"{file.parent.name} {file.name} {length} {n}")
        problem, good = walked(domain, file, length, rng)
        if len(good) < 2 or not problem.goals:
            continue
        plan, made = spoilt(good, problem, asked.mistakes, rng)
        judge = judge_of(problem)
        lengths.append(len(plan))
        told["plans"] += 1
        before = _work()
        valid, mend, took = _judged(plan, judge, asked.seconds)
        if valid:
            told["valid"] += 1
            continue
        seconds.append(took)
        works.append(_work() - before)
        told["slow"] += took > 2
        told["much work"] += works[-1] > 2
        told["mended"] += bool(mend.words)
        if not mend.words:
            none[mend.why_none] += 1
            sys.stderr.write(f"{file} {n} {made}: {mend.why_none}\n")
        elif not judged(Source("mend", "".join(f"{s}\n" for s in mend.steps) or "; none\n"), judge):
            raise SystemExit(f"{file} {n}: {mend} is not valid")
        told.update({f"of {len(mend.edits)}": bool(mend.words)})
    if lengths:
        name = file.relative_to(ROOT).parent / ("" if file.name == "problem.pddl" else file.stem)
        why = "; ".join(f"{n} {w}" for w, n in none.items())
        sys.stdout.write(
            f"| {name} | {statistics.mean(lengths):.0f} | {told['plans']} | {told['valid']} | {told['mended']} "
            f"| {statistics.median(seconds or [0]):.2f} | {max(seconds or [0]):.2f} "
            f"| {statistics.median(works or [0]):.2f} | {max(works or [0]):.2f} | {why} |\n"
        )
        sys.stdout.flush()
    return told


if __name__ == "__main__":
    raise SystemExit(main())
