"""What there is to show of a log, event by event, without a browser."""

from __future__ import annotations

import json
from functools import reduce
from typing import Any

import numpy as np
import pytest

from tamp.view.feed import at, fed
from tamp.view.sections import Life, sections
from tamp.view.state import View
from tests.page_episodes import MARKUP, PLAN, event, failure, success, with_chest


def shown(events: list[dict[str, Any]], life: Life = "goes on") -> dict[str, Any]:
    view = reduce(fed, events, View())
    return {name: json.loads(part) for name, part in sections(view, life).parts.items()}


def until(t: float) -> list[dict[str, Any]]:
    return [e for e in success() if e["t"] <= t]


def test_a_run_in_the_middle_of_its_plan() -> None:
    told = shown(until(5.3))
    assert [(row["action"], row["how"]) for row in told["plan"]["rows"]] == [
        (PLAN[0], "done"),
        (PLAN[1], "acting"),
        (PLAN[2], "planned"),
    ]
    assert [r["name"] for r in told["now"]["running"]] == [PLAN[1]]
    assert (told["head"]["title"], told["head"]["state"]) == ("put the mug in the drawer", "running")
    assert told["head"]["goal"] == ["(in mug_1 drawer_1)"]
    assert told["facts"]["changes"] == [[4.9, "(open drawer_1)", True], [4.9, "(closed drawer_1)", False]]


def test_what_an_activity_says_of_itself_is_the_stage_of_its_action() -> None:
    told = shown([*until(5.3), event("activity", 5.31, name=PLAN[1], stage="moving", seconds=0.3, why="")])
    assert [row["how"] for row in told["plan"]["rows"]] == ["done", "moving", "planned"]
    assert told["now"]["running"] == [{"name": PLAN[1], "stage": "moving", "began": 5.01, "why": ""}]


def test_what_is_held_goes_with_the_tool_until_it_is_let_go() -> None:
    events = [*until(5.99), event("command", 6.0, step=99, stage="move", tool=[0.5, 0.5, 1.0])]
    view = reduce(fed, events, View())
    was = view.things["mug_1"]
    assert was.tool is not None
    moved = np.subtract([0.5, 0.5, 1.0], was.tool)
    assert at(was, view.tools[""])[:3, 3] == pytest.approx(was.T_last[:3, 3] + moved)
    let_go = fed(view, event("state", 6.1, atoms=["(hand-empty)"])).things["mug_1"]
    later = fed(view, event("command", 6.2, step=100, stage="move", tool=[0.0, 0.0, 1.0]))
    assert let_go.tool is None
    assert at(let_go, later.tools[""])[:3, 3] == pytest.approx(was.T_last[:3, 3] + moved)
    seen = fed(view, event("state", 6.1, atoms=["(hand-empty)"], poses={"mug_1": [0.1, 0.2, 0.3, 1, 0, 0, 0]}))
    assert seen.things["mug_1"].T_last[:3, 3] == pytest.approx([0.1, 0.2, 0.3])


def test_a_drawer_and_a_door_move_with_the_state() -> None:
    def seen(t: float) -> dict[str, Any]:
        told = shown([e for e in with_chest() if e["t"] <= t])
        [chest] = (thing for thing in told["things"] if thing["name"] == "chest")
        assert len(told["parts"]["chest"]) == len(chest["parts"]) == 3
        return {part["name"]: part for part in chest["parts"]}

    before, opened, end = seen(4.0), seen(4.95), seen(7.0)
    frames = [np.reshape(of["chest_drawer"]["frame"], (3, 4)) for of in (before, opened)]
    assert frames[1][:, 3] - frames[0][:, 3] == pytest.approx([-0.2, 0, 0], abs=1e-3)
    assert [of["chest_drawer"]["state"] for of in (before, opened, end)] == ["closed", "open", "open"]
    assert [of["chest_door"]["state"] for of in (before, opened, end)] == ["closed", "closed", "open"]
    assert end["chest"]["state"] is None and end["chest"]["frame"] == before["chest"]["frame"]


def test_how_a_run_ended_is_said_as_the_report_says_it() -> None:
    assert shown(success(), "ended")["head"]["verdict"] == "It succeeded by LIBERO's check."
    assert shown(failure(), "ended")["head"]["state"] == "no"
    killed = shown(until(5.3), "gone")
    assert killed["head"]["state"] == "interrupted"
    assert "ended without a verdict" in killed["head"]["verdict"]
    assert (killed["now"]["running"], killed["plan"]["rows"][1]["how"]) == ([], "unfinished")


