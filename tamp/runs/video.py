"""Video of an episode, in whatever world: of one camera, or with what a policy saw drawn on the pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tamp.backends.libero.cameras import SIZE, take
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.perception.library import Library
from tamp.perception.overlay import overlaid

EVERY = 2
"""Control steps a frame: a frame costs about 0.12 s without a GPU."""


class Recorder:
    """Writes an mp4 of what `frame` shows (h, w, 3), which plays in real time; `period` is a control step's seconds."""

    def __init__(self, frame: Callable[[], np.ndarray], period: float, path: Path) -> None:
        import imageio.v2 as imageio

        self._frame, self._count = frame, 0
        self._writer = imageio.get_writer(str(path), fps=round(1 / period / EVERY), macro_block_size=None)

    def step(self) -> None:
        """Take a frame when one is due."""
        if self._count % EVERY == 0:
            self._writer.append_data(self._frame())
        self._count += 1

    def close(self) -> None:
        """Finish the file."""
        self._writer.close()


class Overlay:
    """A `Recorder`'s frame in LIBERO: both cameras' pictures, with what a policy saw last drawn on them."""

    def __init__(self, environment: LiberoEnvironment, library: Library) -> None:
        self._environment, self._known = environment, {m.category: m for m in library.values()}
        self._seen: Mapping[str, Any] = {"objects": {}}

    def saw(self, state: Mapping[str, Any]) -> None:
        """What a policy says that it saw, as `tamp.model.scene.record_of` has it: drawn from now on."""
        self._seen = state

    def frame(self) -> np.ndarray:
        """The pictures side by side (h, w, 3)."""
        return np.hstack([overlaid(image, self._seen, self._known) for image in take(self._environment, size=SIZE)])
