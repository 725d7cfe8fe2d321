"""TOML files: what is in them, what is none, and on which line a value stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.errors import InputError
from tamp.files.toml_table import Key, line_of, read_toml


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


TEXT = '''# a comment = 1
a = 1  # b = 2
"quo.ted" = """
x = 3
"""
list = [
  1, # one
  [2,
   3],
]
inline = { one = 1, two = [
  2 ] }
[table.sub]
key.dotted = '[not]'

[[many]]
n = 1
[[many]]
n = 2
[many.deep]
n = "]"
'''


@pytest.mark.parametrize(
    ("key", "line"),
    [
        (("a",), 2),
        (("quo.ted",), 3),
        (("list", 0), 7),
        (("list", 1, 1), 9),
        (("inline", "two", 0), 12),
        (("table",), 13),
        (("table", "sub"), 13),
        (("table", "sub", "key", "dotted"), 14),
        (("many", 0, "n"), 17),
        (("many", 1, "n"), 19),
        (("many", 1, "deep", "n"), 21),
    ],
)
def test_each_value_has_its_line(key: Key, line: int) -> None:
    assert line_of(TEXT, key) == line
