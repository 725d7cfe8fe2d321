"""`make bench-judging`: how long `tamp validate` takes, as a table, each with what is due.

A plan of 10 steps by the whole process, one of 10,000 steps for 200 objects with its memory, and 1,000 plans of one
problem in one call against as many calls. The domain is ours; plans come from chance with the seed 0.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DOMAIN = """(define (domain depots)
  (:requirements :strips :typing :action-costs)
  (:types place vehicle parcel)
  (:predicates (at ?v - vehicle ?p - place) (lies ?b - parcel ?p - place) (in ?b - parcel ?v - vehicle)
               (road ?from ?to - place))
  (:functions (total-cost) - number)
  (:action drive :parameters (?v - vehicle ?from ?to - place)
    :precondition (and (at ?v ?from) (road ?from ?to))
    :effect (and (not (at ?v ?from)) (at ?v ?to) (increase (total-cost) 3)))
  (:action load :parameters (?b - parcel ?v - vehicle ?p - place)
    :precondition (and (at ?v ?p) (lies ?b ?p))
    :effect (and (not (lies ?b ?p)) (in ?b ?v) (increase (total-cost) 1)))
  (:action unload :parameters (?b - parcel ?v - vehicle ?p - place)
    :precondition (and (at ?v ?p) (in ?b ?v))
    :effect (and (lies ?b ?p) (not (in ?b ?v)) (increase (total-cost) 1))))
"""


def world(places: int, vehicles: int, parcels: int, steps: int, seed: int) -> tuple[str, str]:
    """A problem on a ring of roads, and a plan of so many steps that is carried out by chance and reaches its goal."""
    rng = random.Random(seed)
    at = {f"v{i}": rng.randrange(places) for i in range(vehicles)}
    lies: dict[str, int | str] = {f"b{i}": rng.randrange(places) for i in range(parcels)}
    objects = [f"p{i} - place" for i in range(places)]
    objects += [f"{v} - vehicle" for v in at] + [f"{b} - parcel" for b in lies]
    roads = [f"(road p{i} p{j})" for i in range(places) for j in ((i + 1) % places, (i - 1) % places)]
    init = [*roads, *(f"(at {v} p{p})" for v, p in at.items()), *(f"(lies {b} p{p})" for b, p in lies.items())]
    plan = []
    for _ in range(steps):
        vehicle = rng.choice(list(at))
        here = at[vehicle]
        there = [b for b, p in lies.items() if p == here]
        aboard = [b for b, p in lies.items() if p == vehicle]
        if there and rng.random() < 0.4:
            lies[chosen := rng.choice(there)] = vehicle
            plan.append(f"(load {chosen} {vehicle} p{here})")
        elif aboard and rng.random() < 0.4:
            lies[chosen := rng.choice(aboard)] = here
            plan.append(f"(unload {chosen} {vehicle} p{here})")
        else:
            at[vehicle] = (here + rng.choice((1, -1))) % places
            plan.append(f"(drive {vehicle} p{here} p{at[vehicle]})")
    goal = " ".join(f"(at {v} p{p})" for v, p in at.items())
    problem = f"(define (problem ring) (:domain depots) (:objects {' '.join(objects)}) (:init {' '.join(init)} "
    problem += f"(= (total-cost) 0)) (:goal (and {goal})) (:metric minimize (total-cost)))\n"
    return problem, "\n".join(plan) + "\n"


def validate(folder: Path, plans: list[str], exit_code: int = 0) -> tuple[float, float, float]:
    """Seconds, seconds of a processor, and megabytes of one call of `tamp validate` in a process of its own."""
    command = [sys.executable, "-c", "from cli.main import main; main()", "validate", "domain.pddl", "problem.pddl"]
    root = str(Path(__file__).parents[1])
    begun = time.perf_counter()
    process = subprocess.Popen(
        [*command, *plans], cwd=folder, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": root}
    )
    _, status, used = os.wait4(process.pid, 0)
    took = time.perf_counter() - begun
    if os.waitstatus_to_exitcode(status) != exit_code:
        raise SystemExit(f"tamp validate ended with {os.waitstatus_to_exitcode(status)}")
    return took, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def row(what: str, measured: str, due: str, kept: bool) -> bool:
    sys.stdout.write(f"| {what} | {measured} | {due} | {'yes' if kept else 'NO'} |\n")
    sys.stdout.flush()
    return kept


def main() -> int:
    sys.stdout.write("| what | measured | due | kept |\n|---|---|---|---|\n")
    kept = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "domain.pddl").write_text(DOMAIN)
        problem, plan = world(5, 2, 5, 10, 0)
        (folder / "problem.pddl").write_text(problem)
        (folder / "plan.txt").write_text(plan)
        walls, works, _ = zip(*(validate(folder, ["plan.txt"]) for _ in range(20)), strict=True)
        one, work = statistics.median(walls), statistics.median(works)
        told = f"{one:.2f} s (from {min(walls):.2f} to {max(walls):.2f}), {work:.2f} s of a processor"
        kept.append(row("a plan of 10 steps, 20 calls", told, "2.0 s", one < 2))
        for number in range(1000):
            (folder / f"{number}.txt").write_text(plan)
        together, all_work, _ = validate(folder, [f"{n}.txt" for n in range(1000)])
        ratio = 1000 * work / all_work  # of the processor's time: the clock depends on what else is running
        told = f"{together:.1f} s, {all_work:.1f} s of a processor; a call each {1000 * work:.0f} s: {ratio:.0f} times"
        kept.append(row("1,000 plans of 10 steps in one call", told, "20 times faster", ratio >= 20))
        problem, plan = world(60, 40, 100, 10_000, 0)
        (folder / "problem.pddl").write_text(problem)
        (folder / "plan.txt").write_text(plan)
        took, work, used = validate(folder, ["plan.txt"])
        told = f"{took:.1f} s, {work:.1f} s of a processor, {used:.0f} MB"
        kept.append(row("10,000 steps, 200 objects", told, "10 s, 1,000 MB", took < 10 and used < 1000))
    return int(not all(kept))


if __name__ == "__main__":
    raise SystemExit(main())
