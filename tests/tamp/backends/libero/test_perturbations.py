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
from tamp.errors import InputError
from tamp.model.events import ActionBegun
from tamp.model.images import Image
from tamp.pddl.domain_file import load
from tamp.runs.episode import Settings
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


@pytest.mark.parametrize(
    "kind", ["moved", "knocked", *(pytest.param(k, marks=pytest.mark.thorough) for k in ("occupied", "open-fingers"))]
)
def test_what_was_disturbed_is_done_all_the_same(kind: str, environment: LiberoEnvironment, tmp_path: Path) -> None:
    settings = Settings(load("tabletop"), init_state=STATE, disturb=kind)
    result = run(environment.task, None, settings, tmp_path / "out", lambda line: None, environment)
    assert result.disturbed is not None and result.disturbed["kind"] == kind
    assert result.success and result.lasting, result.reason
    assert environment.disturbed is None


def test_the_same_seed_moves_a_thing_once_and_the_same_way(environment: LiberoEnvironment) -> None:
    moved = []
    for seed in (0, 0, 1):
        environment.reset(init_state=STATE)
        before = environment.pose_of(BOWL)
        with perturbed(environment, "moved-before", seed, STATE) as schedule:
            assert schedule is not None
            environment.stop()
            assert schedule.record is None and np.allclose(environment.pose_of(BOWL), before, atol=1e-3), (
                "no action yet"
            )
            schedule.on_event(ActionBegun(PICK, {}), (BOWL, "main_table"))
            environment.stop()
            moved.append(environment.pose_of(BOWL))
            for _ in range(20):
                environment.stop()
            assert np.allclose(environment.pose_of(BOWL), moved[-1], atol=0.01), "once, and it stays"
        assert 0.03 <= np.linalg.norm((moved[-1] - before)[:2, 3]) <= 0.081
    assert np.allclose(moved[0], moved[1]) and not np.allclose(moved[0][:3, 3], moved[2][:3, 3], atol=1e-3)


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


def test_every_kind_is_told_of() -> None:
    text = (Path(__file__).parents[4] / "docs" / "disturbances.md").read_text()
    shown_text, _, _ = text.partition("## What the robot does about it")
    assert [kind for kind in KINDS if f"`{kind}`" not in shown_text] == []


def test_what_cannot_be_disturbed_is_said_with_what_can() -> None:
    with pytest.raises(InputError, match=r"no disturbance 'nocked'; valid: knocked"):
        check("nocked", "oracle")
    with pytest.raises(InputError, match="about pictures; valid with --perception camera"):
        check("frozen", "oracle")
