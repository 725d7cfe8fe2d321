"""Live sessions on a UFACTORY arm, or on one that is emulated."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from cli.arm_run import address_of, read_world
from cli.live_reading import Interruptible
from cli.output import say
from motion.bullet import loaded
from motion.poses import to_quat
from tamp.backends.xarm.address import CONTROL_PORT
from tamp.backends.xarm.backend import ArmBackend
from tamp.backends.xarm.claim import claimed
from tamp.backends.xarm.contract_world import breaches_in
from tamp.backends.xarm.detections import open_detector
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.hand import TcpHand
from tamp.backends.xarm.performing import OnArm
from tamp.backends.xarm.steps import Step, steps_of
from tamp.backends.xarm.stopping import Stop
from tamp.backends.xarm.targets import Targets
from tamp.backends.xarm.ways import Ways
from tamp.backends.xarm.workcell import Workcell
from tamp.errors import InputError, Refusal
from tamp.execution.process import Cancelled, Process
from tamp.execution.script import Disturb
from tamp.execution.session import Session
from tamp.planning.beside import Entries, Notes, pass_on
from tamp.planning.deliberation import Thought
from tamp.planning.refinement import never
from tamp.planning.search import Journal
from tamp.quiet import hush_warnings
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.events import Events

if TYPE_CHECKING:
    from cli.live import Asked, Prepare


PATIENCE = 5.0
"""Seconds for which an arm is waited for that still moves when a session begins."""


def preparation(asked: Asked) -> Prepare:
    """What makes the arm ready. InputError for a world that is wrong, or an address that is missing."""
    if asked.scene is not None or asked.init_state is not None or asked.clock == "paused":
        raise InputError("--scene, --init-state and --clock paused are for simulated scenes, not for --backend xarm")
    if asked.decider == "qwen":
        raise InputError("--decider qwen is for tables: what an arm is told is read as steps already")
    cell = read_world(asked.world)
    address = address_of(cell, asked.host)
    return lambda log, events, opened: _Arm(asked, cell, address, log, opened)


class _Arm:
    """An arm, ready for a session: see `cli.live.Set`."""

    def __init__(
        self, asked: Asked, cell: Workcell, address: str, log: EpisodeLog, opened: contextlib.ExitStack
    ) -> None:
        T = cell.T_flange_tool
        tool = [*T[:3, 3], *to_quat(T[:3, :3])]
        log.event("world", world=cell.name, arm=cell.arm.name, tool=tool, host=address)
        opened.enter_context(claimed(address))
        detector = open_detector(cell, say) if cell.detector.source else None
        if detector is not None:
            opened.callback(detector.close)
        loaded()  # now, not while the arm moves
        driver = Driver.connect(address, cell.arm, asked.port or CONTROL_PORT)
        opened.callback(driver.close)
        hand = TcpHand(cell.hand) if cell.hand is not None else None
        if hand is not None:
            opened.callback(hand.close)
        self.name = f"{cell.arm.name} at {address}"
        self.backend = ArmBackend(driver, cell.T_flange_tool)
        reader = ArmReaderBeside(asked.llm, cell, log)
        opened.callback(reader.close)
        self.performer = OnArm(self.backend, Ways(cell), Targets(cell, detector), Stop(), log.event, hand)
        self.performer.reader, self.performer.patience = reader, PATIENCE

    def begun(self, session: Session, events: Events) -> None:
        """Nothing of it has to know."""

    def disturb(self, disturb: Disturb) -> None:
        """Nobody can, from here."""
        raise InputError("disturb is for simulated scenes: the things of an arm are moved by hand")

    def outcome(self, session: Session) -> dict[str, Any]:
        """Whether what was begun last was carried out."""
        failed = session.failed
        reason = failed.waits_for if failed else None
        return {"success": failed is None, "goal": None, "task": None, "reason": reason}


@dataclass(frozen=True)
class _Names:
    """What an instruction can name in a world: poses and labels."""

    poses: tuple[str, ...]
    labels: tuple[str, ...]


class ArmReader:
    """Reads words as steps of the contract."""

    def __init__(self, llm: str, names: _Names, cancelled: Cancelled = never) -> None:
        from llm.backends.load import load

        hush_warnings()
        self._names, self._model = names, Interruptible(load(llm), cancelled)

    def read(self, text: str) -> tuple[dict[str, Any], Entries]:
        """The plan that some words ask for, and what was noted on the way."""
        from llm.arm_plan import write_plan
        from llm.logged import Logged

        notes = Notes()
        notes.event("instruction", text=text)
        plan = write_plan(
            text, list(self._names.poses), list(self._names.labels), Logged(self._model, notes.event), notes.event
        )
        return plan, notes.taken()


class ArmReaderBeside:
    """Reads in a process of its own, which is started at once."""

    def __init__(self, llm: str, cell: Workcell, journal: Journal) -> None:
        self._cell, self._journal = cell, journal
        self._process = Process(partial(ArmReader, llm, _Names(tuple(cell.poses), tuple(cell.labels))), "reading")

    def __call__(self, text: str) -> Thought[Sequence[Step]]:
        """The steps of some words, once they are read. Refusal where the world does not have room for them."""
        return self._process.ask("read", text, convert=self._steps)

    def close(self) -> None:
        """End the process."""
        self._process.close()

    def _steps(self, heard: tuple[dict[str, Any], Entries]) -> Sequence[Step]:
        plan, entries = heard
        pass_on(entries, self._journal)
        if wrong := breaches_in(plan, self._cell):
            raise Refusal(f"the plan cannot be carried out in {self._cell.name}: {wrong[0]}", "infeasible")
        return steps_of(plan)
