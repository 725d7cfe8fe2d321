"""Which scenes there are: those of this project, and the tasks of LIBERO's suites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tamp.errors import InputError
from tamp.quiet import hush_simulator

if TYPE_CHECKING:
    from tamp.backends.libero.scene_description import Task


@dataclass(frozen=True)
class Suite:
    """A suite of LIBERO: how many tasks it has, and how many of them are `missing` their BDDL file."""

    name: str
    tasks: int
    missing: int

    @property
    def usable(self) -> bool:
        """Whether all of them can be built."""
        return 0 == self.missing < self.tasks


def own_scenes() -> list[Task]:
    """The scenes under `problems/`, each with its `name`, `instruction` and `goal`."""
    _ready()
    with hush_simulator():
        from tamp.backends.libero import tasks

        return [tasks.find(folder.name) for folder in tasks.own_scenes()]


def suites() -> list[Suite]:
    """The suites that the installed LIBERO registers, `NAME/0` to `NAME/N` being their tasks."""
    _ready()
    with hush_simulator():
        from tamp.backends.libero import tasks

        return [_suite(name) for name in tasks.suite_names()]


def _ready() -> None:
    from tamp.backends.libero import rendering

    rendering.prepare(video=False)


def _suite(name: str) -> Suite:
    from tamp.backends.libero import tasks

    n, missing = tasks.suite(name).n_tasks, 0
    for i in range(n):
        try:
            tasks.find(f"{name}/{i}")
        except InputError:
            missing += 1
    return Suite(name, n, missing)
