"""Replies from a log: the same question, the same answer; any other question is an error that names it."""

import json

import pytest

from llm.models.load import load
from llm.models.model import Completion, Logged, Prompt
from llm.models.recorded import Recorded
from llm.reader.grounding import ground
from tamp.errors import InputError
from tamp.runs.episode_log import EpisodeLog, read
from tests.llm.compact_recording import compact

FRUIT = Prompt("Answer.", (("Say one.", "one."),), "(There is a bowl.)\nWhich fruit?")


class Parrot:
    """Says what it is given, whatever it is asked."""

    name, sees, taught = "parrot", True, False

    def __init__(self, *answers):
        self.answers = iter(answers)

    def complete(self, prompt, begun, pattern):
        return next(self.answers)


@pytest.fixture
def log(tmp_path):
    """The log of two questions, the first in two steps and with a picture."""
    with EpisodeLog(tmp_path / "e") as written:
        said = Completion("a", 0.5), Completion(" pear.", 0.25), Completion("a fig.", 0.75)
        logged = Logged(Parrot(*said), written.event)
        logged.complete(Prompt(FRUIT.system, FRUIT.examples, FRUIT.question, image=b"png"), "", "a")
        logged.complete(FRUIT, "a", " pear[.]")
        logged.complete(FRUIT.corrected("a pear.", "Not that."), "", ".*")
    return tmp_path / "e" / "episode.jsonl"


def test_the_same_question_has_the_same_answer(log):
    model = load(str(log))
    assert isinstance(model, Recorded)
    assert (model.name, model.sees) == (str(log), False)
    for _ in range(2):
        assert model.complete(FRUIT, "", "a|b") == Completion("a", 0.5)
        assert model.complete(FRUIT, "a", " (pear|fig)[.]") == Completion(" pear.", 0.25)
        assert model.complete(FRUIT.corrected("a pear.", "Not that."), "", ".*") == Completion("a fig.", 0.75)


def test_a_compact_recording_answers_as_its_log_does(log, tmp_path):
    small = tmp_path / "small.jsonl"
    small.write_text("".join(json.dumps(e) + "\n" for e in compact(read(log))))
    assert "Which fruit?" not in small.read_text()
    assert Recorded(small).complete(FRUIT, "a", " pear[.]") == Completion(" pear.", 0.25)


@pytest.mark.parametrize(
    ("prompt", "begun", "says"),
    [
        (Prompt("Answer.", FRUIT.examples, "(A cup.)\nWhich cup?"), "", "no reply to 'Which cup?': record it anew"),
        (FRUIT, "b", "no reply to 'Which fruit?' that goes on after 'b': record it anew"),
        (FRUIT.corrected("a pear.", "Else."), "", "no reply to 'Which fruit?' (after 1 correction): record it anew"),
        (Prompt("Say.", FRUIT.examples, FRUIT.question), "", "no reply to 'Which fruit?': record it anew"),
    ],
)
def test_what_was_never_asked(log, prompt, begun, says):
    with pytest.raises(InputError) as caught:
        Recorded(log).complete(prompt, begun, ".*")
    assert str(caught.value).startswith(f"{log} has {says}")


def test_a_reply_that_the_grammar_no_longer_allows(log):
    with pytest.raises(InputError, match=r"outside the grammar: ' pear.'; the grammar has changed since: record it"):
        Recorded(log).complete(FRUIT, "a", " fig[.]")


def test_of_several_answers_the_first_that_is_allowed_counts(log, tmp_path):
    both = tmp_path / "both.jsonl"
    both.write_text(log.read_text() + log.read_text().replace('" pear."', '" fig."'))
    model = Recorded(both)
    assert [model.complete(FRUIT, "a", p).text for p in (" (pear|fig)[.]", " fig[.]")] == [" pear.", " fig."]


def test_half_a_last_line_is_left_out(log):
    whole = log.read_bytes()
    log.write_bytes(whole[:-20])
    model = Recorded(log)
    assert model.complete(FRUIT, "", "a").text == "a"
    with pytest.raises(InputError, match="no reply"):
        model.complete(FRUIT.corrected("a pear.", "Not that."), "", ".*")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot read .*: No such file"),
        ("", "has no reply of a model; valid: the log of an episode with language"),
        ('{"event": "start"}\n', "has no reply of a model"),
        ('{"suite": "libero_goal"}\n', ":1: not an event of an episode's log"),
        ("[1]\n", ":1: not an event"),
        ("no\n", ":1:1: not JSON"),
        ('{"event": "reply", "begun": "", "text": "a", "probability": 1}\n', "a reply comes before any prompt"),
        ('{"event": "prompt", "digest": "d"}\n{"event": "reply", "begun": ""}\n', "an event `reply` without 'text'"),
        ('{"event": "prompt"}\n', "an event `prompt` without 'messages'"),
    ],
)
def test_what_is_no_recording(tmp_path, text, says):
    path = tmp_path / "r.jsonl"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=says):
        load(str(path))


def test_a_whole_instruction_is_replayed_from_its_episode(kitchen, domain, scripted, tmp_path):
    text = "put the bowl on the plate"
    with EpisodeLog(tmp_path) as written:
        model = scripted("on(black bowl, plate)")
        model.sees = False
        first = ground(text, *kitchen, domain, Logged(model, written.event), tell=written.event)
    again = ground(text, *kitchen, domain, Recorded(tmp_path / "episode.jsonl"))
    assert (again.goal, again.confidence) == (first.goal, pytest.approx(first.confidence))
