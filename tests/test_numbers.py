"""No number of a file ends in an internal error, or is refused without file, line and field, whatever it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from cli.main import app
from cli.output import run
from tests.number_faults import Fault, faults, lacks
from tests.number_files import Example, examples

EACH = 3
PLACED = ("language model", "script of a session", "order", "calibration", "detection line", "case.toml")
"""What has its file, line and field whatever the fault is: elsewhere the cause may be in another file."""
Outcome = Callable[[Example, Fault], tuple[str, str]]


@pytest.fixture
def outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Outcome:
    """Reads a file with a fault: `accepted`, `refused`, `no file`, `no line` …, or `internal error`; and the output."""
    monkeypatch.chdir(tmp_path)

    def found(example: Example, fault: Fault) -> tuple[str, str]:
        example.write(tmp_path, fault.text)
        read, code = example.read, 0
        try:
            if callable(read):
                code = run(lambda: (read(Path(example.name)), 0)[1], "read")
            else:
                app([*read])
        except SystemExit as e:
            code = int(e.code or 0)
        said = "".join(capfd.readouterr())
        if code == 0 or (code == 1 and (callable(read) or read[0] != "check")):
            return "accepted", said
        if code not in (1, 2) or "internal error" in said:
            return "internal error", said
        lacking = lacks(said, example.name, fault)
        return f"no {lacking}" if lacking else "refused", said

    return found


@pytest.mark.parametrize("name", examples())
def test_a_number_that_is_none_is_refused_where_it_stands(name: str, outcome: Outcome) -> None:
    example = examples()[name]
    assert outcome(example, Fault("none", 1, "", example.text))[0] == "accepted"
    for fault in Random(name).sample(list(faults(example.text, example.syntax)), EACH):
        kind, said = outcome(example, fault)
        assert kind != "internal error", (fault.kind, fault.line, fault.field, said)
        if name in PLACED:
            assert kind in ("accepted", "refused"), (fault.kind, fault.line, fault.field, said)


def test_the_grave_ones_are_refused_before_anything_is_sampled(outcome: Outcome) -> None:
    plan = examples()["action plan"]
    for fault in faults(plan.text, plan.syntax):
        if fault.kind == "1e15" and fault.field in ("dz_mm", "hover_mm", "xyz_mm", "offset_mm"):
            kind, said = outcome(plan, fault)
            assert kind == "refused" and "valid: millimetres, at most 100000" in said, said
