"""`make bench-executed`: not, or, all, then, said and carried out to the end on LIBERO's scenes.

    python tests/bench_executed.py [--part develop|measured] [--from words goal] [--every N] [--llm NAME] [--out DIR]

Each instruction of problems/meaning/executed-*.jsonl is run as `tamp solve` runs it, from the `words`, or from the
`goal` that the writer gave for them, which shows planning and motion alone; what tamp would ask about first, it takes,
as with `--assume-first`. Initial state 0, seed 0, perception `oracle`. An oracle of the formula
judges what came of it, not the robot: the writer's goals have to be seen one after
the other in the states of the episode's log, the last of them at its end, where nothing that the writer excluded may
hold; and what is to be left alone has to be where it was, to 2 cm. Goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import math
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from llm.models.language_model import Model
from tamp.api.language import model as load_model
from tamp.api.sources import from_language
from tamp.backends.libero import rendering
from tamp.backends.libero.scene_description import Task
from tamp.backends.libero.tasks import find
from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.formula import Formula, holds
from tamp.model.goal import Goal, parse_goal
from tamp.model.scene import Scene
from tamp.model.state import WorldState
from tamp.pddl.domain_file import load as load_domain
from tamp.perception import relative_places
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs import episode_log
from tamp.runs.bench.records import wilson
from tamp.runs.episode import GoalSource, Result, Settings
from tamp.runs.episode_log import EpisodeLog
from tests.bench import keep, read, resumed
from tests.bench_meaning import cases
from tests.places import in_libero as run

MOVED = 0.02
"""Metres within which what is to be left alone counts as where it was."""
Record = dict[str, Any]


def source_of(case: Record, kind: str, model: Model | None, task: Task) -> GoalSource:
    """Where the goals of an episode come from."""
    if model is not None and kind == "words":
        return from_language(case["text"], model, task, assume_first=True)

    def written(scene: Scene, state: WorldState, domain: Domain, _: EpisodeLog, __: bytes | None) -> tuple[Goal, ...]:
        return tuple(_parsed(case["goal"], domain, state.symbols, relative_places.things(scene), case["untouched"]))

    return written


def _parsed(
    texts: list[str], domain: Domain, known: dict[str, str], things: Iterable[str], untouched: tuple[str, ...] = ()
) -> Iterator[Goal]:
    symbols = known | relative_places.symbols(things)
    return (parse_goal(t, domain, symbols, ranged=known, untouched=untouched) for t in texts)


def judged(case: Record, events: list[Record], domain: Domain) -> str:
    """What an episode's log came to: done, or what the oracle misses."""
    scene = next(e for e in events if e["event"] == "scene")
    final = next((e for e in events if e["event"] == "final"), None)
    if final is None:
        return "refused"
    known = scene["symbols"]
    seen = [_atoms(e["atoms"]) for e in events if e["event"] in ("state", "final")]
    ways = [[g.formula for g in _parsed(way, domain, known, known)] for way in (case["goal"], *case["also"])]
    if not any(_come_about(goals, seen) for goals in ways):
        return "not reached"
    if any(_atoms([a]) <= seen[-1] for a in case["never"]):
        return "excluded, and done"
    moved = [s for s in case["untouched"] if math.dist(*(e["poses"][s][:3] for e in (scene, final))) > MOVED]
    return f"moved {moved[0]}" if moved else "done"


def _atoms(texts: list[str]) -> frozenset[Atom]:
    return frozenset(Atom(name, tuple(args)) for name, *args in (t.strip("()").split() for t in texts))


def _come_about(goals: list[Formula], seen: list[frozenset[Atom]]) -> bool:
    """Whether goals hold one after the other, and the last at the end."""
    left = list(goals)
    for state in seen:
        while left and holds(left[0], state):
            left.pop(0)
    return not left and holds(goals[-1], seen[-1])


def _run(case: Record, kind: str, model: Model | None, domain: Domain, folder: Path) -> Record:
    begun = time.perf_counter()
    shutil.rmtree(folder, ignore_errors=True)
    with hush_simulator():
        task = find(case["scene"])
        result: Result = run(task, source_of(case, kind, model, task), Settings(domain, init_state=0), folder, print)
    verdict = judged(case, episode_log.read(folder / "episode.jsonl"), domain)
    told = {"from": kind, "kind": case["kind"], "scene": case["scene"], "text": case["text"], "verdict": verdict}
    told |= {"goal": result.goal, "stage": result.stage, "reason": result.reason, "touched": result.touched}
    return told | {"seconds": round(time.perf_counter() - begun, 1)}


def table(records: list[Record]) -> Iterator[str]:
    """From words and from goals, by kind, and how the others ended."""
    for kind in dict.fromkeys(r["from"] for r in records):
        some = [r for r in records if r["from"] == kind]
        done, n = sum(r["verdict"] == "done" for r in some), len(some)
        low, high = wilson(done, n)
        yield f"from {kind}: done {done}/{n} = {100 * done / n:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
        for ends in dict.fromkeys(r["kind"] for r in some):
            told = Counter(r["verdict"] for r in some if r["kind"] == ends)
            yield f"    {ends:6} " + ", ".join(f"{verdict} {n}" for verdict, n in told.most_common())


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", choices=("develop", "measured"), default="measured")
    parser.add_argument("--from", dest="kinds", nargs="+", choices=("words", "goal"), default=["words", "goal"])
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth instruction")
    parser.add_argument("--llm", default="qwen2.5-coder-1.5b")
    parser.add_argument("--out", type=Path, default=Path("results/executed"))
    asked = parser.parse_args()
    hush_warnings()
    rendering.prepare(video=False)
    results = asked.out / f"{asked.part}-{asked.llm}.jsonl"
    model = load_model(asked.llm) if "words" in asked.kinds else None
    domain, had = load_domain("tabletop"), {(r["from"], r["scene"], r["text"]) for r in resumed(results)}
    due = [(kind, c) for kind in asked.kinds for c in cases("executed", asked.part)[:: asked.every]]
    for number, (kind, case) in enumerate(due):
        if (kind, case["scene"], case["text"]) not in had:
            record = _run(case, kind, model, domain, asked.out / f"{asked.part}-{kind}-{number}")
            keep(results, record)
    sys.stdout.writelines(f"{line}\n" for line in table(read(results)))


if __name__ == "__main__":
    main()
