"""What the reader is taught: sentences that can be read, in many scenes, and none of LIBERO's."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from llm.models.language_model import fits
from llm.reader.constrained_decoding import grammar
from llm.reader.expanding import expanded
from llm.reader.sentences import Sentence, read_sentences
from tamp.backends.libero import tasks

FOLDER = Path(__file__).parents[3] / "llm" / "tuning" / "sentences"
MEASURED = Path(__file__).parents[3] / "problems" / "reader"
SUITES = {"libero_spatial": 10, "libero_object": 10, "libero_goal": 10, "libero_10": 10, "libero_90": 90}
LONG = 7
"""Words in a row that would come from LIBERO: shorter runs are plain English."""


def taught() -> list[Sentence]:
    return [s for file in sorted(FOLDER.glob("*.txt")) for s in read_sentences(file)]


def test_they_are_many_and_of_every_kind() -> None:
    every = taught()
    assert len(every) > 5000 and len({id(s.setting.members) for s in every}) >= 400
    kinds = [expanded(s.program).kind for s in every]
    assert all(kinds.count(kind) > 40 for kind in ("goal", "ask", "absent", "cannot", "nothing", "stop"))
    assert len({s.words.lower() for s in every}) > 0.98 * len(every)


def test_no_held_out_scene_is_taught() -> None:
    held_out = read_sentences(FOLDER.parent / "held_out.txt")
    assert len(held_out) > 250
    assert not {s.setting.members for s in held_out} & {s.setting.members for s in taught()}


@pytest.mark.parametrize("step", [40, pytest.param(10, marks=pytest.mark.thorough)])
def test_what_is_taught_can_be_answered(step: int) -> None:
    for s in taught()[::step]:
        assert fits(str(s.program), grammar(s.setting, s.words)), f"{s.words}\n{s.program}"


def test_the_measured_sets_are_as_they_were_before_anything_was_trained() -> None:
    for line in (MEASURED / "measured.sha256").read_text().splitlines():
        digest, name = line.split()
        assert hashlib.sha256((MEASURED / name).read_bytes()).hexdigest() == digest, name


def test_none_is_of_libero() -> None:
    names = [f"{suite}/{n}" for suite, count in SUITES.items() for n in range(count)]
    theirs = {run for name in names for run in _runs(tasks.find(name).instruction)}
    ours = {run: s.words for s in taught() for run in _runs(s.words)}
    assert not theirs & ours.keys()


def _runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z']+", text.lower())
    return {tuple(words[i : i + LONG]) for i in range(len(words) - LONG + 1)}
