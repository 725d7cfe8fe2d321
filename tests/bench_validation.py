"""`make bench-validation`: `tamp validate` against VAL, over plans that engines found and plans spoilt in many ways.

The domains are those of tests/public_domains.py. Plans are found once and kept in --out/plans. `ok`: the two judges
agree, or a fault of VAL in `FAULTS` accounts for it.
"""

from __future__ import annotations

import contextlib
import importlib.util
import multiprocessing
import os
import random
import re
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from tamp.errors import InputError, TampError
from tamp.files.source import Source, read
from tamp.pddl.judges import PlanJudge, in_order, judge_of, verdict_on
from tamp.pddl.plan_formats import read_plan
from tamp.pddl.planner import solve_problem
from tamp.pddl.reading import parse
from tests.bench import Kept, Row
from tests.mutations import MUTATIONS, TIMED_MUTATIONS, Act, Plan
from tests.public_domains import DOMAINS, PublicDomain
from tests.val import validate

DUE = 1.0
SECONDS = 20.0
"""For an engine to find a plan."""
LONGEST = 400
"""Steps of a plan that is judged."""


@dataclass(frozen=True)
class Fault:
    """A fault of VAL, and which disagreements it accounts for: the two verdicts, the mutation, and what tamp printed.
    docs/validation.md reproduces each."""

    what: str
    tamp: str
    val: tuple[str, ...]
    mutations: tuple[str, ...] = ()
    untyped: bool = False
    printed: str = ""


_SAYS = ("valid", "invalid")
FAULTS = (
    Fault("a wrong number of arguments crashes it", "bad input", ("crash",), ("missing_argument", "extra_argument")),
    Fault("without :typing it ignores what is too much", "bad input", _SAYS, ("extra_argument",), True),
    Fault("without :typing it takes any name for an object", "bad input", _SAYS, ("unknown_object",), True),
    Fault("a number is less than its equal", "invalid", ("valid",), printed=r"needs .*\(< "),
    *(Fault("an effect on a number needs an `and` around it", word, ("unread",)) for word in (*_SAYS, "bad input")),
)


def explained(mutation: str, typed: bool, tamp: str, val: str, printed: str) -> str:
    """What fault of VAL accounts for a disagreement, empty when none does."""
    for fault in FAULTS:
        if (
            tamp == fault.tamp
            and val in fault.val
            and (not fault.mutations or mutation in fault.mutations)
            and not (fault.untyped and typed)
            and re.search(fault.printed, printed)
        ):
            return fault.what
    return ""


def tamps(judge: PlanJudge, text: str) -> tuple[str, str]:
    """tamp's verdict on a plan in a word, and what it says of it."""
    try:
        verdict = verdict_on(in_order(read_plan(Source("plan", text))), judge)
    except InputError as e:
        return "bad input", str(e)
    except TampError as e:
        return "refused", str(e)
    except Exception as e:  # a fault of tamp
        return "internal error", f"{type(e).__name__}: {e}"
    if verdict.valid:
        return "valid", ""
    return "invalid", f"step {verdict.failed_at}: {verdict.message}" if verdict.failed_at else verdict.message


def find(domain: PublicDomain, problem: Path, engine: str, into: Path) -> Plan | None:
    """An engine's plan, kept in the file `into`; None when it found none in time."""
    if not into.exists():
        into.parent.mkdir(parents=True, exist_ok=True)
        child = multiprocessing.get_context("fork").Process(target=_find, args=(domain.file, problem, engine, into))
        child.start()
        child.join(SECONDS)
        if child.is_alive():
            os.killpg(child.pid or 0, signal.SIGKILL)  # the engine's own processes too
            child.join()
        if not into.exists():
            into.write_text("; no plan\n")
    if into.read_text().startswith("; no plan"):
        return None
    return tuple(Act((s.name, *s.args), s.start, s.duration) for s in read_plan(read(into)).steps)


