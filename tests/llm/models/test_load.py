"""What `--llm` can name, what a model file may hold, and the messages where either is wrong."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from llm.models import language_model, weights
from llm.models.language_model import SHOWN, checked, one_of, quoted
from llm.models.llama import CONTEXT, LlamaCpp
from llm.models.load import KEYS, ModelSettings, load, read
from tamp.errors import InputError

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
        ('backend = "vllm"\nmodel = "a/b"', "vllm"),
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


@pytest.mark.parametrize(
    ("name", "is_one"), [("Qwen/Qwen2.5-VL-7B-Instruct", True), *((n, False) for n in ("qwen", "./a", "a/", "../a"))]
)
def test_names_of_the_hub(name, is_one):
    assert weights.is_hub_name(name) is is_one


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
        "import sys, llm.models.load, llm.models.server, llm.models.vllm, llm.models.huggingface, llm.models.weights\n"
        "heavy = {'outlines', 'openai', 'vllm', 'torch', 'transformers', 'llama_cpp', 'huggingface_hub', 'mujoco'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_there_is_a_valid_example_of_every_backend():
    assert {read(path).backend for path in EXAMPLES} == set(KEYS)


def test_a_model_file_of_a_server(tmp_path):
    path = written(tmp_path, 'backend = "server"\nurl = "http://h:1"\nvision = true\ntimeout = 5\napi_key_env = "K"')
    assert read(path) == ModelSettings("server", url="http://h:1", vision=True, timeout=5, api_key_env="K")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "backend is missing; valid: llama.cpp, server, vllm, transformers"),
        ('backend = "ollama"', "backend is ollama; valid: llama.cpp, server, vllm, transformers"),
        ('backend = "server"', "the backend server needs url"),
        (
            'backend = "vllm"\nmodel = "m"\nmodle = "n"',
            ":3: unknown key 'modle'; valid: backend, model, adapter, context, vision; did you mean 'model'?",
        ),
        ('backend = "llama.cpp"\nmodel = "m"\nvision = true', ":3: unknown key 'vision'; valid: backend, model, adap"),
        ('backend = "server"\nurl = "u"\napi_key = "s3cret"', "did you mean 'api_key_env'?"),
        ('backend = "server"\nurl = 8000', ":2: url is 8000; valid: a text"),
        ('backend = "server"\nurl = "u"\ntimeout = 0', ":3: timeout is 0; valid: seconds, more than 0"),
        ('backend = "vllm"\nmodel = "m"\ncontext = 1.5', ":3: context is 1.5; valid: tokens, more than 0"),
        ('backend = "vllm"\nmodel = "m"\nvision = "yes"', ":3: vision is yes; valid: true or false"),
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
    assert quoted("x" * 500) == repr("x" * SHOWN + "…") and "\n" not in quoted("a\nb")
