"""Model files: what they may say, and how one is told what it should have said."""

from pathlib import Path

import pytest

from llm.models.load import KEYS, Settings, read
from tamp.errors import InputError

EXAMPLES = Path(__file__).parents[3] / "docs" / "models"


def written(folder, text):
    path = folder / "model.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda p: p.stem)
def test_the_examples_are_valid(path):
    assert read(path).backend in KEYS


def test_there_is_an_example_of_every_backend():
    assert {read(path).backend for path in EXAMPLES.glob("*.toml")} == set(KEYS)


def test_a_server(tmp_path):
    path = written(tmp_path, 'backend = "server"\nurl = "http://h:1"\nvision = true\ntimeout = 5\napi_key_env = "K"')
    assert read(path) == Settings("server", url="http://h:1", vision=True, timeout=5, api_key_env="K")


def test_a_file_beside_it_is_meant_as_such(tmp_path):
    path = written(tmp_path, 'backend = "llama.cpp"\nmodel = "mine.gguf"')
    assert read(path).model == "mine.gguf"
    (tmp_path / "mine.gguf").touch()
    assert read(path).model == str(tmp_path / "mine.gguf")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "backend is missing; valid: llama.cpp, server, vllm, transformers"),
        ('backend = "ollama"', "backend is ollama; valid: llama.cpp, server, vllm, transformers"),
        ("backend = [1]", "backend is [1]; valid: llama.cpp"),
        ('backend = "server"', "the backend server needs url"),
        ('backend = "vllm"', "the backend vllm needs model"),
        (
            'backend = "vllm"\nmodel = "m"\nmodle = "n"',
            ":3: unknown key 'modle'; valid: backend, model, adapter, context, vision; did you mean 'model'?",
        ),
        (
            'backend = "llama.cpp"\nmodel = "m"\nvision = true',
            ":3: unknown key 'vision'; valid: backend, model, adapter, context",
        ),
        ('backend = "server"\nurl = "u"\napi_key = "s3cret"', "did you mean 'api_key_env'?"),
        ('backend = "server"\nurl = 8000', ":2: url is 8000; valid: a text"),
        ('backend = "server"\nurl = "u"\ntimeout = 0', ":3: timeout is 0; valid: seconds, more than 0"),
        ('backend = "server"\nurl = "u"\ntimeout = true', ":3: timeout is True; valid: seconds, more than 0"),
        ('backend = "vllm"\nmodel = "m"\ncontext = 1.5', ":3: context is 1.5; valid: tokens, more than 0"),
        ('backend = "vllm"\nmodel = "m"\nvision = "yes"', ":3: vision is yes; valid: true or false"),
        ("backend = ", "not TOML: "),
    ],
)
def test_what_a_file_must_not_say(tmp_path, text, says):
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:")
    assert says in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_no_file(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*nothing\.toml: No such file"):
        read(tmp_path / "nothing.toml")
