"""`make bench-language`: instructions to goals, what the models make of them, as a table against what is due.

    python tests/bench_language.py [--models 1.5b 0.5b] [--sets official …] [--modes grammar …] [--out DIR]

The sets are LIBERO's 130 official instructions, the parts of problems/paraphrases/ that may be looked at (develop,
and the harder further) and the measured one, and the 40 instructions that are to be refused; all in the stored
initial state 0, perception `oracle`. The modes: `grammar` is what tamp does; `uniform` replaces the model's scores by
chance, with all else as it is; `free` is the same prompt with the grammar off, its reply read by the grammar
afterwards. The measured part is run as it is committed: its sha256 is checked. Goes on where it was interrupted, with
the same --out.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from llm import weights
from llm.backends.llama import LlamaCpp
from llm.confidence import LEAST
from tamp.api.decoding import Looked, decode, look_at
from tamp.backends.libero import rendering
from tamp.errors import TampError
from tamp.model.domain import load as load_domain
from tamp.model.goal import parse_goal
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs.bench.records import wilson
from tamp.runs.bench.wordings import Wording, load
from tamp.runs.versions import versions
from tests.baselines import Chance, Free
from tests.kept_records import keep, read, resumed

PARAPHRASES = Path(__file__).parents[1] / "problems" / "paraphrases"
OFFICIAL = {"libero_spatial": 10, "libero_object": 10, "libero_goal": 10, "libero_10": 10, "libero_90": 90}
SETS = ("official", "develop", "further", "measured", "refused")
MODELS = {"1.5b": "qwen2.5-coder-1.5b", "0.5b": "qwen2.5-coder-0.5b"}
MODES = {"grammar": SETS, "uniform": ("official",), "free": ("official",)}
DUE = {
    ("official", "1.5b"): 0.97,
    ("official", "0.5b"): 0.85,
    ("measured", "1.5b"): 0.92,
    ("measured", "0.5b"): 0.75,
    ("refused", "1.5b"): 0.90,
    ("refused", "0.5b"): 0.80,
}
FALSE_ALARMS = {"1.5b": 0.03, "0.5b": 0.06}
SECONDS = {"1.5b": 3.0, "0.5b": 1.2}
BELOW = 0.25
"""By how much chance has to be worse than the model."""

Record = dict[str, Any]


@dataclass(frozen=True)
class Item:
    """One question: which set it is of, and its number there."""

    set: str
    number: int
    wording: Wording

    def key(self, model: str, mode: str) -> str:
        return f"{self.set}/{self.number}/{model}/{mode}"


def items(sets: list[str]) -> Iterator[Item]:
    for name in sets:
        if name == "official":
            official = [Wording(suite, i, "") for suite, n in OFFICIAL.items() for i in range(n)]
            yield from (Item(name, n, w) for n, w in enumerate(official))
        else:
            yield from (Item(name, n, w) for n, w in enumerate(load(PARAPHRASES / f"{name}.toml")))


def check_measured() -> None:
    """The measured part is the one whose digest was committed before any prompt was written for it."""
    digest, name = (PARAPHRASES / "measured.sha256").read_text().split()
    if hashlib.sha256((PARAPHRASES / name).read_bytes()).hexdigest() != digest:
        raise SystemExit(f"{name} is not the one that was committed: its sha256 is not that of measured.sha256")


def model_of(short: str, mode: str) -> Any:
    name = MODELS[short]
    model = LlamaCpp(name, weights.find(name), rescore=Chance() if mode == "uniform" else None).load()
    return Free(model, name) if mode == "free" else model


def run(due: dict[tuple[str, str], list[Item]], results: Path) -> None:
    """Ask what is not in the results yet, scene by scene, so that each is built once."""
    done = {r["key"] for r in resumed(results)}
    left = [(i, m, mode) for (m, mode), some in due.items() for i in some if i.key(m, mode) not in done]
    scenes = dict.fromkeys((i.wording.suite, i.wording.task_id) for i, _, _ in left)
    models = {key: model_of(*key) for key in dict.fromkeys((m, mode) for _, m, mode in left)}
    domain = load_domain("tabletop")
    for n, (suite, task_id) in enumerate(scenes, 1):
        at = look(suite, task_id)
        for item, short, mode in left:
            if (item.wording.suite, item.wording.task_id) == (suite, task_id):
                record = _ask(item, at, short, mode, models[short, mode], domain, results.parent)
                keep(results, record)
        sys.stderr.write(f"{n}/{len(scenes)} {suite}/{task_id}\n")


def look(suite: str, task_id: int) -> Looked:
    """A task's scene in its stored initial state 0."""
    with hush_simulator():
        from tamp.backends.libero import tasks

        return look_at(tasks.find(f"{suite}/{task_id}"), 0, 0, sight=False)


