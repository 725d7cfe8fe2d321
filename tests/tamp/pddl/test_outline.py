"""What is no PDDL is told before a parser sees it."""

from __future__ import annotations

import pytest

from tamp.files.source import Source
from tamp.pddl.outline import DEEPEST, not_pddl, unbalanced


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("(define (a) (b)", (1, 1), "never closed"),
        ("(a))\n", (1, 4), "closes nothing"),
        ("(define\n (:action a :effect (and (b) (c))\n (:action b))", (2, 2), "before the next section"),
        ("(" * (DEEPEST + 1), (1, DEEPEST + 1), "levels"),
    ],
)
def test_parentheses_that_do_not_match_are_placed(text: str, place: tuple[int, int], says: str) -> None:
    wrong = unbalanced(text)
    assert wrong is not None
    assert Source("x", text).place(wrong[0]) == place
    assert says in wrong[1]


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        (" \n", (1, 1), r"there is nothing in it; valid: (define (domain NAME) …)"),
        ("\n hello", (2, 2), "no (define …): a domain begins with (define (domain NAME) …)"),
        ("()" * 1000, (1, 1), "no (define …)"),
        ("(define (problem p) (:domain d))", (1, 1), "this is a problem, not a domain"),
        ("(define (domain d))\n(define (domain e))", (2, 1), "there is something after the end"),
        ("(define (domain d)", (1, 1), "never closed"),
    ],
)
def test_what_is_no_domain_is_told(text: str, place: tuple[int, int], says: str) -> None:
    wrong = not_pddl(text, "domain")
    assert wrong is not None
    assert Source("x", text).place(wrong[0]) == place
    assert says in wrong[1]


@pytest.mark.parametrize("text", ["(define (domain d))", "\n ( define\n( domain d) (:predicates (p)))\n"])
def test_what_may_be_a_domain_is_left_to_the_parser(text: str) -> None:
    assert not_pddl(text, "domain") is None
