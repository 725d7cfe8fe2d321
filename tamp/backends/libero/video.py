"""Video of an episode in LIBERO: its agent view, or both cameras with what a policy saw drawn on their pictures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tamp.backends.libero.cameras import take
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.recorder import Recorder
from tamp.perception.library import Library
from tamp.perception.overlay import Shown, overlaid, shown_of

SIZE = (480, 480)
"""Height and width in pixels of each camera's picture where something is drawn on it."""


def recorder_of(environment: LiberoEnvironment, path: Path, library: Library | None = None) -> Recorder:
    """What records an environment. With a `library`, what was seen last is drawn on the cameras' pictures."""
    if library is None:
        return Recorder(environment.render, environment.period, path)
    return _OverlaidRecorder(environment, path, library)


class _OverlaidRecorder(Recorder):
    def __init__(self, environment: LiberoEnvironment, path: Path, library: Library) -> None:
        super().__init__(self._drawn, environment.period, path)
        self._environment, self._known = environment, {m.category: m for m in library.values()}
        self._seen: list[Shown] = []

    def saw(self, told: Mapping[str, Any]) -> None:
        """What a policy says that it saw: drawn from now on."""
        self._seen = shown_of(told, self._known)

    def _drawn(self) -> np.ndarray:
        return np.hstack([overlaid(image, self._seen) for image in take(self._environment, size=SIZE)])
