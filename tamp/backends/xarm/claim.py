"""One executor at a time for an arm: a lock on a file that goes away with the process that holds it."""

from __future__ import annotations

import fcntl
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tamp.backends.xarm.faults import ArmFault


@contextmanager
def claimed(host: str) -> Iterator[None]:
    """Hold the arm at an address. ArmFault `taken` when another process of this machine does."""
    path = Path(tempfile.gettempdir()) / f"tamp-xarm-{re.sub(r'[^0-9a-zA-Z.]', '_', host)}.lock"
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as e:
            file.seek(0)
            holder = file.read().strip()
            raise ArmFault("taken", f"another run drives the arm at {host} (process {holder or 'unknown'})") from e
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        yield
