"""Models of the hub where nobody can reach it: one clear message."""

import socket

import pytest

from llm.models import chat, hub
from tamp.errors import InputError


def test_without_the_library(monkeypatch):
    monkeypatch.setattr(chat.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError) as caught:
        hub.pull("Qwen/Qwen2.5-VL-7B-Instruct")
    assert caught.value.name == "huggingface_hub"


def test_a_hub_that_cannot_be_reached(monkeypatch, tmp_path):
    pytest.importorskip("huggingface_hub")
    from huggingface_hub import constants

    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{s.getsockname()[1]}")
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
        with pytest.raises(InputError, match=r"cannot fetch a/b from the hub: .*; without the hub: tamp model list"):
            hub.pull("a/b")
