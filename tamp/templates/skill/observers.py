"""What this domain sees of its own: see docs/extending.md."""

import numpy as np

from tamp.extension import View, observes


@observes("my-fact", unit="m", needs=["object"], keeps=True)  # keeps: once seen, it holds from then on
def my_fact(view: View, item: str, tolerance: float = 0.02) -> bool:
    """The tip of the closed hand was this near to the middle of the item's top."""
    top = np.append(view.middle(item)[:2], view.top(item))
    closed = [m.T_world_tool[:3, 3] for m in view.trail if m.held is None and m.opening < 0.01]
    return any(np.linalg.norm(p - top) < tolerance for p in closed)
