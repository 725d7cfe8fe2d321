"""Which thing is meant: by an independent sort, by why not, and in time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motion.poses import Array, pose
from tamp.backends.xarm.arm_steps import ApproachObject, Selector
from tamp.backends.xarm.detections import Detection
from tamp.backends.xarm.step_targets import SAME, StepTarget, StepTargets, choose
from tamp.backends.xarm.workcell import read_workcell
from tamp.data import data_dir
from tests.arm_runs import Still

BENCH = read_workcell(data_dir("problems") / "xarm" / "bench.toml")
NOW = 1e9
ORIGIN = np.array([0.4, 0.0, 0.1])


def thing(x: float, y: float, z: float = 0.03, **also: Any) -> Detection:
    said = {"label": "cup", "confidence": 0.9, "time": NOW, **also}
    return Detection(said["label"], said["confidence"], np.array([x, y, z]), said["time"])


def chosen(
    *seen: Detection, labels: tuple[str, ...] = ("cup",), selector: Selector = "nearest", index: int = 0,
    min_conf: float = 0.0, reference: Array = ORIGIN,
) -> Detection | str:  # fmt: skip
    step = ApproachObject(labels, selector, index=index, min_conf=min_conf)
    return choose(seen, step, reference, NOW, BENCH)


CELLS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 17)), min_size=1, max_size=12, unique=True)
"""Places more than SAME apart, in the workspace."""


@given(CELLS, st.data(), st.tuples(st.floats(0.2, 0.6), st.floats(-0.4, 0.4), st.floats(0, 0.5)))
def test_index_k_is_the_kth_nearest(cells: list[tuple[int, int]], data: st.DataObject, at: Any) -> None:
    seen = [thing(0.15 + 0.05 * i, -0.43 + 0.05 * j, label="cup" if (i + j) % 2 else "bowl") for i, j in cells]
    reference = np.array(at)
    distances = np.array([np.sqrt(((d.p_base - reference) ** 2).sum()) for d in seen])
    shuffled = data.draw(st.permutations(seen))
    for k in range(len(seen)):
        found = chosen(*shuffled, labels=("cup", "bowl"), index=k, reference=reference)
        assert isinstance(found, Detection)
        assert np.isclose(np.linalg.norm(found.p_base - reference), np.sort(distances)[k], atol=1e-12)
    assert str(chosen(*shuffled, labels=("cup", "bowl"), index=len(seen))).startswith("only ")


def test_one_thing_seen_twice_is_one_thing() -> None:
    """By two cameras, or under two labels: the surer counts; at SAME apart they are two."""
    pair = [thing(0.3, 0), thing(0.3 + 0.9 * SAME, 0, confidence=0.95), thing(0.6, 0)]
    for k, x in enumerate((0.3 + 0.9 * SAME, 0.6)):
        found = chosen(*pair, index=k, reference=np.array([0.2, 0, 0]))
        assert isinstance(found, Detection) and found.p_base[0] == x
    assert chosen(*pair, index=2) == "only 2 cup seen, and index 2 is number 3"
    assert isinstance(chosen(thing(0.3, 0), thing(0.3 + 1.01 * SAME, 0), index=1), Detection)
    both = [thing(0.3, 0), thing(0.3, 0, label="bowl", confidence=0.95)]
    assert str(chosen(*both, labels=("cup", "bowl"), index=1)).startswith("only 1 cup or bowl seen")
    assert isinstance(chosen(*both), Detection)  # a bowl is no cup, wherever it is


@pytest.mark.parametrize(
    ("seen", "says"),
    [
        ([], "no cup seen; seen: nothing"),
        ([thing(0.4, 0, label="bowl"), thing(0.5, 0, label="bowl")], "no cup seen; seen: 2 bowl"),
        ([thing(0.4, 0, time=NOW - 3600), thing(0.5, 0, time=NOW - 12.25)],
         "cup at (500, 0, 30) mm is 12.2 s old, allowed are 1 s"),
        ([thing(0.4, 0, time=NOW + 60)],
         "cup at (400, 0, 30) mm is 60.0 s in the future, so a clock is wrong, allowed are 1 s"),
        ([thing(0.4, 0, confidence=0.2), thing(0.5, 0, confidence=0.3)],
         "the surest cup has confidence 0.3, needed 0.5"),
        ([thing(0.9, 0)],
         "cup at (900, 0, 30) mm is outside the workspace, x 150 to 650, y -450 to 450, z 5 to 600 mm"),
        ([thing(-0.4, 0)], "cup at (-400, 0, 30) mm is behind the arm, outside the workspace, x 150"),
        ([thing(0.4, 0, -0.02)], "cup at (400, 0, -20) mm is in the table, whose top is at 0 mm"),
    ],
)  # fmt: skip
def test_why_not(seen: list[Detection], says: str) -> None:
    assert str(chosen(*seen, min_conf=0.5)).startswith(says)


@pytest.mark.parametrize(("ref", "x"), [("bin_drop", 0.3), (None, 0.5)])
def test_nearest_is_to_the_named_pose_else_to_the_tool(ref: str | None, x: float) -> None:
    detector = Still([("cup", np.array([0.3, -0.3, 0.03])), ("cup", np.array([0.5, 0.3, 0.03]))])
    found = StepTargets(BENCH, detector).find(ApproachObject(("cup",), ref=ref), pose([0.5, 0.3, 0.2]))
    assert isinstance(found, StepTarget) and found.seen is not None and found.seen.p_base[0] == x
