"""A policy that knows nothing at a free port, until it is ended: `python -m tests.port_servers`."""

from __future__ import annotations

import sys
from typing import cast

from tamp.policy.answering import Answering
from tamp.policy.policy import Policy
from tamp.policy.server import serve
from tests.policies import Fake


def ready(port: int) -> None:
    sys.stdout.write(f'{{"port": {port}}}\n')
    sys.stdout.flush()


if __name__ == "__main__":
    fake = Fake()
    serve(Answering(cast(Policy, fake), fake.diary), {"policy": "fake"}, "127.0.0.1", 0, ready)
