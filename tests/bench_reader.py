"""`make bench-reader`: sentences to programs, against what careful people made of them.

`ok`: the answer comes to the same; else it is wrong (a goal that is not asked for), refused (asked about, or called
absent, impossible or nothing, where a goal is due), or missed (a goal where there is none). `--files` are files of
sentences, by default those of problems/reader. The adapter is the shipped one; `--untaught` takes none, and shows the
nearest of the taught sentences; `--shown` are files with sentences that are shown where the domain is the same
(problems/reader/domains/*/five.txt). The fit has the constants of `confidence` in llm/reader/constrained_decoding.py:
those in use are of llm/tuning/held_out.txt, which has scenes of which nothing was taught.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from llm import tuning
from llm.models import weights
from llm.models.language_model import Completion, Prompt
from llm.models.llama import LlamaCpp
from llm.reader.constrained_decoding import MOST, read
from llm.reader.expanding import Expanded, doing, expanded, merged
from llm.reader.sentences import Sentence, read_sentences
from tamp.errors import Refusal
from tests.bench import ROOT, Kept, Row, grouped

LIKELY = (0.5, 0.8, 0.9)
"""Probabilities above which answers are counted apart."""


class _WithoutGrammar(LlamaCpp):
    def complete(self, prompt: Prompt, grammar: str) -> Completion:
        return super().complete(prompt, "start: /[^<]+/")


def bench(
    kept: Kept,
    files: tuple[Path, ...] = tuple(sorted((ROOT / "problems" / "reader").glob("*.txt"))),
    model: str = weights.DEFAULT,
    adapter: Path | None = None,
    untaught: bool = False,
    shown: tuple[Path, ...] = (),
    without_grammar: bool = False,
    n: int = sys.maxsize,
) -> Iterator[Row]:
    """A row a sentence, a line a file; at most `n` sentences of each."""
    path = weights.find(model)
    used = None if untaught else adapter or tuning.adapter(path)
    asked = (_WithoutGrammar if without_grammar else LlamaCpp)(model, path, adapter=used)
    examples = [s for file in shown for s in read_sentences(file)]
    how = "; ".join(
        [model, used.name if used else "untaught", *map(str, shown), *["without grammar"] * without_grammar]
    )
    for file in files:
        for sentence in read_sentences(file)[:n]:
            case = f"{file.name}:{sentence.line} {how}"
            if not kept.has(case):
                own = [s for s in examples if s.setting.can_be == sentence.setting.can_be]
                yield _row(file.name, sentence, asked, own, case)


def _row(line: str, sentence: Sentence, model: LlamaCpp, own: list[Sentence], case: str) -> Row:
    """What a model makes of a sentence."""
    begun, came, text, probability = time.monotonic(), Expanded(cannot={""}), "", 0.0
    try:
        answer = read(sentence.words, sentence.setting, model, own)
        came, text, probability = expanded(answer.program), str(answer.program), answer.probability
    except Refusal as e:
        text = str(e)
    due = expanded(sentence.program)
    same = came.same(due)
    if came.kind == due.kind == "goal" and sentence.setting.now:
        work = doing(sentence.setting)
        same = merged(work, came).same(merged(work, due))
    verdict = "right" if same else "wrong"
    if verdict == "wrong" and (came.kind == "goal") != (due.kind == "goal"):
        verdict = "missed" if came.kind == "goal" else "refused"
    detail = f"{verdict}: {sentence.words}: {text!r}, due {str(sentence.program)!r}"
    data = {"verdict": verdict, "probability": probability}
    return Row(line, verdict == "right", {"s": time.monotonic() - begun}, detail, case, data)


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """The verdicts of each file, right answers by the probability that the model gave them, and the fit."""
    for line, some in grouped(rows).items():
        parts = [f"{verdict} {n}" for verdict, n in Counter(row.data["verdict"] for row in some).items()]
        for least in LIKELY:
            sure = [row.ok for row in some if row.data["probability"] > least]
            parts.append(f"over {least}: {sum(map(bool, sure))} of {len(sure)} right")
        yield f"{line}: {', '.join(parts)}"
        if len({row.ok for row in some}) == 2:
            yield _fitted(some)


def _fitted(rows: Sequence[Row]) -> str:
    """The constants of the confidence, and how well probabilities tell right answers from others."""
    p = np.clip([row.data["probability"] for row in rows], 1.0 - MOST, MOST)
    right = np.array([row.ok for row in rows], dtype=float)
    x = np.column_stack([np.ones_like(p), np.log(p), np.log(1.0 - p)])
    found = minimize(lambda w: float(np.mean(np.logaddexp(0.0, x @ w) - right * (x @ w))), np.zeros(3)).x
    share = 1.0 / (1.0 + np.exp(-x @ found))
    order = p[right == 1][:, None] - p[right == 0][None]
    auc, brier = float(np.mean((order > 0) + 0.5 * (order == 0))), float(np.mean((share - right) ** 2))
    wrong = int(((share > 0.8) & (right == 0)).sum())
    constants = ", ".join(f"{w:.2f}" for w in found)
    return f"fit {constants}; AUC {auc:.2f}, Brier score {brier:.3f}, wrong with confidence over 0.8: {wrong}"
