"""Replies from a log: the same question, the same answer; any other question is an error that names it."""

import pytest

from llm.models.language_model import Completion, Logged, Prompt, one_of
from llm.models.load import load
from llm.models.recorded import RecordedModel
from llm.reader.goal_reader import ground
from tamp.errors import InputError
from tamp.runs.episode_log import EpisodeLog

FRUIT = Prompt("Answer.", (("Say one.", "one."),), "(There is a bowl.)\nWhich fruit?")
CORRECTED = FRUIT.corrected("a pear.", "Not that.")
ANY = "start: /.*/"


class Parrot:
    """Says what it is given, whatever it is asked."""

    name, sees, taught = "parrot", True, False

    def __init__(self, *answers):
        self.answers = iter(answers)

    def complete(self, prompt, grammar):
        return next(self.answers)


@pytest.fixture
def log(tmp_path):
    """The log of two questions, the first of them with an image, and asked twice."""
    with EpisodeLog(tmp_path / "e") as written:
        model = Parrot(Completion("a pear.", 0.25), Completion("a plum.", 0.5), Completion("a fig.", 0.75))
        logged = Logged(model, written.event)
        logged.complete(Prompt(FRUIT.system, FRUIT.examples, FRUIT.question, image=b"png"), ANY)
        logged.complete(FRUIT, ANY)
        logged.complete(CORRECTED, ANY)
    return tmp_path / "e" / "episode.jsonl"


def test_the_same_question_has_the_first_answer_that_is_allowed(log):
    model = load(str(log))
    assert isinstance(model, RecordedModel)
    assert (model.name, model.sees) == (str(log), False)
    for _ in range(2):
        first = model.complete(FRUIT, ANY)
        assert (first, first.other()) == (Completion("a pear.", 0.25), Completion("a plum.", 0.5))
        assert model.complete(FRUIT, one_of(["a plum."])) == Completion("a plum.", 0.5)
        assert model.complete(CORRECTED, ANY) == Completion("a fig.", 0.75)


@pytest.mark.parametrize(
    ("prompt", "says"),
    [
        (Prompt("Answer.", FRUIT.examples, "(A cup.)\nWhich cup?"), "no reply to 'Which cup?': record it anew"),
        (FRUIT.corrected("a pear.", "Else."), "no reply to 'Which fruit?' (after 1 correction): record it anew"),
        (Prompt("Say.", FRUIT.examples, FRUIT.question), "no reply to 'Which fruit?': record it anew"),
    ],
)
def test_what_was_never_asked(log, prompt, says):
    with pytest.raises(InputError) as caught:
        RecordedModel(log).complete(prompt, ANY)
    assert str(caught.value).startswith(f"{log} has {says}")


def test_a_reply_that_the_grammar_no_longer_allows(log):
    with pytest.raises(InputError, match=r"outside the grammar: 'a pear.'; the grammar has changed since: record it"):
        RecordedModel(log).complete(FRUIT, one_of(["a kiwi."]))


def test_half_a_last_line_is_left_out(log):
    log.write_bytes(log.read_bytes()[:-20])
    model = RecordedModel(log)
    assert model.complete(FRUIT, ANY).text == "a pear."
    with pytest.raises(InputError, match="no reply"):
        model.complete(CORRECTED, ANY)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot read .*: No such file"),
        ("", "has no reply of a model; valid: the log of an episode with language"),
        ('{"event": "start"}\n', "has no reply of a model"),
        ('{"suite": "libero_goal"}\n', ":1: not an event of an episode's log"),
        ("no\n", ":1:1: not JSON"),
        ('{"event": "reply", "text": "a", "probability": 1}\n', "a reply comes before any prompt"),
        ('{"event": "prompt", "digest": "d"}\n{"event": "reply"}\n', "an event `reply` without 'text'"),
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
        first = ground(text, *kitchen, domain, scripted("on(black bowl, plate)"), tell=written.event)
    again = ground(text, *kitchen, domain, RecordedModel(tmp_path / "episode.jsonl"))
    assert (again.goal, again.confidence) == (first.goal, pytest.approx(first.confidence))
