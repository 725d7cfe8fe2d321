"""The plot of how the cost grows: median and range over the number of boxes, split into symbols and geometry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.scaling import Row

PUBLISHED = {
    "packed": ((3, 4.6, 4.6), (5, 16.0, 24.0)),
    "blocked": ((1, 1.1, 3.7),),
}
"""PDDLStream (adaptive) on two cores, on scenes of its own with a PR2: number of blocks, least and most seconds."""
COLOURS = {"symbolic": "#4477aa", "geometric": "#ee9944", "published": "#aa3377"}


def draw(table: list[Row], path: Path) -> None:
    """Write the plot as an SVG file, the same bytes for the same rows."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "tamp", "font.size": 9}):
        figure = Figure(figsize=(8.4, 3.6), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.subplots(1, 2, sharey=True)
        for ax, family in zip(axes, PUBLISHED, strict=True):
            _panel(ax, family, [row for row in table if row.family == family])
        axes[0].set_ylabel("seconds")
        axes[1].legend(loc="upper right", fontsize=8)
        figure.savefig(path, format="svg", metadata={"Date": None})


def _panel(ax: Any, family: str, table: list[Row]) -> None:
    n = [row.n for row in table]
    symbolic = [row.symbolic for row in table]
    ax.fill_between(n, 0, symbolic, color=COLOURS["symbolic"], alpha=0.5, lw=0, label="symbolic, median")
    tops = [s + row.geometric for s, row in zip(symbolic, table, strict=True)]
    ax.fill_between(n, symbolic, tops, color=COLOURS["geometric"], alpha=0.5, lw=0, label="geometric, median")
    middle = [row.seconds[0] for row in table]
    away = [[row.seconds[0] - row.seconds[1] for row in table], [row.seconds[2] - row.seconds[0] for row in table]]
    ax.errorbar(n, middle, yerr=away, fmt="o-", ms=3, lw=1, color="black", capsize=2, label="total, median and range")
    for i, (blocks, least, most) in enumerate(PUBLISHED[family]):
        label = "PDDLStream, published, own scenes" if i == 0 else None
        ax.plot([blocks, blocks], [least, most], "D-", color=COLOURS["published"], ms=5, lw=2, label=label)
    for row in table:
        if row.solved < row.scenes:
            ax.annotate(f"{row.solved}/{row.scenes}", (row.n, row.seconds[2]), fontsize=7, ha="center", va="bottom")
    ax.set(title=f"{family}-n", xlabel="n", yscale="symlog", ylim=(0, 100))
    ax.set_yscale("symlog", linthresh=1.0)
    ax.set_yticks([0, 0.5, 1, 2, 5, 10, 20, 60], ["0", "0.5", "1", "2", "5", "10", "20", "60"])
    ax.set_xticks(range(1, max([*n, 5]) + 1))
    ax.grid(axis="y", alpha=0.3)
