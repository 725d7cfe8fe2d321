"""llama.cpp, most of it with the real weights: instructions to goals in hand-built scenes."""

import os

import pytest

from llm.models.language_model import Prompt, one_of
from llm.models.llama import LlamaCpp, threads
from llm.models.weights import DEFAULT, find
from llm.reader.goal_reader import ground
from llm.tuning import adapter as shipped
from tamp.errors import InputError

CORES = len(os.sched_getaffinity(0))
WORD = "start: /[a-z]{3,9}[.]/"
BOWL, STOVE = "akita_black_bowl_1", "flat_stove_1_cook_region"


@pytest.mark.parametrize(("busy", "left"), [(0.2, CORES), (1.0, max(1, CORES - 1)), (99.0, 1)])
def test_threads_are_the_free_cores(monkeypatch, busy, left):
    monkeypatch.delenv("TAMP_LLM_THREADS", raising=False)
    assert threads(busy) == left
    monkeypatch.setenv("TAMP_LLM_THREADS", "10000")
    assert threads(busy) == CORES
    monkeypatch.setenv("TAMP_LLM_THREADS", "two")
    with pytest.raises(InputError, match="TAMP_LLM_THREADS"):
        threads()


def test_a_file_that_is_no_model(tmp_path):
    path = tmp_path / "junk.gguf"
    path.write_bytes(b"not a model")
    with pytest.raises(InputError, match=r"junk\.gguf: not a model"):
        LlamaCpp("junk", path).load()


@pytest.fixture(scope="module")
def model():
    return LlamaCpp(DEFAULT, find(DEFAULT), adapter=shipped(find(DEFAULT))).load()


@pytest.mark.model
def test_the_same_question_has_the_same_answer_and_a_next_likeliest_one(model):
    prompt, grammar = Prompt("Answer.", (), "Name a colour of grass."), "start: /(green|brown|yellow)[.]/"
    first = model.complete(prompt, grammar)
    other = first.other()
    assert other.text != first.text and 0.0 < other.probability <= first.probability <= 1.0
    model.complete(Prompt("Answer.", (), "Name a plant."), WORD)
    assert model.complete(prompt, grammar).text == first.text


@pytest.mark.thorough
@pytest.mark.model
def test_what_prompts_begin_with_is_kept_between_processes(tmp_path, monkeypatch):
    """A second process reads it, a third finds the file spoilt; all answer alike."""
    monkeypatch.setattr("llm.models.llama.models_dir", lambda: tmp_path)
    prompt = Prompt("Answer in one word.", (("Which fruit is yellow?", "banana."),), "Which animal barks?")

    def answer():
        return LlamaCpp(DEFAULT, find(DEFAULT)).complete(prompt, WORD)

    first = answer()
    (kept,) = (tmp_path / "prompts").iterdir()
    whole = kept.read_bytes()
    assert answer() == first
    assert kept.read_bytes() == whole
    kept.write_bytes(b"spoilt")
    assert answer() == first
    assert kept.stat().st_size == len(whole)


@pytest.mark.model
def test_a_prompt_that_is_too_long():
    small = LlamaCpp(DEFAULT, find(DEFAULT), context=512)
    with pytest.raises(InputError, match=r"take \d{3,4} tokens; qwen2.5-coder-1.5b reads 128 and keeps 384"):
        small.complete(Prompt("Answer.", (), "word " * 300), one_of(["yes"]))


@pytest.mark.model
@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("pull the middle drawer open", "(open wooden_cabinet_1_middle_region)"),
        ("fire up the stove once the bowl is on it", f"(and (on {BOWL} {STOVE}) (turned-on flat_stove_1))"),
    ],
)
def test_a_goal(model, kitchen, domain, text, goal):
    assert str(ground(text, *kitchen, domain, model).goal) == goal


@pytest.mark.model
def test_an_adapter_of_another_model(tmp_path):
    (tmp_path / "half.gguf").write_bytes(shipped(find(DEFAULT)).read_bytes()[:1_000_000])
    for path in (tmp_path / "half.gguf", find(DEFAULT), tmp_path / "none.gguf"):
        with pytest.raises(InputError, match="not an adapter that"):
            LlamaCpp(DEFAULT, find(DEFAULT), adapter=path).load()
