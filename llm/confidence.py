"""How likely an answer is right, from the model's own probability for it.

A model's probability is low where a thing has many names, so it is no share of right answers by itself. A logistic
curve over its logarithm, over whether the first answer was sent back, and over whether something still speaks
against the one that was taken, makes one of it (Platt 1999). Fitted by `make bench-language ARGS=--calibrate` to the
answers of both Qwen2.5-Coder models to all but the measured part of the paraphrases; docs/language.md shows how it
does on that.
"""

from __future__ import annotations

from math import exp, log

CONSTANT, PER_LOG, SENT_BACK, DOUBTED = 4.68, 1.25, -1.56, -3.49
MEANT, MEANT_PER_LOG, INVOLVED, GUESSED = 4.06, 0.64, -1.8, -1.45
"""The same for answers in the instruction's own words: words of logic and guessed words take from it. Fitted to the
167 answers of the 1.5B to what may be looked at of problems/meaning/ and problems/paraphrases/; the share of wrong
answers with words of logic, 3 of 18, is too small a sample, so that INVOLVED is 1 lower than fitted."""
ALONE = -2.1
"""By such as were read in one way only; 16 of 20 in problems/meaning/ were right."""
WANTED, HALF_WANTED = 0.75, 0.79
"""Below the one probability that a fact is asked for (`llm.wanted`) this share is: 27 of 34 of those that may be looked
at."""
UNLIKELY = 4 / 12
"""The share of right ones below `llm.grounding.LEAST_INVOLVED`, of the answers that are told of there."""
LEAST = 1e-4
"""Probabilities below count as this."""


def confidence(probability: float, attempt: int, doubts: int, alone: bool = False) -> float:
    """The share of right goals among answers of this `probability` (0 to 1) taken at this `attempt` (from 1).

    `doubts` is the number of objections that still stand against the answer; `alone` is one to an instruction with
    words of order or several sentences that the other way of reading has not come to as well.
    """
    likely = CONSTANT + PER_LOG * log(max(probability, LEAST))
    return _share(likely + SENT_BACK * (attempt > 1) + DOUBTED * (doubts > 0) + ALONE * alone)


def confidence_in_meaning(probability: float, guesses: int, involved: bool) -> float:
    """The same for an answer in the instruction's own words, with `guesses` at words that the scene lacks; `involved`
    where it has words of logic or order, or several sentences."""
    likely = MEANT + MEANT_PER_LOG * log(max(probability, LEAST))
    return _share(likely + GUESSED * (guesses > 0) + INVOLVED * involved)


def as_wanted(confidence: float, wanted: float) -> float:
    """A confidence, given how likely the model holds what is answered to be asked for at all."""
    return confidence if wanted >= WANTED else min(confidence, HALF_WANTED)


def _share(likely: float) -> float:
    return 1.0 / (1.0 + exp(-likely))
