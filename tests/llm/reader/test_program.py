"""Programs over a setting: what they come to, that they are written as they are read, and what is no program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from llm.models.language_model import fits
from llm.reader.constrained_decoding import confidence, grammar, instruction, prompt, question, setting_text
from llm.reader.expanding import doing, expanded, merged
from llm.reader.program import NotAProgram, read_program
from llm.reader.sentences import read_sentences
from llm.reader.setting import NotASetting, read_setting
from tamp.errors import InputError

ROOM = read_setting("""
cups [item]: blue cup (on table), red cup (on table), green cup (on shelf)
boxes [item container]: big box (on table; open), small box (on shelf)
places [surface]: table, shelf
can be: on(item, surface), in(item, container), open(container)
can do: wave(), go above(item; hover, near)
""")


def facts(text: str) -> list[set[str]]:
    """The milestones of a program as short texts, alternatives sorted and joined by |, what goes together by &."""
    return [
        {"|".join(sorted("&".join(sorted(map(_fact, way))) for way in clause)) for clause in step}
        for step in expanded(read_program(text, ROOM)).milestones
    ]


def _fact(literal: tuple[str, tuple[str, ...], bool]) -> str:
    predicate, names, holds = literal
    return f"{'' if holds else 'not '}{predicate} {' '.join(n.split()[0] for n in names)}"


COMES_TO = {
    "on(red cup, table)": [{"on red table"}],
    "on(all cups except red cup, table)": [{"on blue table", "on green table"}],
    "on(all cups on table, shelf)": [{"on blue shelf", "on red shelf"}],
    "on(all cups not on table, table)": [{"on green table"}],
    "in(any of cups, each of containers)": [
        {"in blue big|in green big|in red big", "in blue small|in green small|in red small"}
    ],
    "in(2 of cups, big box)": [{"in blue big&in green big|in blue big&in red big|in green big&in red big"}],
    "not in(any of cups, big box)": [{"not in blue big", "not in green big", "not in red big"}],
    "on(red cup or blue cup, shelf)": [{"on blue shelf|on red shelf"}],
    "on(red cup and blue cup, shelf) or open(big box)": [{"on blue shelf&on red shelf|open big"}],
    "in(all things except small box, small box)": [{"in big small", "in blue small", "in green small", "in red small"}],
    "in(all items, big box)": [{"in blue big", "in green big", "in red big", "in small big"}],
    "in(any of boxes, big box)": [{"in small big"}],
    "open(all containers not open)\nthen\nin(red cup, small box)": [{"open small"}, {"in red small"}],
}


@pytest.mark.parametrize("text", COMES_TO)
def test_a_program_comes_to_the_facts_that_it_says(text: str) -> None:
    assert facts(text) == COMES_TO[text]
    assert str(read_program(text, ROOM)) == text


REFUSED = {
    'on("banana", table)': "absent",
    '"wash the cups"': "cannot",
    'if "it rains": open(big box)': "cannot",
    "on(which of cups, table)": "ask",
    "in(red cup, which of big box or small box)": "ask",
    "nothing": "nothing",
    "stop": "stop",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_goal_says_why(text: str) -> None:
    assert expanded(read_program(text, ROOM)).kind == REFUSED[text]


def test_several_ways_of_writing_are_the_same() -> None:
    one, other = (
        expanded(read_program(text, ROOM))
        for text in (
            "on(blue cup, shelf)\non(red cup, shelf)\nkeep(big box)",
            "keep(big box)\non(all cups on table, shelf)",
        )
    )
    assert one.same(other) and not one.same(expanded(read_program("on(all cups, shelf)", ROOM)))


def test_actions_keep_their_order_and_options() -> None:
    text = "wave()\ngo above(red cup; near table, hover 80 mm)"
    assert fits(text, grammar(ROOM, "wave, then go above the red cup"))
    assert expanded(read_program(text, ROOM)).actions == ["wave()", "go above(red cup; hover 80 mm, near table)"]


@pytest.mark.parametrize(
    ("things", "allowed"), [("3 of cups", True), ("4 of cups", False), ("all cups except red cup", True)]
)
def test_no_more_of_a_group_can_be_answered_than_there_are(things: str, allowed: bool) -> None:
    assert fits(f"on({things}, shelf)", grammar(ROOM, "on the shelf")) is allowed


NO_PROGRAM = {
    "on(yellow cup, table)": "'yellow cup' is not here",
    "on(red cup, blue cup)": "'blue cup' is no surface",
    "on(red cup)": "1 arguments; valid: on(item, surface)",
    "under(red cup, table)": "'under' cannot be asked for; valid: on, in, open",
    "on(4 of cups, table)": "there are 3 of 'cups'",
    "on(all mugs, table)": "no group 'mugs'",
    "nothing\nopen(big box)": "nothing stands alone",
    "go above(red cup; speed 3)": "valid: go above(item; hover, near)",
    "": "no line; valid: nothing",
}


@pytest.mark.parametrize("text", NO_PROGRAM)
def test_what_is_no_program_is_told(text: str) -> None:
    with pytest.raises(NotAProgram) as shown:
        read_program(text, ROOM)
    assert NO_PROGRAM[text] in str(shown.value)


def test_a_setting_is_written_as_it_is_read() -> None:
    busy = replace(ROOM, now="on(red cup, shelf)")
    assert read_setting(str(busy)) == busy
    with pytest.raises(NotASetting, match="nothing is a plant"):
        read_setting(f"{ROOM}, watered(plant)")
    with pytest.raises(NotASetting, match="'cup' names two things"):
        read_setting("cups [item]: cup, cup\ncan be: on(item, item)")


def test_files_of_sentences_tell_every_line_that_is_wrong(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text(
        f"## room\n{ROOM}\n\n# the red one\n# on the shelf\non(red cup, shelf)\n\nnow: open(big box)\n# stop\nstop\n"
    )
    first, second = read_sentences(good)
    assert (first.words, first.line, second.setting.now) == ("the red one on the shelf", 8, "open(big box)")
    bad.write_text(f"## room\n{ROOM}\n\n# the red one\non(red one, shelf)\n\n# and this\nopen(table)\n")
    with pytest.raises(InputError) as shown:
        read_sentences(bad)
    assert [f"{bad}:{n}: " in line for n, line in zip((8, 11), shown.value.messages, strict=True)] == [True, True]


def test_what_word_processors_make_of_an_instruction() -> None:
    assert instruction(" put the\u2019bowl\u2019\n on \u201cit\u201d \u2013 now ") == "put the'bowl' on \"it\" - now"


def test_what_is_likelier_is_surer() -> None:
    sure = [confidence(p / 100) for p in range(101)]
    assert sure == sorted(sure) and sure[20] < 0.5 < sure[60] and 0.9 < sure[99] < 1.0


def test_a_model_is_asked_with_the_text_that_it_was_taught_with() -> None:
    setting = replace(ROOM, now="open(big box)")
    assert prompt(setting, "shut it").question == setting_text(setting) + question(setting.now, "shut it")


BUSY = read_setting("""
cups [item]: blue cup (on table), red cup (on table), green cup (on shelf)
places [surface]: table, shelf, tray
doors [door]: door (closed)
can be: on(item, surface), open(door), closed(door)
can do: wave(), wait(; seconds)
""")

AFTERWARDS = {
    ("on(red cup, shelf)", "drop on(red cup, shelf)\non(blue cup, shelf)"): "on(blue cup, shelf)",
    ("on(all cups, tray)", "drop on(green cup, tray)"): "on(blue cup, tray)\non(red cup, tray)",
    ("on(red cup, shelf)", "first\nopen(door)"): "open(door)\nthen\non(red cup, shelf)",
    ("on(red cup, shelf)", "then\nclosed(door)"): "on(red cup, shelf)\nthen\nclosed(door)",
    ("open(door) / then / on(red cup, shelf)", "on(blue cup, shelf)"): "open(door)\nthen\non(all cups on table, shelf)",
    ("on(red cup, shelf) / on(blue cup, tray)", "back(red cup)"): "on(blue cup, tray)\nback(red cup)",
    ("on(red cup, shelf)", "drop all\nopen(door)"): "open(door)",
    ("on(red cup, shelf)", "nothing"): "on(red cup, shelf)",
    ("on(red cup, shelf)", 'on("saucer", shelf)'): "on(red cup, shelf)",
    ("wave() / wait(; seconds 3)", "drop wait(; seconds 3)\nwait(; seconds 5)"): "wave()\nwait(; seconds 5)",
    ("on(red cup, shelf)", "stop"): "stop",
}


@pytest.mark.parametrize(("now", "remark"), AFTERWARDS)
def test_the_work_after_a_remark(now: str, remark: str) -> None:
    after = merged(doing(replace(BUSY, now=now)), expanded(read_program(remark, BUSY)))
    assert after.same(expanded(read_program(AFTERWARDS[now, remark], BUSY)))
