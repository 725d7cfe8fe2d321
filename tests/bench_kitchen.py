"""`make bench-kitchen`: what domains/kitchen brings of its own, from words to motion on LIBERO's scenes.

The 8 instructions of problems/kitchen.jsonl, written by who wrote the domain, each in scenes drawn by `--seeds` seeds,
from the `words`, or from the `goal` that is meant, which shows planning and motion alone. Perception `oracle`; `ok` is
that the words came to the goal that is meant and the oracle of the formula says that it holds.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tamp.api.language import model as load_model
from tamp.api.sources import from_language, from_pddl
from tamp.backends.libero import rendering
from tamp.backends.libero.tasks import find
from tamp.data import data_dir
from tamp.pddl.domain_file import load as load_domain
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs.episode import Settings
from tests.bench import Kept, Row, read
from tests.places import in_libero


def bench(
    kept: Kept, seeds: int = 10, only: tuple[str, ...] = ("words", "goal"), llm: str = "qwen2.5-coder-1.5b"
) -> Iterator[Row]:
    """A row an episode."""
    hush_warnings()
    rendering.prepare(video=False)
    domain = load_domain("kitchen")
    model = load_model(llm) if "words" in only else None
    for kind, case, seed in itertools.product(only, read(data_dir("problems") / "kitchen.jsonl"), range(seeds)):
        if kept.has(name := f"{kind}: {case['text']}, seed {seed}"):
            continue
        with hush_simulator(), tempfile.TemporaryDirectory() as folder:
            task, given = find(case["scene"]), from_pddl([case["goal"]], [], domain)
            source = from_language(case["text"], model, task, True) if model and kind == "words" else given
            result = in_libero(task, source, Settings(domain, seed=seed), Path(folder), lambda line: None)
        right = result.goal == case["goal"]
        detail = str(result.reason) if right else f"read {result.goal}"
        yield Row(f"from {kind}", right and result.reached, {"steps": result.steps}, detail, name)
