"""What an MJCF scene comes to, and what is wrong with others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tamp.backends.libero import tasks
from tamp.backends.mujoco.mjcf_start import mjcf_start
from tamp.errors import InputError
from tamp.model.scene import Scene
from tamp.perception.predicates import symbols_of
from tests.small_scene import ALL, BLOCKS, CABINET, CRATE, TABLE, small_scene, written

MOTOR = '<actuator>\n<motor name="elbow" joint="slides"/></actuator>\n'
MESH = '<asset>\n<mesh name="mug" file="mug.stl"/></asset>\n'
BALL = '<joint name="turns" type="ball"/>'
CARRIED = (
    '<body name="jar" pos="0 0 .5"><freejoint/><geom size=".02"/>\n<body name="lid">{}<geom size=".02"/></body></body>'
)


def seen(folder: Path, world: str = ALL, seed: int = 0, **shown: str) -> Scene:
    return mjcf_start(small_scene(folder, world, **shown), seed)[0]


def test_bodies_become_things_fixtures_and_a_table(tmp_path: Path) -> None:
    scene = seen(tmp_path)
    assert {o.name: o.movable for o in scene} == {
        "block_1": True,
        "block_2": True,
        "cabinet": False,
        "crate": False,
        "table_body": False,
    }
    assert scene.object("block_1").category == "block"
    assert symbols_of(scene) == {
        "block_1": "item",
        "block_2": "item",
        "cabinet": "fixture",
        "cabinet_top_region": "drawer",
        "cabinet_top_side": "surface",
        "crate": "fixture",
        "crate_contain_region": "bin",
        "table": "surface",
    }


def test_the_inside_is_what_the_walls_leave(tmp_path: Path) -> None:
    _, region = seen(tmp_path).region("crate_contain_region")
    assert region.half_extent == pytest.approx([0.076, 0.056, 0.036], abs=0.004)
    assert region.T_world_region[:3, 3] == pytest.approx([0.1, 0.3, 0.444], abs=0.004)


def test_a_box_site_is_a_place(tmp_path: Path) -> None:
    site = '<body name="shelf" pos="-.1 -.3 .4"><geom type="box" size=".1 .1 .05"/>{}</body>'
    world = ALL + site.format('<site name="shelf_top_side" type="box" size=".1 .1 .001" pos="0 0 .05"/>')
    assert symbols_of(seen(tmp_path, world))["shelf_top_side"] == "surface"


def test_a_mesh_is_a_box_or_a_cylinder_around_it(tmp_path: Path) -> None:
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    points = [[0.03 * np.cos(a), 0.03 * np.sin(a), z] for a in angles for z in (-0.05, 0.05)]
    vertices = " ".join(f"{v:.5f}" for v in np.ravel(points))
    asset = f'<asset><mesh name="tin" vertex="{vertices}"/></asset>\n'
    world = ALL + '<body name="tin" pos="-.1 .1 .451"><freejoint/><geom type="mesh" mesh="tin"/></body>'
    tin = seen(tmp_path, world, more=asset).object("tin").parts[0].shapes[0]
    assert tin.kind == "cylinder"
    assert tin.size[:2] == pytest.approx([0.03, 0.05], abs=1e-3)


def test_a_seed_moves_what_can_be_carried(tmp_path: Path) -> None:
    shown = "scatter = [0.03, 0.4]\n"
    places = [seen(tmp_path, seed=seed, shown=shown).object("block_1").position for seed in (0, 0, 1)]
    assert np.array_equal(places[0], places[1])
    assert 1e-3 < np.linalg.norm(places[2] - places[0]) < 0.09
    assert places[2][2] == pytest.approx(0.42, abs=2e-3)


def drawer(joint: str) -> str:
    return TABLE + BLOCKS + CABINET.format(joint=joint)


def ball(name: str) -> str:
    return ALL + f'<body {name} pos="0 .1 .45"><freejoint/><geom size=".02"/></body>'


WRONG: dict[str, tuple[str, dict[str, str], str]] = {
    "nothing free": (TABLE, {}, "scene.xml: no body has a free joint, so nothing can be carried; valid: <freejoint/>"),
    "no name for a goal": (ball('name="Mug 1"'), {}, "'Mug 1' is no name in a goal; valid: a-z, 0-9 and _, as 'mug_1'"),
    "no name": (ball(""), {}, "scene.xml:16: this body can be carried, or has a drawer, and has no name; valid: name="),
    "a ball": (
        drawer(BALL),
        {},
        "scene.xml:8: the joint 'turns' of the body 'cabinet_top_drawer' is a ball; valid: sl",
    ),
    "a lid": (
        TABLE + CARRIED.format('<joint name="l" range="0 1"/>'),
        {},
        "is on the body 'jar', which can be carried",
    ),
    "no limits": (drawer('<joint name="endless"/>'), {}, 'has no limits; valid: range="CLOSED OPEN"'),
    "a place that nothing has": (
        ALL + '<body name="far" pos="0 1e15 0"><geom size=".1"/></body>',
        {},
        "scene.xml:16: the body 'far': where it is (m), valid: at most 100",
    ),
    "a motor": (ALL, {"more": MOTOR}, "scene.xml:4: the actuator 'elbow' moves something, and only tamp's own robot"),
    "a lost mesh": (ALL, {"more": MESH}, "scene.xml:4: no file "),
    "names of a fixture": (
        ALL,
        {"shown": '[things.crate]\nnames = ["tray"]\n'},
        "scene.toml:4: crate cannot be carried",
    ),
    "nothing below": (BLOCKS + CRATE, {}, "falls, or flies away"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_told(case: str, tmp_path: Path) -> None:
    world, shown, message = WRONG[case]
    scene = small_scene(tmp_path, world, **shown)
    with pytest.raises(InputError) as error:
        mjcf_start(scene, 0)
    assert message in str(error.value)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("shown", "message"),
    [
        ("bddl = 'a.bddl'", "scene.toml:1: 'mjcf' does not go with 'bddl'"),
        (
            "table = 'kitchen'",
            "'table' does not go with 'mjcf': name a BDDL file, or an MJCF file, or declare the things",
        ),
        ("base_ = 1", "unknown key 'base_'"),
        ("scatter = [20, 0]", "scatter is [20, 0]; valid: [metres, radians], as [0.02, 0.3]"),
        ("[things.crate]\non = 'table'", "unknown key 'on' of things.crate; valid: category, names"),
    ],
)
def test_what_is_wrong_in_the_scene_file_is_told_at_once(tmp_path: Path, shown: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        tasks.find(str(written(tmp_path, shown=shown)))
    assert message in str(error.value)
