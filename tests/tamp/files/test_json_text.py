"""The text of a plan: what is not JSON alone is told for what it is, at its place, and never repaired."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamp.backends.xarm.contract import read_contract
from tamp.errors import InputError
from tamp.files.json_text import Key, parse_json, places_of
from tamp.files.source import Source

LIFT = '{"goal": "lift", "steps": [{"action": "RETREAT_Z", "dz_mm": 80}]}'
ALONE = "valid: one JSON object, with nothing before and nothing after it"


def refusal(text: str) -> str:
    with pytest.raises(InputError) as caught:
        read_contract(Source("plan.json", text))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("text", [LIFT, f"\n\t {LIFT} \n", LIFT.replace("80", "8e1"), LIFT.replace("lift", "\\u00e9")])
def test_one_object_with_blanks_around_it_is_read(text: str) -> None:
    assert read_contract(Source("plan.json", text))["steps"] == [{"action": "RETREAT_Z", "dz_mm": 80}]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", f"1:1: not JSON: there is nothing in it; {ALONE}"),
        (f"Sure! Here it is:\n{LIFT}", "1:1: not JSON: text before the JSON object: 'Sure! Here it is: "),
        (f"{LIFT}\n\nThis lifts it.", f"3:1: not JSON: text after the JSON object: 'This lifts it.'; {ALONE}"),
        (LIFT.replace("80}", "80,}"), "1:63: not JSON: a comma with nothing after it; valid: no comma before '}'"),
        (LIFT.replace("}]", "},]"), "1:64: not JSON: a comma with nothing after it; valid: no comma before ']'"),
        (LIFT.replace("80", "NaN"), "1:61: not JSON: NaN is no number; valid: a finite number"),
        (LIFT.replace("80", "1e999"), "1:61: not JSON: '1e999' is too large for a number; valid: a finite number"),
        (LIFT.replace("80", "9" * 5000), "1:61: not JSON: '9999999999999999999…' is too large for a number"),
        (LIFT.replace("80", "080"), "1:61: not JSON: '080' is no number as JSON has them; valid: such as -80 or 0.5"),
        (LIFT.replace("80", "True"), "1:61: not JSON: True is Python's; valid: true"),
        (LIFT.replace("80", ""), "1:61: not JSON: a value is missing before '}'"),
        (
            LIFT.replace(': "lift"', ': "a", "goal": "b"'),
            "1:15: not JSON: 'goal' is said twice in one object; valid: once",
        ),
        (LIFT.replace("80", "80 // up"), "1:64: not JSON: '// up}]}' follows a value; valid: a comma or '}'"),
        (LIFT.replace('"', "'"), "1:2: not JSON: \"'goal': 'li…\" is no key; valid: a text in double quotes"),
        (LIFT.replace('"lift"', "lift"), "1:10: not JSON: 'lift' is no value; valid: a text in double quotes"),
        (LIFT.replace("lift", "li\nft"), "1:13: not JSON: a line break or control character within a text"),
        (LIFT.replace("lift", "l\\ift"), "1:12: not JSON: a backslash that begins no escape within a text"),
        (LIFT.replace('"goal":', '"goal"'), "1:9: not JSON: a colon is missing after the key 'goal'"),
        (LIFT[:-2], "1:27: not JSON: '[' is not closed; the text ends before a ']'"),
        ('{"goal": "lift', "1:10: not JSON: a text whose double quote is not closed"),
        ("[" * 100_000, "not JSON: nested too deeply: at most 100 levels are read"),
        (f'{{"goal": {"[" * 500}{"]" * 500}, "steps": []}}', "nested too deeply: at most 100 levels are read"),
    ],
)
def test_what_is_not_json_alone_is_told_at_its_place(text: str, says: str) -> None:
    shown = refusal(text)
    assert shown.startswith("plan.json:") and says in shown


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            LIFT.replace("80", '"80"'),
            "1:52: step 1, dz_mm: '80' is not of type 'number'; valid: a number without quotes",
        ),
        (LIFT.replace("80", "1" * 400), "1:61: not JSON: '1111111111111111111…' is too large for a number"),
        (
            LIFT.replace('"dz_mm"', '"up_mm": 3,\n "dz_mm"'),
            "1:52: step 1: Additional properties are not allowed ('up_mm' ",
        ),
        (LIFT.replace('"dz_mm"', '"up_mm": 3,\n "dz_mm"'), "was unexpected); valid: action, dz_mm"),
        (LIFT.replace('"dz_mm"', '"hover_mm"'), "1:28: step 1: 'dz_mm' is a required property"),
        (LIFT.replace('"goal"', '"why": 1, "goal"'), "1:2: the plan: Additional properties are not allowed ('why' was"),
        (
            LIFT.replace('"steps": [', '"steps": ['.ljust(12) + "7,\n"),
            "1:30: step 1: 7 is not of type 'object'; valid: an ",
        ),
        (LIFT.replace("80", '80, \n\n  "name": 3'), "3:3: step 1, name: 3 is not of type 'string'; valid: a text in"),
        (LIFT.replace("80}", "80}, {\n}, {}"), "1:66: step 2: 'action' is a required property (and 1 more)"),
        ("[]", "1:1: the plan: [] is not of type 'object'; valid: an object: {…}"),
        ('"lift"', "1:1: the plan: 'lift' is not of type 'object'"),
    ],
)
def test_what_breaks_the_contract_is_told_at_its_place(text: str, says: str) -> None:
    assert says in refusal(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def found_at(value: Any, key: Key) -> Any:
    for k in key:
        value = value[k]
    return value


@given(st.dictionaries(st.text(max_size=3), JSON), st.sampled_from([None, 1]), st.booleans())
def test_all_of_json_is_read_as_it_is_and_all_in_it_is_found(value: Any, indent: int | None, plain: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=plain)
    source = Source("plan.json", text)
    assert parse_json(source) == value
    for key, (line, column) in places_of(source).items():
        there = text.split("\n")[line - 1][column - 1 :]
        wanted = key[-1] if key and isinstance(key[-1], str) else found_at(value, key)
        begin = {list: "[", dict: "{"}.get(type(wanted)) or json.dumps(wanted, ensure_ascii=plain)
        assert there.startswith(begin)


@given(st.text(alphabet="{}[]\",:\\ \n/#`'019.-+eEnNatrufls\x00é", max_size=14))
def test_whatever_the_text_it_is_read_or_refused_in_one_line_with_its_place(text: str) -> None:
    """What Python's own reader refuses is refused, and the other way round."""
    try:
        strict = json.loads(text, parse_constant=lambda word: 1 / 0)
    except (ValueError, ZeroDivisionError):
        strict = ValueError
    try:
        assert parse_json(Source("plan.json", text)) == strict
    except InputError as e:
        assert str(e).startswith("plan.json:") and ": not JSON: " in str(e)
        assert str(e).removeprefix("plan.json:")[0].isdigit()  # a line, always
        assert strict is ValueError or "twice" in str(e) or "too large" in str(e)
