"""What `--llm` can name, and what is said when it names nothing."""

import subprocess
import sys

import pytest

from llm.models import chat, hub
from llm.models.llama import CONTEXT, LlamaCpp
from llm.models.load import load
from tamp.errors import InputError


@pytest.fixture
def gguf(tmp_path):
    path = tmp_path / "mine.gguf"
    path.touch()
    return path


def test_a_gguf_file_runs_in_llama(gguf):
    model = load(str(gguf))
    assert isinstance(model, LlamaCpp)
    assert (model.name, model.path, model.context, model.sees) == (str(gguf), gguf, CONTEXT, False)


def test_a_file_describes_a_model(gguf):
    path = gguf.with_name("m.toml")
    path.write_text('backend = "llama.cpp"\nmodel = "mine.gguf"\ncontext = 512\n')
    model = load(str(path))
    assert isinstance(model, LlamaCpp)
    assert (model.path, model.context) == (gguf, 512)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("gpt", "unknown model 'gpt'; known: qwen2.5-coder-1.5b, qwen2.5-coder-0.5b, or a .gguf, .toml or .jsonl file"),
        ("none.gguf", "no model file none.gguf"),
        ("none.toml", "cannot read none.toml: No such file"),
        ("a/b/c", "unknown model 'a/b/c'"),
        ("http://", "valid: http://HOST:PORT/v1"),
    ],
)
def test_what_names_nothing(name, says):
    with pytest.raises(InputError) as caught:
        load(name)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "library"),
    [
        ('backend = "vllm"\nmodel = "a/b"', "vllm"),
        ('backend = "transformers"\nmodel = "a/b"', "transformers"),
        ('backend = "server"\nurl = "http://127.0.0.1:9"', "openai"),
    ],
)
def test_a_missing_library_is_named_before_anything_is_asked(tmp_path, monkeypatch, settings, library):
    path = tmp_path / "m.toml"
    path.write_text(settings)
    monkeypatch.setattr(chat.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError) as caught:
        load(str(path))
    assert caught.value.name == library


@pytest.mark.parametrize("name", ["Qwen/Qwen2.5-VL-7B-Instruct", "a/b"])
def test_names_of_the_hub(name):
    assert hub.is_name(name)


@pytest.mark.parametrize("name", ["qwen", "a/b/c", "/models/a", "./a", "a/", "../a", "http://a"])
def test_what_is_no_name_of_the_hub(name):
    assert not hub.is_name(name)


def test_which_of_the_hub_see():
    assert hub.sees("Qwen/Qwen2.5-VL-7B-Instruct")
    assert not hub.sees("Qwen/Qwen2.5-Coder-7B-Instruct")
    assert not hub.sees("somebody/else")


@pytest.mark.process
def test_no_backend_is_imported_before_it_is_used():
    code = (
        "import sys, llm.models.load, llm.models.server, llm.models.vllm, llm.models.huggingface, llm.models.weights\n"
        "heavy = {'outlines', 'openai', 'vllm', 'torch', 'transformers', 'llama_cpp', 'huggingface_hub'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
