"""`tamp xarm clear` as a user types it."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tamp.backends.xarm.driver import Driver
from tamp.data import data_dir
from tests import forked
from tests.emulated import Emulator, running

pytestmark = pytest.mark.process

BENCH = data_dir("problems") / "xarm" / "bench.toml"


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with running("lite6") as found:
        yield found


def clear(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return forked.tamp("xarm", "clear", *options, cwd=folder)


def address(emulator: Emulator) -> list[str]:
    return ["--host", emulator.host, "--port", str(emulator.port)]


def test_with_an_address_no_world_is_needed(emulator: Emulator, tmp_path: Path) -> None:
    driver = Driver.connect(emulator.host, None, emulator.port)
    assert driver.arm.name == "lite6"
    driver._api.set_tcp_offset([math.nan] * 6, is_radian=True)
    driver.close()
    emulator.ask(fault="collision")
    done = clear(tmp_path, *address(emulator))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("cleared: C31, ")
    assert done.stdout.endswith("; W12, User instruction parameter error\n")
    done = clear(tmp_path, *address(emulator))
    assert (done.returncode, done.stdout) == (0, "there was no error and no warning\n")


def test_a_world_that_is_there_says_which_arm_it_must_be(tmp_path: Path) -> None:
    (tmp_path / "xarm.toml").write_text(BENCH.read_text())
    with running("xarm7") as emulator:
        done = clear(tmp_path, *address(emulator))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith(f"the arm at {emulator.host} has 7 joints; xarm6 has 6\n")
