"""`tamp validate` with the shipped domain of resources: two operators that take the same cannot overlap."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.data import data_dir
from tests import forked

pytestmark = pytest.mark.process

FOLDER = data_dir("problems") / "continuous"


def test_overlaps_on_one_resource_and_too_short_ones_are_refused(tmp_path: Path) -> None:
    good = (FOLDER / "good.plan").read_text()
    plans = {
        "good.plan": good,
        "overlap.plan": good.replace("8.5: (wipe", "5.0: (wipe"),
        "short.plan": good.replace("(wipe table) [6.0]", "(wipe table) [0.5]"),
    }
    for name, text in plans.items():
        (tmp_path / name).write_text(text)
    done = forked.tamp("validate", "continuous", FOLDER / "problem.pddl", *plans, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "good.plan: valid, 4 steps\n" in done.stdout
    assert "overlap.plan:4: invalid at step 4, (wipe table): needs (arm-free)" in done.stdout
    assert "short.plan:4: invalid at step 4, (wipe table)" in done.stdout
