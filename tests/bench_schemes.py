"""`make bench-schemes`: ways to hold the model to the grammar, beside each other, as a table.

    python tests/bench_schemes.py [--models 1.5b] [--schemes steps …] [--out DIR]

Every scheme gets the same questions (LIBERO's 130 official instructions and the developing part of
problems/paraphrases/, stored initial state 0, perception `oracle`), once, without the review that sends answers
back: what counts is the first answer. Goes on where it was interrupted, with the same --out.

- `steps`: what tamp does. Phrases; subject and predicate, then the other thing, clause by clause, greedy.
- `at-once`: phrases; one regular expression for the whole answer.
- `identifiers`: as `steps`, but things are called by their symbols, and the list of what is there explains them.
- `scored`: as `steps`, but of the first answer and the best one that begins otherwise the likelier counts.
- `vague`: as `steps`, but phrases that fit several things can be said too.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

from llm.decoding import MORE, Clause, decode
from llm.grammar import MAX_CLAUSES, Language, language
from llm.model import Model, Prompt
from llm.phrases import Vocabulary, vocabulary
from llm.prompt import EXAMPLES, Said, answer, prompt
from llm.spelling import mended
from tamp.api.decoding import Looked
from tamp.backends.libero import rendering
from tamp.backends.libero.goals import equivalent, in_the_tasks_words
from tamp.errors import TampError
from tamp.model.domain import Domain
from tamp.model.domain import load as load_domain
from tamp.model.goal import Goal
from tamp.quiet import hush_warnings
from tamp.runs.bench.records import wilson
from tests.bench_language import MODELS, Record, items, look, model_of, print_line, seconds_of
from tests.kept_records import keep, read, resumed

Scheme = Callable[[Model, Prompt, Language], tuple[Clause, ...]]


def at_once(model: Model, asked: Prompt, allowed: Language) -> tuple[Clause, ...]:
    """The whole answer within one regular expression; contradictions are not kept out."""
    meant: dict[str, tuple[Any, ...]] = {}
    for head, atoms in allowed.heads().items():
        tails = allowed.tails(head)
        meant |= {f"{head} {tail}": some for tail, some in tails.items()} if tails else {head: atoms}
    clause = "|".join(re.escape(text).replace("\\ ", " ") for text in sorted(meant))
    said = model.complete(asked, "", rf"({clause})(; ({clause})){{0,{MAX_CLAUSES - 1}}}\.")
    texts = said.text.rstrip(".").split(f"{MORE} ")
    return tuple(Clause(text, meant[text], said.probability, " are " in text) for text in texts)


def scored(model: Model, asked: Prompt, allowed: Language) -> tuple[Clause, ...]:
    """The likelier of the greedy answer and of the greedy one that begins otherwise."""
    first = decode(model, asked, allowed)
    left = allowed.excluding(set(first[0].atoms), frozenset())
    second = decode(model, asked, left) if left.heads() else ()
    return max((first, second), key=lambda clauses: prod(c.probability for c in clauses) if clauses else 0.0)


SCHEMES: dict[str, Scheme] = {
    "steps": decode,
    "at-once": at_once,
    "identifiers": decode,
    "scored": scored,
    "vague": decode,
}


def ask(text: str, at: Looked, domain: Domain, model: Model, scheme: str) -> Goal:
    """What a scheme makes of an instruction. TampError when that cannot be a goal."""
    state = at.view.state.known_to(domain)
    words = vocabulary(at.view.scene, state, at.task.names)
    text = mended(text, words.words())
    asked = prompt(text, language(domain, state, words, text), state)
    if scheme == "identifiers":
        asked = _with_identifiers(asked, words, text, domain, at)
        words = _identifiers(words)
    allowed = language(domain, state, words, text, again=scheme == "vague")
    clauses = SCHEMES[scheme](model, asked, allowed)
    return Goal.of(m for c in clauses for a in c.meaning if (m := allowed.meant(a)))


def _identifiers(words: Vocabulary) -> Vocabulary:
    """The vocabulary in which every symbol is called by itself."""
    symbols = {s: (s,) for s in words.name}
    return replace(words, phrases=symbols, plural={}, name={s: s for s in symbols})


def _with_identifiers(asked: Prompt, words: Vocabulary, text: str, domain: Domain, at: Looked) -> Prompt:
    """The same question with symbols in its examples and in its list of what is there."""
    known = {f.predicate: f for f in language(domain, at.view.state, words, text).forms}
    shown = [e for e in EXAMPLES if all(p in known for _, p, _ in e.goal)]
    examples = tuple((e.instruction, answer(tuple(map(_symbolic, e.goal)), known)) for e in shown)
    listed = "; ".join(f"{s} is the {name}" for s, name in words.name.items())
    return replace(asked, examples=examples, question=f"(Here are only: {listed}.)\n{text}")


def _symbolic(said: Said) -> Said:
    def symbol(phrase: str) -> str:
        noun = re.split(r" (?:at|next to|of) ", phrase.removeprefix("the "))[0]
        return f"the {noun.replace(' ', '_')}_1" if noun else ""

    subject, predicate, other = said
    return symbol(subject), predicate, symbol(other)


def run(due: list[tuple[str, str]], results: Path) -> None:
    """Ask what is not in the results yet, scene by scene."""
    done = {r["key"] for r in resumed(results)}
    todo = [
        (i, m, s)
        for n, i in enumerate(items(["official", "develop"]))
        for m, s in _turned(due, n)  # who comes after another finds the prompt evaluated: they take turns
        if i.key(m, s) not in done
    ]
    scenes = dict.fromkeys((i.wording.suite, i.wording.task_id) for i, _, _ in todo)
    models = {m: model_of(m, "grammar") for m in dict.fromkeys(m for _, m, _ in todo)}
    domain = load_domain("tabletop")
    for n, scene in enumerate(scenes, 1):
        at = look(*scene)
        for item, m, scheme in todo:
            if (item.wording.suite, item.wording.task_id) == scene:
                text, start = item.wording.text or at.task.instruction, time.perf_counter()
                told = _score(text, at, domain, models[m], scheme)
                seconds = {"language_seconds": round(time.perf_counter() - start, 3)}
                where = {"key": item.key(m, scheme), "set": item.set, "model": m, "scheme": scheme, "text": text}
                keep(results, where | told | seconds)
        sys.stderr.write(f"{n}/{len(scenes)} {'/'.join(map(str, scene))}\n")


def _turned(due: list[tuple[str, str]], n: int) -> list[tuple[str, str]]:
    first = n % len(due)
    return due[first:] + due[:first]


def _score(text: str, at: Looked, domain: Domain, model: Model, scheme: str) -> Record:
    try:
        goal = ask(text, at, domain, model, scheme)
    except TampError as e:
        return {"success": False, "goal": None, "reason": str(e)}
    same = equivalent(in_the_tasks_words(goal, at.own, at.marked), at.own, at.view.state.atoms)
    return {"success": same, "goal": str(goal), "reason": None if same else f"the task's goal is {at.own}"}


def table(records: list[Record]) -> None:
    """Print a line a set, model and scheme."""
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for r in records:
        groups.setdefault((r["set"], r["model"], r["scheme"]), []).append(r)
    for (name, model, scheme), some in sorted(groups.items(), reverse=True):
        n, right = len(some), sum(r["success"] for r in some)
        low, high = wilson(right, n)
        told = f"{right}/{n} = {100 * right / n:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
        print_line(f"{name:9} {model} {scheme:11}: {told}; {seconds_of(some):.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=["1.5b"])
    parser.add_argument("--schemes", nargs="+", choices=list(SCHEMES), default=list(SCHEMES))
    parser.add_argument("--out", type=Path, default=Path("results/schemes"))
    asked = parser.parse_args()
    hush_warnings()
    rendering.prepare(video=False)
    asked.out.mkdir(parents=True, exist_ok=True)
    results = asked.out / "results.jsonl"
    run([(m, s) for m in asked.models for s in asked.schemes], results)
    table(read(results))


if __name__ == "__main__":
    main()
