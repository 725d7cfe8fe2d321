"""Live sessions on a UFACTORY arm, or on one that is emulated."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from motion.bullet import loaded
from tamp.api import arms, language
from tamp.backends.xarm.address import CONTROL_PORT
from tamp.backends.xarm.arm_backend import ArmBackend
from tamp.backends.xarm.arm_stop import ArmStop
from tamp.backends.xarm.arm_verdict import STANDS
from tamp.backends.xarm.motion_planner import MotionPlanner
from tamp.backends.xarm.opening import claimed, connected, detector_of, tool_of
from tamp.backends.xarm.performing import ArmPerformer
from tamp.backends.xarm.step_targets import StepTargets
from tamp.errors import InputError

if TYPE_CHECKING:
    from tamp.agent.order_script import Disturb
    from tamp.agent.session import Session
    from tamp.api.live import Asked, Company, Prepare
    from tamp.backends.xarm.workcell import Workcell
    from tamp.model.events import Events
    from tamp.runs.episode_log import EpisodeLog

PATIENCE = 5.0
"""Seconds for which an arm is waited for that still moves when a session begins."""


def preparation(asked: Asked) -> Prepare:
    """What makes the arm ready. InputError for a world that is wrong, or an address that is missing."""
    if asked.scene is not None or asked.init_state is not None or asked.clock == "paused":
        raise InputError("--scene, --init-state and --clock paused are for simulated scenes, not for --backend xarm")
    if asked.decider == "qwen":
        raise InputError("--decider qwen is for tables: what an arm is told is read as steps already")
    cell = arms.world(asked.world)
    address = arms.address(cell, asked.host)
    return lambda log, events, opened, company: _Arm(asked, cell, address, log, opened, company)


class _Arm:
    """An arm, ready for a session: see `tamp.api.live.Robot`."""

    def __init__(
        self,
        asked: Asked,
        cell: Workcell,
        address: str,
        log: EpisodeLog,
        opened: contextlib.ExitStack,
        company: Company,
    ) -> None:
        log.event("world", world=cell.name, arm=cell.arm.name, tool=tool_of(cell), host=address)
        opened.enter_context(claimed(address))
        detector = detector_of(cell, company.say, opened)
        loaded()  # now, not while the arm moves
        driver, hand = connected(cell, address, asked.port or CONTROL_PORT, opened)
        self.name = f"{cell.arm.name} at {address}"
        self.backend = ArmBackend(driver, cell.T_flange_tool)
        reader = language.arm_reader(asked.llm, cell, log)
        opened.callback(reader.close)
        self.performer = ArmPerformer(
            self.backend, MotionPlanner(cell), StepTargets(cell, detector), ArmStop(), log.event, hand
        )
        self.performer.reader, self.performer.patience = reader, PATIENCE
        log.best_effort()

    def begun(self, session: Session, events: Events) -> None:
        """Nothing of it has to know."""

    def disturb(self, disturb: Disturb) -> None:
        """Nobody can, from here."""
        raise InputError("disturb is for simulated scenes: the things of an arm are moved by hand")

    def outcome(self, session: Session) -> dict[str, Any]:
        """Whether what was begun last was carried out."""
        failed = session.failed
        reason = f"{failed.waits_for}; {STANDS[self.performer.verdict.halted]}" if failed else None
        return {"success": failed is None, "goal": None, "task": None, "reason": reason}
