"""`make bench-reader`: sentences to programs, against what careful people made of them.

    python -m tests.bench_reader [FILE...] [--model NAME] [--adapter GGUF | --untaught] [--without-grammar]
                                 [--fit] [--beside FILE...] [--most N] [--out FILE.jsonl]

Each sentence is right where its answer comes to the same; else wrong (a goal that is not asked for), refused (asked
about, or called absent, impossible or nothing, where a goal is due), or missed (a goal where there is none). The
adapter is the one that is shipped; `--untaught` takes none, and shows the nearest of the taught sentences; `--beside`
shows those of the same domain that are in a file (problems/reader/domains/*/five.txt).
llm/tuning/held_out.txt has scenes that nothing was taught of: `--fit` prints the constants of
`llm.reader.program_reader.confidence` for them. Prints a line a file, right answers by the probability that the model
gave them, and seconds; `--out` goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from llm import tuning
from llm.models import weights
from llm.models.language_model import Completion, Prompt
from llm.models.llama import LlamaCpp
from llm.reader.expanding import Expanded, expanded, same_work
from llm.reader.program_reader import MOST, read
from llm.reader.sentences import Sentence, read_sentences
from tamp.errors import Refusal
from tamp.runs.bench.records import wilson

MEASURED = Path(__file__).parents[1] / "problems" / "reader"
LIKELY = (0.5, 0.8, 0.9)
"""Probabilities above which answers are counted apart."""
Record = dict[str, Any]


class Free(LlamaCpp):
    """The model with the grammar off."""

    def complete(self, prompt: Prompt, grammar: str) -> Completion:
        return super().complete(prompt, "start: /[^<]+/")


def judged(sentence: Sentence, model: LlamaCpp, own: list[Sentence]) -> Record:
    """What a model makes of a sentence, as a record."""
    begun, came, text, likely = time.monotonic(), Expanded(cannot={""}), "", 0.0
    try:
        answer = read(sentence.words, sentence.setting, model, own)
        came, text, likely = expanded(answer.program), str(answer.program), answer.probability
    except Refusal as e:
        text = str(e)
    due = expanded(sentence.program)
    verdict = "right" if same_work(sentence.setting, came, due) else "wrong"
    if verdict == "wrong" and (came.kind == "goal") != (due.kind == "goal"):
        verdict = "missed" if came.kind == "goal" else "refused"
    told = {"words": sentence.words, "due": str(sentence.program), "answer": text, "verdict": verdict}
    return told | {"probability": round(likely, 4), "seconds": round(time.monotonic() - begun, 2)}


def summary(name: str, records: list[Record]) -> str:
    """A line about the records of a file."""
    counts = Counter(r["verdict"] for r in records)
    low, high = wilson(counts["right"], len(records))
    parts = [f"{name}: {len(records)}", *(f"{v} {counts[v]}" for v in ("right", "wrong", "missed", "refused"))]
    parts[1] += f" ({100 * low:.1f} to {100 * high:.1f} %)"
    for least in LIKELY:
        sure = [r for r in records if r["probability"] > least]
        parts.append(f"over {least}: {sum(r['verdict'] == 'right' for r in sure)} of {len(sure)} right")
    return ", ".join((*parts, f"{statistics.median(r['seconds'] for r in records):.2f} s"))


def fitted(records: list[Record]) -> str:
    """The constants of the confidence, and how well probabilities tell right answers from others."""
    p = np.clip([r["probability"] for r in records], 1.0 - MOST, MOST)
    right = np.array([r["verdict"] == "right" for r in records], dtype=float)
    x = np.column_stack([np.ones_like(p), np.log(p), np.log(1.0 - p)])
    found = minimize(lambda w: float(np.mean(np.logaddexp(0.0, x @ w) - right * (x @ w))), np.zeros(3)).x
    share = 1.0 / (1.0 + np.exp(-x @ found))
    order = p[right == 1][:, None] - p[right == 0][None]
    auc, brier = float(np.mean((order > 0) + 0.5 * (order == 0))), float(np.mean((share - right) ** 2))
    wrong = int(((share > 0.8) & (right == 0)).sum())
    constants = ", ".join(f"{w:.2f}" for w in found)
    return f"fit {constants}; AUC {auc:.2f}, Brier score {brier:.3f}, wrong with confidence over 0.8: {wrong}"


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description="Sentences to programs.")
    parser.add_argument("files", nargs="*", type=Path, default=sorted(MEASURED.glob("*.txt")))
    parser.add_argument("--model", default=weights.DEFAULT)
    parser.add_argument("--adapter", type=Path)
    parser.add_argument("--untaught", action="store_true")
    parser.add_argument("--beside", nargs="*", type=Path, default=[], metavar="FILE", help="a domain's own sentences")
    parser.add_argument("--without-grammar", action="store_true")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--most", type=int, default=sys.maxsize, help="sentences of each file")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    path = weights.find(asked.model)
    beside = [s for file in asked.beside for s in read_sentences(file)]
    adapter = None if asked.untaught else asked.adapter or tuning.adapter(path)
    model = (Free if asked.without_grammar else LlamaCpp)(asked.model, path, adapter=adapter)
    kept = [json.loads(line) for line in asked.out.read_text().splitlines()] if asked.out and asked.out.exists() else []
    for file in asked.files:
        name, sentences = file.name, read_sentences(file)
        records = list[Record]()
        for n, sentence in enumerate(sentences[: asked.most]):
            place = f"{name}:{n}"
            record = next((r for r in kept if r["place"] == place), None)
            if record is None:
                own = [s for s in beside if s.setting.can_be == sentence.setting.can_be]
                record = {"place": place, **judged(sentence, model, own)}
                if asked.out:
                    with asked.out.open("a") as out:
                        out.write(json.dumps(record) + "\n")
            records.append(record)
        sys.stdout.write(f"{summary(name, records)}\n{f'{fitted(records)}{chr(10)}' if asked.fit else ''}")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
