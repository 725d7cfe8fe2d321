"""Files that say which arms stand at a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.backends.arms_file import read
from tamp.data import data_dir
from tamp.errors import InputError

GOOD = (data_dir("problems") / "sorting" / "arms.toml").read_text()


def written(folder: Path, *changes: tuple[str, str]) -> Path:
    text = GOOD
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    (folder / "arms.toml").write_text(text)
    return folder / "arms.toml"


def test_the_shipped_file(tmp_path: Path) -> None:
    arms = read(written(tmp_path))
    assert [a.name for a in arms.arms] == ["near", "far"] and arms.apart == 0.05
    assert str(arms) == "xarm7 and xarm7" and arms.arms[1].host == "127.0.0.4"
    assert all(r.posture[0] == 0.6 for r in arms.robots), "where each rests is said in the file"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            "base = [0.45, 0.0, 0.9]",
            "base = [-0.4, 0.05, 0.9]",
            ":13: the bases of near and far overlap; valid: at least",
        ),
        ("base = [0.45, 0.0, 0.9]", "base = [-0.28, 0.0, 0.9]", r":13: the bases of near and far are 0\.0\d\d m apart"),
        ("base = [0.45, 0.0, 0.9]", "base = [-0.15, 0.2, 0.9]", ":11: the postures of near and far "),
        ("[arms.far]", "[arms.near2]\nbody = 'xarm6'\nbase = [2, 0, 0]\n[arms.far]", ":4: 3 arms; valid: 2"),
        ("apart = 0.05", "apart = 0.0", ":2: apart is 0.0; valid: metres, 0.02 to 0.3"),
        ('body = "xarm7"', 'body = "xarm9"', ":5: no robot 'xarm9'"),
        ("yaw = 0.0", "yaww = 0.0", "unknown key 'yaww' of arms.near.*did you mean 'yaw'"),
        ("posture = [0.6, ", "posture = [", ":8: arms.near.posture is .*; valid: 7 radians"),
        ("posture = [0.6, ", "posture = [9.6, ", ":8: posture has 9.6 for joint 1; valid: -6.28 to 6.28"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(before: str, after: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read(written(tmp_path, (before, after)))