def _ask(item: Item, at: Looked, short: str, mode: str, model: Any, domain: Any, out: Path) -> Record:
    text, key = item.wording.text or at.task.instruction, item.key(short, mode)
    folder = out / "episodes" / key.replace("/", "-")
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed over it
    told = decode(text, at, model, domain, folder, bool(item.wording.refuse))
    where = {"key": key, "set": item.set, "model": short, "mode": mode, "scene": at.task.name, "text": text}
    return where | {"reaches": None, "goal": None, "wrong_type": _ill_typed(told.get("goal"), at, domain)} | told


def _ill_typed(goal: str | None, at: Looked, domain: Any) -> bool:
    from tamp.perception import relative_places

    if goal is None:
        return False
    try:
        parse_goal(goal, domain, at.view.state.symbols | relative_places.symbols(relative_places.things(at.view.scene)))
    except TampError:
        return True
    return False


def seconds_of(some: list[Record]) -> float:
    """The median of the seconds an instruction."""
    return statistics.median(r["language_seconds"] for r in some)


def table(records: list[Record]) -> bool:
    """Print what it comes to; whether all that is due is there."""
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for r in records:
        groups.setdefault((r["mode"], r["set"], r["model"]), []).append(r)
    good = True
    for (mode, name, model), some in sorted(groups.items()):
        n, right = len(some), sum(r["success"] for r in some)
        low, high = wilson(right, n)
        due = DUE.get((name, model)) if mode == "grammar" else None
        kept = due is None or right / n >= due
        reaching = sum(bool(r["reaches"]) for r in some)
        told = f"{right}/{n} = {100 * right / n:.1f} % ({100 * low:.1f} to {100 * high:.1f}), reaching {reaching}"
        seconds = seconds_of(some)
        wrong = sum(r["wrong_type"] for r in some)
        mark = "    " if due is None else "ok  " if kept else "FAIL"
        due_said = "" if due is None else f", due {100 * due:.0f} %"
        print_line(f"{mark} {mode:8} {name:9} {model}: {told}{due_said}; {seconds:.2f} s; ill-typed {wrong}")
        good &= kept and wrong == 0
    return _alarms(groups) & _chance(groups) & good


def _alarms(groups: dict[tuple[str, str, str], list[Record]]) -> bool:
    good = True
    for model, most in FALSE_ALARMS.items():
        some = groups.get(("grammar", "official", model), [])
        if some:
            refused = sum(r["goal"] is None for r in some)
            seconds = seconds_of(some)
            ok = refused / len(some) <= most
            quick = seconds <= SECONDS[model]
            told = f"false alarms {model}: {refused}/{len(some)}, due {100 * most:.0f} %"
            print_line(f"{'ok  ' if ok else 'FAIL'} {told}")
            print_line(f"{'ok  ' if quick else 'FAIL'} median seconds {model}: {seconds:.2f}, due {SECONDS[model]}")
            good &= ok and quick
    return good


def _chance(groups: dict[tuple[str, str, str], list[Record]]) -> bool:
    good = True
    for model in MODELS:
        ours, chance = (groups.get((mode, "official", model), []) for mode in ("grammar", "uniform"))
        if ours and len(ours) == len(chance):
            shares = [sum(r["success"] for r in some) / len(some) for some in (ours, chance)]
            ok = shares[0] - shares[1] >= BELOW or model != "1.5b"
            points = 100 * (shares[0] - shares[1])
            print_line(f"{'ok  ' if ok else 'FAIL'} chance is worse by {points:.1f} points ({model})")
            good &= ok
    return good


