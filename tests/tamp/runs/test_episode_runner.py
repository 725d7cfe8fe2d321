"""An episode at a table: what is seen there, what it is called, and who judges, on the kinematic fake."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from motion.poses import pose
from tamp.agent.searching import Reads
from tamp.backends.fake_table import FakeTable
from tamp.errors import Refusal
from tamp.model.backend import Observation
from tamp.model.goal import Goal, goals_in
from tamp.model.scene import Part, Perceiver, Scene, SceneObject, with_object_at
from tamp.model.state import WorldState
from tamp.pddl.domain_file import load
from tamp.runs.bench.boxes import make
from tamp.runs.episode import Result, Settings
from tamp.runs.episode_log import EpisodeLog
from tests.live_sessions import a_panda
from tests.places import at_table

TRAY = "table_body_tray"
GOAL = f"(on box_1 {TRAY})"


class Table(FakeTable):
    """Two boxes and a tray, with a clock of no account."""

    stepping_seconds = 0.0

    def __init__(self) -> None:
        super().__init__(made(), a_panda())


@cache
def made() -> Scene:
    """What they stand on is no ground without an edge, and its regions are called as its own."""
    scene = make("packed", 2, 0, a_panda()).scene
    return replace(scene, objects=tuple(o if o.movable else on_desk(o) for o in scene))


def on_desk(o: SceneObject) -> SceneObject:
    regions = tuple(replace(r, name=f"{o.name}_{r.name}") for r in o.regions)
    return replace(o, category="desk", regions=regions)


class Eyes:
    """Eyes that call boxes otherwise, and see what `seen` makes of a scene."""

    def __init__(self, table: FakeTable, seen: Callable[[Scene], Scene] = lambda scene: scene) -> None:
        self._table, self._seen = table, seen

    def perceive(self) -> Scene:
        scene = self._seen(self._table.perceive())
        objects = tuple(map(renamed, scene.objects))
        return replace(scene, objects=objects, confidence={o.name: 1.0 for o in objects})

    def felt(self, observation: Observation) -> None:
        pass


def renamed(o: SceneObject) -> SceneObject:
    if not o.movable:
        return o
    name = o.name.replace("box", "parcel")
    parts: tuple[Part, ...] = tuple(replace(p, name=name if p.name == o.name else p.name) for p in o.parts)
    return replace(o, name=name, parts=parts)


def wanted(scene: Scene, state: WorldState) -> tuple[Goal, ...]:
    return goals_in(state, load("tabletop"), [GOAL])


def run(folder: Path, table: Table, eyes: Perceiver, wanted: Reads = wanted, said: str | None = None) -> Result:
    with EpisodeLog(folder) as log:
        return at_table(table, eyes, table, wanted, Settings(load("tabletop"), said=said), log)


def test_one_who_knows_all_acts_and_judges(tmp_path: Path) -> None:
    table = Table()
    result = run(tmp_path / "episode", table, table)
    assert result.success and result.lasting and result.goal == GOAL and result.stage is None
    assert not result.verdicts, "who acts by the same eyes is not judged action by action"


def test_a_given_goal_is_handed_over_in_the_names_of_who_sees(tmp_path: Path) -> None:
    table = Table()
    result = run(tmp_path / "episode", table, Eyes(table))
    assert result.success and result.lasting and result.goal == f"(on parcel_1 {TRAY})"
    assert result.verdicts == {"right": 2} and result.shifted == []


def test_words_are_read_in_what_is_seen_alone(tmp_path: Path) -> None:
    table, seen = Table(), list[str]()

    def read(scene: Scene, state: WorldState) -> tuple[Goal, ...]:
        seen.extend(o.name for o in scene)
        return goals_in(state, load("tabletop"), [f"(on parcel_2 {TRAY})"])

    result = run(tmp_path / "episode", table, Eyes(table), read, said="put the second parcel onto the tray")
    assert result.success and not [name for name in seen if name.startswith("box")]


def test_what_is_not_seen_is_not_asked_for(tmp_path: Path) -> None:
    table = Table()

    def blind(scene: Scene) -> Scene:
        return replace(scene, objects=tuple(o for o in scene if o.name != "box_1"))

    result = run(tmp_path / "episode", table, Eyes(table, blind))
    assert not result.success and result.stage == "goal"
    assert result.reason == "nothing that was seen was found to be box_1"


def test_what_only_seems_done_is_no_success(tmp_path: Path) -> None:
    """Once the arm has moved, the eyes see the box in the tray, wherever it is."""
    table = Table()

    def lies(scene: Scene) -> Scene:
        if scene.time == 0.0:
            return scene
        T, box = scene.region(TRAY)[1].T_world_region, scene.object("box_1")
        up = box.position[2] - box.bounds()[0][2]
        return with_object_at(scene, "box_1", pose(T[:3, 3] + [0.0, 0.0, up], box.T_world_object[:3, :3]))

    result = run(tmp_path / "episode", table, Eyes(table, lies))
    assert not result.success and not result.reached
    assert (result.stage, result.reason) == ("checker", "it was seen to be done, and is not")


def test_eyes_that_see_nothing_say_so(tmp_path: Path) -> None:
    table = Table()

    def refuses(scene: Scene) -> Scene:
        raise Refusal("the picture of agentview is black: no light, or a covered lens", "nothing seen")

    result = run(tmp_path / "episode", table, Eyes(table, refuses))
    assert result.stage == "perception" and result.reason is not None and "black" in result.reason
