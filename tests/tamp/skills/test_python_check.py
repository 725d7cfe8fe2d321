"""What is told of a folder's Python without running it, and what a hand refuses to be told."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tamp.errors import InputError
from tamp.model.bodies import world_of
from tamp.model.situation import Situation
from tamp.skills.base import Tools
from tamp.skills.guided import Hand
from tamp.skills.python_check import gantry, scene_with_things, static_errors

HEAD = "from tamp.extension import GuidedSkill, Hand, Spec, View, observes\n\n"


def module(folder: Path, text: str) -> ModuleType:
    file = folder / "mine.py"
    file.write_text(HEAD + text)
    spec = importlib.util.spec_from_file_location("mine", file)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.mark.parametrize(
    ("text", "line", "shown"),
    [
        ("def far(view: View, a):\n    return view.midle(a)[0] > 9\n", 4, "did you mean 'middle'?"),
        ("@observes('far')\ndef far(v, a):\n    return v.positon(a)[0] > 9\n", 5, "did you mean 'position'?"),
        ("def up(hand: 'Hand'):\n    hand.line(hand.T_world_tool, touch=['a'])\n", 4, "touch"),
        ("class A(GuidedSkill):\n    def guide(self, h, a):\n        h.at()\n", 5, "valid: at(p, R=None)"),
        ("def far(view):\n    return tolerence > 1\n", 4, "there is no 'tolerence'"),
    ],
)
def test_slips_are_told_with_their_line_and_what_would_be_valid(tmp_path: Path, text: str, line: int, shown: str):
    (error,) = static_errors(module(tmp_path, text))
    assert str(error).startswith(f"{tmp_path / 'mine.py'}:{line}: ")
    assert shown in str(error)


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        (lambda hand: hand.down(90), "yaw is 90; valid: radians"),
        (lambda hand: hand.go(hand.at([0.1, 0.1, 150.0])), "z is 150; valid: metres"),
        (lambda hand: hand.go(hand.at([0.1, 0.1, 0.5]), pace=30), "pace is 30; valid: a share"),
        (lambda hand: hand.line([0.1, 0.1, 0.5]), "valid: hand.at"),
        (lambda hand: hand.open(40), "metres is 40; valid: metres"),
    ],
)
def test_a_hand_knows_what_are_no_metres_radians_and_shares(call, shown: str):
    scene = scene_with_things()
    tools = Tools(world_of(scene, gantry()), np.random.default_rng(0))
    with pytest.raises(InputError, match=shown):
        call(Hand(scene, Situation(scene), tools, "mine", ()))
