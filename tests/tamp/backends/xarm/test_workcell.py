"""The world file: what the shipped one says, and every way to get one wrong, with its line."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tamp.backends.xarm.workcell import Workcell, read_workcell
from tamp.data import data_dir
from tamp.errors import InputError

BENCH = data_dir("problems") / "xarm" / "bench.toml"


@pytest.fixture(scope="module")
def bench() -> Workcell:
    return read_workcell(BENCH)


def changed(folder: Path, old: str, new: str) -> Path:
    text = BENCH.read_text()
    assert text.count(old) == 1, old
    path = folder / "world.toml"
    path.write_text(text.replace(old, new))
    return path


def test_the_shipped_world_is_in_metres_and_radians(bench: Workcell) -> None:
    assert (bench.arm.name, bench.host, bench.table) == ("xarm6", "192.168.1.203", 0.0)
    assert set(bench.poses) == {"home", "above_table", "bin_drop"}
    above = bench.poses["above_table"].T_base_tool
    assert np.allclose(above[:3, 3], [0.4, 0.0, 0.25]) and np.allclose(above[:3, 2], [0, 0, -1])  # the tool looks down
    assert np.allclose(bench.workspace.high, [0.65, 0.45, 0.6])
    assert {box.name for box in bench.keep_out} == {"camera_post", "bin_wall"}
    assert np.isclose(bench.rates.joint_speed, np.pi / 3) and bench.rates.tool_speed == 0.25
    assert np.allclose(bench.T_flange_tool[:3, 3], [0, 0, 0.12])
    assert bench.load.mass == 0.82 and np.allclose(bench.load.p_flange_centre, [0, 0, 0.048])
    assert "wine glass" in bench.labels and bench.detector.max_age == 1.0


@pytest.mark.parametrize(
    ("old", "new", "at", "says"),
    [
        ('arm = "xarm6"  ', 'arm = "ur5"', "arm", "there is no arm 'ur5'; valid: xarm5, xarm6, xarm7, lite6, 850"),
        ('arm = "xarm6"  ', "", "# An", "arm is missing; valid: xarm5"),
        ('host = "192.168.1.203"', 'host = "robot.local"', "host", "host is 'robot.local'; valid: an IPv4 address"),
        ("table_mm = 0  ", "table = 0", "table", "unknown key 'table'; valid: arm, host, table_mm"),
        ("table_mm = 0  ", "table_mm = 700", "high_mm = [650", "ends at 600 mm, below the table at 700 mm"),
        ("table_mm = 0  ", "table_mm = 200", "xyz_mm", "pose 'bin_drop' is below the table at (390, -390, 180) mm"),
        ("[650, 450, 600]", "[650, -450, 600]", "high_mm", "the box 'workspace' is empty: y from -450 to"),
        ("[650, 450, 600]", "[650, nan, 600]", "high_mm", "workspace.high_mm is [650, nan, 600]; valid"),
        ("[keep_out.bin_wall]", "[keep_out.bin_wall]\ncolour = 1", "colour", "unknown key 'colour' of keep_out.bin_w"),
        ("[400, 0, 250]", "[400, 0, 2500]", "xyz_mm", "pose 'above_table' is outside the workspace at (400"),
        ("[400, 0, 250]", "[560, 350, 250]", "xyz_mm", "is in the keep-out box 'camera_post' at (560, 350"),
        ("low_mm = [150, -450, 5]", "low_mm = [150, -450, -900]\n", "xyz_mm", "out of reach of the xarm6"),
        ("[0, -35, -35, 0, 70, 0]", "[0, -35, -35, 0, 70]", "joints_deg", "valid: 6 angles of the xarm6, in degrees"),
        ("[0, -35, -35, 0, 70, 0]", "[0, -35, 35, 0, 70, 0]", "joints_deg", "joint 3 of pose 'home' is 35°; valid for"),
        ("[0, -35, -35, 0, 70, 0]", "[90, -35, -35, 0, 70, 0]", "joints_deg", "pose 'home' is outside the workspace"),
        ("joints_deg = [0", "xyz_mm = [1, 2, 3]\njoints_deg = [0", "[poses.home]", "has both joints_deg and xyz_mm"),
        ("tool_speed_mm_s = 250", "tool_speed_mm_s = 2500", "tool_speed", "tool_speed_mm_s is 2500; valid: 1 to 1000"),
        ("high_mm = [600, 380, 600]", "high_mm = [520.6, 300.4, 0.6]", "high_mm", "at most 0.6 mm from low_mm"),
        ("[400, 0, 1100]", "[0.4, 0, 1.1]", "xyz_mm", "at least 5 (metres? then [400, 0, 1100])"),
        ("[0, 0, 120]", "[0, 0, 0.12]", "xyz_mm", "tool.xyz_mm is [0, 0, 0.12]; valid: [x, y, z] in millimetres"),
        ("[180, 0, 90]", "[3.14159, 0, 1.5708]", "rpy_deg", "degrees (radians? then [180, 0, 90])"),
        ("kg = 0.82", "kg = 820", "kg", "load.kg is 820; valid: kilograms from 0 to 5"),
        ("tcp://127.0.0.1:5556", "tcp://127.0.0.1", "source", "detector.source is 'tcp://127.0.0.1': no address"),
        ("max_age_s = 1.0", "max_age_s = 0", "max_age_s", "detector.max_age_s is 0; valid: seconds, more than 0"),
        ("[rates] ", "[rates #", "", "not TOML: "),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(old: str, new: str, at: str, says: str, tmp_path: Path) -> None:
    path = changed(tmp_path, old, new)
    if "out of reach" in says:  # within the boxes, but far under the base
        path.write_text(path.read_text().replace("table_mm = 0 ", "#").replace("[400, 0, 250]", "[400, 0, -880]"))
    with pytest.raises(InputError) as caught:
        read_workcell(path)
    shown = str(caught.value)
    assert says in shown and "\n" not in shown
    if at:
        place = re.match(r"(.*):(\d+): ", shown)
        assert place and place[1] == str(path)
        assert path.read_text().split("\n")[int(place[2]) - 1].startswith(at)


def test_a_detectors_file_is_found_from_the_worlds_folder(tmp_path: Path) -> None:
    world = read_workcell(changed(tmp_path, "tcp://127.0.0.1:5556", "seen.jsonl"))
    assert world.detector.source == str(tmp_path / "seen.jsonl")


def test_only_the_arm_its_rates_and_where_it_may_go_have_to_be_said(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(
        'arm = "lite6"\nworkspace = { low_mm = [0, -1, 0], high_mm = [400, 1, 400] }\n'
        "[rates]\njoint_speed_deg_s = 1\njoint_acceleration_deg_s2 = 1\n"
        "tool_speed_mm_s = 1\ntool_acceleration_mm_s2 = 1\n"
    )
    world = read_workcell(path)
    assert (world.host, world.table, world.keep_out, world.hand, world.labels) == (None, None, (), None, ())
    assert np.allclose(world.T_flange_tool, np.eye(4)) and world.detector.source is None
