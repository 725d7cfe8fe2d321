"""Scenes that are declared without BDDL: drawn by a seed, at rest where they are declared to be, and solved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from tamp.backends.libero import tasks
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.errors import InputError
from tamp.model.bodies import world_of
from tamp.model.scene import Scene
from tamp.perception.predicates import observe

pytestmark = pytest.mark.episode

DRAWER = """
[things.cabinet_1]
category = "wooden_cabinet"
open = ["top"]
[things.mug_1]
category = "porcelain_mug"
in = "cabinet_1_top_region"
[things.cheese_1]
category = "cream_cheese"
in = "cabinet_1_bottom_region"
[things.box_1]
category = "cookies"
on = "cabinet_1"
[things.plate_1]
category = "plate"
region = [-0.2, 0.0, 0.0, 0.2]
[things.bowl_1]
category = "akita_black_bowl"
on = "plate_1"
[things.butter_1]
category = "butter"
beside = "plate_1"
[things.stove_1]
category = "flat_stove"
turned_on = true
"""
FLOOR = """
table = "floor"
[things.basket_1]
category = "basket"
[things.soup_1]
category = "alphabet_soup"
in = "basket_1"
[things.milk_1]
category = "milk"
at = [-0.1, 0.1]
[things.pudding_1]
category = "chocolate_pudding"
beside = "milk_1"
"""
SCENES = {
    DRAWER: [
        "(open cabinet_1_top_region)", "(closed cabinet_1_middle_region)", "(in mug_1 cabinet_1_top_region)",
        "(in cheese_1 cabinet_1_bottom_region)", "(on box_1 cabinet_1_top_side)", "(on plate_1 main_table)",
        "(on bowl_1 plate_1)", "(on butter_1 main_table)", "(turned-on stove_1)",
    ],
    FLOOR: ["(in soup_1 basket_1_contain_region)", "(on milk_1 floor)", "(on pudding_1 floor)"],
}  # fmt: skip


@contextmanager
def built(folder: Path, text: str, seed: int = 0) -> Iterator[LiberoEnvironment]:
    (folder / "scene.toml").write_text(text)
    environment = LiberoEnvironment(tasks.find(str(folder)), seed=seed)
    yield environment
    environment.close()


def places(scene: Scene) -> np.ndarray:
    return np.array([o.T_world_object for o in scene])


@pytest.mark.parametrize("text", SCENES, ids=["drawer", "floor"])
def test_what_is_declared_holds_and_a_seed_is_a_scene(text: str, tmp_path: Path) -> None:
    with built(tmp_path, text) as environment:
        drawn = []
        for seed in (0, 1, 0):
            environment.reset(seed=seed)
            scene = OraclePerceiver(environment).perceive()
            atoms = {str(a) for a in observe(scene, world_of(scene, environment.robot_model())).atoms}
            assert set(SCENES[text]) <= atoms
            assert not environment.check_success(), "LIBERO knows no task here"
            drawn.append(places(scene))
        assert np.allclose(drawn[0], drawn[2], atol=1e-6) and not np.allclose(drawn[0], drawn[1], atol=0.01)


def test_things_are_where_the_numbers_say(tmp_path: Path) -> None:
    text = '[things.mug_1]\ncategory = "porcelain_mug"\nat = [-0.1, 0.05]\n'
    text += '[things.box_1]\ncategory = "cookies"\nregion = [-0.2, -0.3, -0.1, -0.2]\nyaw = 0.5\n'
    with built(tmp_path, text, seed=4) as environment:
        scene = OraclePerceiver(environment).perceive()
        assert scene.object("mug_1").position[:2] == pytest.approx([-0.1, 0.05], abs=0.01)
        x, y = scene.object("box_1").position[:2]
        assert -0.21 < x < -0.09 and -0.31 < y < -0.19
        _, _, table = scene.region("main_table")[1].T_world_region[:3, 3]
        task = environment.task
        assert task.declared is not None and table == pytest.approx(task.declared.arena.height, abs=1e-3)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            '[things.cabinet_1]\ncategory = "wooden_cabinet"\n[things.mug_1]\ncategory = "porcelain_mug"\n'
            'in = "cabinet_1_top_region"\n',
            r"scene\.toml:3: mug_1 \(11 cm tall\) does not fit in cabinet_1_top_region while that is closed",
        ),
        (
            "".join(f'[things.c_{n}]\ncategory = "wooden_cabinet"\nregion = [0, 0, 0.1, 0.1]\n' for n in range(2)),
            r"scene\.toml:4: no room for c_1 \(wooden_cabinet, 2. x 22 x 22 cm\) there, where c_0 is, in \d+ draws",
        ),
        (
            "".join(f'[things.c_{n}]\ncategory = "wooden_cabinet"\nat = [0, 0.1]\n' for n in range(2)),
            r"no room for c_1 \(.*\) there, where c_0 is; take something away, or put it elsewhere$",
        ),
    ],
)
def test_what_has_no_room_is_named(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=says), built(tmp_path, text):
        pass
