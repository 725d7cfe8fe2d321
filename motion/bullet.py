"""A PyBullet client of one's own, and models as it loads them."""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from motion.poses import Array, to_quat


def loaded() -> Any:
    """PyBullet, imported without what it prints when it is imported first: when it was built."""
    if "pybullet" not in sys.modules:
        with _hush_compiled():
            import pybullet  # noqa: F401
    return sys.modules["pybullet"]


@contextmanager
def _hush_compiled() -> Iterator[None]:
    """Drop what compiled code prints inside, at the file descriptors: Python's own streams are not asked. Errors come
    through."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = {fd: os.dup(fd) for fd in (1, 2)}
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123
        for fd in kept:
            os.dup2(nowhere.fileno(), fd)
    try:
        yield
    finally:
        ctypes.CDLL(None).fflush(None)
        for fd, copy in kept.items():
            os.dup2(copy, fd)
            os.close(copy)


class Bullet:
    """PyBullet's functions with a client of their own: `bullet.stepSimulation()`. Closed at the end by `close`."""

    def __init__(self) -> None:
        self._pybullet = pybullet = loaded()
        self.client = pybullet.connect(pybullet.DIRECT)
        if self.client < 0:
            raise RuntimeError("PyBullet has no client to spare")

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._pybullet, name)
        if not callable(found):
            return found

        def call(*args: Any, **kwargs: Any) -> Any:
            return found(*args, physicsClientId=self.client, **kwargs)

        self.__dict__[name] = call
        return call

    def load(self, write: Callable[[Path], str], T: Array, fixed: bool, flags: int = 0) -> int:
        """The body of the URDF text that `write` gives, which may put meshes into the folder that it is given. Its root
        is at `T` (4, 4)."""
        w, x, y, z = to_quat(T[:3, :3]).tolist()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.urdf"
            file.write_text(write(Path(folder)))
            place = {"basePosition": T[:3, 3].tolist(), "baseOrientation": [x, y, z, w]}
            flags |= self.URDF_USE_INERTIA_FROM_FILE
            return int(self.loadURDF(str(file), useFixedBase=fixed, flags=flags, **place))

    def close(self) -> None:
        """Disconnect."""
        self._pybullet.disconnect(self.client)
