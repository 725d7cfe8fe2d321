"""`tamp body`; tests/test_pages.py carries out the commands of docs/bodies.md."""

from __future__ import annotations

import json

import pytest

from tests.forked import tamp

pytestmark = pytest.mark.process


def test_a_robot_as_json() -> None:
    shown = json.loads(tamp("body", "show", "xarm7", "--json").stdout)
    assert [j["name"] for j in shown["joints"]] == [f"joint{i}" for i in range(1, 8)]
    assert shown["opening"] == pytest.approx(0.084)
    assert (shown["stands"], shown["yaw"]) == (pytest.approx([0.155, 0, 0]), 0)
    assert shown["tool"]["z"] == pytest.approx([0, 0, -1], abs=0.01)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.urdf", "no file none.urdf; valid: a file, or package:path of an installed package"),
        ("xarm9", "no robot 'xarm9'"),
        ("none.toml", "cannot read none.toml"),
    ],
)
def test_what_is_not_there(name: str, message: str) -> None:
    done = tamp("body", "show", name)
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr
