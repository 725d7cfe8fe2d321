import os

import numpy as np
import pytest

from llm.models.llama import LlamaCpp, _Confidence, threads
from llm.models.model import Completion, Prompt
from tamp.errors import InputError

CORES = len(os.sched_getaffinity(0))


@pytest.fixture(autouse=True)
def unset(monkeypatch):
    monkeypatch.delenv("TAMP_LLM_THREADS", raising=False)


@pytest.mark.parametrize(("busy", "left"), [(0.0, CORES), (0.2, CORES), (1.0, max(1, CORES - 1)), (99.0, 1)])
def test_threads_are_the_free_cores(busy, left):
    assert threads(busy) == left


@pytest.mark.parametrize(("wanted", "given"), [("1", 1), ("10000", CORES)])
def test_threads_by_the_environment(monkeypatch, wanted, given):
    monkeypatch.setenv("TAMP_LLM_THREADS", wanted)
    assert threads(99.0) == given


@pytest.mark.parametrize("wanted", ["0", "-1", "two"])
def test_threads_that_are_no_number(monkeypatch, wanted):
    monkeypatch.setenv("TAMP_LLM_THREADS", wanted)
    with pytest.raises(InputError, match="TAMP_LLM_THREADS"):
        threads()


def test_a_file_that_is_no_model(tmp_path):
    path = tmp_path / "junk.gguf"
    path.write_bytes(b"not a model")
    with pytest.raises(InputError, match=r"junk\.gguf: not a model"):
        LlamaCpp("junk", path).load()


def test_a_prompt_is_a_chat():
    chat = Prompt("do", (("a", "b"),), "c").messages()
    assert [(m["role"], m["content"]) for m in chat] == [
        ("system", "do"),
        ("user", "a"),
        ("assistant", "b"),
        ("user", "c"),
    ]


def test_confidence_is_among_what_is_allowed():
    seen = _Confidence()
    logits = np.array([np.log(0.3), np.log(0.1), -np.inf])
    assert seen([], logits) is logits
    assert seen.product == pytest.approx(0.75)
    seen([], np.array([1.0, -np.inf]))
    assert seen.product == pytest.approx(0.75)
    assert Completion("x").probability == 1.0
