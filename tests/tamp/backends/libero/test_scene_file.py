"""scene.toml: what is declared is understood, and every mistake is told with its line and what would be valid."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tamp.backends.libero import tasks
from tamp.backends.libero.scene_description import ARENAS, Task
from tamp.errors import InputError
from tamp.pddl.domain_file import load

MUG = '[things.mug_1]\ncategory = "porcelain_mug"\n'
PLATE = '[things.plate_1]\ncategory = "plate"\n'
CABINET = '[things.cabinet_1]\ncategory = "wooden_cabinet"\n'


def scene(folder: Path, text: str) -> Task:
    (folder / "scene.toml").write_text(text)
    task = tasks.find(str(folder))
    tasks.check_goal(task, load("tabletop"))
    return task


def test_what_is_said_is_understood(tmp_path: Path) -> None:
    task = scene(
        tmp_path,
        'instruction = "tidy up"\ngoal = "(in mug_1 cabinet_1_top_region)"\nseed = 3\nstep_limit = 250\n'
        + 'table = "living room"\n'
        + f'{MUG}beside = "plate_1"\n{PLATE}region = [-0.1, 0.0, 0.1, 0.2]\nyaw = 1.5\n{CABINET}open = ["top"]\n'
        + '[names]\n"cup" = "mug_1"\n',
    )
    assert (task.instruction, task.goal, task.seed, task.step_limit) == (
        "tidy up", "(in mug_1 cabinet_1_top_region)", 3, 250,
    )  # fmt: skip
    assert task.names == {"cup": "mug_1"} and task.bddl is None
    declared = task.declared
    assert declared is not None and declared.arena.symbol == "living_room_table"
    mug, plate, cabinet = declared.things
    assert (mug.relation, mug.target, mug.owner) == ("beside", "plate_1", "plate_1")
    assert (plate.relation, plate.target, plate.owner) == ("on", "living_room_table", None)
    assert plate.region is not None and np.allclose(plate.region, [-0.1, 0.0, 0.1, 0.2]) and plate.yaw == 1.5
    assert len(cabinet.opened) == 1 and cabinet.category.fixed and not mug.category.fixed
    assert declared.symbols()["cabinet_1_top_region"] == "drawer"


def test_a_thing_stands_for_its_only_place(tmp_path: Path) -> None:
    text = f'{MUG}on = "stove_1"\n[things.stove_1]\ncategory = "flat_stove"\n{PLATE}in = "basket_1"\n'
    declared = scene(tmp_path, text + '[things.basket_1]\ncategory = "basket"\n').declared
    assert declared is not None
    targets = {t.name: t.target for t in declared.things}
    assert (targets["mug_1"], targets["plate_1"]) == ("stove_1_cook_region", "basket_1_contain_region")


@pytest.mark.parametrize("arena", ARENAS)
def test_every_table_goes_by_its_name_and_by_its_symbol(arena: object, tmp_path: Path) -> None:
    for name in (arena.name, arena.symbol, arena.name.replace("_", " ")):  # type: ignore[attr-defined]
        declared = scene(tmp_path, f'table = "{name}"\n{MUG}').declared
        assert declared is not None and declared.arena is arena


FAULTS = {
    "unknown key": ("colour = 1\n" + MUG, 1, "unknown key 'colour'; valid: instruction, goal, seed"),
    "misspelt key": (MUG + 'besides = "x"\n', 3, "key 'besides' of things.mug_1; valid: .*did you mean 'beside'"),
    "too many": ("".join(f"[things.c_{n}]\ncategory = 'plate'\n" for n in range(41)), 1, "valid: at most 40"),
    "category": ('[things.b]\ncategory = "baskett"\n', 2, "no category 'baskett'; valid: basket"),
    "table": ('table = "kitchn"\n' + MUG, 1, "no table 'kitchn'; valid: kitchen"),
    "name": ('[things."Mug 1"]\ncategory = "plate"\n', 1, "'Mug 1' is no name for a thing; .*as 'mug_1'"),
    "taken name": ('[things.table]\ncategory = "plate"\n', 1, "'table' is taken"),
    "thing": (MUG + 'on = "plate"\n' + PLATE, 3, "no 'plate' in this scene for mug_1 to be on; valid: plate_1"),
    "region": (MUG + 'in = "cabinet_1_upper_region"\n' + CABINET, 3, "no 'cabinet_1_upper_region' .*valid: cabinet_1_"),
    "on for in": (MUG + 'on = "cabinet_1_top_region"\n' + CABINET, 3, 'no surface; valid: in = "cabinet_1_top_region"'),
    "in a plate": (MUG + 'in = "plate_1"\n' + PLATE + CABINET, 3, "be in plate_1, a plate; valid: cabinet_1"),
    "fixture on an item": (CABINET + 'on = "mug_1"\n' + MUG, 3, "cabinet_1 is fixed, so it stands on the table"),
    "circle": (MUG + 'on = "plate_1"\n' + PLATE + 'on = "mug_1"\n', 1, "a circle: mug_1 on plate_1, plate_1 on mug_1"),
    "two relations": (MUG + 'on = "table"\nbeside = "plate_1"\n' + PLATE, 4, "on and beside, which exclude each other"),
    "beside inside": (MUG + 'beside = "plate_1"\n' + PLATE + 'in = "cabinet_1_top_region"\n' + CABINET, 3, "is in cab"),
    "millimetres": (MUG + "region = [100, 100, 200, 200]\n", 3, r"millimetres\? then \[0.1, 0.1, 0.2, 0.2\]"),
    "degrees": (MUG + "yaw = 90\n", 3, r"mug_1\.yaw is 90; valid: radians, .* up to 6\.2832 \(degrees\? then 1\.571\)"),
    "off the table": (MUG + "at = [0.9, 0.0]\n", 3, "mug_1 is beyond the table; valid: x -0.5 to 0.5, y -0.6 to 0.6"),
    "at in a drawer": (MUG + 'at = [0, 0]\nin = "cabinet_1_top_region"\n' + CABINET, 3, "without at, or without in"),
    "at beside": (MUG + 'at = [0, 0]\nbeside = "plate_1"\n' + PLATE, 3, "at is about the table"),
    "region on a plate": (MUG + 'region = [0, 0, 0, 0]\non = "plate_1"\n' + PLATE, 3, "region is about the table"),
    "region and at": (MUG + "at = [0, 0]\nregion = [0, 0, 0.1, 0.1]\n", 3, "exclude each other"),
    "nothing opens": (MUG + "open = true\n", 3, "mug_1, a porcelain_mug, has nothing that opens"),
    "no such drawer": (CABINET + 'open = ["upper"]\n', 3, "no 'upper' to open; valid: top, middle, bottom"),
    "on how": ('[things.s]\ncategory = "flat_stove"\nturned_on = "yes"\n', 3, "is yes; valid: true or false"),
    "no appliance": (MUG + "turned_on = true\n", 3, "cannot be turned on"),
    "symbol of the goal": ('goal = "(on mug_2 plate_1)"\n' + MUG + PLATE, 1, "no 'mug_2' in the scene; valid: mug_1"),
    "name for nothing": (MUG + '[names]\n"cup" = "mug_2"\n', 4, "names: no 'mug_2' in this scene; valid: mug_1"),
    "both": ('bddl = "x.bddl"\ninstruction = "x"\n' + MUG, 3, "'things' does not go with 'bddl'"),
    "robot's place": ("base = [0, 0, 1]\n" + MUG, 1, "a file of the robot says where it stands: --body"),
    "no BDDL file": ('bddl = "x.bddl"\ninstruction = "x"\n', 1, "no such BDDL file"),
    "no BDDL": ('bddl = "scene.toml"\ninstruction = "x"\n', 1, "not BDDL as LIBERO reads it"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_mistake_is_told_with_its_line_and_what_is_valid(fault: str, tmp_path: Path) -> None:
    text, line, says = FAULTS[fault]
    where = f"{re.escape(str(tmp_path / 'scene.toml'))}:{f'{line}:' if line else ''} "
    with pytest.raises(InputError, match=f"{where}.*{says}") as shown:
        scene(tmp_path, text)
    assert "\n" not in str(shown.value)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("porcelain_mug", "porcelain_mugg", r"scene\.bddl:\d+: no category 'porcelain_mugg'.*valid: porcelain_mug"),
        ("(In mug_1", "(Inn mug_1", r"scene\.bddl:\d+: no predicate 'inn'"),
        ("(On mug_1 main", "(On mug_1 man", r"scene\.bddl:\d+: no thing or region 'man_table_mug_region'.*valid: main"),
        ("(On mug_1", "(On mugg_1", r"scene\.bddl:\d+: no thing or region 'mugg_1' in this file; valid: mug_1"),
        (
            "(On mug_1 main_table_mug_region)",
            "(And (On mug_1 plate_1))",
            r"bddl:60: no fact .*: \(And \(On mug_1 ",
        ),
        ("LIBERO_Tabletop", "LIBERO_Tabeltop", r"scene\.bddl:1: no problem class 'libero_tabeltop_manipulation'"),
        ("(define", "((define", r"scene\.bddl:1: a '\(' that is not closed"),
    ],
)
def test_mistakes_of_a_bddl_file_are_found_before_anything_is_built(
    old: str, new: str, says: str, tmp_path: Path
) -> None:
    own = tasks.find("mug_in_drawer").bddl
    assert own is not None and old in own.read_text()
    (tmp_path / "scene.bddl").write_text(own.read_text().replace(old, new))
    with pytest.raises(InputError, match=says):
        tasks.find(str(tmp_path / "scene.bddl"))
    with pytest.raises(InputError, match=rf"scene\.toml:1: .*{says}"):
        scene(tmp_path, 'bddl = "scene.bddl"\ninstruction = "x"\n')


def test_a_scene_is_found_by_any_path_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "mine" / "libero_goal"
    folder.mkdir(parents=True)
    (folder / "scene.toml").write_text(MUG)
    monkeypatch.chdir(tmp_path)
    for name in ("mine/libero_goal", "./mine/libero_goal/", str(folder), "mine/libero_goal/scene.toml"):
        assert tasks.find(name).name == "libero_goal"
    monkeypatch.chdir(folder)
    assert tasks.find(".").name == "libero_goal" and tasks.find("scene.toml").declared is not None
    for shipped in ("breakfast", "problems/breakfast"):
        assert tasks.find(shipped).name == "breakfast"


def test_a_path_that_leads_to_nothing_says_what_is_near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lunch").mkdir()
    (tmp_path / "lunch" / "scene.toml").write_text(MUG)
    monkeypatch.chdir(tmp_path)
    for name, says in {
        "./lunhc": "no scene at ./lunhc; there: lunch",
        str(tmp_path / "lunhc"): f"there: {tmp_path / 'lunch'}",
        "problems/brekfast": "no scene at problems/brekfast; there: .*breakfast",
        "brekfast": "unknown scene 'brekfast'; did you mean 'breakfast'",
        "lunhc": r"unknown scene 'lunhc'; did you mean 'lunch'.*, a folder with a scene.toml \(here: lunch\)$",
        str(tmp_path): "no scene.toml in the folder",
    }.items():
        with pytest.raises(InputError, match=says):
            tasks.find(name)
