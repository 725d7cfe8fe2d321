"""Orders to an emulator, over its own port."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tamp.backends.xarm.faults import ArmFault
from tamp.line_socket import LONGEST, LineSocket

REPLY = 2.0
"""Seconds in which the emulator has to answer, unless more are given."""


class SideChannel:
    """A connection to an emulator's fault port. ArmFault where nobody answers there; answers have up to `longest`
    bytes."""

    def __init__(self, host: str, port: int, longest: int = LONGEST) -> None:
        try:
            self._line = LineSocket((host, port), REPLY, longest)
        except OSError as e:
            raise ArmFault("unseen", f"no emulator answers at {host}:{port}: {e}") from e

    def ask(self, order: Mapping[str, Any], seconds: float = REPLY) -> dict[str, Any]:
        """The answer to an order. ArmFault where it is an error, or does not come within so many seconds."""
        try:
            self._line.send(json.dumps(order).encode(), seconds)
            line = self._line.receive(seconds)
        except OSError as e:
            raise ArmFault("unseen", f"the emulator says nothing any more: {e}") from e
        told = json.loads(line) if line else {"error": f"no answer within {seconds:g} s"}
        if "error" in told:
            raise ArmFault("unseen", f"the emulator says: {told['error']}")
        return dict(told)

    def close(self) -> None:
        """Disconnect."""
        self._line.close()
