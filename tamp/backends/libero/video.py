"""Video of an episode: LIBERO's agent view, or both cameras with what a policy saw drawn on their pictures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tamp.backends.libero.cameras import take
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.perception.library import Library
from tamp.perception.object_model import ObjectModel
from tamp.perception.overlay import Shown, overlaid, shown_of

EVERY = 2
"""Control steps a frame: a frame costs about 0.12 s without a GPU."""


SIZE = (480, 480)
"""Height and width in pixels of each camera's picture where something is drawn on it."""


class Recorder:
    """Writes an mp4 that plays in real time. With a `library`, what was seen last is drawn on the cameras' pictures."""

    def __init__(self, environment: LiberoEnvironment, path: Path, library: Library | None = None) -> None:
        import imageio.v2 as imageio

        self._environment = environment
        self._writer = imageio.get_writer(str(path), fps=round(1 / environment.period / EVERY), macro_block_size=None)
        self._count = 0
        self._known: dict[str, ObjectModel] | None = None
        if library is not None:
            self._known = {m.category: m for m in library.values()}
        self._seen: list[Shown] = []

    def saw(self, told: Mapping[str, Any]) -> None:
        """What a policy says that it saw, as `tamp.policy.telling.told_of` has it: drawn from now on."""
        if self._known is not None:
            self._seen = shown_of(told, self._known)

    def step(self) -> None:
        """Take a frame when one is due."""
        if self._count % EVERY == 0:
            self._writer.append_data(self._frame())
        self._count += 1

    def _frame(self) -> np.ndarray:
        if self._known is None:
            return self._environment.render()
        return np.hstack([overlaid(image, self._seen) for image in take(self._environment, size=SIZE)])

    def close(self) -> None:
        """Finish the file."""
        self._writer.close()
