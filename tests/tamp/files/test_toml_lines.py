"""Lines of a TOML text: wherever a value stands, its line is found."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamp.files.toml_lines import Key, lines_of

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
    assert lines_of(TEXT)[key] == line


def keys_of(value: Any, at: Key = ()) -> set[Key]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return {at} | {k for name, v in inner for k in keys_of(v, (*at, name))}


def test_nothing_is_left_out_and_nothing_invented() -> None:
    assert set(lines_of(TEXT)) | {()} == keys_of(tomllib.loads(TEXT))


WORD = st.text("ab_-1", min_size=1, max_size=3)
VALUE = st.recursive(
    st.sampled_from(["1", "-2.5e3", "true", '"a#b"', "'c]'", '"\\""', '"""d\n"e"""', "'''f\n'''", "1979-05-27"]),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda v: f"[{', '.join(v)}]")
        | st.dictionaries(WORD, inner, max_size=3).map(lambda d: f"{{{', '.join(f'{k} = {v}' for k, v in d.items())}}}")
    ),
    max_leaves=6,
)


@given(st.dictionaries(WORD, VALUE, max_size=5), st.integers(0, 3))
def test_any_text_that_tomllib_takes_is_walked_to_its_end(pairs: dict[str, str], blank: int) -> None:
    text = ("\n" * blank + "# x\n").join(f"{k} = {v}\n" for k, v in pairs.items())
    lines = lines_of(text)
    assert set(lines) | {()} == keys_of(tomllib.loads(text))
    for name in pairs:
        assert text.split("\n")[lines[name,] - 1].startswith(f"{name} =")
