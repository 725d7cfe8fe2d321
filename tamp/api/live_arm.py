"""Live sessions on a UFACTORY arm, or on one that is emulated."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

from tamp.agent.control_loop import run as run_clock
from tamp.agent.orders import Disturb
from tamp.agent.session import Session
from tamp.api import arm_plans, language
from tamp.api.arm_configs import LiveConfig
from tamp.api.live import Callbacks, Live, OrderedSession, RunSession
from tamp.backends.xarm.address import CONTROL_PORT
from tamp.backends.xarm.arm_stop import STANDS, ArmFault, ArmStop
from tamp.backends.xarm.opening import cell_fields, performer_at, refiner_in
from tamp.backends.xarm.workcell import Workcell
from tamp.errors import InputError
from tamp.model.events import Events
from tamp.runs.episode import Result
from tamp.runs.episode_log import SCHEMA, EpisodeLog
from tamp.runs.episode_runner import conduct
from tamp.runs.versions import versions

PATIENCE = 5.0
"""Seconds for which an arm is waited for that still moves when a session begins."""


def prepared(config: LiveConfig) -> tuple[LiveConfig, RunSession]:
    """What is asked for, and what runs it. InputError for a world that is wrong, or an address that is missing."""
    cell = arm_plans.world(config.world)
    address = arm_plans.address(cell, config.host)

    def run(live: Live, callbacks: Callbacks, folder: Path) -> Result:
        def act(log: EpisodeLog) -> Result:
            with contextlib.ExitStack() as opened:
                return _act(live, callbacks, cell, address, log, opened)

        return conduct(folder, act)

    return replace(config, seed=config.seed or 0), run


def _act(
    live: Live, callbacks: Callbacks, cell: Workcell, address: str, log: EpisodeLog, opened: contextlib.ExitStack
) -> Result:
    """A session on the arm at an address, and what it came to."""
    config, events = live.config, Events(log.take)
    about = {"seed": config.seed, "clock": config.clock, **cell_fields(cell, address)}
    log.event("start", schema=SCHEMA, **about, versions=versions())
    refiner = refiner_in(cell, log.event, callbacks.say, opened)
    performer = performer_at(address, config.port or CONTROL_PORT, refiner, ArmStop(), opened)
    reader = language.arm_reader(config.llm, cell, log)
    opened.callback(reader.close)
    performer.patience, performer.reader = PATIENCE, reader
    log.best_effort()
    backend = performer.backend
    acting = OrderedSession(live, callbacks, Session(performer, events), backend.period, _disturb)
    acting.begin(f"{cell.arm.name} at {address}", log, events, opened)
    result = Result(out=str(log.folder))
    try:
        run_clock(acting, backend, events, "real")
    except ArmFault as e:  # of a stop that was not acknowledged
        result.take(acting.outcome)
        result.reason = str(e)
        return result
    result.take(acting.outcome)
    failed = acting.session.failed
    result.success = failed is None
    result.reason = f"{failed.waits_for}; {STANDS[performer.verdict.halted]}" if failed else None
    acting.conclude(result)
    return result


def _disturb(what: Disturb) -> None:
    raise InputError("disturb is for simulated scenes: the things of an arm are moved by hand")
