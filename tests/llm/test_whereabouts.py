import pytest

from llm.grounding import ground
from llm.phrases import vocabulary
from llm.whereabouts import named_interiors, tell_whereabouts
from tamp.errors import Refusal

TOP, MIDDLE, BOTTOM = (f"wooden_cabinet_1_{level}_region" for level in ("top", "middle", "bottom"))


def test_what_is_missing_is_told_apart_from_what_is_refused(kitchen, domain, scripted):
    with pytest.raises(Refusal) as refused:
        ground("put the banana on the plate", *kitchen, domain, scripted("unclear."))
    assert refused.value.lacks == ("banana",) and refused.value.places == () and not refused.value.forbids
    with pytest.raises(Refusal) as refused:
        ground("sing loudly", *kitchen, domain, scripted("unclear."))
    assert refused.value.lacks == (), "nothing that could be looked for"


def test_where_it_may_be_is_told_too(kitchen, domain, scripted):
    with pytest.raises(Refusal) as refused:
        ground("put the banana in the top drawer on the plate", *kitchen, domain, scripted("unclear."))
    assert refused.value.places == (TOP,)


@pytest.mark.parametrize(("more", "forbids"), [(" without touching the cabinet", True), ("", False)])
def test_words_that_forbid_something_are_noted(kitchen, more, forbids):
    refusal = Refusal("no banana", "absent", ("banana",))
    tell_whereabouts(refusal, f"put the banana on the plate{more}", vocabulary(*kitchen))
    assert refusal.forbids is forbids


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("the cup in the middle drawer", {MIDDLE}),
        ("the cup in the drawer", {TOP, MIDDLE, BOTTOM}),
        ("the cup on the plate", set()),
    ],
)
def test_the_interiors_that_words_name(kitchen, text, places):
    assert set(named_interiors(text, vocabulary(*kitchen))) == places
