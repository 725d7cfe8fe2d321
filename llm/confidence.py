"""How likely an answer is right, from the model's own probability for it.

A model's probability is low where a thing has many names, so it is no share of right answers by itself. A logistic
curve over its logarithm, over whether the first answer was sent back, and over whether something still speaks
against the one that was taken, makes one of it (Platt 1999). Fitted by `make bench-language ARGS=--calibrate` to the
answers of both Qwen2.5-Coder models to all but the measured part of the paraphrases; docs/language.md shows how it
does on that.
"""

from __future__ import annotations

from math import exp, log

CONSTANT, PER_LOG, SENT_BACK, DOUBTED, GUESSED = 4.68, 1.25, -1.56, -3.49, -1.5
LEAST = 1e-4
"""Probabilities below count as this."""


def confidence(probability: float, attempt: int, doubts: int, guesses: int = 0) -> float:
    """The share of right goals among answers of this `probability` (0 to 1) taken at this `attempt` (from 1).

    `doubts` is the number of objections that still stand against the answer, `guesses` that of words that the scene
    lacks and that were taken for something.
    """
    likely = CONSTANT + PER_LOG * log(max(probability, LEAST))
    likely += SENT_BACK * (attempt > 1) + DOUBTED * (doubts > 0) + GUESSED * (guesses > 0)
    return 1.0 / (1.0 + exp(-likely))
