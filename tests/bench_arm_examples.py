"""`make bench-arm-examples`: the example scripts of the arm's own SDK, unchanged, each against a fresh emulator.

    python tests/bench_arm_examples.py [--only PART ...] [--seconds 150] [--jobs 4]

The scripts come from the source distribution of the SDK that the lock names. Prints a row a script: how it ended, the
motion commands that were carried out of those that were taken, and the controller's error. What never ends by itself is
ended after its seconds, and its row says so. Exit 1 when a script fails that is not known to.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.emulated import running
from tests.public_packages import Package

SDK = Package(
    "xarm-python-sdk",
    "1.18.4",
    "75acad469c106e1cb7074762015980372564e88a6d62b64ebaea1c7c580332d5",
    "BSD-3-Clause",
    ".py",
)
COMMON = (
    *("0001-event_register", "0002-get_property", "0003-api_get", "0004-servo_attach_detach", "1001-move_line"),
    *("1002-move_line", "1003-relative_move_line", "1004-move_arc_line", "1005-move_arc_line", "1006-move_tool_line"),
    *("1007-counter", "1008-move_line_aa", "1009-cartesian_velocity_control"),
    *("1010-cartesian_online_trajectory_planning", "2000-joint_velocity_control"),
    *("2006-joint_online_trajectory_planning", "3001-move_circle", "3004-get_report_data", "3005-task_feedback"),
    *("5004-set_gripper", "6001-set_reduced_mode", "6002-set_fense_mode", "7001-servo_j", "7002-servo_cartesian"),
    *("7003-servo_cartesian_aa", "get_report_data_with_protocol"),
)
JOINTS = ("2001-move_joint", "2002-move_joint", "2003-move_joint", "2004-move_joint", "2005-move_arc_joint")
LINES = ("xarm5", "xarm6", "850", "lite6")
"""Other arms that the first script of lines is run on too."""
KNOWN = {("common/1007-counter", "xarm7"), ("common/1001-move_line", "lite6")}
"""Scripts that end with an error, for the reasons that docs/xarm.md gives."""
RUN = """import runpy, sys
from xarm.core.config.x_config import XCONF
XCONF.SocketConf.TCP_CONTROL_PORT = int(sys.argv.pop(1))
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Another control port than 502 for who may not have that one."""


@dataclass(frozen=True)
class Result:
    """A script on an arm: its exit code, None when it was ended, and what the emulator says of it afterwards."""

    script: str
    model: str
    code: int | None
    state: dict[str, Any]

    def __str__(self) -> str:
        ended = "goes on" if self.code is None else f"exit {self.code}"
        moves = f"{self.state['executed']} of {self.state['submitted']} motions"
        error = f"error C{self.state['error']}" if self.state["error"] else "no error"
        return f"{self.script:48} {self.model:6} {ended:8} {moves:24} {error}"

    @property
    def good(self) -> bool:
        return (not self.code and not self.state["error"]) or (self.script, self.model) in KNOWN


def main() -> int:
    parser = argparse.ArgumentParser(description="The example scripts of the arm's own SDK.")
    parser.add_argument("--only", nargs="*", default=[""], help="parts of scripts' names")
    parser.add_argument("--seconds", type=float, default=150.0)
    parser.add_argument("--jobs", type=int, default=4, help="at once; scripts wait more than they work")
    asked = parser.parse_args()
    folder = SDK.fetch() / "example" / "wrapper"
    cases = [(s, m) for s, m in _cases() if any(part in s for part in asked.only)]
    with ThreadPoolExecutor(asked.jobs) as pool:
        results = []
        for result in pool.map(lambda case: _run(folder, *case, asked.seconds), cases):
            sys.stdout.write(f"{result}\n")
            sys.stdout.flush()
            results.append(result)
    bad = [r for r in results if not r.good]
    sys.stdout.write(f"{len(results)} scripts, {len(bad)} with an error that is not known\n")
    return int(bool(bad))


def _cases() -> Iterator[tuple[str, str]]:
    """Scripts, and the arm that each is run on."""
    yield from ((f"common/{name}", "xarm7") for name in COMMON)
    yield from (("common/1001-move_line", model) for model in LINES)
    yield from ((f"{model}/{name}", model) for model in ("xarm5", "xarm6", "xarm7") for name in JOINTS)
    yield "xarm6/2001-move_joint", "lite6"


def _run(folder: Path, script: str, model: str, seconds: float) -> Result:
    """Some scripts take the arm's address from the command line, some ask for it."""
    with running(model, "--seconds", str(seconds + 60)) as emulator:
        command = [sys.executable, "-c", RUN, str(emulator.port), f"{folder / script}.py", emulator.host]
        try:
            code: int | None = subprocess.run(
                command, capture_output=True, text=True, input=f"{emulator.host}\n", timeout=seconds, check=False
            ).returncode
        except subprocess.TimeoutExpired:
            code = None
        return Result(script, model, code, emulator.state())


if __name__ == "__main__":
    raise SystemExit(main())
