"""What a kitchen sees of its own: see docs/extending.md."""

import numpy as np

from tamp.extension import View, observes

LOW, RIM = 0.03, 0.05
"""Metres above a surface up to which fingers wipe it; up to the rim, if it has one that is no higher than this."""
CELL = 0.02
"""Metres between the points of a surface that are asked whether a wipe has come near."""


@observes("wiped", unit="1", needs=["region"], keeps=True)
def wiped(view: View, surface: str, tolerance: float = 0.7) -> bool:
    """Closed fingers were close above this share of the middle half of the surface, or of what is in reach."""
    region = view.region(surface)
    half = np.minimum(0.5 * region.half_extent[:2], 0.06)
    trail = [m.T_world_tool[:3, 3] for m in view.trail if m.held is None]
    if not trail:
        return False
    points = (np.array(trail) - region.T_world_region[:3, 3]) @ region.T_world_region[:3, :3]
    rim = min(view.top(view.thing(surface).name) - view.top(surface), RIM)
    low = points[(points[:, 2] > -LOW) & (points[:, 2] < max(LOW, rim))][:, :2]
    grid = [np.array([x, y]) for x in np.arange(-half[0], half[0], CELL) for y in np.arange(-half[1], half[1], CELL)]
    near = [bool(len(low)) and np.linalg.norm(low - g, axis=1).min() < 2 * CELL for g in grid]
    return bool(np.mean(near) >= tolerance)


@observes("stacked")
def stacked(view: View, item: str, under: str, tolerance: float = 0.03) -> bool:
    """It stands on the other, their middles not further apart than that from above, and leans by 15 degrees at most."""
    off = (view.middle(item) - view.middle(under))[:2]
    return view.holds("on", item, under) and np.linalg.norm(off) < tolerance and view.tilt(item) < np.radians(15)


@observes("poured", unit="rad", keeps=True)
def poured(view: View, item: str, into: str, tolerance: float = 0.9) -> bool:
    """While it was held, the fingers have pointed this far from straight down near above the other."""
    p = view.middle(into)
    over = [m for m in view.trail if m.held == item and np.linalg.norm((m.T_world_tool[:3, 3] - p)[:2]) < 0.15]
    return any(np.arccos(np.clip(-m.T_world_tool[2, 2], -1, 1)) > tolerance for m in over)


@observes("pressed", keeps=True)
def pressed(view: View, thing: str, tolerance: float = 0.02) -> bool:
    """The tip of the closed hand was this near to the middle of its top."""
    top = np.append(view.middle(thing)[:2], view.top(thing))
    closed = [m.T_world_tool[:3, 3] for m in view.trail if m.held is None and m.opening < 0.01]
    return any(np.linalg.norm(p - top) < tolerance for p in closed)
