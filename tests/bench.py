"""The frame of every bench: options, resuming, the table, JSON: `python -m tests.bench [NAME [--help]]`.

A bench is a module `tests/bench_NAME.py` with a docstring and a function `bench` that yields a `Row` a case. The
keyword arguments of `bench` are its options: `n: int = 20` is `--n 20`, `body: str | None = None` is `--body BODY`,
`camera: bool = False` is `--camera`, `states: tuple[int, ...] = (0, 1)` is `--states 0 1`; what a tuple of strings
named `only` holds is all that is valid for it. An argument `kept: Kept` makes the bench resumable.

`DUE = 1.0` in the module is the share of the rows of each line that have to be `ok`, or a mapping from lines to such
shares: exit code 1 where fewer are. A function `summary(rows)` in it yields lines that are printed after the table.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import inspect
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType, NoneType
from typing import Any, get_args, get_origin

import numpy as np

from tamp.errors import InputError
from tamp.files import lines
from tamp.runs.bench.records import wilson
from tamp.runs.versions import versions

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Row:
    """One case of a line of the table.

    `ok` is whether what is due holds, None where nothing is due. The table has the median, the 95th percentile and the
    maximum of each of the `values`. `detail` is printed where `ok` is False. `case` names the row when it is kept;
    `data` is for `summary`.
    """

    line: str
    ok: bool | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    detail: str = ""
    case: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


class Kept:
    """The rows of a bench in a file, and the folder of what else it writes."""

    def __init__(self, folder: str) -> None:
        """SystemExit where another process writes there."""
        self.folder, self.rows = Path(folder), list[Row]()
        self._file = self.folder / "rows.jsonl"
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            lines.lock(self.folder / ".rows.jsonl.lock", str(self._file), "wait for it, or choose another --out")
        except InputError as e:
            raise SystemExit(str(e)) from e
        self._before = {record["case"]: Row(**record) for record in read(self._file)}

    def has(self, case: str) -> bool:
        """Whether a case was measured before; its row then counts."""
        if case in self._before:
            self.rows.append(self._before.pop(case))
        return any(row.case == case for row in self.rows)

    def add(self, row: Row) -> None:
        """Keep a row, which is on disk when this returns."""
        lines.append(self._file, json.dumps(asdict(row), default=str))


def read(path: Path) -> list[dict[str, Any]]:
    """The records of a file of JSON lines, without half a last one."""
    return [json.loads(line) for line in lines.complete(path.read_bytes()).splitlines()] if path.is_file() else []


def check_committed(path: Path, data: bytes | None = None) -> None:
    """SystemExit where a set (or `data` from it) has not the sha256 that was committed before anything was built on it.
    A set without a `.sha256` file may be looked at."""
    listed = path.parent / f"{path.name.partition('.')[0]}.sha256"
    if listed.is_file():
        found = hashlib.sha256(path.read_bytes() if data is None else data).hexdigest()
        if found not in listed.read_text():
            raise SystemExit(f"{path.name} is not the one that was committed: its sha256 is not in {listed.name}")


def share(hits: int, n: int) -> str:
    """A share in per cent with its 95 % interval (Wilson)."""
    if not n:
        return "-"
    low, high = wilson(hits, n)
    return f"{100 * hits / n:.1f} ({100 * low:.1f} to {100 * high:.1f}) of {n}"


def machine() -> str:
    """The processor, its cores and load, and the versions that results depend on."""
    names = [x for x in Path("/proc/cpuinfo").read_text().splitlines() if x.startswith("model name")]
    cpu = names[0].partition(":")[2].strip() if names else "unknown CPU"
    installed = ", ".join(f"{name} {version}" for name, version in versions().items())
    return f"{cpu}, {os.cpu_count()} cores, load {os.getloadavg()[1]:.1f}; {installed}"


def grouped(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows by their lines, in the order in which these came first."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.line, []).append(row)
    return groups


def totals(rows: Sequence[Row]) -> dict[str, Any]:
    """What the rows of one line come to: as in `--json`."""
    due = [row.ok for row in rows if row.ok is not None]
    low, high = wilson(sum(due), len(due)) if due else (None, None)
    names = list(dict.fromkeys(name for row in rows for name in row.values))
    values = {name: [row.values[name] for row in rows if name in row.values] for name in names}
    return {
        "n": len(rows), "due": len(due), "ok": sum(due), "wilson_low": low, "wilson_high": high,
        "values": {name: dict(zip(("median", "p95", "worst"), map(float, np.percentile(v, [50, 95, 100])), strict=True))
                   for name, v in values.items()},
    }  # fmt: skip


def table(rows: Sequence[Row]) -> str:
    """The lines as a Markdown table; of values the median, the 95th percentile and the greatest."""
    found = {line: totals(some) for line, some in grouped(rows).items()}
    names = list(dict.fromkeys(name for each in found.values() for name in each["values"]))
    written = [["", "n", "ok, %", *names], ["---"] + ["---:"] * (2 + len(names))]
    for line, each in found.items():
        cells = [", ".join(f"{v:.4g}" for v in each["values"].get(name, {}).values()) for name in names]
        written.append([line, str(each["n"]), share(each["ok"], each["due"]), *cells])
    return "".join(f"| {' | '.join(cells)} |\n" for cells in written)


def options_of(name: str, module: ModuleType) -> argparse.ArgumentParser:
    """The options that the keyword arguments of a bench stand for."""
    parser = argparse.ArgumentParser(
        f"make bench-{name} ARGS=…", description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    for option, parameter in inspect.signature(module.bench, eval_str=True).parameters.items():
        given, default = parameter.annotation, parameter.default
        if given is Kept:
            parser.add_argument(
                "--out", type=Kept, dest=option, default=str(Path("results") / name), help="where it goes on"
            )
            continue
        words = f"--{option.replace('_', '-')}"
        if given is bool:
            parser.add_argument(words, action="store_true")
            continue
        many = get_origin(given) is tuple
        kind = next((k for k in get_args(given) if k not in (NoneType, ...)), given)
        choices = default if option == "only" else None
        parser.add_argument(
            words, type=kind, default=default, nargs="+" if many else None, choices=choices, help=f"default: {default}"
        )
    return parser


def measured(found: Iterator[Row], kept: Kept | None) -> list[Row]:
    """The rows of a bench, those with a `case` written to standard error at once."""
    rows: list[Row] = []
    for row in found:
        if kept is not None:
            kept.add(row)
        rows.append(row)
        if row.case or row.ok is False:
            values = " ".join(f"{name} {value:.4g}" for name, value in row.values.items())
            word = {True: "ok", False: "NO", None: ""}[row.ok]
            sys.stderr.write(
                " ".join(filter(None, (row.line, row.case, word, values, "" if row.ok else row.detail))) + "\n"
            )
            sys.stderr.flush()
    return [*(kept.rows if kept is not None else ()), *rows]


def run(name: str, words: Sequence[str]) -> int:
    """Run a bench with its options: its exit code. SystemExit where there is no such bench."""
    path = f"tests.bench_{name.replace('-', '_')}"
    if name not in (known := names()):
        raise SystemExit(f"no bench {name!r}; valid: {', '.join(known)}")
    module = importlib.import_module(path)
    options = vars(options_of(name, module).parse_args(words))
    as_json, kept = options.pop("json"), options.get("kept")
    try:
        rows = measured(module.bench(**options), kept)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; the same command goes on\n" if kept is not None else "interrupted\n")
        return 130
    failed = [f"{row.line} {row.case}: {row.detail}" for row in rows if row.ok is False]
    if as_json:
        found = {line: totals(some) for line, some in grouped(rows).items()}
        record = {
            "bench": name,
            "machine": machine(),
            "options": {k: v for k, v in options.items() if k != "kept"},
            "lines": found,
            "failed": failed,
        }
        sys.stdout.write(json.dumps(record, default=str) + "\n")
    else:
        sys.stdout.write(f"{machine()}\nvalues: median, 95th percentile, maximum\n\n{table(rows)}\n")
        sys.stdout.writelines(f"{line}\n" for line in failed)
        sys.stdout.writelines(f"{line}\n" for line in getattr(module, "summary", lambda rows: ())(rows))
    due = getattr(module, "DUE", 0.0)
    for line, found in ((line, totals(some)) for line, some in grouped(rows).items()):
        if found["ok"] < found["due"] * (due.get(line, 0.0) if isinstance(due, dict) else due):
            return 1
    return 0


def names() -> dict[str, str]:
    """Every bench, with the first sentence of its docstring."""
    found = {}
    for path in sorted((ROOT / "tests").glob("bench_*.py")):
        first = path.read_text().partition('"""')[2].partition("\n\n")[0].partition('"""')[0]
        found[path.stem.removeprefix("bench_").replace("_", "-")] = " ".join(first.split()).partition("`: ")[2]
    return found


def main() -> int:
    if len(sys.argv) > 1:
        return run(sys.argv[1], sys.argv[2:])
    sys.stdout.writelines(f"{name:14} {first}\n" for name, first in names().items())
    return 0


if __name__ == "__main__":
    from tests.bench import main as main_of_the_module  # whose classes the benches import

    sys.exit(main_of_the_module())
