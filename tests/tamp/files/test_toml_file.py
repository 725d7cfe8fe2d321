from pathlib import Path

import pytest

from tamp.errors import InputError
from tamp.files.toml_file import read_toml


def test_a_table(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[names]\ndrawer = "cabinet_1_top_region"\n')
    assert read_toml(path) == {"names": {"drawer": "cabinet_1_top_region"}}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"a = 1\nb = = 2\n", r"mine\.toml: not TOML: .*line 2, column 5"),
        (b"\xff", r"mine\.toml: not TOML: "),
        (None, r"cannot read .*mine\.toml: No such file"),
    ],
)
def test_what_is_none(tmp_path: Path, data: bytes | None, says: str) -> None:
    path = tmp_path / "mine.toml"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(InputError, match=says):
        read_toml(path)
