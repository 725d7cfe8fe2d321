"""`make bench-meaning`: is what is said what is done? In other people's words, of scenes and of other domains.

    python tests/bench_meaning.py [--part develop|measured|unseen] [--sets …]
                                  [--every N] [--llm NAME] [--out DIR]

The sets in problems/meaning/ were written from a picture and a list of things (`meaning`: not, except, or, all, then,
it; `denial`: that something is not to be, said with none of these words; `words`: other words for a task), from a
domain that is not tabletop (`domain`), or from domains/kitchen (`verbs`: what it has of its own, and what only sounds
so), without sight of the code, and split before anything was built on them; the measured half's sha256 is checked.
Initial state 0, perception `oracle`.
An answer is right when its goals come to the same as the ones that were written, one after the other, and leave alone
what was to be left alone; a refusal when one is due or as good. `contradicts` counts answers with a goal that the
writer named as excluded.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress, product
from pathlib import Path
from typing import Any

from llm.models.language_model import Model
from llm.reader.binding import Goals
from llm.reader.goal_reader import Stage, stage_of, understand
from llm.vocabulary.names import own_words
from llm.vocabulary.phrases import Vocabulary, vocabulary, vocabulary_of
from tamp.api.decoding import Looked, is_the_tasks, look_at
from tamp.api.language import model as load_model
from tamp.backends.libero import rendering
from tamp.errors import Refusal
from tamp.model.domain import Domain
from tamp.model.formula import TRUE, And, Formula, Not, Or, alternatives, conjunction, conjuncts, holds, literals
from tamp.model.goal import parse_goal
from tamp.model.state import WorldState, state_of
from tamp.pddl.domain_file import load as load_domain
from tamp.pddl.planner import Engine
from tamp.pddl.reading import read_problem
from tamp.perception import relative_places
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs.bench.records import wilson
from tests.bench import keep, read, resumed

SETS = Path(__file__).parents[1] / "problems" / "meaning"
MOST_ATOMS = 14
"""Up to so many atoms two goals are compared in all states."""
Record = dict[str, Any]


@dataclass(frozen=True, eq=False)
class World:
    """What instructions are about: a scene of LIBERO with its own task, or a PDDL problem."""

    words: Vocabulary
    state: WorldState
    domain: Domain
    looked: Looked | None = None


def cases(name: str, part: str) -> list[Record]:
    """The instructions of a half of a set, each with what is expected."""
    path = SETS / f"{name}-{part}.jsonl"
    if part != "develop":
        digest = (SETS / f"{name}-{part}.sha256").read_text().split()[0]
        if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            raise SystemExit(f"{path.name} is not the one that was committed")
    return [_in_full(json.loads(line), name) for line in path.read_text().splitlines()]


def _in_full(case: Record, name: str) -> Record:
    """A case of `verbs`, which has no more than the goal that is meant, null for none, in the form of the others."""
    if name != "verbs":
        return case
    goal = case["goal"] or []
    rest = {"goal": [goal] if isinstance(goal, str) else goal, "also": [], "never": [], "untouched": []}
    return case | rest | {"refuse": case["goal"] is None, "kind": name, "domain": "kitchen"}


def world_of(name: str, of: str = "tabletop") -> World:
    """A scene by its name, spoken of in a domain, or a problem by its folder in problems/meaning/."""
    if (SETS / name / "problem.pddl").is_file():
        domain = load_domain(str(SETS / name))
        state = state_of(read_problem(domain.path, SETS / name / "problem.pddl")[2])
        return World(vocabulary_of(state, domain), state, domain)
    with hush_simulator():
        from tamp.backends.libero import tasks

        task = tasks.find(name)
        at = look_at(task, 0, None if task.suite is None else 0, sight=False)
    domain = load_domain(of)
    state = at.view.state.known_to(domain)
    return World(vocabulary(at.view.scene, state, at.task.names, own_words(domain)), state, domain, at)


def judged(case: Record, goals: Goals | None, stage: Stage, at: World) -> tuple[str, bool]:
    """right, refused or wrong; and whether the goals ask for what was excluded."""
    if goals is None:
        return ("right" if case.get("refuse") or case.get("refuse_ok") else "refused"), False
    if "goal" not in case:  # a task in other words
        assert at.looked is not None
        return ("right" if is_the_tasks(goals[-1], at.looked, at.domain) else "wrong"), False
    excluded = bool({str(a) for g in goals for a in g.atoms} & set(case["never"]))
    if case["refuse"]:
        return "wrong", excluded
    wanted = [w for w in (case["goal"], *case["also"]) if _same(goals, w, stage)]
    kept = set(case["untouched"]) <= set(goals[-1].untouched) | (set(case["untouched"]) - set(stage.can.state.symbols))
    return ("right" if wanted and kept else "wrong"), excluded


def _same(goals: Goals, wanted: list[str], stage: Stage) -> bool:
    """Whether goals come to those that are written, each with what of the earlier ones is still to hold."""
    symbols = stage.can.state.symbols | relative_places.symbols(stage.can.words.things)
    due = [parse_goal(text, stage.domain, symbols, ranged=stage.can.state.symbols).formula for text in wanted]
    ours = stage.binder.milestones([g.parts for g in goals])
    theirs = stage.binder.milestones([conjuncts(f) for f in due])
    if len(ours) != len(theirs):
        return False
    moved, due_moved = _without_what_stays(ours, stage.can.state), _without_what_stays(theirs, stage.can.state)
    if all(f == TRUE for f in (*moved, *due_moved)):
        moved, due_moved = ours, theirs
    return all(_alike(a, b) for a, b in zip(moved, due_moved, strict=True))


def _without_what_stays(steps: Sequence[Formula], state: WorldState) -> tuple[Formula, ...]:
    """Goals less what holds from the start and is to hold all along: one that says so asks for no more."""
    each = [{c for c in conjuncts(f) if not isinstance(c, And | Or) and holds(c, state.atoms)} for f in steps]
    stays = set.intersection(*each)
    return tuple(conjunction(c for c in conjuncts(f) if c not in stays) for f in steps)


def _alike(a: Formula, b: Formula) -> bool:
    """Whether two formulas are true in the same states."""
    atoms = sorted({x.atom if isinstance(x, Not) else x for f in (a, b) for x in literals(f)}, key=str)
    if len(atoms) > MOST_ATOMS:
        return {frozenset(some) for some in alternatives(a)} == {frozenset(some) for some in alternatives(b)}
    states = (frozenset(compress(atoms, bits)) for bits in product((0, 1), repeat=len(atoms)))
    return all(holds(a, state) == holds(b, state) for state in states)


def run(asked: argparse.Namespace, results: Path) -> None:
    """Ask what is not in the results yet, world by world."""
    done, model = {(r["scene"], r["text"]) for r in resumed(results)}, load_model(asked.llm)
    some = [(name, c) for name in asked.sets for c in cases(name, asked.part)[:: asked.every]]
    left = [(name, c) for name, c in some if (c["scene"], c["text"]) not in done]
    for scene, of in dict.fromkeys((c["scene"], c.get("domain", "tabletop")) for _, c in left):
        at = world_of(scene, of)
        for name, case in (x for x in left if (x[1]["scene"], x[1].get("domain", "tabletop")) == (scene, of)):
            keep(results, {"set": name} | _ask(case, at, model))


def _ask(case: Record, at: World, model: Model) -> Record:
    begun, goals, why = time.perf_counter(), None, ""
    told: Record = {"confidence": None, "probability": None}
    stage = stage_of(at.domain, at.state, at.words)
    try:
        answer = understand(case["text"], replace(stage, planner=Engine()), model)
        goals, told = answer.goals, {key: answer.as_dict()[key] for key in ("confidence", "probability", "reply")}
        verdict, excluded = judged(case, goals, stage, at)
    except Refusal as e:  # also of a place that has no room
        why, goals = f"{e.kind}: {e}", None
        verdict, excluded = judged(case, None, stage, at)
    told |= {"verdict": verdict, "contradicts": excluded, "goals": [str(g) for g in goals or ()], "why": why}
    told |= {"kind": case.get("kind", "words"), "scene": case["scene"], "text": case["text"]}
    return told | {"seconds": round(time.perf_counter() - begun, 3)}


def table(records: list[Record]) -> Iterator[str]:
    """By set, and by kind."""
    for name in sorted({r["set"] for r in records}):
        some = [r for r in records if r["set"] == name]
        n, right = len(some), sum(r["verdict"] == "right" for r in some)
        low, high = wilson(right, n)
        wrong, against = sum(r["verdict"] == "wrong" for r in some), sum(r["contradicts"] for r in some)
        sure = sum(r["verdict"] == "wrong" and r["confidence"] > 0.8 for r in some)
        yield (
            f"{name:8} right {right}/{n} = {100 * right / n:.1f} % ({100 * low:.1f} to {100 * high:.1f}), "
            f"wrong {wrong}, contradicting {against}, wrong with confidence over 0.8 {sure}, "
            f"median {statistics.median(r['seconds'] for r in some):.2f} s"
        )
        kinds = Counter((r["kind"], r["verdict"]) for r in some)
        for kind in sorted({r["kind"] for r in some}):
            told = ", ".join(f"{verdict} {kinds[kind, verdict]}" for verdict in ("right", "refused", "wrong"))
            yield f"    {kind:10} {told}"


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", choices=("develop", "measured", "unseen"), default="measured")
    parser.add_argument("--sets", nargs="+", default=["meaning", "denial", "words", "domain", "verbs"])
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth instruction of a set")
    parser.add_argument("--llm", default="qwen2.5-coder-1.5b")
    parser.add_argument("--out", type=Path, default=Path("results/meaning"))
    asked = parser.parse_args()
    hush_warnings()
    rendering.prepare(video=False)
    asked.out.mkdir(parents=True, exist_ok=True)
    results = asked.out / f"{asked.part}-{asked.llm}.jsonl"
    run(asked, results)
    sys.stdout.writelines(f"{line}\n" for line in table(read(results)))


if __name__ == "__main__":
    main()
