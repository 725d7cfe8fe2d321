"""A policy that knows nothing at a free port, until it is ended: `python -m tests.port_servers`."""

from __future__ import annotations

import json
import sys
from typing import cast

from tamp.runs.policy.policy import Policy
from tamp.runs.policy.remote import Answering
from tamp.runs.policy.server import serve
from tests.policies import Fake


def ready(port: int, **more: str) -> None:
    sys.stdout.write(json.dumps({"port": port, **more}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    fake = Fake()
    serve(Answering(cast(Policy, fake), fake.diary), {"policy": "fake"}, "127.0.0.1", 0, ready)
