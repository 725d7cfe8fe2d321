"""What the page of an episode shows, without a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tamp.errors import InputError
from tamp.view.episode_page import MOST, data_of, episode_page
from tamp.view.page_layout import Layout
from tamp.view.summary import failures
from tests.page_episodes import MARKUP, PLAN, event, failure, page_content, success, with_arm, write


def page_of(folder: Path) -> str:
    return episode_page(folder / "episode.jsonl", Layout.of(), folder)


def no_motion(t: float, *blockers: str, reason: str = "collision") -> dict[str, Any]:
    return event("infeasible", t, action=PLAN[1], reason=reason, message="no", blockers=blockers, facts=[], seconds=0.5)


def ended(*more: dict[str, Any]) -> list[dict[str, Any]]:
    """The success up to its second action, and then not."""
    begun = [e for e in with_arm() if e["t"] < 4.95]
    end = {"success": False, "reached": False, "task": None, "goal": "(in mug_1 drawer_1)", "steps": 20}
    return [*begun, *more, event("outcome", 9.0, **end, stage="refinement", reason="no")]


def test_a_success_says_what_was_asked_and_what_each_action_did(tmp_path: Path) -> None:
    content = page_content(write(tmp_path / "e", success()))
    assert (content.title, content.status.verdict) == ("put the mug in the drawer", "It succeeded by LIBERO's check.")
    assert content.perception == "Perception: oracle (the simulator's state)."
    assert (content.goals, content.status.notes, content.failures) == (["(in mug_1 drawer_1)"], (), [])
    assert [e.reply for e in content.exchanges] == ["[the mug] is in [the drawer]."]
    first, second, third = content.rows
    assert [(a.first_step, a.last_step, a.state) for a in content.rows] == [
        (1, 20, "done"),
        (21, 40, "done"),
        (41, 60, "done"),
    ]
    assert (first.made, first.ended) == (("(open drawer_1)",), ("(closed drawer_1)",))
    assert second.made == ("(holding mug_1)",) and "(in mug_1 drawer_1)" in third.made
    assert data_of(content.story, vars(content))["failing"] is None


def test_after_a_failed_action_things_are_as_they_were_seen(tmp_path: Path) -> None:
    """In symbols the mug would still be in the hand; it was seen on the table."""
    content = page_content(write(tmp_path / "e", failure()))
    assert [(r.action, r.state) for r in content.rows] == [
        (PLAN[0], "done"),
        (PLAN[1], "done"),
        (PLAN[2], "failed"),
        *((a, "planned") for a in PLAN[1:]),
    ]
    assert "(on mug_1 table_1)" in content.rows[2].made and content.rows[2].ended == ("(holding mug_1)",)
    assert content.status.verdict.startswith(
        "It did not succeed by the oracle of the goal. It failed in refinement: no room"
    )
    broken, rejected = content.failures
    assert (broken.kind, broken.text) == (
        "not achieved",
        f"{PLAN[2]}: mug_1 is not in drawer_1; mug_1 is 20 mm off",
    )
    assert rejected.kind == "plan rejected" and "in the way: plate_1" in rejected.text
    assert rejected.text.endswith("for the planner: (no-grasp mug_1)")


def test_the_page_opens_where_it_failed_with_what_was_in_the_way_in_red(tmp_path: Path) -> None:
    hint = event("hint", 7.0, action=PLAN[1], reason="collision", message="without plate_1 there is a motion")
    events = ended(event("plan", 4.96, status="found", plan=PLAN), no_motion(5.0, "plate_1"), hint)
    content = page_content(write(tmp_path / "e", events))
    data = data_of(content.story, vars(content))
    assert data["failures"][data["failing"]] == {"step": 20, "marks": ["plate_1"]}
    assert [f.kind for f in content.failures] == ["plan rejected", "what would help"]
    wrong = event("result", 8.0, success=False, action=PLAN[1], missing="mug_1 is not held", steps=5, difference=None)
    content = page_content(
        write(tmp_path / "f", [*events[:-1], event("action", 7.9, action=PLAN[1]), wrong, events[-1]])
    )
    data = data_of(content.story, vars(content))
    assert data["failures"][data["failing"]]["marks"] == ["mug_1"]


def test_vetoes_and_corrections_of_one_action_are_a_line_each() -> None:
    def veto(step: int, depth: float) -> dict[str, Any]:
        return event("veto", step / 10, step=step, body="finger", other="plate_1", depth=depth, ahead=1)

    def corrected(step: int) -> dict[str, Any]:
        return event("corrected", step / 10, thing="mug_1", by=[0.003, 0.004, 0, 0, 0, 0])

    events = [event("action", 0.0, action=PLAN[1])]
    events += [e for k in range(1, 30) for e in (veto(k, 0.001 * k), corrected(k))]
    events += [event("action", 5.0, action=PLAN[2]), veto(40, 0.002)]
    assert [(t.kind, t.count, t.step, t.until, t.text) for t in failures((round(10 * e["t"]), e) for e in events)] == [
        ("veto", 29, 1, 29, "finger would be 29 mm deep in plate_1"),
        ("corrected", 29, 1, 29, "the motion was led to mug_1, 5 mm from where it was"),
        ("veto", 1, 40, 40, "finger would be 2 mm deep in plate_1"),
    ]


def test_logs_that_are_not_whole_say_so(tmp_path: Path) -> None:
    killed = page_content(write(tmp_path / "killed", success()[:-20], tail='{"event": "comm'))
    assert killed.status.verdict.startswith("It ended without a verdict")
    assert [n.split(":")[0] for n in killed.status.notes] == [
        "The last line of the log is only half written, and left out.",
        "The log has no outcome",
    ]
    assert killed.story.actions[-1].state == "unfinished"
    other = success()
    other[0]["schema"] = 7
    note = page_content(write(tmp_path / "later", other)).status.notes[0]
    assert note.startswith("The log is of schema 7, this version of tamp knows 1")
    assert (
        page_content(write(tmp_path / "headless", success()[1:])).status.notes[0].startswith("The log has no beginning")
    )
    with pytest.raises(InputError, match="holds no event"):
        page_content(write(tmp_path / "empty", []))


def test_a_run_of_an_arm_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    start = event("start", 0.0, goal=None, world="bench", arm="xarm6", steps=["MoveToNamed(name='home')"])
    look = event("second_look", 0.1, number=1, bodies=None, itself=None, looked=9)
    content = page_content(write(tmp_path / "e", [start, look, event("outcome", 0.2, success=True, why="", reason="")]))
    assert (content.status.verdict, content.failures, content.status.notes) == ("It succeeded.", [], ())
    assert (content.title, [r.action for r in content.rows]) == ("A plan of 1 step", ["MoveToNamed(name='home')"])
    assert 'id="space"' not in page_of(tmp_path / "e")


def test_the_page_of_a_very_long_session_is_small_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    events = success()[:-1]
    for n in range(1500):
        t, names = 10.0 + n, {"action": PLAN[1], "arm": f"{n % 2}"}
        no = {"action": f"(pick mug_{n} table_1)", "message": f"{MARKUP} {n}", "blockers": ["plate_1"], "facts": []}
        events += [event("action", t, **names, note={}), event("infeasible", t + 0.1, **no, reason="collision")]
        events += [event("state", t + 0.2, atoms=[f"(on item_{k} table_{n % 3})" for k in range(30)])]
        events += [event("result", t + 0.3, **names, success=False, missing=MARKUP, steps=1, difference=None)]
        events += [event("order", t + 0.4, order=MARKUP, taken=False, why=MARKUP)]
    content = page_content(write(tmp_path / "e", events))
    assert (len(content.rows), content.rows[-1].number, content.left_out["rows"]) == (MOST, 1503, 1203)
    page = page_of(tmp_path / "e")
    assert len(page.encode()) < 5_000_000 and "1203 before these are left out" in page
