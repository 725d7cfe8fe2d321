"""Sessions on the fake and on LIBERO."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tamp.backends.fake.table import FakeTable
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.tasks import find
from tamp.runs.bench.boxes import make
from tests.live_sessions import Live, a_panda, session_on


@pytest.fixture
def fake() -> FakeTable:
    """Three boxes on a table."""
    return FakeTable(make("packed", 3, 0, a_panda()).scene, a_panda())


@pytest.fixture
def live(fake: FakeTable) -> Live:
    """A session on the fake."""
    return session_on(fake, fake, fake.robot_model, "(pick box_1 table)")


@pytest.fixture(params=["fake", pytest.param("libero", marks=pytest.mark.episode)])
def anywhere(request: pytest.FixtureRequest) -> Iterator[Live]:
    """A session on the fake, and one on LIBERO."""
    if request.param == "fake":
        fake = FakeTable(make("packed", 3, 0, a_panda()).scene, a_panda())
        yield session_on(fake, fake, fake.robot_model, "(pick box_1 table)")
        return
    environment = LiberoEnvironment(find("mug_in_drawer"))
    try:
        yield session_on(
            environment, OraclePerceiver(environment), environment.robot_model(), "(pick mug_1 main_table)"
        )
    finally:
        environment.close()
