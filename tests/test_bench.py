"""The frame of the benches: options from a signature, the table, what fails, resuming."""

from __future__ import annotations

import importlib
import json
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import bench
from tests.bench import Kept, Row

MEASURED: list[str] = []


def _rows(kept: Kept, n: int = 3, only: tuple[str, ...] = ("first", "second"), slow: bool = False) -> Iterator[Row]:
    for line in only:
        for number in range(n):
            if not kept.has(f"{line} {number} {slow}"):
                MEASURED.append(f"{line} {number}")
                yield Row(line, number != 1, {"s": float(number)}, "too late", f"{line} {number} {slow}")


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A bench that is there only in this test, and where it keeps its rows."""
    module = types.ModuleType("tests.bench_made_up", "A bench.")
    module.bench, module.DUE = _rows, 0.9  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "bench_made_up.py").write_text('"""`make bench-made-up`: a bench."""\ndef bench(): ...\n')
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    MEASURED.clear()
    return tmp_path / "kept"


def test_a_bench_prints_shares_with_intervals_and_values_and_fails_below_what_is_due(
    made_up: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.run("made-up", ["--out", str(made_up), "--only", "second"]) == 1
    out = capsys.readouterr().out
    assert "| second | 3 | 66.7 (20.8 to 93.9) of 3 | 1, 1.9, 2 |\n" in out
    assert "second second 1 False: too late\n" in out


def test_it_goes_on_where_it_was_interrupted(made_up: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench.run("made-up", ["--out", str(made_up), "--n", "1", "--only", "first"])
    bench.run("made-up", ["--out", str(made_up), "--n", "2", "--json"])
    assert MEASURED == ["first 0", "first 1", "second 0", "second 1"]
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["lines"]["first"]["n"] == found["lines"]["second"]["n"] == 2
    assert found["options"] == {"n": 2, "only": ["first", "second"], "slow": False}


def test_unknown_benches_and_parts_are_refused_with_what_is_valid(
    made_up: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="no bench 'other'; valid: made-up"):
        bench.run("other", [])
    with pytest.raises(SystemExit):
        bench.run("made-up", ["--only", "third"])
    assert "first, second" in capsys.readouterr().err.replace("'", "")  # newer Pythons quote nothing


@pytest.mark.parametrize("name", bench.names())
def test_every_bench_can_be_imported_and_has_options_that_can_be_parsed(name: str) -> None:
    module = importlib.import_module(f"tests.bench_{name.replace('-', '_')}")
    if hasattr(module, "bench"):
        options = bench.options_of(name, module)
        options.set_defaults(kept=None)  # its folder is made where it is run
        options.parse_args([])
