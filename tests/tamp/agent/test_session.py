"""Continuous execution: the four tests of the plan that it was built from, and what stopping leaves behind."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from motion.poses import Array
from tamp.agent.orders import Say, Skip, Start, Stop
from tamp.agent.session import STALE_HOLD, STALE_STOP
from tamp.agent.tabletop_agent import Going, Heard
from tamp.backends.xarm.arm_backend import ArmBackend
from tamp.model.atoms import Atom
from tamp.model.events import Blind
from tamp.model.goal import Goal
from tamp.model.scene import Scene
from tamp.model.state import WorldState
from tamp.planning.deliberation import Ready
from tests.live_sessions import Live


def shown_seconds(state: str, name: str) -> float:
    """The seconds of an action in the state as it is told."""
    found = re.search(re.escape(name) + r" \((\w+), ([\d.]+)s\)", state)
    assert found is not None, state
    return float(found[2])


def test_skipping_shows_how_time_goes_by(anywhere: Live) -> None:
    """The first: start, skip, see the duration grow, stop."""
    anywhere.tell(Start(anywhere.pick))
    anywhere.run(0.3)
    before = shown_seconds(anywhere.session.state(), anywhere.pick)
    anywhere.tell(Skip(1))
    anywhere.run(1.0)
    assert shown_seconds(anywhere.session.state(), anywhere.pick) == pytest.approx(before + 1.0, abs=0.06)
    anywhere.tell(Stop(anywhere.pick))
    anywhere.run(0.1)
    assert anywhere.session.activities == [] and anywhere.stages(anywhere.pick)[-1] == "stopped"


def test_an_action_moves_acts_and_is_done(anywhere: Live) -> None:
    """The second: moving, acting, done, each once, and done as soon as the effect is seen."""
    anywhere.tell(Start(anywhere.pick))
    anywhere.run(20.0, lambda: anywhere.stages(anywhere.pick)[-1:] == ["done"])
    assert anywhere.stages(anywhere.pick) == ["moving", "acting", "done"]
    if anywhere.at_table is not None:
        assert f"Holding: {anywhere.pick.split()[1]}" in anywhere.session.state()
    assert f"{anywhere.pick} (done, " in anywhere.session.state(), "it stays listed until it is stopped"
    done = shown_seconds(anywhere.session.state(), anywhere.pick)
    anywhere.run(1.0)
    assert shown_seconds(anywhere.session.state(), anywhere.pick) == done
    anywhere.tell(Stop(anywhere.pick))
    anywhere.run(0.1)
    assert "Actions: []" in anywhere.session.state()


def test_what_has_no_end_goes_on_until_it_is_stopped(anywhere: Live) -> None:
    """The third: waving stays acting, whatever is skipped, and ends when it is stopped."""
    anywhere.tell(Start("wave"))
    anywhere.run(10.0, lambda: anywhere.stages("wave")[-1:] == ["acting"])
    for _ in range(3):
        anywhere.tell(Skip(1))
        anywhere.run(1.0)
        assert "wave (acting, " in anywhere.session.state()
    anywhere.tell(Stop("wave"))
    anywhere.run(0.1)
    assert anywhere.stages("wave") == ["moving", "acting", "stopped"]


def test_stuck_is_seen_and_mended_by_another_try(anywhere: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fourth: somebody holds the arm; it is seen that nothing moves; stopped and started anew it works."""
    let_go = hold(anywhere, monkeypatch)
    anywhere.tell(Start(anywhere.pick))
    anywhere.run(2.0)
    stuck = anywhere.activity(anywhere.pick)
    assert stuck.stage in ("moving", "acting") and stuck.seconds > 1.5
    assert stuck.waits_for.startswith(("the arm does not move where it should go, for ", "the controller is paused"))
    let_go()
    anywhere.tell(Stop(anywhere.pick), Start(anywhere.pick))
    anywhere.run(20.0, lambda: anywhere.stages(anywhere.pick)[-1:] == ["done"])
    assert anywhere.stages(anywhere.pick)[-1] == "done"


