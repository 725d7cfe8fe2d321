"""Results of a benchmark: a line an episode on disk, read back when it goes on, and what they add up to."""

from __future__ import annotations

import gzip
import json
import os
import re
import statistics
import weakref
import zlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import asdict, dataclass, field, fields
from math import sqrt
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from tamp.errors import InputError
from tamp.files import lines
from tamp.files.json_text import parse_line
from tamp.files.replacing import replace_file
from tamp.runs.bench.scheduling import Key

MOST = 1e12
"""What no number of a record exceeds: counts, seconds."""


@dataclass(frozen=True, kw_only=True)
class EpisodeRecord:
    """A line of results.jsonl: which episode it is of, and what that came to.

    `planning_seconds` is symbolic planning and refinement, `execution_seconds` all from the first command to the last
    apart from that, `stepping_seconds` what of it the simulator took. `touched` are control steps with an unintended
    contact, by what was touched; `shifted` what was moved without being meant. `tree` is the git tree, or None.
    `wording` is 0 for the task's own instruction; `reply`, `confidence` and `language_seconds` are the language
    model's, None without one; `reaches` is whether a plan for the decoded goal reaches the task's. `reached` is whether
    what was asked for holds by the oracle of the goal, `task` LIBERO's check where that is the task, else None.
    `disturbed` says how the world was disturbed on purpose, None where it was not; `verdicts` how often cameras were
    `right` about what became of an action, took it for `done` that was not, or for `undone`. `redrawn` says why scenes
    that were drawn for a world before were not taken; `scene` is its file, in the results folder. `certificate` is what
    a refusal rests on, as in `Result`.
    """

    suite: str
    task_id: int
    language: str | None
    init_state: int
    seed: int
    success: bool = False
    steps: int = 0
    planning_seconds: float = 0.0
    execution_seconds: float = 0.0
    stepping_seconds: float = 0.0
    wall_seconds: float = 0.0
    failure_stage: str | None = None
    failure_reason: str | None = None
    goal: str | list[str] | None = None
    plan: list[str] | None = field(default_factory=list)
    perception: str = "oracle"
    lasting: bool = False
    touched: dict[str, int] = field(default_factory=dict)
    shifted: list[str] = field(default_factory=list)
    tree: str | None = None
    wording: int = 0
    reply: str | None = None
    confidence: float | None = None
    language_seconds: float | None = None
    reaches: bool | None = None
    reached: bool | None = None
    task: bool | None = None
    disturbed: dict[str, Any] | None = None
    verdicts: dict[str, int] | None = None
    redrawn: list[str] = field(default_factory=list)
    scene: str | None = None
    certificate: dict[str, Any] | None = None

    @property
    def key(self) -> Key:
        """Which episode it is of."""
        return Key(self.suite, self.task_id, self.init_state, self.wording)

    @property
    def task_name(self) -> str:
        """The task as commands name it."""
        return f"{self.suite}/{self.task_id}"


FIELDS = tuple(f.name for f in fields(EpisodeRecord))
LATER = FIELDS[FIELDS.index("wording") :]
"""Keys that records of earlier versions lack."""


@dataclass(eq=False)
class Results:
    """The folder of one benchmark run: `settings.json`, `results.jsonl`, `summary.json`, `episodes/`."""

    folder: Path
    _unlock: Callable[[], object] | None = field(default=None, init=False)

    def open(self, settings: dict[str, Any]) -> list[EpisodeRecord]:
        """Make the folder, or go on in it: its records, one for each episode. The folder is locked until this object is
        gone. InputError when another process has locked it, or when the records are of other settings."""
        path = self.folder / "settings.json"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock()
            if path.exists():
                self._compare(settings, _settings(path))
            else:
                self._write("settings.json", settings)
            return self._read()
        except OSError as e:
            raise InputError(f"cannot write to {self.folder}: {e.strerror}") from e

    def add(self, record: EpisodeRecord) -> None:
        """Append a record; it is on disk when this returns. InputError when the disk does not take it."""
        try:
            lines.append(self.folder / "results.jsonl", json.dumps(asdict(record), allow_nan=False))
        except OSError as e:
            raise InputError(f"cannot write to {self.folder}: {e.strerror}") from e

    def summarise(self, records: list[EpisodeRecord], versions: dict[str, str]) -> dict[str, Any]:
        """Write and return the summary, suite by suite."""
        summary = {s: summary_of([r for r in records if r.suite == s], versions) for s in _suites(records)}
        self._write("summary.json", summary)
        return summary

    def _lock(self) -> None:
        if self._unlock is not None:
            self._unlock()
        fd = lines.lock(self.folder / ".lock", str(self.folder), "wait for it, or choose another --out")
        self._unlock = weakref.finalize(self, os.close, fd)

    def _write(self, name: str, value: dict[str, Any]) -> None:
        replace_file(self.folder / name, json.dumps(value, indent=2) + "\n")

    def _compare(self, settings: dict[str, Any], before: dict[str, Any]) -> None:
        for key in before | settings:
            was, value = before.get(key), settings.get(key)
            if was != value:
                there = f"{self.folder} holds results with {key} {was!r}, not {value!r}"
                raise InputError(f"{there}: choose another --out")

    def _read(self) -> list[EpisodeRecord]:
        path = self.folder / "results.jsonl"
        if not path.exists():
            return []
        return _once(_parsed(path, lines.complete(path.read_bytes())), lambda r: r.key)


def results_file(path: Path) -> Path:
    """The results file that a path names: the one in a run's folder, or itself."""
    return path / "results.jsonl" if path.is_dir() else path


