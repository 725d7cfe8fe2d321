"""Scenes as settings, and programs over their names as goals."""

from __future__ import annotations

import numpy as np
import pytest

from llm.reader.binding import Binder
from llm.reader.expanding import BETWEEN, expanded
from llm.reader.program import read_program
from llm.reader.setting import read_setting
from llm.vocabulary.forms import sayable
from llm.vocabulary.phrases import vocabulary
from motion.poses import pose
from tamp.errors import Refusal
from tamp.model.scene import Part, SceneObject
from tamp.pddl.domain_file import load
from tests.llm.conftest import box, cabinet, item, region, scene_of, state_of, stove

DOMAIN = load("tabletop")
THINGS = (
    cabinet(),
    stove(),
    item("bowl_1", "black_bowl", 0.0, 0.2),
    item("bowl_2", "black_bowl", 0.3, -0.1),
    item("plate_1", "plate", 0.1, 0.4),
)


@pytest.fixture(scope="module")
def binder() -> Binder:
    scene = scene_of(*THINGS)
    shut = [f"(closed wooden_cabinet_1_{level}_region)" for level in ("top", "middle", "bottom")]
    state = state_of(scene, *shut, "(turned-off flat_stove_1)")
    can = sayable(DOMAIN, state, vocabulary(scene, state))
    return Binder(DOMAIN, can)


def test_a_scene_is_a_setting_with_one_name_for_each_thing(binder: Binder) -> None:
    setting = binder.setting
    assert read_setting(str(setting)) == setting
    assert binder.symbols["stove"] == ("flat_stove_1_cook_region", "flat_stove_1")
    assert setting.groups["bowls"] == ("right black bowl", "left black bowl")
    drawer = setting.member("top drawer of the wooden cabinet")
    assert drawer is not None and drawer.facts == ("of wooden cabinet", "closed") and drawer.group == "drawers"


def _shelf() -> SceneObject:
    """Two open rooms, one over the other, and a top."""
    name, x, y = "wooden_shelf_1", 0.0, -0.3
    rooms = [region(f"{name}_{q}_region", "interior", x, y, z, part=name) for q, z in (("bottom", 0.07), ("top", 0.2))]
    top = region(f"{name}_top_side", "surface", x, y, 0.27, (0.1, 0.1, 0.0), name)
    body = Part(name, "body", pose([x, y, 0.13], np.eye(3)), box(0.1, 0.1, 0.13))
    return SceneObject(name, "wooden_shelf", False, (body,), (top, *rooms))


def _microwave() -> SceneObject:
    """A room behind a door, and a top that is listed first."""
    name, x, y = "microwave_1", -0.4, -0.3
    top = region(f"{name}_top_side", "surface", x, y, 0.22, (0.1, 0.1, 0.0), name)
    room = region(f"{name}_heating_region", "interior", x, y, part=name)
    body = Part(name, "body", pose([x, y, 0.11], np.eye(3)), box(0.1, 0.1, 0.11))
    return SceneObject(name, "microwave", False, (body,), (top, room))


BOARDS = {
    "in(plate, microwave)": "(in plate_1 microwave_1_heating_region)",
    "on(plate, microwave)": "(on plate_1 microwave_1_top_side)",
    "on(plate, wooden shelf)": "(in plate_1 wooden_shelf_1_top_region)",
    "on top of(plate, wooden shelf)": "(on plate_1 wooden_shelf_1_top_side)",
    "under(plate, wooden shelf)": "(in plate_1 wooden_shelf_1_bottom_region)",
}


@pytest.mark.parametrize("text", BOARDS)
def test_on_a_shelf_is_in_the_room_over_its_board_and_nowhere_else(text: str) -> None:
    scene = scene_of(_shelf(), _microwave(), item("plate_1", "plate", 0.1, 0.4))
    state = state_of(scene)
    can = sayable(DOMAIN, state, vocabulary(scene, state))
    binder = Binder(DOMAIN, can)
    (goal,) = binder.goals(expanded(read_program(text, binder.setting)))
    assert str(goal) == BOARDS[text]


GOALS = {
    "held(left black bowl)\non(left black bowl, plate)": ["(on bowl_2 plate_1)"],
    "on(left black bowl, plate)\nheld(left black bowl)": ["(and (on bowl_2 plate_1) (holding bowl_2))"],
    "on(left black bowl, plate)\nin(plate and left black bowl, top drawer of the wooden cabinet)": [
        "(and (on bowl_2 plate_1) (in plate_1 wooden_cabinet_1_top_region))"
    ],
    "on(left black bowl, stove)\nturned on(stove)": [
        "(and (on bowl_2 flat_stove_1_cook_region) (turned-on flat_stove_1))"
    ],
    "in(all bowls, bottom drawer of the wooden cabinet)\nthen\nclosed(bottom drawer of the wooden cabinet)": [
        "(and (in bowl_1 wooden_cabinet_1_bottom_region) (in bowl_2 wooden_cabinet_1_bottom_region))",
        "(and (in bowl_1 wooden_cabinet_1_bottom_region) (in bowl_2 wooden_cabinet_1_bottom_region)"
        " (closed wooden_cabinet_1_bottom_region))",
    ],
    "on(any of bowls, plate)\nnot on(plate, stove)": [
        "(and (or (on bowl_2 plate_1) (on bowl_1 plate_1)) (not (on plate_1 flat_stove_1_cook_region)))"
    ],
    "to the left of(plate, left black bowl)": ["(left-of plate_1 bowl_2)"],
    "on(plate, wooden cabinet)": ["(on plate_1 wooden_cabinet_1_top_side)"],
    "if turned on(stove): turned off(stove) else: on(plate, stove); closed(top drawer of the wooden cabinet)": [
        "(and (closed wooden_cabinet_1_top_region) (on plate_1 flat_stove_1_cook_region))"
    ],
}


@pytest.mark.parametrize("text", GOALS)
def test_a_program_becomes_goals(binder: Binder, text: str) -> None:
    found = binder.goals(expanded(read_program(text, binder.setting)))
    assert list(map(str, found)) == GOALS[text]


def test_a_contradiction_names_the_thing(binder: Binder) -> None:
    with pytest.raises(Refusal, match="contradicts itself: the plate") as shown:
        binder.goals(expanded(read_program("keep(plate)\non(plate, stove)", binder.setting)))
    assert shown.value.kind == "contradiction"


@pytest.mark.parametrize("text", [t for t in GOALS if not t.startswith("if ")])
def test_goals_become_a_program_that_asks_for_the_same(binder: Binder, text: str) -> None:
    goals = binder.goals(expanded(read_program(text, binder.setting)))
    again = read_program(binder.program(goals).replace(BETWEEN, "\n"), binder.setting)
    assert binder.goals(expanded(again)) == goals
