"""Where nothing else helps somebody is asked: what he says is tried, what nobody can know is not, nor for ever."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from tamp.agent.director import DecisionRequest
from tamp.agent.goal_executor import ATTEMPTS
from tamp.planning.deliberation import Ready
from tests.tamp.agent.lamps import OUT_OF_REACH, Setting, lamps


@dataclass(eq=False)
class Friend:
    """Says one thing after the other, and keeps what he was asked."""

    says: list[str]
    asked: list[DecisionRequest] = field(default_factory=list)

    def __call__(self, asked: DecisionRequest) -> Ready[str]:
        self.asked.append(asked)
        return Ready(self.says.pop(0) if self.says else "")


def advised(folder: Path, *says: str) -> tuple[Setting, Friend]:
    friend = Friend(list(says))
    return replace(lamps(folder), advise=friend), friend


def test_what_he_says_is_done_and_then_it_goes_on(tmp_path: Path) -> None:
    setting, friend = advised(tmp_path, "start (press torch)")
    setting.room.broken["lamp"] = ATTEMPTS
    assert setting.pursue("turned-on lamp").done
    assert setting.room.pressed == ["lamp"] * ATTEMPTS + ["torch", "lamp"]
    (asked,) = friend.asked
    assert asked.told == f"(press lamp): lamp is dark after {ATTEMPTS} attempts"
    assert asked.before == (("start (press lamp)", "failed: lamp is dark"),)
    assert asked.not_again == {"end", "start (press lamp)"}
    assert [e["action"] for e in setting.events("advised")] == ["(press torch)"]


def test_he_is_asked_where_geometry_knows_no_way_and_told_what_did_not_help(tmp_path: Path) -> None:
    setting, friend = advised(tmp_path, "start (press torch)")
    setting.press.refuses = {"lamp": replace(OUT_OF_REACH, facts=frozenset()), "torch": OUT_OF_REACH}
    outcome = setting.pursue("turned-on lamp")
    assert not outcome.done and outcome.stage == "refinement"
    assert (
        len(friend.asked) == 2 and ("start (press torch)", f"failed: {OUT_OF_REACH.message}") in friend.asked[1].before
    )
    assert setting.room.pressed == []


def test_nobody_is_asked_without_repair_nor_where_all_goes_well(tmp_path: Path) -> None:
    setting, friend = advised(tmp_path, "start (press torch)")
    assert setting.pursue("turned-on lamp").done and friend.asked == []
    (tmp_path / "b").mkdir()
    setting, friend = advised(tmp_path / "b", "start (press torch)")
    setting.reflexes, setting.room.broken["lamp"] = frozenset({"servo", "monitor"}), 99
    assert not setting.pursue("turned-on lamp").done and friend.asked == []
