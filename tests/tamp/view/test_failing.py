"""Where an episode failed, and what is told once of what went wrong again and again."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tamp.view.episode_page import episode_page
from tamp.view.failed_steps import failures
from tamp.view.failing import ABOUT, IN_THE_WAY
from tamp.view.page_layout import Layout
from tests import page_episodes
from tests.page_episodes import PLAN, event, with_arm, write


def told(folder: Path, events: list[dict[str, Any]]) -> SimpleNamespace:
    return page_episodes.told(write(folder, events))


def page_of(folder: Path) -> str:
    return episode_page(folder / "episode.jsonl", Layout.of(), folder)


def no_motion(t: float, *blockers: str, reason: str = "collision") -> dict[str, Any]:
    return event("infeasible", t, action=PLAN[1], reason=reason, message="no", blockers=blockers, facts=[], seconds=0.5)


def ended(*more: dict[str, Any]) -> list[dict[str, Any]]:
    """The success up to its second action, and then not."""
    begun = [e for e in with_arm() if e["t"] < 4.95]
    end = {"success": False, "reached": False, "task": None, "goal": "(in mug_1 drawer_1)", "steps": 20}
    return [*begun, *more, event("outcome", 9.0, **end, stage="refinement", reason="no")]


def test_what_is_in_the_way_and_how_far_it_is(tmp_path: Path) -> None:
    failing = told(tmp_path / "e", ended(no_motion(5.0, "plate_1"))).failing
    assert failing is not None and (failing.action, failing.step, failing.moved) == (PLAN[1], 20, False)
    assert failing.marks == (("mug_1", ABOUT, False), ("plate_1", IN_THE_WAY, True))
    [span] = failing.spans
    assert span.text == "mug_1 to plate_1: 8.5 cm"  # from the mug's box, of 4 and 4 cm, to where the plate is
    assert span.begin == (0.04, 0.14, 0.9)


def test_what_is_out_of_reach_is_so_far_from_the_shoulder(tmp_path: Path) -> None:
    failing = told(tmp_path / "e", ended(no_motion(5.0, "mug_1", reason="unreachable"))).failing
    assert failing is not None and failing.marks == (("mug_1", "out of the arm's reach", True),)
    assert failing.spans[0].text == "the arm's shoulder to mug_1: 68.5 cm; the arm reaches 85.5 cm, to its flange"


def test_it_failed_where_the_first_plan_did_and_what_would_help_is_told(tmp_path: Path) -> None:
    """The plans after it are tried because of that one: a push that cannot be is no cause."""
    far, push = "mug_1 would be within reach about 30 cm nearer to the robot", "(slide-onto mug_1 table_1 plate_1)"
    other = event("infeasible", 6.0, action=push, reason="no-way", message="no", blockers=["mug_1"], facts=[])
    hint = event("hint", 7.0, action=PLAN[1], reason="unreachable", message=far)
    before = no_motion(3.9, "plate_1")  # of a goal that was given up earlier
    events = ended(event("goal", 4.94, goal="(holding mug_1)"), no_motion(5.0, "mug_1", reason="unreachable"))
    story = told(tmp_path / "e", [*events[:-1], other, hint, events[-1]])
    assert story.failing is not None and (story.failing.action, story.failing.hint) == (PLAN[1], far)
    assert [r.hint for r in story.rejected] == [far, ""]
    first = told(tmp_path / "f", [*ended(before)[:-1], *events[-2:-1], other, events[-1]]).failing
    assert first is not None and (first.action, first.hint) == (PLAN[1], "")


def test_what_another_plan_got_beyond_is_not_where_it_failed(tmp_path: Path) -> None:
    """The first action had no motion before something was moved for it: then the second one had none."""
    first = event("infeasible", 5.0, action=PLAN[0], reason="collision", message="no", blockers=["plate_1"], facts=[])
    again = event("plan", 5.5, status="found", plan=["(pick plate_1 main_table)", *PLAN])
    story = told(tmp_path / "e", ended(event("plan", 4.96, status="found", plan=PLAN), first, again, no_motion(6.0)))
    assert [r.action for r in story.rejected] == PLAN[:2]
    assert story.failing is not None and story.failing.action == PLAN[1]


def test_what_the_action_is_about_is_not_in_its_own_way(tmp_path: Path) -> None:
    story = told(tmp_path / "e", ended(no_motion(5.0, "mug_1", "plate_1"), no_motion(6.0, "mug_1", reason="no-way")))
    assert [f.in_the_way for f in story.obstacles] == [("plate_1",), ()]
    assert story.obstacles[0].marks == (("mug_1", ABOUT, False), ("plate_1", IN_THE_WAY, True))
    assert story.obstacles[1].marks == (("mug_1", "it cannot be pushed there", True),)


def test_what_an_action_of_a_later_plan_was_for_is_told(tmp_path: Path) -> None:
    take = event("infeasible", 6.0, action="(pick plate_1 main_table)", reason="no-grasp", message="too wide")
    other = {**take, "blockers": ["plate_1"], "facts": [], "purpose": "tried to free mug_1 of plate_1"}
    hint = event("hint", 7.0, action=PLAN[1], reason="collision", message="without plate_1 there is a motion")
    events = ended(no_motion(5.0, "plate_1"), other, hint)
    story = told(tmp_path / "e", events)
    assert story.failing is not None and story.failing.hint == "without plate_1 there is a motion"
    assert [r.purpose for r in story.rejected] == ["", "tried to free mug_1 of plate_1"]
    assert "It was tried to free mug_1 of plate_1." in page_of(tmp_path / "e")


def test_what_is_too_tall_is_no_matter_of_distance(tmp_path: Path) -> None:
    [obstacle] = told(tmp_path / "e", ended(no_motion(5.0, "plate_1", reason="too-tall"))).obstacles
    assert obstacle.marks == (("mug_1", ABOUT, False), ("plate_1", "too tall", True)) and obstacle.spans == ()


def test_an_action_that_came_to_nothing_is_where_it_failed(tmp_path: Path) -> None:
    wrong = event("result", 5.6, success=False, action=PLAN[1], missing="mug_1 is not held", steps=5, difference=None)
    moved = event("command", 5.5, step=21, stage="move", tool=[0.0, 0.1, 1.1])
    events = ended(no_motion(5.0, "plate_1"), event("action", 5.4, action=PLAN[1], note={}), moved, wrong)
    failing = told(tmp_path / "e", events).failing
    assert failing is not None and (failing.why, failing.step, failing.moved) == ("mug_1 is not held", 21, True)
    assert failing.spans[0].text == "the tool to mug_1: 14.0 cm"


def test_what_went_wrong_comes_before_what_could_not_be_done_then(tmp_path: Path) -> None:
    """Told alike by the outcome, the opening of the page and where it failed."""
    wrong = event("result", 4.97, success=False, action=PLAN[1], missing="mug_1 is not held", steps=5, difference=None)
    begun = [e for e in ended() if e["event"] != "outcome"]
    reason = f"{PLAN[1]}: mug_1 is not held; then refinement: {PLAN[1]}: no"
    end = {"success": False, "reached": False, "task": None, "goal": "(in mug_1 drawer_1)", "steps": 20}
    action = event("action", 4.96, action=PLAN[1], note={})
    events = [
        *begun,
        action,
        wrong,
        no_motion(6.0, "plate_1"),
        event("outcome", 9.0, **end, stage="execution", reason=reason),
    ]
    story = told(tmp_path / "e", events)
    assert story.failing is not None and (story.failing.action, story.failing.why) == (PLAN[1], "mug_1 is not held")
    assert story.failing.followed == ((PLAN[1], "no"),)
    page = page_of(tmp_path / "e")
    assert "After that it could not be repaired" in page
    no_stage = [*events[:-1], event("outcome", 9.0, **end, stage="refinement", reason="no")]
    other = told(tmp_path / "f", no_stage).failing
    assert other is not None and not other.moved and other.followed == ()


def test_a_success_failed_nowhere_and_shows_what_it_gave_up(tmp_path: Path) -> None:
    story = told(tmp_path / "e", [*with_arm()[:8], no_motion(2.4, "plate_1"), *with_arm()[8:]])
    assert story.failing is None and [f.marks[1][0] for f in story.obstacles] == ["plate_1"]


def test_plans_that_come_to_the_same_end_are_told_once(tmp_path: Path) -> None:
    again = [
        e for k in range(5) for e in (event("plan", 5.0 + k, status="found", plan=PLAN), no_motion(5.5 + k, "plate_1"))
    ]
    story = told(tmp_path / "e", ended(*again, no_motion(8.0, "mug_1")))
    assert [(r.count, r.t, r.until, r.step, r.seconds) for r in story.rejected] == [
        (5, 5.5, 9.5, 20, 2.5),
        (1, 8.0, 8.0, 20, 0.5),
    ]


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
