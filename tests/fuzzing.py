"""Files for `tamp validate`, `tamp plan` and `tamp check`, and what carelessness and malice make of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random

DOMAIN = """(define (domain errands)
  (:requirements :strips :typing :negative-preconditions :equality :conditional-effects :universal-preconditions)
  (:types place good - object) ; two kinds
  (:constants home - place)
  (:predicates (at ?p - place) (has ?g - good) (sold ?g - good ?p - place) (wet))
  (:action go :parameters (?a ?b - place) :precondition (and (at ?a) (not (= ?a ?b)))
    :effect (and (not (at ?a)) (at ?b) (when (at home) (wet))))
  (:action buy :parameters (?g - good ?p - place) :precondition (and (at ?p) (sold ?g ?p)) :effect (has ?g))
  (:action dry :parameters () :precondition (forall (?g - good) (has ?g)) :effect (not (wet))))
"""
PROBLEM = """(define (problem p) (:domain errands)
  (:objects market - place tea rice - good)
  (:init (at home) (sold tea market) (sold rice market))
  (:goal (and (has tea) (has rice) (not (wet)))))
"""
PLANS = (
    "(go home market)\n(buy tea market)\n(buy rice market)\n(dry)\n; cost = 4 (unit cost)\n",
    "0.000: (go home market) [1.0]\n1.000: (buy tea market) [1.0]\n",
    "step    0: GO HOME MARKET\n        1: BUY TEA MARKET\n",
    json.dumps([{"skill": "buy", "args": {"g": "tea", "p": "market"}}, {"skill": "dry", "args": {}}]),
    json.dumps({"goal": "lift", "steps": [{"action": "RETREAT_Z", "dz_mm": 80}, {"action": "SLEEP", "seconds": 1}]}),
)
KIN = (("home", "market"), ("tea", "rice"), ("?a", "?b"), ("(at", "(sold"), ("and", "or"), ("buy", "dry", "go"))
"""Words that can often stand for one another."""
WORDS = (
    *("(", ")", "()", ";", "?x", "-", "and", "or", "not", "when", "forall", "exists", "=", ">=", "increase", "either"),
    *(":derived", ":durative-action", ":functions", ":metric", ":constraints", ":typing", "object", "1e999", "-0", "١"),
    *("define", "domain", "problem", "(define", "nan", '"', "\\", "\x00", "\ufeff", "\u2028", "İ", "ß", "🙂", "{", "["),
    *("null", "1" * 400, "a" * 300, "(" * 150, "(and " * 60, "\t\v\f", "\r", "%s", "{}", "*", "../..", "go", "tea"),
)


def span(data: bytes, rng: Random) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((1, 2, 5, 20, 100)))


def drop(data: bytes, rng: Random) -> bytes:
    start, end = span(data, rng)
    return data[:start] + data[end:]


def repeat(data: bytes, rng: Random) -> bytes:
    start, end = span(data, rng)
    return data[:end] + data[start:end] * rng.choice((1, 3, 30)) + data[end:]


def move(data: bytes, rng: Random) -> bytes:
    start, end = span(data, rng)
    rest = data[:start] + data[end:]
    to = rng.randrange(len(rest) + 1)
    return rest[:to] + data[start:end] + rest[to:]


def truncate(data: bytes, rng: Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def flip(data: bytes, rng: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 20))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def insert(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + b" " + rng.choice(WORDS).encode() + b" " + data[at:]


def swap(data: bytes, rng: Random) -> bytes:
    """Two words of the text change places, or one becomes another."""
    words = list(re.finditer(rb"[^\s()]+", data))
    if len(words) < 2:
        return data
    one, other = sorted(rng.sample(words, 2), key=lambda m: m.start())
    second = one[0] if rng.random() < 0.5 else rng.choice(WORDS).encode()
    return data[: one.start()] + other[0] + data[one.end() : other.start()] + second + data[other.end() :]


def spoil(data: bytes, rng: Random) -> bytes:
    """The same text as another program would have saved it."""
    text = data.decode(errors="replace")
    return rng.choice(
        (
            text.upper().encode(),
            text.replace("\n", "\r\n").encode(),
            text.encode("utf-8-sig"),
            text.encode("utf-16"),
            text.replace(" ", "\u00a0").encode(),
            b"```\n" + data + b"```\n",
        )
    )


def forms(data: bytes) -> list[tuple[int, int]]:
    """Where each matched pair of parentheses begins and ends, but for the outermost."""
    open_, found = [], []
    for match in re.finditer(rb"[()]", data):
        if match[0] == b"(":
            open_.append(match.start())
        elif open_:
            found.append((open_.pop(), match.end()))
    return [f for f in found if f[0]]


def without_form(data: bytes, rng: Random) -> bytes:
    start, end = rng.choice(forms(data) or [(0, 0)])
    return data[:start] + data[end:]


def form_again(data: bytes, rng: Random) -> bytes:
    """A form a second time, behind itself or behind another one."""
    there = forms(data) or [(0, 0)]
    (start, end), (_, at) = rng.choice(there), rng.choice(there)
    at = rng.choice((at, end))
    return data[:at] + b" " + data[start:end] + data[at:]


def form_for_form(data: bytes, rng: Random) -> bytes:
    """A form in the place of another one."""
    there = forms(data) or [(0, 0)]
    (start, end), (other, last) = rng.choice(there), rng.choice(there)
    return data[:other] + data[start:end] + data[last:]


def wrap(data: bytes, rng: Random) -> bytes:
    start, end = rng.choice(forms(data) or [(0, 0)])
    around = rng.choice(("(", "(not ", "(and ", "(or ", "(when (wet) ", "(forall (?q - good) ", "(exists (?g - good) "))
    return data[:start] + around.encode() + data[start:end] + b")" + data[end:]


def word_for_word(data: bytes, rng: Random) -> bytes:
    """A word of the text in the place of another one."""
    words = list(re.finditer(rb'[^\s()"]+', data))
    if not words:
        return data
    one, other = rng.choice(words), rng.choice(words)
    return data[: one.start()] + other[0] + data[one.end() :]


def kin_for_kin(data: bytes, rng: Random) -> bytes:
    """A word in the place of one that it can stand for."""
    places = [(m, kin) for kin in KIN for m in re.finditer("|".join(map(re.escape, kin)).encode(), data)]
    if not places:
        return data
    match, kin = rng.choice(places)
    return data[: match.start()] + rng.choice(kin).encode() + data[match.end() :]


def layout(data: bytes, rng: Random) -> bytes:
    """A comment, an empty line or a blank, where there is a blank already: the same to any reader of PDDL."""
    blanks = [m.start() for m in re.finditer(rb"\s", data)] or [len(data)]
    at = rng.choice(blanks)
    return data[:at] + rng.choice((b" ; (a comment\n", b"\n\n", b"  ", b"\t", b"\r\n")) + data[at:]


Mutation = Callable[[bytes, Random], bytes]
HARD: tuple[Mutation, ...] = (drop, repeat, move, truncate, flip, insert, swap, spoil)
"""Of bytes: most of what they leave is no PDDL."""
GENTLE: tuple[Mutation, ...] = (
    *(without_form, form_again, form_for_form, wrap, word_for_word, kin_for_kin, kin_for_kin, kin_for_kin, layout),
)
"""Of words and forms: much of what they leave is PDDL that means something else, or nothing."""


def mutated(data: bytes, rng: Random) -> bytes:
    """A file after one to three mutations, all gentle in two files of three."""
    kinds = GENTLE if rng.random() < 2 / 3 else HARD + GENTLE
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        data = rng.choice(kinds)(data, rng)
    return data
