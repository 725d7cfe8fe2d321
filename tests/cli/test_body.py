"""`tamp body`, and docs/bodies.md, whose commands print what it says."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.page_commands import Shown, says, shown

pytestmark = pytest.mark.process

TAMP = Path(sys.executable).with_name("tamp")
PAGE = Path(__file__).parents[2] / "docs" / "bodies.md"
COMMANDS = shown(PAGE)


def tamp(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([TAMP, *arguments], capture_output=True, text=True, check=False, cwd=cwd, timeout=170)


def carried_out(each: Shown, folder: Path) -> str:
    """What a command of the page prints where its file is, on both streams."""
    found = re.search(r"`([\w.]+)`:\n\n```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    (folder / found[1]).write_text(found[2])
    done = tamp(*shlex.split(each.command)[1:], cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout if each.command.startswith("tamp body") else done.stderr + done.stdout


@pytest.mark.parametrize("each", [c for c in COMMANDS if c.command.startswith("tamp body")], ids=lambda c: c.command)
def test_the_page_shows_what_is_printed(each: Shown, tmp_path: Path) -> None:
    output = carried_out(each, tmp_path)
    assert says(output, each.lines), output


@pytest.mark.episode
@pytest.mark.parametrize(
    "each", [c for c in COMMANDS if not c.command.startswith("tamp body")], ids=lambda c: c.command
)
def test_the_robot_of_the_page_does_what_the_page_says(each: Shown, tmp_path: Path) -> None:
    output = carried_out(each, tmp_path)
    assert says(output, each.lines), output


def test_the_page_has_its_commands() -> None:
    assert [each.command.split()[1] for each in COMMANDS] == ["body", "body", "body", "solve", "bench"]


def test_a_robot_as_json() -> None:
    told = json.loads(tamp("body", "show", "xarm7", "--json").stdout)
    assert [j["name"] for j in told["joints"]] == [f"joint{i}" for i in range(1, 8)]
    assert told["opening"] == pytest.approx(0.084)
    assert told["tool"]["z"] == pytest.approx([0, 0, -1], abs=0.01)
    low, high = told["pads"]
    assert low[0] == pytest.approx(-high[0], abs=1e-3)


def test_the_robots_that_are_shipped() -> None:
    assert json.loads(tamp("body", "list", "--json").stdout) == {"bodies": ["panda", "xarm6", "xarm7"]}


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
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
