"""A policy in a process of its own: what goes there and back, and what happens when it is not well."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from tamp.errors import InputError
from tamp.runs.policy.remote import Entry, Make, PolicyFault, PolicyProcess
from tests.policies import calibration, make, make_none

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("real_time")]


@pytest.fixture(scope="module")
def process() -> Iterator[PolicyProcess]:
    started = PolicyProcess(cast(Make, make), patience=20.0)
    yield started
    started.close()


def test_an_episode_goes_there_and_back(process: PolicyProcess) -> None:
    heard: list[Entry] = []
    policy = process.policy(heard.append)
    policy.reset("go", calibration(), seed=4, more=lambda: {"agentview_image": np.zeros((2, 2, 3), np.uint8)})
    assert np.array_equal(policy.act({"a": np.zeros(3)}), np.full(7, 1.0)) and policy.outcome is None
    policy.act({"do": "look"})
    policy.act({})
    assert policy.outcome is not None and policy.outcome["done"]
    assert policy.outcome["goal"] == str([("go", "agentview", 4), ["agentview_image"]])
    assert heard == [("event", "began", {"instruction": "go"})]


def test_what_it_objects_to_is_said_and_it_goes_on(process: PolicyProcess) -> None:
    policy = process.policy(lambda entry: None)
    policy.reset("go", calibration())
    with pytest.raises(InputError, match="nothing to see here"):
        policy.act({"do": "object"})
    with pytest.raises(PolicyFault, match="ZeroDivisionError: by nothing") as e:
        policy.act({"do": "break"})
    assert "policies.py" in str(e.value.traceback)
    assert policy.act({})[0] == 1.0


def test_one_that_dies_is_replaced() -> None:
    process = PolicyProcess(cast(Make, make), patience=20.0)
    policy = process.policy(lambda entry: None)
    policy.reset("go", calibration())
    with pytest.raises(PolicyFault, match=r"the policy is gone: its process ended \(exit code 3\)"):
        policy.act({"do": "die"})
    policy = process.policy(lambda entry: None)
    policy.reset("go", calibration())
    process.patience = 0.3
    policy.channel.patience = 0.3  # type: ignore[attr-defined]
    with pytest.raises(PolicyFault, match=r"it did not answer within 0\.3 s"):
        policy.act({"do": "hang"})
    start = time.monotonic()
    process.close()
    assert time.monotonic() - start < 5.0


def test_one_that_can_reach_the_simulation_does_not_count() -> None:
    process = PolicyProcess(cast(Make, make), patience=20.0)
    policy = process.policy(lambda entry: None)
    policy.reset("go", calibration())
    with pytest.raises(InputError, match="the policy's process has loaded robosuite"):
        policy.act({"do": "cheat"})
    process.close()


def test_one_that_cannot_be_made_says_why() -> None:
    process = PolicyProcess(cast(Make, make_none), patience=20.0)
    with pytest.raises(InputError, match="tamp objects build"):
        process.policy(lambda entry: None).reset("go", calibration())
    process.close()


DRIVER = """
from tamp.runs.policy.remote import PolicyProcess
from tests.policies import calibration, make
if __name__ == "__main__":
    process = PolicyProcess(make)
    policy = process.policy(lambda entry: None)
    policy.reset("go", calibration())
    print(process._process.pid, flush=True)
    policy.act({"do": "hang"})
"""


def test_it_ends_with_whoever_started_it(tmp_path: Path) -> None:
    """Even where that is killed while the policy is busy."""
    (tmp_path / "driver.py").write_text(DRIVER)
    root = Path(__file__).parents[4]
    driver = subprocess.Popen(
        [sys.executable, tmp_path / "driver.py"],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
        text=True,
    )
    assert driver.stdout is not None
    policy = int(driver.stdout.readline())
    time.sleep(0.2)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    deadline = time.monotonic() + 5.0
    while _runs(policy) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(policy)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