def test_a_reason_is_told_once_and_what_repeats_it_leads_there() -> None:
    told, wrong = shown(failure(), "ended"), "mug_1 is not in drawer_1; mug_1 is 20 mm off"
    assert told["head"]["verdict"].count(f"no room {MARKUP}") == 1
    assert [(row["why"], row["rest"]) for row in told["plan"]["rows"] if row["how"] == "failed"] == [(wrong, "")]
    repeated = {kind: (text, rest) for _, kind, text, rest in told["happened"] if rest}
    assert repeated == {"plan rejected": (PLAN[1], "verdict"), "not achieved": (PLAN[2], "plan-3")}
    early = [line for line in shown([e for e in failure() if e["event"] != "outcome"])["happened"] if line[3]]
    assert [rest for *_, rest in early] == ["plan-3"]  # while it goes on the rejected plan has its reason itself


def test_an_action_that_a_run_ended_with_has_its_reason_with_the_verdict() -> None:
    failed = [e for e in failure() if e["t"] <= 6.6]
    end = event(
        "outcome",
        7.0,
        success=False,
        stage="execution",
        reason=f"{PLAN[2]}: mug_1 is not in drawer_1; mug_1 is 20 mm off",
    )
    told = shown([*failed, end], "ended")
    row = told["plan"]["rows"][2]
    assert (row["how"], row["why"], row["rest"]) == ("failed", "", "verdict")
    assert told["happened"][-1][2:] == [PLAN[2], "verdict"]


def test_a_run_is_called_what_was_asked_of_it_and_not_what_its_scene_is_for() -> None:
    """As the report calls it: with --goal the scene's own instruction is none that was given."""
    start = event("start", 0.0, instruction=None, scene_instruction="put the mug in the drawer")
    told = shown([start, event("goal", 1.0, goal="(on mug_1 plate_1)", untouched=[])])["head"]
    assert told["title"] == "(on mug_1 plate_1)"
    assert ["scene instruction", "put the mug in the drawer"] in told["about"]
    assert shown([event("start", 0.0, steps=["move home", "open"])])["head"]["title"] == "A plan of 2 steps"


def test_where_the_goal_comes_from_stands_beside_it() -> None:
    start = event("start", 0.0, instruction=None, goal_from="scene", goal_file="/somewhere/kitchenette/scene.toml")
    goal = event("goal", 1.0, goal="(on mug_1 plate_1)", untouched=[])
    assert shown([start, goal])["head"]["origin"] == "the scene's file kitchenette/scene.toml"
    assert shown([event("start", 0.0, instruction=None), goal])["head"]["origin"] == ""  # as in logs of before


def test_two_arms_have_an_action_each() -> None:
    begun = [event("action", 1.0 + n, arm=arm, action=f"(pick {arm})") for n, arm in enumerate(("near", "far"))]
    ended = event("result", 3.0, arm="near", success=True, action="(pick near)")
    told = shown([event("start", 0.0, schema=1), *begun, ended])
    assert [(row["arm"], row["how"]) for row in told["plan"]["rows"]] == [("near", "done"), ("far", "acting")]


def test_a_run_of_an_arm_has_its_steps_for_actions() -> None:
    start = event("start", 0.0, goal="tour", arm="xarm6", world="bench.toml", steps=["move home", "open"])
    told = shown([start, event("step", 1.0, number=1, action="move", says="move home"), event("at", 1.1, q=[0.1] * 6)])
    assert [(row["action"], row["how"]) for row in told["plan"]["rows"]] == [
        ("move home", "acting"),
        ("open", "planned"),
    ]
    assert len(told["frames"][0]) == len(told["solids"][0]) > 5


@pytest.mark.parametrize("value", [None, 3, "x", [], {}, [None], float("nan"), {"a": {}}, MARKUP])
def test_fields_of_the_wrong_kind_are_left_out(value: object) -> None:
    for e in (
        *with_chest(),
        event("robot", 0.0, body="panda", shoulder=[0.0] * 6, period=1),
        event("listens", 1, path="orders"),
    ):
        for key in e.keys() - {"event"}:
            sections(fed(reduce(fed, until(4.5), View()), e | {key: value}), "goes on")


def test_only_what_has_changed_is_made_anew() -> None:
    view = reduce(fed, until(4.5), View())
    first = sections(view, "goes on")
    second = sections(fed(view, event("state", 4.6, atoms=["(hand-empty)"])), "goes on", (), first)
    assert second.parts["facts"] != first.parts["facts"]
    assert all(second.parts[name] is first.parts[name] for name in ("solids", "frames", "head"))
