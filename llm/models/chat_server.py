"""A server with OpenAI's chat API, as `vllm serve` has it.

The grammar goes along in vLLM's own field `structured_outputs`. A server that does not know it ignores it without a
word, so every reply is checked here.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from llm.models.language_model import ANSWER, Completion, Model, Prompt, checked, one_line, quoted, require, within
from tamp.errors import InputError

TIMEOUT = 60.0
"""Seconds for one reply, unless the model's file says otherwise."""


@dataclass(eq=False)
class ChatServer(Model):
    """A model on a server. `url` ends where `/chat/completions` follows, or names the host only.

    Without a `model` the server's only one is taken. `adapter` is what the server calls the model with the reader's.
    The key is in the environment variable `api_key_env`; without one none is sent, whatever else the environment
    holds. Threads may share one.
    """

    url: str
    model: str = ""
    sees: bool = False
    api_key_env: str = ""
    timeout: float = TIMEOUT
    adapter: str = ""
    name: str = field(init=False)
    _client: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require("openai")
        import openai

        self.url, key = _base(self.url), "none"
        if self.api_key_env and not (key := os.environ.get(self.api_key_env, "").strip()):
            due = f"the key is due in the environment variable {self.api_key_env}, which is not set"
            raise InputError(f"{self.url}: {due}")
        self.name, self.taught = self.model or self.url, bool(self.adapter)
        self._client = openai.OpenAI(base_url=self.url, api_key=key, timeout=self.timeout, max_retries=0)

    def load(self) -> ChatServer:
        """Find out now whether the server answers, and which model it has when none was named."""
        names = self._models()
        if not self.model:
            if len(names) != 1:
                listed = ", ".join(names) or "none"
                raise InputError(f"{self.url}: name the model in a TOML file, the server has: {listed}")
            self.model = self.name = names[0]
        return self

    def complete(self, prompt: Prompt, grammar: str) -> Completion:
        """An answer that the grammar allows."""
        import openai

        if not self.model:
            self.load()
        try:
            # outlines' own generator returns the text only; here the probabilities are wanted too.
            reply = self._ask(
                self._client.chat.completions.with_raw_response.create,
                model=self.adapter if self.adapter and prompt.taught else self.model,
                messages=(prompt if self.sees else prompt.unseen()).messages(),
                max_tokens=ANSWER,
                temperature=0.0,
                seed=0,
                logprobs=True,
                extra_body={"structured_outputs": {"grammar": grammar}},
            )
        except openai.NotFoundError:
            has = ", ".join(self._models()) or "no list of its models"
            wanted = " or ".join(map(repr, filter(None, (self.model, self.adapter))))
            raise InputError(f"{self.url}: no model {wanted}; the server has: {has}") from None
        return self._read(reply, grammar)

    def _read(self, reply: Any, grammar: str) -> Completion:
        """A reply's text, checked, and the probability of its tokens; 1 where the server reports none."""
        try:
            choice = reply["choices"][0]
            text, refusal = choice["message"].get("content"), choice["message"].get("refusal")
            known = [float(t["logprob"]) for t in (choice.get("logprobs") or {}).get("content") or ()]
        except (TypeError, KeyError, IndexError, ValueError, AttributeError):
            raise InputError(f"{self.url}: not a chat completion: {quoted(str(reply))}") from None
        who = f"{self.name} at {self.url}"
        if refusal:
            raise InputError(f"{who} refuses to answer: {quoted(str(refusal))}")
        if choice.get("finish_reason") == "length":
            cut = f"cut off after {ANSWER} tokens, or where the server's context ends"
            raise InputError(f"{who}: the answer is {cut}: {quoted(str(text))}")
        advice = "; a server that honours structured_outputs is due, such as vLLM 0.12 or newer"
        return Completion(checked(str(text or ""), grammar, who, advice), min(1.0, math.exp(sum(known))))

    def _models(self) -> list[str]:
        """The models that the server lists; none when it keeps no list."""
        import openai

        try:
            reply = self._ask(self._client.models.with_raw_response.list)
            return [str(model["id"]) for model in reply["data"]]
        except openai.NotFoundError:
            return []
        except (TypeError, KeyError):
            raise InputError(f"{self.url}: not a list of models: {quoted(str(reply))}") from None

    def _ask(self, request: Callable[..., Any], **fields: Any) -> Any:
        """The JSON that a request is answered with. InputError where it is not, but openai.NotFoundError for a 404."""
        import openai

        try:
            answer = within(self.timeout, lambda: request(**fields).http_response)
            return answer.json()
        except openai.NotFoundError:
            raise
        except (openai.APITimeoutError, TimeoutError):
            limit = f"no answer within {self.timeout:g} seconds; `timeout` in the model's TOML file sets them"
            raise InputError(f"{self.url}: {limit}") from None
        except openai.APIConnectionError as e:
            raise InputError(f"{self.url}: {e.__cause__ or e}; is the server running?") from None
        except openai.APIStatusError as e:
            code, message = e.status_code, e.body.get("message") if isinstance(e.body, dict) else None
            why = one_line(message or e.response.text or e.response.reason_phrase)
            if code in (401, 403):
                why += "; `api_key_env` in the model's TOML file names the variable that holds the key"
            if code == 400 and "context length" in why:
                long = f"the scene and the instruction are too long for {self.name} at {self.url}"
                raise InputError(f"{long}: {why}") from None
            raise InputError(f"{self.url}: HTTP {code}: {why}") from None
        except ValueError:
            raise InputError(f"{self.url}: the reply is not JSON: {quoted(answer.text)}") from None


def _base(url: str) -> str:
    """The address that `/chat/completions` is put after."""
    with contextlib.suppress(ValueError):  # of a port that is no number
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return url.rstrip("/") + ("" if parts.path.strip("/") else "/v1")
    raise InputError(f"{url!r} is not the address of a server; valid: http://HOST:PORT/v1")