def read(path: Path) -> list[EpisodeRecord]:
    """The records of a results file, plain or compressed with gzip, or of a run's folder.

    Half a last line is left out, and an episode that is there twice counts once. InputError when the file is no
    results file, or of another version.
    """
    path = results_file(path)
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if path.suffix == ".gz" else data
    except FileNotFoundError as e:
        raise InputError(f"no results at {path}; valid: a folder of tamp bench, its results, or an episode") from e
    except (OSError, EOFError, zlib.error) as e:
        raise InputError(f"cannot read {path}: {getattr(e, 'strerror', None) or e}") from e
    records = _once(_parsed(path, lines.complete(data)), lambda r: (r.key, r.seed, r.tree))
    if not records:
        raise InputError(f"{path} holds no episode")
    return records


def _settings(path: Path) -> dict[str, Any]:
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as e:
        raise InputError(f"{path}:{e.lineno}:{e.colno}: not JSON: {e.msg}; choose another --out") from e
    if not isinstance(entry, dict):
        raise InputError(f"{path}: not the settings of a benchmark run; choose another --out")
    return entry


def _parsed(path: Path, data: bytes) -> list[EpisodeRecord]:
    hints, records = get_type_hints(EpisodeRecord), []
    for number, line in enumerate(data.decode(errors="replace").splitlines(), 1):
        entry = parse_line(str(path), number, line)
        entry = entry if isinstance(entry, dict) else {}
        lacking = [name for name in FIELDS if name not in entry and name not in LATER]
        if lacking:
            reason = f"not an episode of this version of tamp: no {', '.join(lacking[:3])}"
            raise InputError(f"{path}:{number}: {reason}; use the version that wrote it, or choose another --out")
        known = {name: entry[name] for name in FIELDS if name in entry}
        if wrong := [name for name, value in known.items() if not _is(value, hints[name])]:
            raise InputError(f"{path}:{number}: not an episode of tamp: {wrong[0]} is {entry[wrong[0]]!r:.40}")
        records.append(EpisodeRecord(**known))
    return records


def _once(records: list[EpisodeRecord], identity: Callable[[EpisodeRecord], Hashable]) -> list[EpisodeRecord]:
    """The first record of each episode: two runs at once in one folder, as versions before allowed, left two."""
    first: dict[Hashable, EpisodeRecord] = {}
    for r in records:
        first.setdefault(identity(r), r)
    return list(first.values())


def _is(value: Any, hint: Any) -> bool:
    """Whether a value is of the type of a field; numbers are from 0 up to MOST."""
    kind, of = get_origin(hint) or hint, get_args(hint)
    if kind is UnionType:
        return any(_is(value, each) for each in of)
    if kind in (int, float):
        return isinstance(value, int | kind) and not isinstance(value, bool) and 0 <= value <= MOST
    if kind is dict:
        return isinstance(value, dict) and all(_is(v, of[1]) for v in value.values())
    if kind is list:
        return isinstance(value, list) and all(_is(v, of[0]) for v in value)
    return kind is Any or isinstance(value, kind)


def summary_of(records: list[EpisodeRecord], versions: dict[str, str]) -> dict[str, Any]:
    """What the records of one suite add up to. `mean_steps` is over the successes, null without any.

    `reaching`, `refused` and `median_language_seconds` are there where goals were only decoded.
    """
    n, successes = len(records), [r for r in records if r.success]
    low, high = wilson(len(successes), n)
    minutes = sum(r.wall_seconds for r in records) / 60
    return {
        "episodes": n,
        "successes": len(successes),
        "success_rate": len(successes) / n,
        "wilson_low": round(low, 4),
        "wilson_high": round(high, 4),
        "mean_steps": round(statistics.fmean(r.steps for r in successes), 1) if successes else None,
        "median_planning_seconds": round(statistics.median(r.planning_seconds for r in records), 3),
        "episodes_per_minute": round(n / minutes, 2) if minutes else None,
        "perception": records[0].perception,
        "versions": versions,
        **(
            {"failures": found}
            if (found := dict(Counter(failure_kind(r) for r in records if not r.success).most_common()))
            else {}
        ),
        **({"redrawn": redrawn} if (redrawn := sum(len(r.redrawn) for r in records)) else {}),
        **_language(records),
    }


def failure_kind(record: EpisodeRecord) -> str:
    """What kind of failure an episode was: its stage, and the operator that failed with its reason's name where a
    refusal rests on one; else the reason without names and numbers."""
    basis = record.certificate or {}
    if (cause := basis.get("cause")) is not None:
        return ": ".join((str(record.failure_stage), *["gave up"] * (basis["proof"] == "time"), cause))
    reason = re.sub(r"\b[a-z]\w*_\d+\w*|\d+(\.\d+)?", "…", record.failure_reason or "no reason given")
    return ": ".join(filter(None, (record.failure_stage, reason.partition(";")[0])))


def _language(records: list[EpisodeRecord]) -> dict[str, Any]:
    """Refused are those without a goal, rightly or not."""
    seconds = [r.language_seconds for r in records if r.language_seconds is not None]
    if not seconds:
        return {}
    return {
        "reaching": sum(bool(r.reaches) for r in records),
        "refused": sum(r.goal is None and r.language_seconds is not None for r in records),
        "median_language_seconds": round(statistics.median(seconds), 3),
    }


def wilson(successes: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval for a success rate, at 95 % for z = 1.96 (Wilson 1927, eq. 3)."""
    if n == 0:
        return 0.0, 1.0
    p = successes / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def _suites(records: Iterable[EpisodeRecord]) -> list[str]:
    return list(dict.fromkeys(r.suite for r in records))
