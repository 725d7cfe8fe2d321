"""What this domain sees of its own: see docs/extending.md."""

from tamp.extension import View, observes


@observes("my-fact", unit="m", needs=["object"])
def my_fact(view: View, item: str, tolerance: float = 0.02) -> bool:
    """It is in the hand, and further than this from where it was at the start."""
    return view.held == item and view.moved(item) > tolerance
