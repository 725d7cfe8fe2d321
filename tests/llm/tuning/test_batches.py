"""Sentences to tokens, and scenes in which a thing is missing or doubled."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from llm.reader.sentences import Sentence, read_sentences
from llm.tuning.batches import IGNORED, Batch, batches, changed, packed

TEXT = """## kitchen
cups [item]: red cup (on table), blue cup (on table)
plates [item]: plate
lamps [item]: lamp
racks [item]: rack
tables [surface]: table
can be: on(item, item|surface)

# the red cup goes on the plate
on(red cup, plate)

# all cups on the plate
on(all cups, plate)

# blue cup to the table
on(blue cup, table)
"""


@pytest.fixture
def sentences(tmp_path: Path) -> list[Sentence]:
    path = tmp_path / "kitchen.txt"
    path.write_text(TEXT)
    return list(read_sentences(path))


def test_what_is_taken_away_is_quoted_and_what_is_doubled_is_asked_about(sentences: list[Sentence]) -> None:
    said = "the red cup goes on the plate"
    drawn = [s for seed in range(300) for s in changed(sentences, random.Random(seed))]
    assert {str(s.program) for s in drawn if s.words == said} == {
        "on(red cup, plate)",
        'on("red cup", plate)',
        "on(which of left red cup or right red cup, plate)",
        'on(red cup, "plate")',
        "on(red cup, which of left plate or right plate)",
    }
    assert not any('"table"' in str(s.program) for s in drawn), "other things stand on the table"


def test_of_two_things_the_one_is_meant_that_the_words_tell(sentences: list[Sentence]) -> None:
    shown_text = dict[str, str]()
    for seed in range(300):
        for s in changed(sentences, random.Random(seed)):
            found = re.fullmatch(r"the (.*red cup.*) goes on the plate", s.words)
            meant = re.match(r"on\((.*?red cup.*?), ", str(s.program))
            if found and meant and (member := s.setting.member(meant[1])) and found[1] != "red cup":
                shown_text[found[1]] = f"{member.name} ({'; '.join(member.facts)})"
    assert len(shown_text) > 10
    for words, member in shown_text.items():
        place = re.search(r"(?:next to|by|near|beside|close to) the (.*)", words)
        assert (f"next to the {place[1]}" if place else words.partition("red cup")[2].strip()) in member
        assert words.partition("red cup")[0] in member


def test_each_sentence_of_a_batch_sees_the_scene_and_itself(sentences: list[Sentence]) -> None:
    one = packed(
        Batch(tuple(sentences[:2])), lambda text: [1, 2, 3] if "<|im_start|>system" in text else [len(text), 9], 7
    )
    assert one.segments == (0, 0, 0, *[1] * 5, *[2] * 5)
    assert one.positions == (0, 1, 2, 3, 4, 5, 6, 7, 3, 4, 5, 6, 7)
    assert one.labels[:5] == (IGNORED,) * 5 and one.labels[5:8] == one.tokens[5:8] and one.tokens[7] == 7


def test_examples_are_shown_before_the_words_and_not_asked_for(sentences: list[Sentence]) -> None:
    drawn = [b for seed in range(40) for b in batches(sentences * 3, 13, random.Random(seed)) if b.shown]
    assert drawn and all(not set(b.shown) & set(b.sentences) for b in drawn)
    texts = list[str]()
    packed(drawn[0], lambda text: texts.append(text) or [1], 7)
    assert all(f"such as: {s.words} => {s.program}" in texts[0] for s in drawn[0].shown)
