"""Which facts an instruction asks for with no word besides that could deny them."""

from __future__ import annotations

import pytest

from llm.forms import Form
from llm.said_outright import said_outright

STIRRED, WEIGHED, ON = "the tea is stirred", "the tea is weighed on the scales", "the tea is on the tray"
FORMS = (
    Form("stirred", (frozenset("x"),), verbs=frozenset({"stir"})),
    Form("weighed-on", (frozenset("x"), frozenset("x")), verbs=frozenset({"weigh"})),
    Form("on", (frozenset("x"), frozenset("x"))),
)


@pytest.mark.parametrize(
    ("text", "facts", "outright"),
    [
        ("the tea is stirred and the tea is weighed on the scales", (STIRRED, WEIGHED), (STIRRED, WEIGHED)),
        ("Stir the tea and weigh it on the scales, please!", (STIRRED, WEIGHED), (STIRRED, WEIGHED)),
        ("stir the tea, and the tea is on the tray", (STIRRED, ON), (STIRRED, ON)),
        ("stir the tea and the milk", (STIRRED, "the milk is stirred"), (STIRRED, "the milk is stirred")),
        ("the tea on the tray", (ON,), (ON,)),
        ("the tea is on the tray", (ON, STIRRED), (ON,)),
        ("the tea on the tray", ("the green tea is on the tray",), ("the green tea is on the tray",)),
        ("the tea", (ON,), ()),
        ("is the tea on the tray?", (ON,), ()),
        ("the tea is on the tray?", (ON,), ()),
        ("the tea is on the wrong tray", (ON,), ()),
        ("keep the tea off the tray", (ON,), ()),
        ("the tea is on the tray, forget it", (ON,), ()),
        ("stir the tea, spare me the weighing", (STIRRED, WEIGHED), ()),
        ("who says that the tea is stirred", (STIRRED,), ()),
        ("stirring the tea is silly", (STIRRED,), ()),
    ],
)
def test_facts(text: str, facts: tuple[str, ...], outright: tuple[str, ...]) -> None:
    assert said_outright(text, facts, FORMS) == set(outright)