def calibrate(records: list[Record], out: Path) -> None:
    """Fit llm/confidence.py to what may be looked at, and draw how it does on the measured part."""
    from scipy.optimize import minimize

    told = [r for r in records if r["mode"] == "grammar" and r["goal"] is not None and not r["guesses"]]

    def features(some: list[Record]) -> tuple[Any, Any]:
        p = np.maximum([r["probability"] for r in some], LEAST)
        late = np.array([r["attempt"] > 1 for r in some], dtype=float)
        doubted = np.array([r["doubts"] > 0 for r in some], dtype=float)
        right = np.array([bool(r["success"] or r["reaches"]) for r in some], dtype=float)
        return np.column_stack([np.ones_like(p), np.log(p), late, doubted]), right

    def loss(w: Any) -> float:
        z = x @ w
        return float(np.mean(np.logaddexp(0.0, z) - y * z))

    x, y = features([r for r in told if r["set"] != "measured"])
    fitted = minimize(loss, np.zeros(4)).x
    print_line(f"constants of llm/confidence.py: {', '.join(f'{w:.2f}' for w in fitted)} ({len(y)} answers)")
    x, y = features([r for r in told if r["set"] == "measured"])
    share = 1.0 / (1.0 + np.exp(-x @ fitted))
    brier, base = float(np.mean((share - y) ** 2)), float(np.mean((np.mean(y) - y) ** 2))
    print_line(f"measured part: {len(y)} answers, Brier score {brier:.4f}, of the mean alone {base:.4f}")
    rows = []
    for some in np.array_split(np.argsort(share), 8):
        low, high = wilson(int(y[some].sum()), len(some))
        rows.append((float(share[some].mean()), float(y[some].mean()), low, high))
        print_line(f"  said {rows[-1][0]:.2f}, right {rows[-1][1]:.2f} ({low:.2f} to {high:.2f}) of {len(some)}")
    draw(rows, out)


def draw(rows: list[tuple[float, float, float, float]], out: Path) -> None:
    """Confidence against share of right goals, as an SVG file: the same bytes for the same rows."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    said, right, low, high = (np.array(column) for column in zip(*rows, strict=True))
    with mpl.rc_context({"svg.hashsalt": "tamp", "font.size": 9}):
        figure = Figure(figsize=(4.2, 4.0), layout="constrained")
        FigureCanvasSVG(figure)
        ax = figure.subplots()
        ax.plot([0, 1], [0, 1], color="#bbbbbb", lw=1)
        ax.errorbar(said, right, yerr=np.maximum([right - low, high - right], 0.0), fmt="o", color="#4477aa", capsize=2)
        ax.set(xlabel="confidence", ylabel="share of right goals", xlim=(0, 1.02), ylim=(0, 1.02))
        figure.savefig(out, format="svg", metadata={"Date": None})


def print_line(line: str) -> None:
    sys.stdout.write(line + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--modes", nargs="+", choices=list(MODES), default=list(MODES))
    parser.add_argument("--out", type=Path, default=Path("results/language"))
    parser.add_argument("--calibrate", action="store_true", help="fit the confidence; draws docs/calibration.svg")
    asked = parser.parse_args()
    check_measured()
    hush_warnings()
    rendering.prepare(video=False)
    asked.out.mkdir(parents=True, exist_ok=True)
    results = asked.out / "results.jsonl"
    due = {
        (model, mode): [i for i in items(asked.sets) if i.set in MODES[mode]]
        for model in asked.models
        for mode in asked.modes
    }
    run(due, results)
    told = ", ".join(f"{name} {version}" for name, version in versions().items())
    print_line(f"{os.cpu_count()} cores, load {os.getloadavg()[1]:.1f}; {told}")
    if asked.calibrate:
        answers = [r for r in read(results) if r["set"] in asked.sets]
        calibrate(answers, Path(__file__).parents[1] / "docs" / "calibration.svg")
    sys.exit(0 if table(read(results)) else 1)


if __name__ == "__main__":
    main()
