"""Video of an episode from LIBERO's agent view."""

from __future__ import annotations

from pathlib import Path

from tamp.backends.libero.environment import LiberoEnvironment

EVERY = 2
"""Control steps a frame: a frame costs about 0.12 s without a GPU."""


class Recorder:
    """Writes an mp4 that plays in real time."""

    def __init__(self, environment: LiberoEnvironment, path: Path) -> None:
        import imageio.v2 as imageio

        self._environment = environment
        self._writer = imageio.get_writer(str(path), fps=round(1 / environment.period / EVERY), macro_block_size=None)
        self._count = 0

    def step(self) -> None:
        """Take a frame when one is due."""
        if self._count % EVERY == 0:
            self._writer.append_data(self._environment.render())
        self._count += 1

    def close(self) -> None:
        """Finish the file."""
        self._writer.close()
