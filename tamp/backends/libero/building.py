"""What LIBERO needs, and what it does, while it builds a scene from a BDDL file."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tamp.backends.libero.scene_description import Task
from tamp.errors import InputError


@contextlib.contextmanager
def bddl_file(task: Task) -> Iterator[Path]:
    """The task's BDDL file; one that is made of what it declares is there only for as long as it is read."""
    if task.declared is None:
        assert task.bddl is not None
        yield task.bddl
        return
    with tempfile.TemporaryDirectory(prefix="tamp-scene-") as folder:
        path = Path(folder) / "scene.bddl"
        path.write_text(task.declared.bddl("none"))
        yield path


@contextlib.contextmanager
def buildable(task: Task) -> Iterator[None]:
    """What LIBERO raises when a BDDL file that somebody wrote names what is not there: make that an error."""
    try:
        yield
    except (KeyError, AssertionError, AttributeError, IndexError, TypeError, ValueError, FileNotFoundError) as e:
        if task.suite is not None or task.bddl is None:
            raise
        what = f"no {e}" if isinstance(e, KeyError) else f"{type(e).__name__}: {e}"
        raise InputError(
            f"{task.bddl}: LIBERO cannot build it: {what}; valid: things and regions that the file declares"
        ) from e


@contextlib.contextmanager
def no_debugger(name: str) -> Iterator[None]:
    """LIBERO's region sampler drops into a debugger when it cannot place an object: make that an error."""
    import pdb

    def refuse(*_: object, **__: object) -> None:
        raise InputError(f"{name}: LIBERO cannot place the objects in their regions; try another seed")

    stop, pdb.set_trace = pdb.set_trace, refuse
    try:
        yield
    finally:
        pdb.set_trace = stop


@contextlib.contextmanager
def undrawn() -> Iterator[None]:
    """Build environments with everything where its model has it: LIBERO's constructor draws a scene, only once, and
    moves the fixtures in the model."""
    from libero.libero.envs.bddl_base_domain import BDDLBaseDomain, SingleArmEnv

    draw, BDDLBaseDomain._reset_internal = BDDLBaseDomain._reset_internal, SingleArmEnv._reset_internal
    try:
        yield
    finally:
        BDDLBaseDomain._reset_internal = draw
