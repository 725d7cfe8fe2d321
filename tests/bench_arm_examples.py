"""`make bench-arm-examples`: the example scripts of the arm's own SDK, unchanged, each against a fresh emulator.

The scripts come from the source distribution of the SDK that the lock names. A row a script: how it ended, the motion
commands that were carried out of those that were taken, and the controller's error. What does not end is ended after
its seconds, and its row says so.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from tests.bench import Row
from tests.emulated import running
from tests.public_domains import Package

SDK = Package(
    "xarm-python-sdk", "1.18.4", "75acad469c106e1cb7074762015980372564e88a6d62b64ebaea1c7c580332d5", ".py"
)  # BSD-3-Clause
DUE = 1.0
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


def bench(part: str = "", seconds: float = 150.0, jobs: int = 4) -> Iterator[Row]:
    """A row a script with `part` in its name; `jobs` at once, since scripts wait more than they work."""
    folder = SDK.fetch() / "example" / "wrapper"
    cases = [*((f"common/{name}", "xarm7") for name in COMMON), *(("common/1001-move_line", model) for model in LINES)]
    cases += [(f"{model}/{name}", model) for model in ("xarm5", "xarm6", "xarm7") for name in JOINTS]
    cases.append(("xarm6/2001-move_joint", "lite6"))

    def run(case: tuple[str, str]) -> Row:
        script, model = case
        with running(model, "--seconds", str(seconds + 60)) as emulator:
            command = [sys.executable, "-c", RUN, str(emulator.port), f"{folder / script}.py", emulator.host]
            try:  # some scripts take the arm's address from the command line, some ask for it
                done = subprocess.run(
                    command, capture_output=True, text=True, input=f"{emulator.host}\n", timeout=seconds, check=False
                )
                code, ended = done.returncode, f"exit {done.returncode}"
            except subprocess.TimeoutExpired:
                code, ended = 0, "goes on"
            state = emulator.state()
        error = f"error C{state['error']}" if state["error"] else "no error"
        detail = f"{ended}, {state['executed']} of {state['submitted']} motions, {error}"
        return Row("scripts", (not code and not state["error"]) or case in KNOWN, {}, detail, f"{script} {model}")

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(run, (case for case in cases if part in case[0]))
