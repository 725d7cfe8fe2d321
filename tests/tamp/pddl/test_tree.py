"""The located tree of a PDDL file."""

from __future__ import annotations

import pytest

from tamp.data import data_dir
from tamp.files.source import Source, read
from tamp.pddl.outline import DEEPEST
from tamp.pddl.tree import Node, tree


def test_every_word_of_a_domain_stands_where_its_node_says() -> None:
    source = read(data_dir("domains") / "tabletop" / "domain.pddl")
    words = [n for n in tree(source).walk() if n.word is not None]
    assert len(words) > 500
    assert all(source.bare()[n.start : n.end] == n.word for n in words)


def test_lists_know_their_head() -> None:
    root = tree(Source("x", "(define (domain D) ; c)\n () (:action a))"))
    assert [p.head for p in root.parts] == ["", "domain", "", ":action"]
    assert root.parts[2].parts == () and root.parts[2].word is None


@pytest.mark.parametrize("depth", [1, DEEPEST - 1])
def test_deep_texts_are_read(depth: int) -> None:
    node: Node = tree(Source("x", "(" * depth + "a" + ")" * depth))
    assert [n.word for n in node.walk()].count("a") == 1
