"""Perturbations of real episodes: when they should, once, the same way each time, and nothing is left of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tamp.backends.libero import tasks
from tamp.backends.libero.cameras import AGENT
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.perturbation_schedule import KINDS, PerturbationSchedule, check, perturbed
from tamp.backends.libero.perturbations import stays
from tamp.errors import InputError
from tamp.model.events import ActionBegun
from tamp.model.images import Image
from tamp.pddl.domain_file import load
from tamp.planning.search import SECONDS
from tamp.runs.episode import Result, Settings
from tests.places import in_libero as run

pytestmark = pytest.mark.episode

TASK, STATE = "libero_goal/8", 40
BOWL, PICK = "akita_black_bowl_1", "(pick akita_black_bowl_1 main_table)"


@pytest.fixture(scope="module")
def built() -> Iterator[LiberoEnvironment]:
    """A bowl that is to be put on a plate."""
    found = LiberoEnvironment(tasks.find(TASK), init_state=STATE)
    yield found
    found.close()


@pytest.fixture
def environment(built: LiberoEnvironment) -> LiberoEnvironment:
    """The same, at its beginning."""
    built.reset(init_state=STATE)
    return built


def episode(environment: LiberoEnvironment, kind: str, folder: Path, seconds: float = SECONDS) -> Result:
    settings = Settings(load("tabletop"), init_state=STATE, disturb=kind, seconds=seconds)
    return run(environment.task, None, settings, folder, lambda line: None, environment)


@pytest.mark.parametrize(
    "kind", ["moved", "knocked", *(pytest.param(k, marks=pytest.mark.thorough) for k in ("occupied", "open-fingers"))]
)
def test_what_was_disturbed_is_done_all_the_same(kind: str, environment: LiberoEnvironment, tmp_path: Path) -> None:
    result = episode(environment, kind, tmp_path / "out")
    assert result.disturbed is not None and result.disturbed["kind"] == kind
    assert result.success and result.lasting, result.reason
    assert environment.disturbed is None


def test_what_is_taken_away_for_good_is_told(environment: LiberoEnvironment, tmp_path: Path) -> None:
    result = episode(environment, "taken", tmp_path / "out", seconds=3.0)  # it is looked for until they are over
    assert not result.success and result.disturbed == {**(result.disturbed or {}), "thing": BOWL}
    assert result.stage in ("refinement", "perception") and "akita_black_bowl_1" in str(result.reason)


def moved_to(environment: LiberoEnvironment, seed: int) -> np.ndarray:
    environment.reset(init_state=STATE)
    before = environment.pose_of(BOWL)
    with perturbed(environment, "moved-before", seed, STATE) as schedule:
        assert schedule is not None
        environment.stop()
        assert schedule.record is None and np.allclose(environment.pose_of(BOWL), before, atol=1e-3), "nothing goes on"
        schedule.on_event(ActionBegun(PICK, {}), (BOWL, "main_table"))
        environment.stop()
        after = environment.pose_of(BOWL)
        for _ in range(20):
            environment.stop()
        assert np.allclose(environment.pose_of(BOWL), after, atol=0.01), "once, and it stays"
    assert 0.03 <= np.linalg.norm((after - before)[:2, 3]) <= 0.081
    return after


def test_the_same_seed_disturbs_the_same_way(environment: LiberoEnvironment) -> None:
    one, again, other = (moved_to(environment, seed) for seed in (0, 0, 1))
    assert np.allclose(one, again) and not np.allclose(one[:3, 3], other[:3, 3], atol=1e-3)


def test_a_displaced_camera_is_put_back_in_the_end(environment: LiberoEnvironment) -> None:
    model = environment.sim.model._model
    n = model.camera(AGENT).id
    before = model.cam_pos[n].copy(), model.cam_quat[n].copy()
    with perturbed(environment, "shifted", 0, STATE) as schedule:
        assert schedule is not None
        schedule.on_event(ActionBegun(PICK, {}), (BOWL, "main_table"))
        for _ in range(6):
            environment.stop()
        assert np.linalg.norm(model.cam_pos[n] - before[0]) == pytest.approx(0.02)
        turned = 2 * np.arccos(min(1.0, abs(float(model.cam_quat[n] @ before[1]))))
        assert np.degrees(turned) == pytest.approx(5.0, abs=1e-3)
    assert np.array_equal(model.cam_pos[n], before[0]) and np.array_equal(model.cam_quat[n], before[1])


def test_frozen_pictures_are_those_from_before_for_two_seconds(environment: LiberoEnvironment) -> None:
    blank = Image("agentview", np.zeros((4, 4, 3), np.uint8), np.zeros((4, 4)), np.eye(3), np.eye(4))
    schedule = PerturbationSchedule("frozen", environment, np.random.default_rng(0))
    shown = []
    schedule.on_event(ActionBegun(PICK, {}), (BOWL, "main_table"))
    for k in range(50):
        shown.append(float(schedule.pictures((replace(blank, depth=np.full((4, 4), float(k))),))[0].depth[0, 0]))
        environment.stop()
    schedule.close()
    began = next(k for k, z in enumerate(shown) if z != k)
    assert shown[began : began + 39] == [began - 1.0] * 39 and shown[began + 40 :] == list(range(began + 40, 50))


def test_things_stay_on_a_table_and_neither_in_the_air_nor_in_each_other(environment: LiberoEnvironment) -> None:
    T, plate = environment.pose_of(BOWL), environment.pose_of("plate_1")
    up, inside = T.copy(), T.copy()
    up[2, 3] += 0.1
    inside[:3, 3] = plate[:3, 3]
    before = environment.sim.data._data.qpos.copy()
    assert stays(environment, BOWL, T)
    assert not stays(environment, BOWL, up) and not stays(environment, BOWL, inside)
    assert np.array_equal(environment.sim.data._data.qpos, before)


def test_every_kind_is_told_of() -> None:
    text = (Path(__file__).parents[4] / "docs" / "disturbances.md").read_text()
    told, _, _ = text.partition("## What the robot does about it")
    assert [kind for kind in KINDS if f"`{kind}`" not in told] == []


def test_what_cannot_be_disturbed_is_said_with_what_can() -> None:
    with pytest.raises(InputError, match=r"no disturbance 'nocked'; valid: knocked"):
        check("nocked", "oracle")
    with pytest.raises(InputError, match="about pictures; valid with --perception camera"):
        check("frozen", "oracle")