def _find(domain: Path, problem: Path, engine: str, into: Path) -> None:
    """In a process of its own: pyperplan knows no time limit."""
    os.setpgrp()
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    with contextlib.suppress(ImportError):
        import up_kairos  # type: ignore[import-not-found]

        up_kairos.register()  # it is not among the engines that unified-planning knows
    parsed = parse(read(domain), read(problem))
    if engine in ("fast-downward", "pyperplan"):
        found = solve_problem(parsed, engine, timeout=SECONDS - 2).plan
        text = "" if found is None else str(found) or "; a plan without steps\n"
    else:
        text = _timed(parsed, engine)
    whole = into.with_suffix(".partial")
    whole.write_text(text or "; no plan\n")
    whole.replace(into)


def _timed(problem: Any, engine: str) -> str:
    from unified_planning.shortcuts import OneshotPlanner

    with warnings.catch_warnings(), OneshotPlanner(name=engine) as planner:
        warnings.simplefilter("ignore")
        plan = planner.solve(problem, timeout=SECONDS - 2).plan
    if plan is None:
        return ""
    steps = plan.timed_actions if hasattr(plan, "timed_actions") else [(None, a, None) for a in plan.actions]
    acts = [Act((a.action.name, *map(str, a.actual_parameters)), start, lasts) for start, a, lasts in steps]
    return "".join(f"{act}\n" for act in acts)


def bench(
    kept: Kept, only: tuple[str, ...] = tuple(d.name for d in DOMAINS), problems: int = 10, seed: int = 0
) -> Iterator[Row]:
    """A row a plan or a spoilt one, a line a domain; of each domain at most so many problems."""
    for name in (name for name in ("up_kairos", "up_enhsp") if importlib.util.find_spec(name) is None):
        sys.stderr.write(f"{name} is not installed: its plans are left out, where they are not in {kept.folder}\n")
    for domain in (d for d in DOMAINS if d.name in only):
        for problem, engine in product(domain.problems(problems), domain.engines):
            into = kept.folder / "plans" / domain.name / f"{problem.parent.name}_{problem.stem}.{engine}.txt"
            try:
                plan = find(domain, problem, engine, into)
                if plan and len(plan) <= LONGEST:
                    yield from _compared(kept, domain, problem, engine, plan, seed)
            except InputError as e:
                sys.stderr.write(f"{into.stem}: {e}\n")


def _compared(kept: Kept, domain: PublicDomain, problem: Path, engine: str, plan: Plan, seed: int) -> Iterator[Row]:
    """Both verdicts on a plan and on what each mutation makes of it."""
    parsed = parse(read(domain.file), read(problem))
    judge = judge_of(parsed)
    timed, typed = any(a.start is not None for a in plan), len(parsed.user_types) > 1
    exact = ("-t", "0.00001") if timed else ()  # by default what is a hundredth apart happens at once
    with tempfile.TemporaryDirectory() as folder:
        for name, mutation in (TIMED_MUTATIONS if timed else MUTATIONS).items():
            spoilt = mutation(plan, parsed, random.Random(f"{seed} {domain.name} {problem.stem} {engine} {name}"))
            case = f"{domain.name} {problem.parent.name}/{problem.stem} {engine} {name} {seed}"
            if spoilt is None or kept.has(case):
                continue
            file = Path(folder) / "plan.txt"
            file.write_text("".join(f"{a}\n" for a in spoilt) or "; a plan without steps\n")
            word, printed = tamps(judge, file.read_text())
            val = validate(domain.file, problem, file, *exact).word
            why = "" if word == val else explained(name, typed, word, val, printed)
            data = {"tamp": word, "explained": why, "agree": word == val}
            detail = f"tamp {word}, VAL {val}: {printed[:300]}"
            yield Row(domain.name, word == val or bool(why), {}, detail, case, data)


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """How many verdicts of each kind there are, on how many the judges agree, and the faults of VAL."""
    words = Counter(row.data["tamp"] for row in rows)
    yield f"{len(rows)} pairs: {dict(words)}; agree {sum(row.data['agree'] for row in rows)}"
    yield from (f"{n} explained: {why}" for why, n in Counter(row.data["explained"] for row in rows).items() if why)
