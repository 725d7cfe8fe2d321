"""`make bench-language`: instructions to goals in LIBERO's scenes, as two models read them.

The sets are LIBERO's 130 official instructions, the parts of problems/paraphrases/ that may be looked at (`develop`,
and the harder `further`) and the measured one, and the 40 instructions that are to be refused; all in initial state 0,
perception `oracle`. `ok`: the goal is logically the task's own, or the instruction is refused where that is due.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from tamp.api.decoding import Looked, decode, look_at
from tamp.api.language import model as load_model
from tamp.backends.libero import rendering, tasks
from tamp.pddl.domain_file import load as load_domain
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs.bench.wordings import Wording, load
from tests.bench import ROOT, Kept, Row, check_committed, grouped

PARAPHRASES = ROOT / "problems" / "paraphrases"
OFFICIAL = {"libero_spatial": 10, "libero_object": 10, "libero_goal": 10, "libero_10": 10, "libero_90": 90}
SETS = ("official", "develop", "further", "measured", "refused")
DUE = {
    "official, 1.5b": 0.97, "official, 0.5b": 0.85, "measured, 1.5b": 0.92, "measured, 0.5b": 0.75,
    "refused, 1.5b": 0.90, "refused, 0.5b": 0.80,
}  # fmt: skip


def wordings(name: str) -> list[Wording]:
    """The instructions of a set."""
    if name == "official":
        return [Wording(suite, i, "") for suite, n in OFFICIAL.items() for i in range(n)]
    check_committed(PARAPHRASES / f"{name}.toml")
    return list(load(PARAPHRASES / f"{name}.toml"))


@lru_cache(maxsize=1)
def look(scene: str) -> Looked:
    """A task's scene in its stored initial state 0."""
    with hush_simulator():
        return look_at(tasks.find(scene), 0, 0, sight=False)


def bench(
    kept: Kept, models: tuple[str, ...] = ("1.5b", "0.5b"), only: tuple[str, ...] = SETS, n: int = 1000
) -> Iterator[Row]:
    """A row an instruction, at most `n` of a set, scene by scene; a line a set and model."""
    hush_warnings()
    rendering.prepare(video=False)
    domain, loaded = load_domain("tabletop"), cache(load_model)
    items = [(name, k, w, m) for m in models for name in only for k, w in enumerate(wordings(name)[:n])]
    for name, number, wording, size in sorted(items, key=lambda item: (item[2].suite, item[2].task_id)):
        case = f"{name}/{number}/{size}"
        if kept.has(case):
            continue
        at, folder = look(f"{wording.suite}/{wording.task_id}"), kept.folder / "episodes" / case.replace("/", "-")
        shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed over it
        text, model = wording.text or at.task.instruction, loaded(f"qwen2.5-coder-{size}")
        found = decode(text, at, model, domain, folder, bool(wording.refuse))
        detail = f"{text}: {found['failure_reason']}"
        data = {"reaches": bool(found.get("reaches"))}
        yield Row(f"{name}, {size}", found["success"], {"s": found["language_seconds"]}, detail, case, data)


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """How many goals lead to the task's own."""
    for line, some in grouped(rows).items():
        yield f"{line}: {sum(row.data['reaches'] for row in some)} of {len(some)} reach the task's goal"
