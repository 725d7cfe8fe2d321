"""`tamp solve` at a terminal: what is refused is asked about."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from cli.terminal import settled
from llm.reader.goal_reader import AmbiguousError, Interpretation, UnsureError
from llm.reader.program import read_program
from llm.reader.setting import read_setting
from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.goal import Goal
from tamp.runs.episode_log import EpisodeLog

BOWL = "the right bowl is on the plate"
LEFT, RIGHT = (Goal(Atom("on", (f"bowl_{n}", "plate_1"))) for n in (1, 2))


SETTING = read_setting("bowls [item]: left bowl, right bowl\nplates [item]: plate\ncan be: on(item, item)")


def reading(which: str, goal: Goal) -> Interpretation:
    return Interpretation(read_program(f"on({which} bowl, plate)", SETTING), (goal,))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def read(text: str) -> tuple[Goal, ...]:
    if "banana" in text:
        raise Refusal("the scene has no banana; it has: bowl", "absent")
    if "keep" in text:
        raise UnsureError([reading("right", RIGHT)])
    if "bowl" in text:
        raise AmbiguousError([reading("left", LEFT), reading("right", RIGHT)])
    return (LEFT,)


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):  # type: ignore[no-untyped-def]
    def asked(text: str, typed: str | None) -> tuple[tuple[Goal, ...], str]:
        said = Terminal()
        monkeypatch.setattr("sys.stdin", io.StringIO() if typed is None else Terminal(typed))
        monkeypatch.setattr("sys.stderr", said)
        with EpisodeLog(tmp_path / str(len(list(tmp_path.iterdir())))) as log:
            return settled(text, read, log), said.getvalue()

    return asked


def test_the_one_that_is_chosen(ask) -> None:  # type: ignore[no-untyped-def]
    goal, said = ask("the bowl", "x\n3\n2\n")
    assert goal == (RIGHT,)
    assert "  1  the left bowl is on the plate\n  2  the right bowl is on the plate\n" in said
    assert said.count("which one, 1 to 2?") == 3


def test_what_was_understood_is_done_when_it_is_meant(ask) -> None:  # type: ignore[no-untyped-def]
    goal, said = ask("keep the bowl there", "Yes\n")
    assert goal == (RIGHT,)
    assert f"is this meant: {BOWL}?" in said
    assert ask("keep the bowl there", "the mug\n")[0] == (LEFT,)


def test_other_words(ask) -> None:  # type: ignore[no-untyped-def]
    goal, said = ask("the banana", "the mug\n")
    assert goal == (LEFT,)
    assert "tamp: the scene has no banana; it has: bowl" in said


@pytest.mark.parametrize("text", ["the bowl", "the banana"])
@pytest.mark.parametrize("typed", ["\n", "", None])
def test_who_gives_up_or_is_not_there_gets_the_refusal(ask, text: str, typed: str | None) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(Refusal, match=r"fits 2 goals|no banana"):
        ask(text, typed)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("the bowl", "say which, or take the first with --assume-first"),
        ("keep the bowl there", f"is this meant: {BOWL}? Say it in other words, or take it so with --assume-first"),
    ],
)
def test_where_nobody_is_asked_the_refusal_names_the_option_that_takes_it(ask, text: str, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(Refusal) as refused:
        ask(text, None)
    assert str(refused.value).endswith(said)
    with pytest.raises(Refusal, match=r"it has: bowl$"):
        ask("the banana", None)
