"""A scene of very many things: only those that the instruction may mean go into the question."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from llm.phrases import Vocabulary
from llm.words import content, mentioned_in_part
from tamp.model.state import WorldState

MANY = 60
"""Symbols up to which all are in the question: a small model reads better what is short."""


def relevant(text: str, words: Vocabulary, state: WorldState) -> tuple[Vocabulary, WorldState]:
    """The scene itself when it is small, else what some word of the instruction can stand for, and facts about that."""
    if len(state.symbols) <= MANY:
        return words, state
    heard = Counter(content(text))
    kept = {s for s in (*state.symbols, *words.things) if mentioned_in_part(words.calling(s), heard)}
    symbols = {s: kind for s, kind in state.symbols.items() if s in kept}
    atoms = frozenset(a for a in state.atoms if symbols.keys() >= set(a.args))
    return words.only(kept), replace(state, symbols=symbols, atoms=atoms)
