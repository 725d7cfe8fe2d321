"""Somebody else decides: his orders are judged like all orders, and he is shown what became of them."""

from __future__ import annotations

from collections.abc import Callable

from tamp.agent.director import DecisionRequest
from tamp.agent.orders import Stop
from tamp.model.atoms import Atom
from tamp.model.goal import Goal
from tamp.planning.deliberation import Ready
from tests.live_sessions import Live, direct

GOAL = Goal(Atom("on", ("box_3", "tray")))
PICK, PLACE = "start (pick box_3 table)", "start (place-on box_3 tray)"


def directed(live: Live, says: Callable[[DecisionRequest], str]) -> list[DecisionRequest]:
    """Have a session work towards the goal by what is said; the questions, as they are asked."""
    asked: list[DecisionRequest] = []

    def decide(question: DecisionRequest) -> Ready[str]:
        asked.append(question)
        return Ready(says(question))

    direct(live, decide)
    live.session.pursue(GOAL)
    return asked


def test_he_is_shown_what_became_of_his_orders_and_ends_at_the_goal(live: Live) -> None:
    orders = iter([PICK, PLACE, "end"])
    asked = directed(live, lambda _: next(orders))
    live.run(30.0, lambda: live.session.activities[0].over)
    assert live.session.activities[0].stage == "done"
    assert not GOAL.missing(live.table.look()[1])
    assert [q.before for q in asked] == [(), ((PICK, "done"),), ((PICK, "done"), (PLACE, "done"))]
    assert "Actions: []" in asked[0].summary and "(pick box_3 table) (done, " in asked[1].summary


def test_the_domain_judges_and_the_end_is_not_his_to_claim(live: Live) -> None:
    orders = iter([PLACE, "end", ""])
    asked = directed(live, lambda _: next(orders))
    live.run(10.0, lambda: live.session.activities[0].over)
    needs = "(place-on box_3 tray) cannot start now: it needs (holding box_3)"
    assert live.refusals() == [needs]
    assert asked[-1].before == ((PLACE, f"refused: {needs}"), ("end", "refused: (on box_3 tray) is not seen to hold"))
    assert asked[-1].not_again == {PLACE, "end"}, "nothing has changed since"
    failed = live.session.activities[0]
    assert failed.stage == "failed" and failed.waits_for.startswith("nothing is left to be tried; done before: ")


def test_a_stop_ends_his_goal_and_what_he_began(live: Live) -> None:
    asked = directed(live, lambda _: PICK)
    live.run(0.5)
    live.tell(Stop())
    live.run(2.0)
    assert len(asked) == 1 and live.session.activities == []
    assert live.stages("(pick box_3 table)")[-1] == live.stages(str(GOAL))[-1] == "stopped"
