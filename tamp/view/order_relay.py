"""Orders that are given on the page, passed on to the session that takes them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from tamp.agent.orders import read_json
from tamp.errors import TampError
from tamp.line_socket import LineSocket

PATIENCE = 2.0
"""Seconds for which a session is waited for that does not say what becomes of an order."""


def give(socket: Path | None, data: Any) -> dict[str, Any]:
    """Pass an order, as an object of JSON, on to the session that listens at a Unix socket; whether it was `taken`,
    None where the session does not say, and `why` not. Each order has a connection of its own, so that a page never
    blocks other clients."""
    if socket is None:
        return {"taken": False, "why": "no session takes orders now"}
    try:
        order = read_json(json.dumps(data))
    except (TampError, ValueError) as e:
        return {"taken": False, "why": str(e)}
    try:
        line = LineSocket(socket, PATIENCE)
    except OSError:
        return {"taken": False, "why": "the session does not listen any more"}
    try:
        line.send(json.dumps(data).encode(), PATIENCE)
        return _answered(line, str(order))
    except OSError:
        return {"taken": None, "why": "the session hung up"}
    finally:
        line.close()


def _answered(line: LineSocket, order: str) -> dict[str, Any]:
    """What the session says of an order."""
    until = time.monotonic() + PATIENCE
    while (left := until - time.monotonic()) > 0 and (answer := line.receive(left)) is not None:
        event = json.loads(answer)
        if event.get("event") == "command" and event.get("command", order) == order:
            return {"taken": event.get("taken"), "why": event.get("why")}
    return {"taken": None, "why": f"the session has not answered for {PATIENCE:g} s"}
