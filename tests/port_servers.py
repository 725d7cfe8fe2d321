"""A policy that knows nothing at a free port, or with `orders` what takes orders, until it is ended:
`python -m tests.port_servers [orders]`."""

from __future__ import annotations

import json
import sys
import threading
from typing import cast

from tamp.agent.order_server import CommandAuthority, OrderServer
from tamp.runs.policy.policy import Policy
from tamp.runs.policy.remote import Answering
from tamp.runs.policy.server import serve
from tests.policies import Fake


def ready(port: int, **more: str) -> None:
    sys.stdout.write(json.dumps({"port": port, **more}) + "\n")
    sys.stdout.flush()


def take_orders() -> None:
    servers: list[OrderServer] = []
    servers.append(OrderServer(CommandAuthority(lambda order: servers[0].tell({"taken": str(order)})), port=0))
    ready(int(servers[0].port or 0), token=servers[0].token)
    threading.Event().wait()


if __name__ == "__main__":
    if sys.argv[1:] == ["orders"]:
        take_orders()
    fake = Fake()
    serve(Answering(cast(Policy, fake), fake.diary), {"policy": "fake"}, "127.0.0.1", 0, ready)
