"""What this domain sees of its own: see docs/extending.md."""

import numpy as np

from tamp.extension import View, observes


@observes("my-fact", unit="m", keeps=True)  # keeps: once seen, it holds from then on
def my_fact(view: View, item: str, tolerance: float = 0.1) -> bool:
    """The tool has been further than this from where it began: to be changed to what my-fact is to mean."""
    tools = [m.T_world_tool[:3, 3] for m in view.trail]
    return any(np.linalg.norm(p - tools[0]) > tolerance for p in tools)