def hold(live: Live, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Keep the arm from moving; what lets it go again."""
    if isinstance(live.backend, ArmBackend):
        api = live.backend.driver._api
        live.run(0.1)
        move = live.backend.driver.move_joints

        def moved_and_paused(*args: Any) -> None:
            move(*args)
            api.set_state(3)

        monkeypatch.setattr(live.backend.driver, "move_joints", moved_and_paused)
        monkeypatch.setattr(live.backend.driver, "move_line", lambda *args: (move_line(*args), api.set_state(3)))
        move_line = type(live.backend.driver).move_line.__get__(live.backend.driver)
        return monkeypatch.undo
    command = live.backend.command
    monkeypatch.setattr(live.backend, "command", lambda _, opening: command(np.zeros(6), opening))
    return monkeypatch.undo


@pytest.mark.parametrize("moment", [0.3, 1.5, 2.5])
def test_a_stop_leaves_a_state_from_which_all_can_go_on(live: Live, moment: float) -> None:
    live.tell(Start(live.pick))
    live.run(moment)
    live.tell(Stop())
    live.run(0.05)
    assert live.session.activities == []
    live.run(0.3)
    resting: Array = live.backend.observe().T_world_tool[:3, 3].copy()
    live.run(0.5)
    moved = float(np.linalg.norm(live.backend.observe().T_world_tool[:3, 3] - resting))
    assert moved < 0.001, "the arm stands still"
    _, _, situation = live.table.look()
    if situation.held is None:
        live.tell(Start(live.pick))
        live.run(20.0, lambda: live.stages(live.pick)[-1:] == ["done"])
    _, _, situation = live.table.look()
    assert situation.held == "box_1" and live.refusals() == []


def test_what_is_held_stays_held_over_a_stop(live: Live) -> None:
    live.tell(Start(live.pick))
    live.run(20.0, lambda: live.stages(live.pick)[-1:] == ["done"])
    live.tell(Start("(place-on box_1 tray)"))
    live.run(1.0)
    live.tell(Stop())
    live.run(3.0)
    assert live.table.look()[2].held == "box_1"


def test_two_things_at_one_time_where_they_take_different_things(live: Live) -> None:
    live.tell(Start("watch"), Start(live.pick), Start("wave"))
    live.run(0.2)
    assert [a.name for a in live.session.activities] == ["watch", live.pick]
    assert live.refusals() == [f"wave needs the arm, which {live.pick} has; valid: stop {live.pick}"]
    live.run(20.0, lambda: live.stages(live.pick)[-1:] == ["done"])
    assert live.activity("watch").stage == "acting"


@pytest.mark.parametrize(
    ("action", "says"),
    [
        ("dance", "no action 'dance'; "),
        ("(pik box_1 table)", "no action 'pik'; did you mean 'pick'?"),
        ("(pick box_1)", "pick takes 2 arguments (o - item"),
        ("(pick box_9 table)", "'box_9' is no item that is seen; valid: box_1, box_2, box_3"),
        ("(place-on box_1 tray)", "(place-on box_1 tray) cannot start now: it needs (holding box_1)"),
        ("(follow tray)", "'tray' is no item that is seen"),
    ],
)
def test_what_cannot_start_says_what_is_missing(live: Live, action: str, says: str) -> None:
    live.tell(Start(action))
    live.run(0.1)
    (why,) = live.refusals()
    assert why.startswith(says), why
    assert live.session.activities == []


def test_a_flood_of_orders_is_cut_and_a_stop_gets_through(live: Live) -> None:
    live.tell(Start("wave"))
    live.run(0.5)
    live.tell(*[Start("wave")] * 10_000, Stop())
    live.run(0.05)
    assert live.session.activities == []
    assert live.refusals()[-1].startswith("more than ")


def test_observations_that_cease_have_the_arm_hold_still_and_then_stop_everything(live: Live) -> None:
    live.tell(Start(live.pick))
    live.run(1.0)
    same = live.table.observed
    commands = [live.session.tick(same) for _ in range(STALE_STOP - 1)]
    moves = [c is not None and bool(np.linalg.norm(c.displacement[:3]) > 1e-3) for c in commands]
    assert moves[0] and not any(moves[STALE_HOLD:])
    assert live.activity(live.pick).stage == "moving", "it may go on when there is something to be seen again"
    live.session.tick(same)
    assert live.session.activities == [] and live.stages(live.pick)[-1] == "stopped"
    assert [e.why for e in live.events if isinstance(e, Blind)] == [
        f"nothing new was observed for {STALE_STOP} control periods: all is stopped"
    ]


def test_another_goal_in_words_is_told_whether_the_one_before_still_goes_on(live: Live) -> None:
    going: list[Going | None] = []

    def read(text: str, scene: Scene, state: WorldState, now: Going | None) -> Ready[Heard]:
        going.append(now)
        return Ready(Heard(text, (Goal(Atom("holding", ("box_1",))),)))

    assert live.at_table is not None
    live.at_table.reader = read
    live.tell(Say("take the first"))
    live.run(0.5)
    live.tell(Say("still the first"))
    live.run(20.0, lambda: live.stages("(holding box_1)")[-1:] == ["done"])
    live.tell(Start("wave"), Say("and now"))
    live.run(0.2)
    assert [g and (g.said, g.busy) for g in going] == [None, ("take the first", True), ("still the first", False)]
