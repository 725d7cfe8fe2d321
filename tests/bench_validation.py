"""`make bench-validation`: `tamp validate` against VAL, over plans that engines found and plans spoilt in many ways.

    python tests/bench_validation.py [--out DIR] [--domains NAME ...] [--problems N] [--seed N]

The domains are those of tests/public_domains.py. Plans are found once and kept in --out/plans; a verdict is a line
of --out/verdicts.jsonl; an interrupted run goes on where it stopped. Exit 1 where the two judges disagree and
`EXPLAINED` does not say why.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import multiprocessing
import os
import random
import re
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tamp.errors import InputError, TampError
from tamp.files.source import Source, read
from tamp.pddl.judges import PlanJudge, in_order, judge_of, verdict_on
from tamp.pddl.plan_formats import read_plan
from tamp.pddl.reading import parse
from tests.bench import keep, resumed
from tests.mutations import MUTATIONS, TIMED_MUTATIONS, Act, Plan
from tests.public_domains import DOMAINS, PublicDomain
from tests.val import validate

ROOT = Path(__file__).parents[1]
SECONDS = 20.0
"""For an engine to find a plan."""
LONGEST = 400
"""Steps of a plan that is judged."""


@dataclass(frozen=True)
class Pair:
    """A plan and what two judges said of it; `said` is what tamp printed of it, shortened."""

    domain: str
    problem: str
    engine: str
    mutation: str
    steps: int
    typed: bool
    tamp: str
    val: str
    seconds: float
    said: str

    @property
    def agree(self) -> bool:
        return self.tamp == self.val

    @property
    def explained(self) -> str:
        """What fault of VAL accounts for a disagreement, empty when none does."""
        return next((f.what for f in FAULTS if not self.agree and f.accounts_for(self)), "")


@dataclass(frozen=True)
class Fault:
    """A fault of VAL, and which disagreements it accounts for. docs/validation.md reproduces each."""

    what: str
    tamp: str
    val: tuple[str, ...]
    mutations: tuple[str, ...] = ()
    untyped: bool = False
    said: str = ""

    def accounts_for(self, pair: Pair) -> bool:
        """Whether the verdicts, the mutation and what tamp said are those of this fault."""
        return (
            pair.tamp == self.tamp
            and pair.val in self.val
            and (not self.mutations or pair.mutation in self.mutations)
            and not (self.untyped and pair.typed)
            and re.search(self.said, pair.said) is not None
        )


_SAYS = ("valid", "invalid")
FAULTS = (
    Fault("a wrong number of arguments crashes it", "bad input", ("crash",), ("missing_argument", "extra_argument")),
    Fault("without :typing it ignores what is too much", "bad input", _SAYS, ("extra_argument",), True),
    Fault("without :typing it takes any name for an object", "bad input", _SAYS, ("unknown_object",), True),
    Fault("a number is less than its equal", "invalid", ("valid",), said=r"needs .*\(< "),
    *(Fault("an effect on a number needs an `and` around it", word, ("unread",)) for word in (*_SAYS, "bad input")),
)


def missing() -> list[str]:
    """Engines for numbers and durations that are not installed; `make bench-validation` installs them."""
    return [name for name in ("up_kairos", "up_enhsp") if importlib.util.find_spec(name) is None]


def say(line: str) -> None:
    sys.stderr.write(f"validation: {line}\n")


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
    _register()
    parsed = parse(read(domain), read(problem))
    text = _timed(parsed, engine) if engine not in ("fast-downward", "pyperplan") else _sequential(parsed, engine)
    whole = into.with_suffix(".partial")
    whole.write_text(text or "; no plan\n")
    whole.replace(into)


def _register() -> None:
    """Kairos, where it is installed, is not among the engines that unified-planning knows."""
    try:
        import up_kairos  # type: ignore[import-not-found]
    except ImportError:
        return
    up_kairos.register()


def _sequential(problem: Any, engine: str) -> str:
    from tamp.pddl.planner import solve_problem

    found = solve_problem(problem, engine, timeout=SECONDS - 2).plan
    return "" if found is None else str(found) or "; a plan without steps\n"


def _timed(problem: Any, engine: str) -> str:
    from unified_planning.shortcuts import OneshotPlanner

    with warnings.catch_warnings(), OneshotPlanner(name=engine) as planner:
        warnings.simplefilter("ignore")
        plan = planner.solve(problem, timeout=SECONDS - 2).plan
    if plan is None:
        return ""
    if not hasattr(plan, "timed_actions"):
        return "".join(f"{Act((a.action.name, *map(str, a.actual_parameters)))}\n" for a in plan.actions)
    return "".join(f"{Act((a.action.name, *map(str, a.actual_parameters)), *t)}\n" for (a, *t) in _times(plan))


def _times(plan: Any) -> list[tuple[Any, Any, Any]]:
    return [(action, start, lasts) for start, action, lasts in plan.timed_actions]


def pairs(domain: PublicDomain, problem: Path, engine: str, plan: Plan, seed: int) -> Iterator[Pair]:
    """Both verdicts on a plan and on what each mutation makes of it."""
    parsed = parse(read(domain.file), read(problem))
    judge = judge_of(parsed)
    timed, typed = any(a.start is not None for a in plan), len(parsed.user_types) > 1
    exact = ("-t", "0.00001") if timed else ()  # by default what is a hundredth apart happens at once
    with tempfile.TemporaryDirectory() as folder:
        for mutation in TIMED_MUTATIONS if timed else MUTATIONS:
            rng = random.Random(f"{seed} {domain.name} {problem.stem} {engine} {mutation.__name__}")
            spoilt = mutation(plan, parsed, rng)
            if spoilt is None:
                continue
            file = Path(folder) / "plan.txt"
            file.write_text("".join(f"{a}\n" for a in spoilt) or "; a plan without steps\n")
            begun = time.perf_counter()
            word, said = tamps(judge, file.read_text())
            took = round(time.perf_counter() - begun, 4)
            val = validate(domain.file, problem, file, *exact).word
            name = mutation.__name__
            yield Pair(domain.name, _key(problem), engine, name, len(spoilt), typed, word, val, took, said[:300])


def _key(problem: Path) -> str:
    return f"{problem.parent.name}_{problem.stem}"


def run(out: Path, domains: Iterable[PublicDomain], most: int, seed: int) -> list[Pair]:
    """Judge what is not in `out` yet; all verdicts on these domains."""
    out.mkdir(parents=True, exist_ok=True)
    lines = out / "verdicts.jsonl"
    there = [Pair(**told) for told in resumed(lines)]
    chosen = list(domains)
    there = [p for p in there if p.domain in {d.name for d in chosen}]
    done = {(p.domain, p.problem, p.engine) for p in there}
    for domain in chosen:
        for problem in domain.problems(most):
            for engine in domain.engines:
                if (domain.name, _key(problem), engine) in done:
                    continue
                plan = _plan(out, domain, problem, engine)
                if not plan or len(plan) > LONGEST:
                    continue
                try:
                    new = list(pairs(domain, problem, engine, plan, seed))
                except InputError as e:
                    say(f"{domain.name} {_key(problem)}: {e}")
                    continue
                there += new
                keep(lines, *map(asdict, new))
        counted = [p for p in there if p.domain == domain.name]
        say(f"{domain.name}: {len(counted)} pairs, {sum(not p.agree for p in counted)} disagree")
    return there


def _plan(out: Path, domain: PublicDomain, problem: Path, engine: str) -> Plan | None:
    into = out / "plans" / domain.name / f"{_key(problem)}.{engine}.txt"
    try:
        return find(domain, problem, engine, into)
    except InputError as e:
        say(f"{domain.name} {_key(problem)} {engine}: {e}")
        return None


def table(found: list[Pair]) -> str:
    """A line a domain: how many verdicts, of which kinds, and how many of them differ."""
    head = "| domain | problems | engines | pairs | valid | invalid | bad input | agree | VAL's faults | disagree |"
    rows = [head, f"|---|---|---|{'---:|' * 7}"]
    names = list(dict.fromkeys(p.domain for p in found))
    for name in [*names, "all"]:
        some = [p for p in found if name in (p.domain, "all")]
        words = Counter(p.tamp for p in some)
        agree, faults = sum(p.agree for p in some), sum(bool(p.explained) for p in some)
        counts = [len(some), words["valid"], words["invalid"], words["bad input"], agree, faults]
        problems, engines = len({(p.domain, p.problem) for p in some}), ", ".join(sorted({p.engine for p in some}))
        numbers = " | ".join(f"{n:,}" for n in [*counts, len(some) - agree - faults])
        rows.append(f"| {name} | {problems} | {engines} | {numbers} |")
    return "\n".join(rows) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare the verdicts of tamp validate with VAL's.")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "validation")
    parser.add_argument("--domains", nargs="+", choices=[d.name for d in DOMAINS], metavar="NAME")
    parser.add_argument("--problems", type=int, default=10, metavar="N", help="of a domain, at most (default 10)")
    parser.add_argument("--seed", type=int, default=0)
    a = parser.parse_args()
    for name in missing():
        say(f"{name} is not installed: its plans are left out, where they are not in {a.out} already")
    chosen = [d for d in DOMAINS if a.domains is None or d.name in a.domains]
    try:
        found = run(a.out.resolve(), chosen, a.problems, a.seed)
    except KeyboardInterrupt:
        say("interrupted; the same command goes on")
        return 130
    differ = [p for p in found if not p.agree]
    (a.out / "disagreements.jsonl").write_text(
        "".join(json.dumps(asdict(p) | {"explained": p.explained}) + "\n" for p in differ)
    )
    sys.stdout.write(table(found))
    for why, count in Counter(p.explained for p in differ if p.explained).items():
        sys.stdout.write(f"{count} explained: {why}\n")
    return int(any(not p.explained for p in differ))


if __name__ == "__main__":
    raise SystemExit(main())
