"""Sessions on the fake and on LIBERO."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tamp.agent.session import Session
from tamp.backends.fake_table import FakeTable
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.tasks import find
from tamp.backends.xarm.arm_backend import ArmBackend
from tamp.backends.xarm.arm_performer import ArmPerformer
from tamp.backends.xarm.arm_stop import ArmStop
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.motion_planner import MotionPlanner, StepRefiner
from tamp.backends.xarm.step_targets import StepTargets
from tamp.backends.xarm.workcell import read_workcell
from tamp.data import data_dir
from tamp.model.events import Event
from tamp.runs.bench.boxes import make
from tests.emulated import running
from tests.live_sessions import Live, a_panda, session_on
from tests.tamp.agent.lamps import Setting, lamps

WORLDS = (
    "fake",
    pytest.param("libero", marks=pytest.mark.episode),
    pytest.param("arm", marks=pytest.mark.process),
)


@pytest.fixture
def fake() -> FakeTable:
    """Three boxes on a table."""
    return FakeTable(make("packed", 3, 0, a_panda()).scene, a_panda())


@pytest.fixture
def live(fake: FakeTable) -> Live:
    """A session on the fake."""
    return session_on(fake, fake, fake.robot_model, "(pick box_1 table)")


@pytest.fixture(params=WORLDS)
def anywhere(request: pytest.FixtureRequest) -> Iterator[Live]:
    """A session on the fake, one on LIBERO, and one on an emulated arm."""
    if request.param == "arm":
        with on_an_arm() as live:
            yield live
        return
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


@contextmanager
def on_an_arm() -> Iterator[Live]:
    """A session on an emulated arm, slow enough to be watched, at its home."""
    cell = read_workcell(data_dir("problems") / "xarm" / "bench.toml")
    cell = replace(cell, rates=replace(cell.rates, joint_speed=0.6, tool_speed=0.15))
    home = cell.poses["home"].q
    assert home is not None
    with running("xarm6") as emulator:
        emulator.ask(teleport=[float(v) for v in home])
        driver = Driver.connect(emulator.host, cell.arm, emulator.port)
        events: list[Event] = []
        backend = ArmBackend(driver, cell.T_flange_tool)
        refiner = StepRefiner(MotionPlanner(cell), StepTargets(cell), lambda *_, **__: None)
        arm = ArmPerformer(backend, refiner, ArmStop())
        try:
            session = Session(arm, events.append)
            yield Live(backend, None, session, "(move-to-named bin_drop)", events, in_real_time=True)
            session.close()
        finally:
            driver.close()


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    """Two lamps, and an arm that presses switches."""
    return lamps(tmp_path)
