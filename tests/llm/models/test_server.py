"""Against a real HTTP server in this process: what is asked exactly, and what every fault comes to."""

import math
import socket
import time
from dataclasses import replace

import pytest

from llm.models.chat_server import ChatServer
from llm.models.language_model import Prompt
from llm.models.load import load
from tamp.errors import InputError

ASKED = Prompt("Answer.", (("Who barks?", "the dog."),), "What is on the table?")
GRAMMAR = 'start: ("red" | "blue") " " ("mug" | "bowl") "."'


def reply(text, likely=0.5, **message):
    """A chat completion as vLLM writes it; each of two tokens has the probability `likely`."""
    tokens = [{"token": t, "logprob": math.log(likely)} for t in ("a", "b")]
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text, **message},
        "logprobs": {"content": tokens},
        "finish_reason": "stop",
    }
    return {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


@pytest.fixture
def fault(serving):
    """What the user is told when the server answers so."""

    def shown(answer, *, timeout=10.0, models=("qwen",), model="qwen"):
        with serving(answer, models) as (url, _), pytest.raises(InputError) as caught:
            ChatServer(url, model, timeout=timeout).complete(ASKED, GRAMMAR)
        message = str(caught.value)
        assert url in message or model in message
        assert "\n" not in message
        return message

    return shown


def test_a_reply_and_its_probability(serving):
    with serving(lambda h, body: h.send(reply("red mug."))) as (url, _):
        answer = ChatServer(url, "qwen").complete(ASKED, GRAMMAR)
    assert answer.text == "red mug."
    assert answer.probability == pytest.approx(0.25)
    bare = reply("red mug.")
    bare["choices"][0]["logprobs"] = None
    with serving(lambda h, body: h.send(bare)) as (url, _):
        assert ChatServer(url, "qwen").complete(ASKED, GRAMMAR).probability == 1.0


def test_the_request_asks_for_an_answer_within_the_grammar(serving):
    with serving(lambda h, body: h.send(reply("red mug."))) as (url, seen):
        model = ChatServer(url + "/v1/", "qwen", adapter="reader")
        model.complete(ASKED, GRAMMAR)
        model.complete(replace(ASKED, taught=True), GRAMMAR)
    (path, headers, body), (_, _, taught) = seen
    assert model.taught and taught["model"] == "reader"
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == "Bearer none"
    assert body["model"] == "qwen"
    assert [m["role"] for m in body["messages"]] == ["system", "user", "assistant", "user"]
    assert body["messages"][-1]["content"] == "What is on the table?"
    assert body["structured_outputs"] == {"grammar": GRAMMAR}
    assert (body["temperature"], body["logprobs"], body["max_tokens"]) == (0.0, True, 384)


def test_nobody_listens():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{s.getsockname()[1]}"
        with pytest.raises(InputError, match=rf"{url}/v1: .*refused; is the server running\?"):
            load(url)


def test_a_server_that_trickles(fault):
    """Every byte comes in time, the reply never does."""

    def answer(handler, body):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        for _ in range(30):
            time.sleep(0.1)
            handler.wfile.write(b" ")

    start = time.perf_counter()
    assert "no answer within 0.5 seconds" in fault(answer, timeout=0.5)
    assert time.perf_counter() - start < 2.0


def test_cut_off_at_the_token_limit(fault):
    cut = reply("red mu")
    cut["choices"][0]["finish_reason"] = "length"
    assert "the answer is cut off after 384 tokens" in fault(lambda h, body: h.send(cut))


def test_a_reply_that_is_not_json(fault):
    shown = fault(lambda h, body: h.send(b"<html>\nlog in first", kind="text/html"))
    assert shown.endswith(r"the reply is not JSON: '<html>\nlog in first'")


@pytest.mark.parametrize("body", [[], {"choices": [{}]}, None])
def test_json_that_is_no_completion(fault, body):
    assert "not a chat completion" in fault(lambda h, _: h.send(body))


def test_a_refusal(fault):
    shown = fault(lambda h, body: h.send(reply(None, refusal="I cannot help with that.")))
    assert shown.endswith("refuses to answer: 'I cannot help with that.'")


@pytest.mark.parametrize("text", ["red mug. Anything else?", None])
def test_a_reply_outside_the_grammar(fault, text):
    shown = fault(lambda h, body: h.send(reply(text)))
    assert "qwen at http" in shown
    assert f"replied outside the grammar: {text or ''!r}; a server that honours structured_outputs is due" in shown


def test_a_model_that_the_server_does_not_have(fault):
    said = {"error": {"message": "The model `qwem` does not exist.", "type": "NotFoundError", "code": 404}}
    shown = fault(lambda h, body: h.send(said, 404), model="qwem", models=("qwen", "llama"))
    assert shown.endswith("no model 'qwem'; the server has: qwen, llama")
    assert "no list of its models" in fault(lambda h, body: h.send(said, 404), model="qwem", models=None)


def test_requests_that_are_refused(fault):
    said = "This model's maximum context length is 2048 tokens. However, your prompt contains 2613 input tokens."
    shown = fault(lambda h, body: h.send({"error": {"message": said, "code": 400}}, 400))
    assert shown.startswith("the scene and the instruction are too long for qwen at")
    assert "2048" in shown and "2613" in shown
    for code, says in ((401, "`api_key_env`"), (503, "HTTP 503: odd")):
        assert says in fault(lambda h, body, code=code: h.send({"error": {"message": "odd"}}, code))


@pytest.mark.parametrize(("models", "listed"), [(("a", "b"), "a, b"), (None, "none")])
def test_which_of_several_models_must_be_said(serving, models, listed):
    with serving(lambda h, body: None, models) as (url, _), pytest.raises(InputError) as caught:
        load(url)
    assert str(caught.value).endswith(f"name the model in a TOML file, the server has: {listed}")


def test_the_key_comes_from_the_environment_only(serving, monkeypatch):
    monkeypatch.setenv("SOME_KEY", "s3cret")
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    with serving(lambda h, body: h.send(reply("red mug."))) as (url, seen):
        ChatServer(url, "qwen", api_key_env="SOME_KEY").complete(ASKED, GRAMMAR)
        ChatServer(url, "qwen").complete(ASKED, GRAMMAR)
        monkeypatch.delenv("SOME_KEY")
        with pytest.raises(InputError, match="environment variable SOME_KEY, which is not set"):
            ChatServer(url, "qwen", api_key_env="SOME_KEY")
    assert [headers["authorization"] for _, headers, _ in seen] == ["Bearer s3cret", "Bearer none"]
