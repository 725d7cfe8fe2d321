"""`make bench-reader`: sentences to programs, against what careful people made of them.

    python -m tests.bench_reader [FILE...] [--model NAME] [--adapter GGUF] [--examples N] [--most N] [--out FILE.jsonl]

Each sentence is right where its answer comes to the same; else wrong (a goal that is not asked for), refused (asked
about, or called absent, impossible or nothing, where a goal is due), or missed (a goal where there is none). Prints a
line a file, right answers by the probability that the model gave them, and seconds; `--out` goes on where it was.
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

from llm import weights
from llm.backends.llama import LlamaCpp
from llm.reader.expanding import expanded
from llm.reader.merging import same_work
from llm.reader.reading import nearest, read
from llm.reader.sentences import Sentence, read_sentences

TAUGHT = Path(__file__).parents[1] / "llm" / "tuning" / "sentences"
"""The sentences that a model without an adapter is shown the nearest of."""
MEASURED = Path(__file__).parents[1] / "problems" / "reader"
LIKELY = (0.5, 0.8)
"""Probabilities above which answers are counted apart."""


def judged(sentence: Sentence, model: LlamaCpp, shown: tuple[Sentence, ...]) -> dict[str, Any]:
    """What a model makes of a sentence, as a record."""
    begun = time.monotonic()
    answer = read(sentence.words, sentence.setting, model, shown)
    due, came = expanded(sentence.program), answer.comes_to
    verdict = "right" if same_work(sentence.setting, came, due) else "wrong"
    if verdict == "wrong" and (came.kind == "goal") != (due.kind == "goal"):
        verdict = "missed" if came.kind == "goal" else "refused"
    return {
        "words": sentence.words,
        "due": str(sentence.program),
        "answer": str(answer.program),
        "verdict": verdict,
        "probability": round(answer.probability, 4),
        "seconds": round(time.monotonic() - begun, 2),
    }


def summary(name: str, records: list[dict[str, Any]]) -> str:
    """A line about the records of a file."""
    counts = Counter(r["verdict"] for r in records)
    parts = [f"{name}: {len(records)}", *(f"{v} {counts[v]}" for v in ("right", "wrong", "missed", "refused"))]
    for least in LIKELY:
        sure = [r for r in records if r["probability"] > least]
        parts.append(f"over {least}: {sum(r['verdict'] == 'right' for r in sure)} of {len(sure)} right")
    return ", ".join((*parts, f"{statistics.median(r['seconds'] for r in records):.2f} s"))


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description="Sentences to programs.")
    parser.add_argument("files", nargs="*", type=Path, default=sorted(MEASURED.glob("*.txt")))
    parser.add_argument("--model", default=weights.DEFAULT)
    parser.add_argument("--adapter", type=Path)
    parser.add_argument("--examples", type=int, default=0)
    parser.add_argument("--most", type=int, default=sys.maxsize, help="sentences of each file")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    model = LlamaCpp(asked.model, weights.find(asked.model), adapter=asked.adapter)
    taught = [s for file in sorted(TAUGHT.glob("*.txt")) for s in read_sentences(file)] if asked.examples else []
    kept = [json.loads(line) for line in asked.out.read_text().splitlines()] if asked.out and asked.out.exists() else []
    for file in asked.files:
        records = list[dict[str, Any]]()
        for sentence in read_sentences(file)[: asked.most]:
            place = f"{file.name}:{sentence.line}"
            record = next((r for r in kept if r["place"] == place), None)
            if record is None:
                shown = nearest(sentence.words, taught, asked.examples)
                record = {"place": place, **judged(sentence, model, shown)}
                if asked.out:
                    with asked.out.open("a") as out:
                        out.write(json.dumps(record) + "\n")
            records.append(record)
        sys.stdout.write(f"{summary(file.name, records)}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
