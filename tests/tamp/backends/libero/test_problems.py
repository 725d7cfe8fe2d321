"""Scenes in which the first skeleton cannot be refined, or none can: solved, and with the reason in the log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tamp.backends.libero import tasks
from tamp.pddl.domain_file import load
from tamp.runs.episode import Result, Settings
from tamp.runs.episode_log import read
from tests.places import in_libero as run

pytestmark = pytest.mark.episode


@dataclass(frozen=True)
class Told:
    """What an episode's log tells."""

    result: Result
    events: list[dict[str, Any]]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [e for e in self.events if e["event"] == kind]

    @property
    def facts(self) -> set[str]:
        return {f for e in self.of("infeasible") for f in e["facts"]}

    @property
    def done(self) -> list[str]:
        return [e["action"] for e in self.of("result") if e["success"]]

    def before(self, first: str, second: str) -> bool:
        """Whether an action that begins with `first` was done before one that begins with `second`."""
        at = [next((i for i, a in enumerate(self.done) if a.startswith(s)), None) for s in (first, second)]
        return at[0] is not None and at[1] is not None and at[0] < at[1]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        others = range(1, metafunc.config.getoption("--seeds"))
        metafunc.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.thorough) for n in others)])


def episode(scene: str, seed: int, folder: Path) -> Told:
    result = run(tasks.find(scene), None, Settings(load("tabletop"), seed=seed), folder / "out", lambda line: None)
    return Told(result, read(folder / "out" / "episode.jsonl"))


def room_was_looked_for(shown: Told) -> bool:
    notes = [note for e in shown.of("refined") for note in e["notes"]]
    return any(note.get("grasps without room at microwave_1_heating_region", 0) > 0 for note in notes)


SOLVED: dict[str, Callable[[Told], bool]] = {
    "occupied_target": lambda t: "(crowded plate_1 bowl_1)" in t.facts and t.before("(pick bowl_1", "(pick mug_1"),
    "bowl_under_bowl": lambda t: t.before("(pick bowl_2 bowl_1)", "(pick bowl_1"),
    "blocked_drawer": lambda t: (
        "(obstructed cabinet_1_middle_region bottle_1)" in t.facts and t.before("(pick bottle_1", "(open-drawer")
    ),
    "under_a_ceiling": room_was_looked_for,
    "shared_burner": lambda t: (
        "(crowded stove_1_cook_region pot_1)" in t.facts and t.before("(place-on pot_1", "(place-on pot_2")
    ),
    "walled_in": lambda t: t.result.touched == {} and t.result.shifted == [],
}

LONG = ("bowl_under_bowl", "shared_burner")
"""Those that take long, and whose reason another one has as well."""


@pytest.mark.parametrize("scene", [pytest.param(n, marks=pytest.mark.thorough) if n in LONG else n for n in SOLVED])
def test_it_is_solved_for_the_reason_that_it_is_there_for(scene: str, seed: int, tmp_path: Path) -> None:
    shown = episode(scene, seed, tmp_path)
    assert shown.result.success and shown.result.stage is None, shown.result
    assert SOLVED[scene](shown), (shown.facts, shown.done, shown.result.touched)


REFUSED = {
    "too_tall_for_the_drawer": ("mug_1 is at least 9.3 cm thick", "its clearance is 6.0 cm", "3.3 cm too little"),
    "out_of_reach": ("no configuration of the arm reaches bowl_1", "within reach", "cm nearer to the robot"),
}


@pytest.mark.parametrize("scene", REFUSED)
def test_what_geometry_forbids_is_refused_with_the_smallest_change(scene: str, seed: int, tmp_path: Path) -> None:
    result = episode(scene, seed, tmp_path).result
    assert (result.success, result.stage, result.steps) == (False, "refinement", 0)
    assert result.reason is not None and all(words in result.reason for words in REFUSED[scene]), result.reason
