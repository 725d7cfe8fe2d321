"""What `--llm` can name, what a model file may hold, replies from a log, and the messages where any is wrong."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from llm.models import language_model, weights
from llm.models.language_model import Completion, Logged, Prompt, checked, one_of
from llm.models.llama import CONTEXT, LlamaCpp
from llm.models.load import KEYS, RecordedModel, load, read
from tamp.errors import InputError
from tamp.runs.episode_log import EpisodeLog

EXAMPLES = sorted((Path(__file__).parents[3] / "docs" / "models").glob("*.toml"))


@pytest.fixture
def gguf(tmp_path):
    path = tmp_path / "mine.gguf"
    path.touch()
    return path


def written(folder, text):
    path = folder / "model.toml"
    path.write_text(text)
    return path


def test_a_gguf_file_and_a_model_file_run_in_llama(gguf):
    assert {read(path).backend for path in EXAMPLES} == set(KEYS)
    model = load(str(gguf))
    assert isinstance(model, LlamaCpp)
    assert (model.name, model.path, model.context, model.sees) == (str(gguf), gguf, CONTEXT, False)
    model = load(str(written(gguf.parent, 'backend = "llama.cpp"\nmodel = "mine.gguf"\ncontext = 512\n')))
    assert isinstance(model, LlamaCpp)
    assert (model.path, model.context) == (gguf, 512)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("gpt", "unknown model 'gpt'; known: qwen2.5-coder-1.5b, qwen2.5-coder-0.5b, or a .gguf, .toml or .jsonl file"),
        ("none.gguf", "no model file none.gguf"),
        ("none.toml", "cannot read none.toml: No such file"),
        ("a/b/c", "unknown model 'a/b/c'"),
        *((url, "valid: http://HOST:PORT/v1") for url in ("http://", "https:///v1", "http://h:99999", "http://[::1")),
    ],
)
def test_what_names_nothing(name, says):
    with pytest.raises(InputError) as caught:
        load(name)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "library"),
    [
        ('backend = "transformers"\nmodel = "a/b"', "transformers"),
        ('backend = "server"\nurl = "http://127.0.0.1:9"', "openai"),
    ],
)
def test_a_missing_library_is_named_before_anything_is_asked(tmp_path, monkeypatch, settings, library):
    path = written(tmp_path, settings)
    monkeypatch.setattr(language_model.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError) as caught:
        load(str(path))
    assert caught.value.name == library


def test_a_hub_that_cannot_be_reached(monkeypatch, tmp_path):
    pytest.importorskip("huggingface_hub")
    from huggingface_hub import constants

    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{s.getsockname()[1]}")
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
        with pytest.raises(InputError, match=r"cannot fetch a/b from the hub: .*; without the hub: tamp model list"):
            weights.pull_from_hub("a/b")


@pytest.mark.process
def test_no_backend_is_imported_before_it_is_used():
    code = (
        "import sys, llm.models.load, llm.models.huggingface, llm.models.weights\n"
        "import llm.models.chat_server\n"
        "heavy = {'outlines', 'openai', 'torch', 'transformers', 'llama_cpp', 'huggingface_hub', 'mujoco'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "backend is missing; valid: llama.cpp, server, vllm, transformers"),
        ('backend = "ollama"', "backend is ollama; valid: llama.cpp, server, vllm, transformers"),
        ('backend = "server"', "the backend server needs url"),
        (
            'backend = "transformers"\nmodel = "m"\nmodle = "n"',
            ":3: unknown key 'modle'; valid: backend, model, context, vision; did you mean 'model'?",
        ),
        ('backend = "llama.cpp"\nmodel = "m"\nvision = true', ":3: unknown key 'vision'; valid: backend, model, adap"),
        ('backend = "server"\nurl = "u"\napi_key = "s3cret"', "did you mean 'api_key_env'?"),
        ('backend = "server"\nurl = 8000', ":2: url is 8000; valid: a text"),
        ('backend = "server"\nurl = "u"\ntimeout = 0', ":3: timeout is 0; valid: seconds, more than 0"),
        ('backend = "transformers"\nmodel = "m"\ncontext = 1.5', ":3: context is 1.5; valid: tokens, more than 0"),
        ('backend = "transformers"\nmodel = "m"\nvision = "yes"', ":3: vision is yes; valid: true or false"),
        ("backend = ", "not TOML: "),
    ],
)
def test_what_is_wrong_with_a_model_file(tmp_path, text, says):
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:")
    assert says in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_only_a_whole_match_of_the_grammar_is_an_answer():
    grammar = one_of(["red.", 'bl"ue.'])
    assert checked('bl"ue.', grammar, "it") == 'bl"ue.'
    for text in ("red", "red. ", "red.\n", "reddish.", ""):
        with pytest.raises(InputError, match="it replied outside the grammar: "):
            checked(text, grammar, "it")


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
    with pytest.raises(InputError, match=r"outside the grammar: 'a pear.'; the grammar has changed since: record it"):
        model.complete(FRUIT, one_of(["a kiwi."]))


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


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot read .*: No such file"),
        ("", "has no reply of a model; valid: the log of an episode with language"),
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
