"""`tamp demos`: demonstrations as a data set; an interrupted recording goes on."""

from __future__ import annotations

from cli.output import INTERRUPTED, Output, note, progress
from tamp.api.demo_configs import DemosConfig
from tamp.api.demos import begun


def demos(config: DemosConfig, out: Output) -> int:
    """Record what is missing, and make the data set; 1 when no episode succeeded."""
    made = begun(config)
    note(f"the data set goes to {made.dataset}")
    if made.run(progress, note):
        note("interrupted; the same command goes on")
        return INTERRUPTED
    kept, tried = len(made.kept()), len(made.bench.records)
    answer = {"dataset": str(made.dataset) if kept else None, "kept": kept, "tried": tried}
    out.answer(answer, [f"{made.dataset}: {kept} of {tried} episodes"] if kept else ["none of the episodes succeeded"])
    return 0 if kept else 1
