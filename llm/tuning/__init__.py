"""Teaching a small model the reader's form: sentences to batches, a low-rank adapter, its file for llama.cpp."""

from pathlib import Path

SENTENCES = Path(__file__).parent / "sentences"
"""What models are taught with, a file for each writer or kind of scene."""
ADAPTERS = Path(__file__).parent / "adapters"
"""What they learnt, by the name of the model."""
SCALE = 2
"""An adapter's alpha, as a multiple of its rank."""


def adapter(weights: Path) -> Path | None:
    """The adapter that is shipped for some weights, by the name of their file."""
    found = ADAPTERS / weights.name
    return found if found.is_file() else None
