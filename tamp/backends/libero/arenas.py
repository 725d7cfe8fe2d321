"""The tables, and the floor, that LIBERO has rooms for."""

from __future__ import annotations

from dataclasses import dataclass

from tamp.model.goal_syntax import valid


@dataclass(frozen=True)
class Arena:
    """A room with an arm in it. `symbol` is what goals call that on which things stand, `category` what LIBERO calls
    that; `room` what its class of tasks does. `low` and `high` are corners (x, y) of the table in
    the world, `height` that of its top, all in metres."""

    name: str
    symbol: str
    category: str
    room: str
    low: tuple[float, float]
    high: tuple[float, float]
    height: float

    @property
    def problem(self) -> str:
        """LIBERO's class of tasks."""
        return f"LIBERO_{self.room}_Manipulation"


ARENAS = (
    Arena("tabletop", "main_table", "table", "Tabletop", (-0.5, -0.6), (0.5, 0.6), 0.9),
    Arena("kitchen", "kitchen_table", "kitchen_table", "Kitchen_Tabletop", (-0.5, -0.6), (0.5, 0.6), 0.9),
    Arena(
        "living_room",
        "living_room_table",
        "living_room_table",
        "Living_Room_Tabletop",
        (-0.824, -0.821),
        (0.339, 0.901),
        0.437,
    ),
    Arena("study", "study_table", "study_table", "Study_Tabletop", (-0.689, -1.393), (0.689, 1.393), 0.885),
    Arena("coffee_table", "coffee_table", "coffee_table", "Coffee_Table", (-0.35, -0.74), (0.35, 0.86), 0.424),
    Arena("floor", "floor", "floor", "Floor", (-3.0, -3.0), (3.0, 3.0), 0.0),
)
USUAL = ARENAS[0]
"""The arena of a scene that names none."""


def arena(name: str) -> Arena | str:
    """The arena that a name, or the symbol of its table, means; else what would be valid."""
    wanted = name.strip().lower().replace(" ", "_").replace("-", "_")
    found = next((a for a in ARENAS if wanted in (a.name, a.symbol)), None)
    return found or valid(wanted, [a.name for a in ARENAS])
