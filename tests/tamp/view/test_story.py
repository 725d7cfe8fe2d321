"""What the page of an episode shows, without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.errors import InputError
from tamp.view.episode_page import episode_page
from tamp.view.page_layout import Layout
from tamp.view.story import listed
from tests.page_episodes import ATOMS, MARKUP, PLAN, event, failure, success, told, write


def page_of(folder: Path) -> str:
    return episode_page(folder / "episode.jsonl", Layout.of(), folder)


def test_a_success_says_what_was_asked_and_by_whose_eyes(tmp_path: Path) -> None:
    story = told(write(tmp_path / "e", success()))
    assert (story.title, story.status.verdict) == ("put the mug in the drawer", "It succeeded by LIBERO's check.")
    assert story.perception == "Perception: oracle (the simulator's state)."
    assert story.goal_facts == ["(in mug_1 drawer_1)"]
    assert (story.status.notes, [name for name, _ in story.files]) == (
        (),
        ["domain.pddl", "plan.txt", "problem.pddl"],
    )
    assert [e.reply for e in story.exchanges] == ["[the mug] is in [the drawer]."]


def test_the_timeline_has_searches_motions_and_actions(tmp_path: Path) -> None:
    story = told(write(tmp_path / "e", success()))
    bars = [(b.lane, b.begin, b.end, b.state, b.number) for b in story.bars]
    assert bars[:2] == [("symbolic", 2.0, 2.5, "done", 0), ("geometric", 2.7, 3.5, "done", 0)]
    assert [b[4] for b in bars if b[0] == "execution"] == [1, 2, 3]
    assert [(a.first_step, a.last_step, a.state) for a in story.story.actions] == [
        (1, 20, "done"),
        (21, 40, "done"),
        (41, 60, "done"),
    ]
    assert story.story.actions[0].waited == pytest.approx(0.2)
    axis = story.axis
    assert axis.share(axis.begin) == 0 and axis.share(axis.end) == 100 and 4 <= len(axis.marks) <= 10


def test_each_action_says_what_it_needs_and_who_made_it_so(tmp_path: Path) -> None:
    story = told(write(tmp_path / "e", success()))
    needs = {n.literal: n.by for n in story.account.steps[2].needs}
    assert (needs["(holding mug_1)"], needs["(open drawer_1)"]) == (2, 1)
    assert {*story.account.steps[0].makes} == {"(open drawer_1)", "(not (closed drawer_1))"}
    assert [(n.literal, n.holds, n.by) for n in story.account.goal] == [("(in mug_1 drawer_1)", True, 3)]


def test_after_a_failed_action_things_are_as_they_were_seen(tmp_path: Path) -> None:
    """In symbols the mug would still be in the hand; it was seen on the table."""
    story = told(write(tmp_path / "e", failure()))
    assert [s.action for s in story.account.steps] == [*PLAN, *PLAN[1:]]
    again = {n.literal: (n.holds, n.by) for n in story.account.steps[3].needs}
    assert again["(hand-empty)"] == (True, 3) and again["(on mug_1 table_1)"] == (True, 3)
    assert [fact for fact, _ in story.seen if fact.startswith("(holding")] == ["(holding mug_1)"]


def test_the_facts_of_the_simulator_do_not_speak_against_what_cameras_saw(tmp_path: Path) -> None:
    """A log of cameras ends with them, by other names."""
    other = event("final", 99.0, atoms=["(in cup cupboard)"])
    events = [e for e in success() if e["event"] != "final"]
    own = told(write(tmp_path / "own", [*events, other]))
    by_camera = told(write(tmp_path / "camera", [*events, event("matched", 98.0, names={}), other]))
    assert not all(need.holds for need in own.account.goal) and own.looks[-1] == "end"
    assert all(need.holds for need in by_camera.account.goal) and "end" not in by_camera.looks


def test_what_was_given_up_and_what_went_wrong(tmp_path: Path) -> None:
    story = told(write(tmp_path / "e", failure()))
    assert story.status.verdict.startswith(
        "It did not succeed by the oracle of the goal. It failed in refinement: no room"
    )
    [rejected] = story.rejected
    assert (rejected.plan, rejected.action, rejected.facts) == (tuple(PLAN[1:]), PLAN[1], ("(no-grasp mug_1)",))
    assert [f.kind for f in story.failures] == ["not achieved", "plan rejected"]
    assert "mug_1 is not in drawer_1; mug_1 is 20 mm off" in story.failures[0].text


def test_the_path_and_the_things_in_space(tmp_path: Path) -> None:
    last = event("final", 7.9, atoms=ATOMS, poses={"mug_1": [0.5, 0, 1.1, 1, 0, 0, 0]})
    events = success()
    tracks = told(write(tmp_path / "e", [*events[:-1], last, events[-1]])).story.tracks
    assert [since for since, _ in tracks.path] == [*range(1, 61)]
    mug = tracks.things["mug_1"]
    assert (mug.place(0), mug.place()) == ((0, 0.1, 0.9), (0.5, 0, 1.1))
    assert mug.bounds(0) == ((-0.04, 0.06, 0.86), (0.04, 0.14, 0.96))


def test_logs_that_are_not_whole_say_so(tmp_path: Path) -> None:
    killed = told(write(tmp_path / "killed", success()[:-20], tail='{"event": "comm'))
    assert killed.status.verdict.startswith("It ended without a verdict")
    assert [n.split(":")[0] for n in killed.status.notes] == [
        "The last line of the log is only half written, and left out.",
        "The log has no outcome",
    ]
    assert killed.story.actions[-1].state == "unfinished"
    other = success()
    other[0]["schema"] = 7
    assert (
        told(write(tmp_path / "later", other))
        .status.notes[0]
        .startswith("The log is of schema 7, this version of tamp knows 1")
    )
    assert told(write(tmp_path / "headless", success()[1:])).status.notes[0].startswith("The log has no beginning")


def test_a_run_of_an_arm_is_told_as_far_as_it_goes(tmp_path: Path) -> None:
    start = event("start", 0.0, goal=None, world="bench", arm="xarm6", steps=["MoveToNamed(name='home')"])
    look = event("second_look", 0.1, number=1, bodies=None, itself=None, looked=9)
    story = told(write(tmp_path / "e", [start, look, event("outcome", 0.2, success=True, kind="", reason="")]))
    assert (story.status.verdict, story.failures, story.status.notes) == ("It succeeded.", [], ())
    assert (story.title, [r.action for r in story.rows]) == ("A plan of 1 step", ["MoveToNamed(name='home')"])
    assert 'id="space"' not in page_of(tmp_path / "e")


def test_fields_of_any_kind_are_borne(tmp_path: Path) -> None:
    """A log that somebody wrote, or a version that is not known."""
    odd = [5, "x", None, [1], {"a": 1}, True]
    kinds = {e["event"]: e for e in [*success(), *failure()]}
    events = [
        {k: odd[(n + m) % len(odd)] for m, k in enumerate(e)} | {"event": kind}
        for kind, e in kinds.items()
        for n in range(6)
    ]
    told(write(tmp_path / "e", events))
    assert MARKUP not in page_of(tmp_path / "e")


def test_nothing_of_a_log_is_markup_on_the_page(tmp_path: Path) -> None:
    page = page_of(write(tmp_path / "e", failure()))
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "<img" not in page and "<script>alert" not in page
    assert page.count("<script") == 3  # data, three.js, the own script


def test_a_folder_without_pddl_or_of_another_domain_still_makes_a_page(tmp_path: Path) -> None:
    folder = write(tmp_path / "e", success())
    (folder / "problem.pddl").write_text("(define (problem")
    assert told(folder).why_no_account.startswith("The plan cannot be followed")
    (folder / "problem.pddl").unlink()
    assert told(folder).why_no_account.startswith("There is no domain.pddl")
    assert "There is no domain.pddl" in page_of(folder)


def test_a_log_without_events_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "e", [])
    with pytest.raises(InputError, match="holds no event"):
        told(folder)


def test_a_long_log_leaves_out_control_steps_first(tmp_path: Path) -> None:
    events = [event("plan", 0.0, plan=PLAN)] + [event("command", k / 20, step=k, q=[0.1] * 7) for k in range(1000)]
    log = write(tmp_path / "e", events) / "episode.jsonl"
    lines, left_out = listed(log, most=20_000)
    assert sum(len(line[3]) for line in lines) <= 20_000
    assert lines[0][1] == "plan" and left_out == 1001 - len(lines) > 500
    assert listed(log)[1] == 0


def test_the_page_of_a_very_long_session_is_small_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    events = success()[:-1]
    for n in range(1500):
        t, names = 10.0 + n, {"action": PLAN[1], "arm": f"{n % 2}"}
        no = {"action": f"(pick mug_{n} table_1)", "message": f"{MARKUP} {n}", "blockers": ["plate_1"], "facts": []}
        events += [event("action", t, **names, note={}), event("infeasible", t + 0.1, **no, reason="collision")]
        events += [event("state", t + 0.2, atoms=[f"(on item_{k} table_{n % 3})" for k in range(30)])]
        events += [event("result", t + 0.3, **names, success=False, missing=MARKUP, steps=1, difference=None)]
        events += [event("order", t + 0.4, order=MARKUP, taken=False, why=MARKUP)]
    story = told(write(tmp_path / "e", events))
    assert (len(story.rows), story.rows[-1].number, story.left_out["rows"]) == (300, 1503, 1203)
    assert len(story.rejected) == len(story.obstacles) == 50 and len(story.seen[0][1]) == len(story.looks) == 60
    page = page_of(tmp_path / "e")
    assert len(page.encode()) < 5_000_000 and "1203 before these are left out" in page
