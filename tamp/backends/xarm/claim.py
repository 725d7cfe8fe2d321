"""One executor at a time for an arm: a name in the kernel that goes away with the process that holds it."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager

from tamp.backends.xarm.faults import ArmFault


@contextmanager
def claimed(host: str) -> Iterator[None]:
    """Hold the arm at an address. ArmFault `taken` when another process of this machine does, whoever's it is.

    The name is an abstract Unix socket's (Linux): no file, so neither TMPDIR nor the rights to a folder matter.
    """
    name = f"\0tamp-xarm-{host}"
    with closing(socket.socket(socket.AF_UNIX)) as claim:
        try:
            claim.bind(name)
            claim.listen()
        except OSError as e:
            raise ArmFault("taken", f"another run drives the arm at {host} (process {_holder(name)})") from e
        yield


def _holder(name: str) -> str:
    """The process that listens under a name."""
    with closing(socket.socket(socket.AF_UNIX)) as asking:
        try:
            asking.settimeout(1.0)
            asking.connect(name)
            credentials = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        except OSError:
            return "unknown"
    return str(struct.unpack("3i", credentials)[0])
