"""`make bench-meaning`: does an instruction come to what its writer meant? Of scenes and of other domains.

The sets in problems/meaning/ were written from a picture and a list of things (`meaning`: not, except, or, all, then,
it; `denial`: that something is not to be, without these words; `words`: other words for a task), from a domain that is
not tabletop (`domain`), or from domains/kitchen (`verbs`), without sight of the code; initial state 0, perception
`oracle`. `ok`: the goals come to the same as those that were written, one after the other, and leave alone what was to
be left alone; or a refusal, where one is due or as good. Also counted are goals that the writer excluded.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import compress, product
from typing import Any

from llm.reader.binding import Goals
from llm.reader.goal_reader import Stage, stage_of, understand
from llm.vocabulary.names import own_words
from llm.vocabulary.phrases import SceneVocabulary, vocabulary, vocabulary_of
from tamp.api.decoding import Looked, is_the_tasks, look_at
from tamp.api.language import model as load_model
from tamp.backends.libero import rendering, tasks
from tamp.errors import Refusal
from tamp.model.domain import Domain
from tamp.model.formula import TRUE, And, Formula, Not, Or, alternatives, conjunction, conjuncts, holds, literals
from tamp.model.goal import parse_goal
from tamp.model.state import WorldState, state_of
from tamp.pddl.domain_file import load as load_domain
from tamp.pddl.planner import Engine
from tamp.pddl.reading import read_problem
from tamp.quiet import hush_simulator, hush_warnings
from tests.bench import ROOT, Kept, Row, check_committed, grouped, read

SETS = ROOT / "problems" / "meaning"
MOST_ATOMS = 14
"""Up to so many atoms two goals are compared in all states."""
Case = dict[str, Any]


@dataclass(frozen=True, eq=False)
class World:
    """What instructions are about: a scene of LIBERO with its own task, or a PDDL problem."""

    words: SceneVocabulary
    state: WorldState
    domain: Domain
    looked: Looked | None = None


def cases(name: str, part: str) -> list[Case]:
    """The instructions of a part of a set, each with what is expected."""
    check_committed(SETS / f"{name}-{part}.jsonl")
    found = read(SETS / f"{name}-{part}.jsonl")
    if name != "verbs":
        return found
    goals = [[c["goal"]] if isinstance(c["goal"], str) else c["goal"] for c in found]  # None: a refusal is due
    rest = {"also": [], "never": [], "untouched": [], "kind": name, "domain": "kitchen"}
    return [c | rest | {"goal": g or [], "refuse": g is None} for c, g in zip(found, goals, strict=True)]


@lru_cache(maxsize=1)
def world_of(name: str, of: str = "tabletop") -> World:
    """A scene by its name, spoken of in a domain, or a problem by its folder in problems/meaning/."""
    if (SETS / name / "problem.pddl").is_file():
        domain = load_domain(str(SETS / name))
        state = state_of(read_problem(domain.path, SETS / name / "problem.pddl")[2])
        return World(vocabulary_of(state, domain), state, domain)
    with hush_simulator():
        task = tasks.find(name)
        at = look_at(task, 0, None if task.suite is None else 0, sight=False)
    domain = load_domain(of)
    state = at.view.state.known_to(domain)
    return World(vocabulary(at.view.scene, state, at.task.names, own_words(domain)), state, domain, at)


def judged(case: Case, goals: Goals | None, stage: Stage, at: World) -> tuple[str, bool]:
    """right, refused or wrong; and whether the goals ask for what was excluded."""
    if goals is None:
        return ("right" if case.get("refuse") or case.get("refuse_ok") else "refused"), False
    if "goal" not in case:  # a task in other words
        assert at.looked is not None
        return ("right" if is_the_tasks(goals[-1], at.looked, at.domain) else "wrong"), False
    excluded = bool({str(a) for g in goals for a in g.atoms} & set(case["never"]))
    if case["refuse"]:
        return "wrong", excluded
    wanted = any(_same(goals, way, stage) for way in (case["goal"], *case["also"]))
    kept = set(case["untouched"]) & set(stage.can.state.symbols) <= set(goals[-1].untouched)
    return ("right" if wanted and kept else "wrong"), excluded


def _same(goals: Goals, wanted: list[str], stage: Stage) -> bool:
    """Whether goals come to those that are written, each with what of the earlier ones is still to hold."""
    due = [parse_goal(text, stage.domain, stage.can.state.symbols).formula for text in wanted]
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


def bench(
    kept: Kept,
    sets: tuple[str, ...] = ("meaning", "denial", "words", "domain", "verbs"),
    part: str = "measured",
    n: int = 1000,
    llm: str = "qwen2.5-coder-1.5b",
) -> Iterator[Row]:
    """A row an instruction, a line a set; the part is `develop`, `measured` or `unseen`, at most `n` of each set."""
    hush_warnings()
    rendering.prepare(video=False)
    model, found = load_model(llm), [(name, c) for name in sets for c in cases(name, part)[:n]]
    for name, case in sorted(found, key=lambda x: (x[1]["scene"], x[1].get("domain", "tabletop"))):
        if kept.has(key := f"{part}, {llm}: {case['scene']}: {case['text']}"):
            continue
        at = world_of(case["scene"], case.get("domain", "tabletop"))
        stage, goals, why, sure, begun = stage_of(at.domain, at.state, at.words), None, "", 0.0, time.perf_counter()
        try:
            answer = understand(case["text"], replace(stage, planner=Engine()), model)
            verdict, excluded = judged(case, answer.goals, stage, at)
            goals, sure = answer.goals, answer.confidence
        except Refusal as e:  # also of a place that has no room
            verdict, excluded = judged(case, None, stage, at)
            why = f"{e.kind}: {e}"
        data = {"kind": case.get("kind", "words"), "verdict": verdict, "excluded": excluded, "confidence": sure}
        detail = f"{verdict}: {why or [str(g) for g in goals or ()]}"
        yield Row(name, verdict == "right", {"s": time.perf_counter() - begun}, detail, key, data)


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """What each set's answers are, and by kind."""
    for line, some in grouped(rows).items():
        wrong, excluded = [r for r in some if r.data["verdict"] == "wrong"], sum(r.data["excluded"] for r in some)
        sure = sum(r.data["confidence"] > 0.8 for r in wrong)
        yield f"{line}: wrong {len(wrong)}, of these {sure} with confidence over 0.8; with an excluded goal {excluded}"
        kinds = Counter((r.data["kind"], r.data["verdict"]) for r in some)
        yield from (f"    {kind:10} {verdict} {n}" for (kind, verdict), n in sorted(kinds.items()))
