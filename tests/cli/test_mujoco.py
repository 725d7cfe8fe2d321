"""Scenes that are MJCF where they do not go; tests/test_pages.py carries out the commands of docs/mujoco.md."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import forked
from tests.small_scene import written

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]


def tamp(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return forked.tamp(*arguments, cwd=cwd)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "is an MJCF scene, of which LIBERO's simulator knows nothing; valid: solve with --backend mujoco"),
        (("--backend", "mujoco", "--init-state", "0"), "has no stored initial states: draw one with --seed"),
        (("--backend", "mujoco", "--perception", "camera"), "is MJCF, whose things are in no library of objects"),
        (("--backend", "mujoco", "--body", "xarm9"), "no robot 'xarm9'"),
        (("--backend", "mujoco", "--goal", "(in block_1 crate)"), "crate"),
    ],
)
def test_where_it_does_not_go(tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    goal = [] if "--goal" in options else ["--goal", "(in block_1 crate_contain_region)"]
    done = tamp("solve", "--scene", str(written(tmp_path)), *goal, *options, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
