"""`make bench-minds`: people change their minds while the robot works; does it end as they wanted last?

    python tests/bench_minds.py [--part develop|measured] [--every N] [--drawn SEED] [--llm NAME] [--out DIR]

Each line of problems/meaning/minds-*.jsonl is what somebody said first and one to three things said later, at moments
that are drawn: up to `LONGEST` seconds of the simulation after the words before. Written and split like the sets of
`bench_meaning.py`, with a formula for what is wanted in the end, whatever the moments. LIBERO's physics, initial state
0, perception `oracle`, the clock paused, ambiguities taken as with `--assume-first`. Judged by the formula, in what the
oracle sees once nothing is going on any more. Goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from llm.models.language_model import Model
from llm.reader.readers import InTurnReader, SessionWords
from tamp.agent.orders import Say
from tamp.agent.session import Session
from tamp.agent.tabletop_agent import at_table, in_turn
from tamp.api.language import model as load_model
from tamp.backends.libero import rendering
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.tasks import find
from tamp.model.domain import Domain
from tamp.model.events import Event, GoalTaken, OrderTaken, StageChanged
from tamp.model.goal import parse_goal
from tamp.pddl.domain_file import load as load_domain
from tamp.pddl.planner import Engine
from tamp.planning.assistant import JournalBuffer
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs.bench.records import wilson
from tests.bench import keep, read, resumed
from tests.bench_meaning import cases
from tests.live_sessions import Live

LONGEST = 12.0
"""Seconds between two things that are said, at most."""
MOST_SECONDS = 150.0
"""Seconds after the last words in which all has to be done."""
Record = dict[str, Any]


def run(case: Record, model: Model, domain: Domain, seed: int) -> Record:
    """A session, and what became of it."""
    rng, began = np.random.default_rng([seed, case["id"]]), time.perf_counter()
    notes, events = JournalBuffer(), list[Event]()
    with hush_simulator(), contextlib.ExitStack() as opened:
        task = find(case["scene"])
        environment = LiberoEnvironment(task, seed=0, init_state=0)
        opened.callback(environment.close)
        perceiver, robot = OraclePerceiver(environment), environment.robot_model()
        reader = InTurnReader(SessionWords(model.name, str(domain.path), task.names, assume_first=True), notes, model)
        think = in_turn(domain, Engine(), np.random.default_rng(0))
        steps = 1_000_000  # the seconds are bounded
        at = at_table(environment, perceiver, robot, domain, think, events.append, steps, reader)
        live = Live(environment, at, Session(at, events.append), "", events)
        for text in case["said"]:
            live.tell(Say(text))
            live.run(float(rng.uniform(0.2, LONGEST)))
        live.run(MOST_SECONDS, lambda: all(a.over for a in live.session.activities))
        _, state, _ = at.table.look()
    missing = parse_goal(case["formula"], domain, state.symbols).missing(state)
    failed = [e.why for e in events if isinstance(e, StageChanged) and e.stage == "failed"]
    return {
        "id": case["id"],
        "as_wanted": not missing,
        "missing": [str(m) for m in missing],
        "programs": [told["text"] for _, name, told in notes.taken() if name == "program"],
        "goals": [e.goal for e in events if isinstance(e, GoalTaken)],
        "refused": [e.why for e in events if isinstance(e, OrderTaken) and not e.taken],
        "failed": failed,
        "remarks": len(case["said"]) - 1,
        "seconds": round(time.perf_counter() - began, 1),
    }


def table(records: list[Record]) -> Iterator[str]:
    """How many ended as wanted, by the number of remarks, and why the others did not."""
    for n in (*sorted({r["remarks"] for r in records}), None):
        some = [r for r in records if n is None or r["remarks"] == n]
        good = sum(r["as_wanted"] for r in some)
        low, high = wilson(good, len(some))
        what = "all" if n is None else f"{n} remarks"
        yield f"{what:10} {good}/{len(some)} = {100 * good / len(some):.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    others = Counter(
        "refused" if r["refused"] else "failed" if r["failed"] else "done, but not what was wanted"
        for r in records
        if not r["as_wanted"]
    )
    yield "otherwise  " + ", ".join(f"{what} {n}" for what, n in others.most_common())


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", choices=("develop", "measured"), default="measured")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth session")
    parser.add_argument("--drawn", type=int, default=0, metavar="SEED", help="of the moments")
    parser.add_argument("--llm", default="qwen2.5-coder-1.5b")
    parser.add_argument("--out", type=Path, default=Path("results/minds"))
    asked = parser.parse_args()
    hush_warnings()
    rendering.prepare(video=False)
    results = asked.out / f"{asked.part}-{asked.llm}-{asked.drawn}.jsonl"
    model, domain = load_model(asked.llm), load_domain("tabletop")
    had = {r["id"] for r in resumed(results)}
    for case in cases("minds", asked.part)[:: asked.every]:
        if case["id"] not in had:
            record = run(case, model, domain, asked.drawn)
            keep(results, record)
    sys.stdout.writelines(f"{line}\n" for line in table(read(results)))


if __name__ == "__main__":
    main()
