"""Demonstrations: a benchmark's episodes, of which those that succeed are kept as a data set."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tamp.api.bench import Bench, Counted, prepare
from tamp.api.bench_episodes import DemoOptions, form
from tamp.api.configs import BenchConfig
from tamp.api.demo_configs import DemosConfig
from tamp.api.sources import Say
from tamp.files.replacing import replace_file
from tamp.runs.bench.records import EpisodeRecord
from tamp.runs.demonstrations.recorder import INDEX
from tamp.runs.versions import versions

DATASET = "dataset"
"""Folder of the data set in that of the run."""
CARD = """---
license: apache-2.0
task_categories: [robotics]
tags: [LeRobot, libero, task-and-motion-planning]
---

# Demonstrations by tamp

{kept} of {tried} episodes that were tried, the ones that LIBERO's check accepts. Each was planned and carried out by
a task and motion planner from the simulator's state (oracle perception), without a demonstration. Scenes are drawn by
seed; LIBERO's stored initial states, which policies are evaluated on, are not among them.

| suite | kept | tried |
|---|---|---|
{table}

Made with:

```json
{made}
```
"""


@dataclass(frozen=True, eq=False)
class Demos:
    """A recording that is ready to be run: what is there already is not recorded again."""

    bench: Bench

    @property
    def dataset(self) -> Path:
        """Where the data set goes."""
        return self.bench.folder / DATASET

    def run(self, counted: Counted, say: Say) -> bool:
        """Record what is missing, and make the data set; whether it was interrupted."""
        if self.bench.run(counted, say):
            return True
        kept = self.kept()
        partial = self.dataset.with_name(f"{DATASET}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        if kept:
            form(self._recording.format).assemble([self._folder(r) for r in kept], partial)
            replace_file(partial / "README.md", self._card(kept))
            shutil.rmtree(self.dataset, ignore_errors=True)  # only now: what was made before survives a full disk
            partial.rename(self.dataset)
        return False

    def kept(self) -> list[EpisodeRecord]:
        """The episodes that are demonstrations, in the order of the tasks."""
        order = {key: n for n, key in enumerate(self.bench.keys)}
        return sorted((r for r in self.bench.records if r.success and r.key in order), key=lambda r: order[r.key])

    @property
    def _recording(self) -> DemoOptions:
        assert self.bench.setup.recording is not None
        return self.bench.setup.recording

    def _folder(self, record: EpisodeRecord) -> Path:
        return self.bench.folder / "episodes" / record.key.folder

    def _card(self, kept: list[EpisodeRecord]) -> str:
        tried, good = (Counter(r.suite for r in records) for records in (self.bench.records, kept))
        table = "\n".join(f"| {suite} | {good[suite]} | {n} |" for suite, n in tried.items())
        config = self.bench.setup.config
        made = {
            "seeds": [config.seed, config.seed + config.trials - 1],
            "disturb": config.disturb,
            "tree": self.bench.setup.tree,
            "versions": versions(),
        }
        return CARD.format(kept=len(kept), tried=tried.total(), table=table, made=json.dumps(made, indent=2))


def begun(config: DemosConfig) -> Demos:
    """Check all that can be checked before an episode is run. InputError for what is not valid.

    An episode whose demonstration is not there any more, or only in part, counts as not recorded.
    """
    bench = prepare(
        BenchConfig(
            suites=config.suites,
            out=config.out,
            trials=config.n,
            tasks=config.tasks,
            stage="plan",
            disturb=config.disturb,
            workers=config.workers,
            engine=config.engine,
            seed=config.seed,
            planner=config.planner,
            domain=config.domain,
        ),
        DemoOptions(config.format, config.size, config.masks),
    )
    demos = Demos(bench)
    lost = [r for r in bench.records if r.success and not (demos._folder(r) / INDEX).is_file()]
    bench.records[:] = [r for r in bench.records if r not in lost]
    return demos
