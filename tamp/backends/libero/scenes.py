"""Scenes that are built once for all of the episodes in a row that run in them."""

from __future__ import annotations

from dataclasses import dataclass

from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.scene_description import Task


@dataclass(eq=False)
class Scenes:
    """Keeps the last task's environment; `render`: with pictures."""

    render: bool = False
    _built: LiberoEnvironment | None = None

    def of(self, task: Task, seed: int, init_state: int | None = None) -> LiberoEnvironment:
        """The environment of a task, started over with a draw or a stored initial state."""
        if self._built is not None and self._built.task == task:
            self._built.reset(seed=seed, init_state=init_state)
            return self._built
        self.close()
        self._built = LiberoEnvironment(task, seed=seed, init_state=init_state, render=self.render)
        return self._built

    def close(self) -> None:
        """Let go of what was built."""
        if self._built is not None:
            self._built.close()
            self._built = None

    def forget(self) -> None:
        """Leave alone what was built: nobody knows what state it is in."""
        self._built = None
