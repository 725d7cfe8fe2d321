"""Making the object library of the installed LIBERO: every class, and the robot, in processes of their own."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tamp.backends.libero import rendering
from tamp.errors import InputError
from tamp.perception import library
from tamp.perception.library import LibraryEntry, read, write
from tamp.runs.bench.workers import THREADS, environment, no_interrupts

WORKERS = 2
ROBOT = "panda"
NamesOf = Callable[[str], tuple[str, ...]]
"""What people call a category. Picklable."""


@dataclass(frozen=True)
class Built:
    """What became of a category, or of the robot: made, kept since nothing had changed, or unusable for a `reason`."""

    name: str
    state: Literal["made", "kept", "unusable"]
    reason: str = ""
    seconds: float = 0.0


def due() -> list[str]:
    """All that a build makes, or says why not: every category that the installed LIBERO registers, and the robot."""
    from tamp.backends.libero.categories import names

    return [*names(), ROBOT]


def build(folder: Path, names_of: NamesOf, workers: int = WORKERS) -> Iterator[Built]:
    """Make what is missing or made of something else, and say what became of each; at the end the index is written.

    Ended before, it leaves whole files only, and the next build goes on. InputError when a process dies.
    """
    for left in folder.glob("*/*.partial"):  # of a build that was killed
        left.unlink(missing_ok=True)
    outcomes: list[Built] = []
    with _pool(workers) as pool:
        with no_interrupts():
            jobs = {pool.submit(_build_one, folder, name, names_of): name for name in due()}
        for done in as_completed(jobs):
            outcomes.append(_built(done, jobs[done]))
            yield outcomes[-1]
    usable = sorted(o.name for o in outcomes if o.state != "unusable" and o.name != ROBOT)
    unusable = {o.name: o.reason for o in sorted(outcomes, key=lambda o: o.name) if o.state == "unusable"}
    library.write_index(folder, library.Index(tuple(usable), (ROBOT,), library.made_with(), unusable))


def _built(done: Future[Built], name: str) -> Built:
    try:
        return done.result()
    except BrokenProcessPool as e:
        raise InputError(f"a process died, perhaps at {name}; what is made is kept, go on with: {library.BUILD}") from e


@contextlib.contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_prepare)
    try:
        with environment(rendering.SOFTWARE | dict.fromkeys(THREADS, "1")):  # the processes start with the first job
            yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _prepare() -> None:
    """In a new process: the parent decides about interrupts; what the simulator says on its import is not heard."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("robosuite_logs").setLevel(logging.ERROR)
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):  # noqa: PTH123
        from tamp.backends.libero import object_models  # noqa: F401


def _build_one(folder: Path, name: str, names_of: NamesOf) -> Built:
    from tamp.backends.libero.categories import UnusableError, load, source_of
    from tamp.backends.libero.object_models import model_of, panda_skin, panda_source
    from tamp.perception.modelling import picture

    def entry(source: str) -> LibraryEntry:
        category = load(name, name, whole=True)
        image = picture(category.model, category.data)
        return LibraryEntry(model_of(category, names_of(name), source), library.made_with(), picture=image)

    if name == ROBOT:
        path = folder / library.ROBOTS / f"{ROBOT}.npz"
        return _made(path, panda_source(), lambda source: LibraryEntry(panda_skin(source), library.made_with()))
    path = folder / library.BUILT / f"{name}.npz"
    try:
        return _made(path, source_of(name), entry)
    except UnusableError as e:
        path.unlink(missing_ok=True)
        return Built(name, "unusable", str(e))


def _made(path: Path, source: str, entry: Callable[[str], LibraryEntry]) -> Built:
    """Write an entry, unless the one that is there was made of the same source in the same way."""
    begun = time.perf_counter()
    with contextlib.suppress(InputError):  # missing or damaged: made anew
        there = read(path)
        if (there.made_with, there.model.source) == (library.made_with(), source):
            return Built(path.stem, "kept")
    write(path, entry(source))
    return Built(path.stem, "made", seconds=time.perf_counter() - begun)
