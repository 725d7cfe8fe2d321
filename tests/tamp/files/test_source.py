"""Files as people give them: what is read, and what is said of what cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamp.errors import InputError
from tamp.files.source import Source, read


def written(folder: Path, data: bytes) -> Path:
    path = folder / "file.pddl"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf(a\r\n b)\r\n", b"(a\r b)\r", b"(a\n b)\n"])
def test_bom_and_line_ends_do_not_matter(data: bytes, tmp_path: Path) -> None:
    assert read(written(tmp_path, data)).text == "(a\n b)\n"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"(a\n\xff)", r"file\.pddl:2: not UTF-8 text: byte 0xff"),
        ("(a)".encode("utf-16"), r"file\.pddl is UTF-16 text; valid: UTF-8"),
        (b"\x7fELF\x00\x01", r"file\.pddl is binary, not text"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, says: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=says):
        read(written(tmp_path, data))


@given(st.text(alphabet="ab ()\n", max_size=60), st.integers(0, 60))
def test_a_place_is_where_a_character_stands(text: str, offset: int) -> None:
    shown = Source("x", text)
    line, column = shown.place(min(offset, len(text)))
    assert sum(len(shown.line(n)) + 1 for n in range(1, line)) + column - 1 == min(offset, len(text))
