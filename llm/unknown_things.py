"""What people call a thing that no model of the library explains: a model that sees is shown it and names it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from llm.model import Model, Prompt

TASK = "You are shown a part of a picture. Name the thing in its middle as people would when they ask for it."
QUESTION = "What is it? One to three words, no article."
NAME = "[a-z]{2,16}( [a-z]{2,16}){0,2}"
"""What an answer may be."""


def named(crops: Mapping[str, bytes], known: Collection[str], model: Model) -> dict[str, str]:
    """Names of things, each with the symbol it is for, from their pictures (PNG) by symbol. A name whose noun is that
    of a `known` thing's is left out, and one that two of them have: it would not tell which is meant."""
    nouns = {name.split()[-1] for name in known if name.split()}
    said = {symbol: model.complete(_prompt(png), "", NAME).text for symbol, png in crops.items()}
    every = list(said.values())
    return {n: symbol for symbol, n in said.items() if every.count(n) == 1 and n.split()[-1] not in nouns}


def _prompt(png: bytes) -> Prompt:
    return Prompt(TASK, (), QUESTION, image=png)
