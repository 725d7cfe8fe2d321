"""Two arms that carry out one plan: who begins with what, who waits, who goes back to its posture.

Each arm has a session of its own, which does one chunk of the plan after the other. Both are ticked in one control
period, and the guard looks at both commands before they are given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from motion.clearance import Held, held
from motion.poses import inverse
from tamp.agent.activity import Activity
from tamp.agent.clock import observed
from tamp.agent.goal_executor import Pursuit
from tamp.agent.guard import Guard
from tamp.agent.reservations import Reservations, standing
from tamp.agent.session import Session
from tamp.agent.sharing import Beholder, Journey, Sharing, going, way_home
from tamp.agent.tabletop_agent import AtTable
from tamp.model.backend import Backend, Command
from tamp.model.scene import Scene
from tamp.model.situation import Situation
from tamp.model.state import WorldState
from tamp.perception.predicates import held_in
from tamp.planning.assignment import Entry
from tamp.planning.deliberation import Decision, Thought
from tamp.planning.engine import Plan
from tamp.planning.refinement import Failure
from tamp.planning.search import NoSolution
from tamp.plans.chunks import Chunk, ChunkedPlan

ATTEMPTS = 3
"""Times that a chunk is begun, by whichever arm, before it is given up."""
HOME = "go back"
"""What an arm does that goes to its posture."""


@dataclass(eq=False)
class ArmAtWork:
    """An arm of a table, and what it is at. `waited` counts the control periods in which it had something to do, and
    nothing of it could begin; `began` is when it began with its chunk, in seconds."""

    name: str
    number: int
    backend: Backend
    ready: AtTable
    session: Session
    mind: Sharing
    eyes: Beholder
    chunk: Chunk | None = None
    activity: Activity | None = None
    resting: bool = True
    waited: int = 0
    pursuits: list[Pursuit] = field(default_factory=list)
    began: float = 0.0

    @property
    def busy(self) -> bool:
        """Whether it is at something."""
        return self.activity is not None and not self.activity.over


@dataclass(eq=False)
class _Thinking:
    """How an arm would do a chunk: by its actions, or else by others that reach its goal. `problem` is what was wrong
    with its own."""

    arm: ArmAtWork
    chunk: Chunk
    seen: tuple[Scene, WorldState, Situation]
    thought: Thought[Decision | Failure] | Thought[Decision | NoSolution]
    journey: Journey | None = None
    problem: str | None = None

    @classmethod
    def of(cls, arm: ArmAtWork, chunk: Chunk) -> _Thinking:
        """From how things are now."""
        seen = arm.ready.table.look()
        return cls(arm, chunk, seen, arm.mind.inner.refine(Plan(chunk.actions), seen[2]))

    def done(self) -> bool:
        """Whether it is known; there is no journey where no way was found."""
        while self.thought.done():
            found, (scene, state, situation) = self.thought.result(), self.seen
            if isinstance(found, Decision):
                self.journey = self.arm.mind.journey(found, scene)
            elif isinstance(found, Failure) and self.problem is None:
                self.problem = found.cause.message or found.cause.reason
                self.thought = self.arm.mind.inner.decide(self.chunk.goal, state, situation)
                continue
            return True
        return False


@dataclass(frozen=True)
class Happened:
    """A chunk that an arm did, and when, in seconds."""

    arm: str
    chunk: Chunk
    begin: float
    end: float


@dataclass(eq=False)
class ArmPair:
    """Carries out a plan in chunks with two arms. `entries` say who is to do what first; an arm that has nothing left
    takes over from the other one. `reason` says why it ended with something undone."""

    arms: tuple[ArmAtWork, ArmAtWork]
    plan: ChunkedPlan
    entries: tuple[Entry, ...]
    reservations: Reservations
    guard: Guard
    tell: Callable[..., None]
    reason: str | None = None
    happened: list[Happened] = field(default_factory=list)
    """What was done, in the order of the ends."""
    _tries: Counter[int] = field(default_factory=Counter)
    _problems: dict[int, str] = field(default_factory=dict)
    _journeys: dict[tuple[int, int], Journey | None] = field(default_factory=dict)
    _looked: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    _thinking: list[_Thinking | None] = field(default_factory=lambda: [None, None])

    @property
    def done(self) -> list[Chunk]:
        """What is done, in the order of the ends."""
        return [e.chunk for e in self.happened]

    @property
    def ended(self) -> float:
        """When the last chunk ended, in seconds."""
        return max((e.end for e in self.happened), default=0.0)

    @property
    def over(self) -> bool:
        """Whether nothing goes on any more, and nothing can be begun."""
        finished = self.reason is not None or len(self.done) == len(self.plan.chunks)
        return finished and not any(a.busy for a in self.arms)

    def tick(self) -> tuple[Command, Command]:
        """The commands for this control period."""
        for arm in self.arms:
            self.reservations.passed(arm.number, arm.backend.observe().q)
            if arm.activity is not None and arm.activity.over:
                self._conclude(arm)
        for arm in self.arms:
            if not arm.busy:
                self._occupy(arm)
            elif arm.chunk is None and self.reason is None:
                arm.waited += bool(self._left(arm))
        if not any(arm.busy or self._thinking[arm.number] for arm in self.arms):
            self._give_up()
        given = [arm.session.tick(observed(arm.backend)) or arm.ready.table.commanded(None) for arm in self.arms]
        one, other = self.arms
        things = self._held(one), self._held(other)
        first = 0 if one.began <= other.began else 1
        robots = one.ready.table.observed.robot, other.ready.table.observed.robot
        return self.guard.checked(robots, (given[0], given[1]), things, first)

    def stop(self) -> None:
        """Stop what goes on."""
        for arm in self.arms:
            arm.eyes.stays, arm.mind.prepared = {}, None
            self._drop(arm)
            if arm.activity is not None and not arm.activity.over:
                arm.activity.stop()
            arm.activity = arm.chunk = None

    def holds(self, arm: ArmAtWork) -> str | None:
        """What an arm has in its hand, as far as it was seen."""
        return held_in(arm.ready.table.sight.known)

    def _held(self, arm: ArmAtWork) -> Held | None:
        """The same for distances."""
        name, bodies = self.holds(arm), arm.mind.world.bodies
        if name is None or name not in bodies:
            return None
        scene = arm.eyes.perceive()
        return held(bodies[name].shapes, inverse(scene.robot.T_world_tool) @ scene.object(name).T_world_object)

    # What an arm does next

    def _conclude(self, arm: ArmAtWork) -> None:
        """An arm has come to the end of what it did."""
        activity, chunk, now = arm.activity, arm.chunk, arm.backend.time
        assert activity is not None
        arm.activity = arm.chunk = None
        if chunk is None:
            arm.resting = activity.stage == "done"
            if arm.resting:
                self._stands(arm)
            return
        for other in self.arms:
            if other is not arm:
                other.eyes.stays = {}
        good = activity.stage == "done"
        self.tell("chunk", arm=arm.name, number=chunk.number, done=good, why=activity.waits_for, time=round(now, 3))
        self._journeys.clear()
        for one in self.arms:
            self._drop(one)
        if good:
            self.happened.append(Happened(arm.name, chunk, arm.began, now))
            return
        self._tries[chunk.number] += 1
        self._problems[chunk.number] = activity.waits_for
        if self._tries[chunk.number] >= ATTEMPTS:
            self.reason = f"{chunk}: {activity.waits_for}"

    def _stands(self, arm: ArmAtWork) -> None:
        q = arm.backend.observe().q
        self.reservations.take(arm.number, standing(self.reservations.clearance, arm.number, q))

    def _occupy(self, arm: ArmAtWork) -> None:
        """Have an arm begin with something that it can do now, or wait; in its posture, unless the other one is at work
        and so makes room."""
        left = self._left(arm) if self.reason is None else []
        for chunk in left:
            if not self._planned(arm, chunk):
                arm.waited += 1
                return
            journey = self._journeys[arm.number, chunk.number]
            if journey is not None and self._free(arm, chunk, journey):
                self._begin(arm, chunk, journey)
                return
        arm.waited += bool(left)
        makes_room = bool(left) and self._at_work(1 - arm.number)  # the other one, before long
        if not arm.resting and not makes_room:
            self._go_back(arm)

    def _at_work(self, number: int) -> bool:
        """Whether an arm is doing a part of the plan, on a way that is its own."""
        return self.arms[number].busy and self.arms[number].chunk is not None

    def _give_up(self) -> None:
        """Nobody does anything: the plan is done, or nobody can begin with anything in it."""
        if self.reason is not None or not any(self._left(a) for a in self.arms):
            return
        if any(self._journeys.get((a.number, c.number)) is not None for a in self.arms for c in self._left(a)):
            self.reason = "both arms are in their postures, and one is in the way of whatever the other could do"
            return
        number = next(c.number for a in self.arms for c in self._left(a))
        why = self._problems.get(number, "no arm finds a way")
        self.reason = f"{next(c for c in self.plan.chunks if c.number == number)}: {why}"

    def _left(self, arm: ArmAtWork) -> list[Chunk]:
        """What an arm may begin with: what it was assigned first, and then what the other one was."""
        going = [a.chunk for a in self.arms if a.chunk is not None]
        taken = {c.number for c in (*self.done, *going)}
        order = sorted(self.entries, key=lambda e: (e.arm != arm.number, e.begin))
        left = [e.chunk for e in order if e.chunk.number not in taken]
        return [c for c in left if self.plan.may_begin(c, self.done, going)]

    def _planned(self, arm: ArmAtWork, chunk: Chunk) -> bool:
        """Whether it is known how an arm would do a chunk from here, as things are now; else it is being thought
        about."""
        key, going = (arm.number, chunk.number), self._thinking[arm.number]
        if key in self._journeys:
            return True
        if going is None or going.chunk is not chunk:
            self._drop(arm)
            going = self._thinking[arm.number] = _Thinking.of(arm, chunk)
        if not going.done():
            return False
        self._journeys[key], self._thinking[arm.number] = going.journey, None
        if going.problem is not None:
            self._problems[chunk.number] = going.problem
        self._looked.pop(key, None)
        return True

    def _drop(self, arm: ArmAtWork) -> None:
        """Think no further about what an arm could do."""
        if (going := self._thinking[arm.number]) is not None:
            going.thought.cancel()
        self._thinking[arm.number] = None

    def _free(self, arm: ArmAtWork, chunk: Chunk, journey: Journey) -> bool:
        key, changes = (arm.number, chunk.number), (self.reservations.changes[1 - arm.number], id(journey))
        if self._looked.get(key) == changes:
            return False
        self._looked[key] = changes
        return self.reservations.free(arm.number, journey.way)

    def _begin(self, arm: ArmAtWork, chunk: Chunk, journey: Journey) -> None:
        arm.mind.take(journey)
        arm.mind.prepared = journey.decision
        moved = frozenset().union(*(s.displaced for s in journey.decision.steps))
        scene = arm.eyes.perceive()
        stays = {o.name: o.T_world_object for o in scene if o.movable and o.name in moved}
        for other in self.arms:
            if other is not arm:
                other.eyes.stays = stays
        self._forget(arm)
        arm.session.pursue(chunk.goal)
        arm.activity, arm.chunk, arm.resting, arm.began = arm.session.activities[-1], chunk, False, arm.backend.time
        assert arm.ready.pursuit is not None
        arm.pursuits.append(arm.ready.pursuit)
        self.tell("begins", arm=arm.name, number=chunk.number, actions=chunk.actions, time=round(arm.began, 3))

    def _go_back(self, arm: ArmAtWork) -> None:
        """Go to the posture, by the way that is reserved for it, or by one from where the arm is."""
        table, home = arm.ready.table, arm.mind.home
        if home is None:
            _, _, situation = table.look()
            home = way_home(arm.mind.world, situation, arm.mind.rng)
        arm.mind.home = None
        self._forget(arm)
        if home is None:
            arm.resting = True
            self._stands(arm)
            return
        arm.activity = Activity(HOME, going(table, home))
        arm.session.begin(arm.activity)

    def _forget(self, arm: ArmAtWork) -> None:
        """An arm is elsewhere soon: its ways have to be found anew."""
        for key in [k for k in self._journeys if k[0] == arm.number]:
            del self._journeys[key]


def timed_entries(pair: ArmPair) -> Iterator[tuple[str, int, float, float]]:
    """What each arm did: its name, the chunk's number, beginning and end in seconds, in the order of the beginnings."""
    yield from sorted(((e.arm, e.chunk.number, e.begin, e.end) for e in pair.happened), key=lambda e: e[2])
