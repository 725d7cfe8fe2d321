"""A drawn part of `make bench-numbers`: no spoilt number ends in an internal error, hangs, or is refused without saying
where."""

from __future__ import annotations

from random import Random

import pytest

from tests.bench_numbers import FAULTS, outcome, unspoilt
from tests.number_faults import faults
from tests.number_files import examples

QUICK = (
    *("robot in a model", "URDF", "scene of MJCF", "BDDL", "case.toml", "case about a scene"),
    *("language model", "script of a session", "order", "calibration", "recording", "object.toml", "detection line"),
    *("action plan", "arm's world", "PDDL domain, validated", "results of a bench"),
)
EACH = 3
PLACED = ("language model", "script of a session", "order", "calibration", "detection line", "case.toml")
"""What says its file, line and field whatever the fault is: elsewhere the cause may be in another file."""


@pytest.mark.parametrize("name", QUICK)
def test_a_number_that_is_none_is_refused_where_it_stands(name: str) -> None:
    example = examples()[name]
    assert unspoilt(example)["outcome"] == "accepted"
    some = [f for f in faults(example.text, example.syntax) if not f.is_unit]
    for fault in Random(name).sample(some, EACH):
        found = outcome(example, fault)
        assert found["outcome"] not in FAULTS, (fault.kind, fault.line, fault.field, found["said"])
        if name in PLACED:
            assert found["outcome"] in ("accepted", "refused"), (fault.kind, fault.line, fault.field, found)


def test_the_grave_ones_are_refused_before_anything_is_sampled() -> None:
    plan = examples()["action plan"]
    for fault in faults(plan.text, plan.syntax):
        if fault.kind == "1e15" and fault.field in ("dz_mm", "hover_mm", "xyz_mm", "offset_mm"):
            found = outcome(plan, fault)
            assert found["outcome"] == "refused" and "valid: millimetres, at most 100000" in found["said"], found
