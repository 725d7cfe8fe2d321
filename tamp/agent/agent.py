"""An agent: reads what is wanted of what it perceives, looks for what is missing, and acts until the goals hold.

Whoever owns the clock calls `tick` once each control period. An agent is over once its goals are seen to hold, or once
it knows why they cannot.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from tamp.agent.session import Activity, Session
from tamp.agent.tabletop_agent import TabletopAgent
from tamp.errors import Refusal, TampError
from tamp.model.backend import Command, Observation
from tamp.model.events import Journal
from tamp.model.goal import Goal, in_pddl
from tamp.model.scene import Scene
from tamp.model.state import WorldState

if TYPE_CHECKING:
    from tamp.agent.searching import ObjectSearch, Reads

ENDED = "it was ended before it was done"


@dataclass
class AgentOutcome:
    """What an agent came to, as it perceives it.

    `stage` and `reason` say where and why it ended without success; `steps` are the control steps up to the last
    release or push, `total_steps` all; `seconds` by stage. `alternatives` are those taken of goals with `or`,
    `certificate` is what a refusal rests on, `believed` the atoms that are only believed to hold, with the second since
    when; `looks` counts looks at images.
    """

    done: bool = False
    stage: str | None = None
    reason: str | None = None
    goal: str | list[str] | None = None
    untouched: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    plan: list[str] = field(default_factory=list)
    executed: list[str] = field(default_factory=list)
    steps: int = 0
    total_steps: int = 0
    looks: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    believed: dict[str, float] = field(default_factory=dict)
    certificate: dict[str, Any] | None = None

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    def fail(self, stage: str, reason: str) -> None:
        """Note where it ended, and why."""
        self.stage, self.reason = stage, reason


class Agent:
    """Works towards the goals that `wanted` gives of a scene. `outcome` is complete once it is `over`.

    What `search` makes, if anything, looks for what is not seen, and again at what is doubtful, before the agent acts
    or refuses.
    """

    def __init__(
        self,
        performer: TabletopAgent,
        wanted: Reads,
        log: Journal,
        search: Callable[[Reads], ObjectSearch | None] = lambda reads: None,
    ) -> None:
        self.performer, self.outcome, self.over = performer, AgentOutcome(), False
        self.session = Session(performer, performer.table.publish, ends_when_idle=True)
        self._wanted, self._log = wanted, log
        self._search, self._searching = search(self.read), False

    @property
    def time(self) -> float:
        """Seconds of its session."""
        return self.session.time

    def begin(self, scene: Scene, state: WorldState) -> None:
        """Take up what is wanted of a scene that was perceived. Where nothing comes of it the outcome says why."""
        search = self._search
        try:
            goals = self.read(scene, state)
            first = search.make_sure(goals) if search is not None and search.doubted(goals, scene) else None
        except Refusal as refusal:
            if search is None or not refusal.may_be_hidden:
                self.refused("goal", refusal)
                return
            first, goals = search.find(refusal), ()
        if first is not None:
            self._searching = True
            self.session.begin(Activity("search", first))
            return
        try:
            self.pursue(goals)
        except Refusal as refusal:
            self.refused("goal", refusal)

    def pursue(self, goals: tuple[Goal, ...]) -> None:
        """Work towards goals from now on. Refusal where the domain cannot say what is to be left alone."""
        session = Session(self.performer, self.performer.table.publish, ends_when_idle=True)
        session.pursue(*goals)
        self.session = session
        self.outcome.goal = in_pddl(goals)
        self.outcome.untouched = list(dict.fromkeys(s for g in goals for s in g.untouched))

    def tick(self, observation: Observation) -> Command | None:
        """The command for this control period, from what was just observed; None once it is over."""
        if self.over:
            return None
        command = self.session.tick(observation)
        if command is None and self._searching:
            self._searching = False
            if self._takes_up_what_was_found():
                command = self.session.tick(observation)
        if command is None:
            self.close()
        return command

    def close(self) -> None:
        """Stop here, and complete the outcome."""
        if not self.over:
            self.over = True
            self.session.close()
            self._conclude()

    def refused(self, stage: str, why: TampError | str) -> None:
        """End with a reason, before anything was taken up."""
        self._log.event("refused", message=str(why))
        self.outcome.fail(stage, str(why))
        self.close()

    def read(self, scene: Scene, state: WorldState) -> tuple[Goal, ...]:
        """What is wanted of a scene; the seconds that it takes are counted as those of language."""
        start = time.perf_counter()
        try:
            return self._wanted(scene, state)
        finally:
            before = self.outcome.seconds.get("language", 0.0)
            self.outcome.seconds["language"] = round(before + time.perf_counter() - start, 3)

    def _takes_up_what_was_found(self) -> bool:
        """Whether a search has ended with goals, which are pursued from now on."""
        assert self._search is not None
        failed = self.session.failed
        try:
            if failed is not None or not self._search.goals:
                raise Refusal(failed.waits_for if failed else "nothing came of the search", "absent")
            self.pursue(self._search.goals)
        except TampError as e:
            self.refused("goal", e)
            return False
        return True

    def _conclude(self) -> None:
        out, table, pursuit = self.outcome, self.performer.table, self.performer.pursuit
        seconds = dict(table.mind.seconds)
        if pursuit is not None and self.session.wanted:
            found = pursuit.outcome
            out.done, out.steps, out.total_steps = found.done, found.steps, pursuit.steps
            out.alternatives = found.alternatives
            out.certificate = found.certificate.as_dict() if found.certificate is not None else None
            out.executed = [str(a) for a in found.executed]
            first = found.plan or table.mind.first
            out.plan = [str(a) for a in first.actions] if first else []
            if out.stage is None and found.stage is not None:
                out.stage, out.reason = found.stage, found.reason
            seconds |= found.seconds
            out.believed = {str(a): t for a, t in table.sight.beliefs.since.items()}
        if not out.done and out.stage is None:
            failed = self.session.failed
            out.fail("execution" if failed else "stopped", failed.waits_for if failed else ENDED)
        out.seconds |= {k: round(v, 3) for k, v in seconds.items()}
        if self._search is not None:
            out.executed = [*map(str, self._search.executed), *out.executed]
            out.steps, out.total_steps = out.steps + self._search.steps, out.total_steps + self._search.steps
