"""Looking again before acting or refusing: what is doubtful from nearby, what is not seen where it may be hidden.

A search looks around first, then opens one thing after the other that may hold what is missed, looks into it, and
closes it again. It ends as soon as the words can be read, and says at the end where it looked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Protocol, runtime_checkable

import numpy as np

from motion.paths import Blocked
from motion.poses import Array, Numbers
from tamp.agent.goal_executor import GoalExecutor
from tamp.agent.session import Routine
from tamp.agent.tabletop import Tabletop
from tamp.errors import Refusal
from tamp.model.atoms import Atom, GroundAction
from tamp.model.bodies import bodies_of
from tamp.model.events import Searching
from tamp.model.goal import Goal, goals_in
from tamp.model.scene import UNKNOWN, Scene
from tamp.model.situation import Situation
from tamp.model.state import WorldState
from tamp.perception.camera_calibration import HandEye
from tamp.perception.visibility import CameraView, faces, floor_of, views
from tamp.skills.base import Refinement, Tools
from tamp.skills.patterns import Pattern
from tamp.skills.reaching import DEXTERITY, configuration_at

DOUBTFUL = 0.6
"""Confidence below which a thing that is to be acted on is looked at from nearby first."""
MOST_DOUBTED = 2
"""Things that are looked at so at most."""
MOST_AROUND = 3
"""Views of what was hidden so far, at most."""
MOST_INSIDE = 8
"""Interiors that are looked into at most."""
MOST_STEPS = 1200
"""Control steps after which nothing more is opened."""
MOST_OPENING = 300
"""Control steps of opening or closing one thing at most."""
LEAST_AROUND = 50
"""Places of 2 x 2 cm that another look around has to show at least."""
SEEN_INTO = 0.8
"""Share of an interior's floor that has to be seen for it to have been looked into."""
SEEN_BEFORE = 0.3
"""What a place that is seen already counts in a closer look, against one that is not."""
CLEAR = 0.4
"""Share of a thing's surface that a look shows, or sees through, where it is clear what has become of it: 0.5 to 1.0
after eight actions that failed."""
LEAST = 0.15
"""Share of a thing, or of an interior, that a view has to show."""
LOOK = "look"
"""What the motion to a view is called as an action."""
MOST_LOOKING = 120
"""Control steps of one such motion at most."""
TRIED = 40
"""Views to which a way is looked for at most."""
KEPT = 0.7
"""Share of what a view was expected to show that it has to show past the arm itself."""

Reads = Callable[[Scene, WorldState], tuple[Goal, ...]]
"""What is wanted in a scene. Refusal where it comes to nothing."""


@runtime_checkable
class SearchPerceiver(Protocol):
    """A perceiver that knows what it has not seen."""

    def hidden(self, scene: Scene) -> Array:
        """Places (n, 3) on the ground that no picture has shown."""
        ...

    def forget(self) -> None:
        """Take no place for seen that the last look does not show."""
        ...

    def shows(self, points: Array) -> Numbers:
        """Which of some points (n, 3) the last look shows, or sees through."""
        ...

    def reconsider(self, names: Iterable[str]) -> None:
        """Recognise some things anew at the next look."""
        ...


@dataclass(eq=False)
class ObjectSearch:
    """One search, in an episode, with a camera `eye` in the hand. `goals` are what the words came to in the end,
    `refusal` why they did not; `executed` are its actions, `steps` its control steps."""

    table: Tabletop
    perceiver: SearchPerceiver
    eye: HandEye
    rng: np.random.Generator
    reads: Reads
    goals: tuple[Goal, ...] = ()
    refusal: Refusal | None = None
    executed: list[GroundAction] = field(default_factory=list)
    steps: int = 0
    _known: frozenset[str] = frozenset()
    """The things that there were when the words were read last."""
    _looked: list[str] = field(default_factory=list)
    """Where it has looked, in words."""
    _closer: set[str] = field(default_factory=set)
    """What was looked at from nearby."""

    def doubted(self, goals: Iterable[Goal], scene: Scene) -> list[str]:
        """The things that goals are about of which it is doubtful what or where they are, and that were not looked at
        from nearby, the most doubtful first."""
        owner = {r.name: o.name for o, r in scene.regions()}
        about = {owner.get(s, s) for g in goals for s in g.symbols} - self._closer
        sure = scene.confidence
        return sorted((n for n in about if sure.get(n, 1.0) < DOUBTFUL), key=lambda n: (sure[n], n))

    def make_sure(self, goals: tuple[Goal, ...]) -> Routine[str | None]:
        """Look at what is doubtful of goals from nearby, and read again where something is another thing than it
        seemed. Returns why the words come to nothing then."""
        scene, _, _ = self.table.look()
        self.goals = goals
        for _ in range(MOST_DOUBTED):
            self._known = _things(scene)
            names = self.doubted(self.goals, scene)
            if not names:
                break
            yield from self._look_closer(scene, names[0])
            scene, _, _ = self.table.look()
            if _things(scene) == self._known:
                continue
            try:
                self._read()
            except Refusal as refusal:
                if not refusal.may_be_hidden:
                    raise
                return (yield from self.find(refusal))
        return None

    def _look_closer(self, scene: Scene, name: str) -> Routine[None]:
        self._closer.add(name)
        self._tell(f"at the {called(scene, name)} from nearby", "it is not clear what or where it is")
        points = faces(scene.object(name))
        weights = np.where(self.perceiver.shows(points), SEEN_BEFORE, 1.0)
        self.perceiver.reconsider((name,))
        yield from self._look(points, weights, LEAST)
        self.perceiver.reconsider(())

    def find(self, refusal: Refusal) -> Routine[str | None]:
        """Search for what words lack. Returns why they come to nothing in the end; raises Refusal where they do so for
        another reason than that something is not seen."""
        scene, _, _ = self.table.look()
        self.goals, self.refusal, self._known = (), refusal, _things(scene)
        named = [n for n in refusal.places if not scene.unseen((n,))]
        if (yield from self._is_seen_somewhere(named)):
            return (yield from self.make_sure(self.goals))
        where = listed(self._looked)
        message = f"{self.refusal}; looked {where}" if where else str(self.refusal)
        self.refusal = Refusal(message, self.refusal.kind, self.refusal.lacks)
        return message

    def _is_seen_somewhere(self, named: list[str]) -> Routine[bool]:
        """Look into the `named` interiors, around, and into the others, until it is found."""
        for name in named:
            if (yield from self._look_into(name)):
                return True
        if (yield from self._look_at_unknowns()) or (yield from self._look_around()):
            return True
        for name in [n for n in self._interiors() if n not in named][:MOST_INSIDE]:
            if (yield from self._look_into(name)):
                return True
        return False

    def _look_at_unknowns(self) -> Routine[bool]:
        """Look from nearby at what is in the way without being known: things may be in it, or it may be what is meant;
        whether that was enough."""
        for _ in range(MOST_DOUBTED):
            scene, _, _ = self.table.look()
            names = [o.name for o in scene if o.category == UNKNOWN and o.name not in self._closer]
            if not names:
                break
            yield from self._look_closer(scene, names[0])
            if self._is_found():
                return True
        return False

    def regain(self, names: list[str]) -> Routine[bool]:
        """Look around for things that were seen before and were moved, or taken away; whether all are seen again."""
        self.perceiver.forget()
        self._tell(f"for {' and '.join(names)}", "looking around")
        for _ in range(MOST_AROUND):
            scene, _, _ = self.table.look()
            points = self.perceiver.hidden(scene)
            if not scene.unseen(names) or len(points) < LEAST_AROUND:
                break
            if (yield from self._look(points, np.ones(len(points)), LEAST_AROUND / len(points))):
                break
        return not self.table.look()[0].unseen(names)

    def clarify(self, names: Sequence[str]) -> Routine[bool]:
        """Look from nearby at the first of some things that the last look hardly shows; whether there was such a
        view."""
        scene, _, _ = self.table.look()
        there = [o.name for o in scene if o.name in names and o.movable and o.name not in (scene.in_hand or ())]
        for name in there:
            points = faces(scene.object(name))
            shown = self.perceiver.shows(points)
            if shown.mean() >= CLEAR:
                continue
            self._tell(f"at the {called(scene, name)} from nearby", "it is not clear what became of it")
            if (yield from self._look(points, np.where(shown, SEEN_BEFORE, 1.0), LEAST)) is None:
                return True
        return False

    def _look_around(self) -> Routine[bool]:
        """Look where no picture has shown anything yet; whether that was enough."""
        for number in range(MOST_AROUND):
            scene, _, _ = self.table.look()
            points = self.perceiver.hidden(scene)
            if len(points) < LEAST_AROUND:
                break
            if number == 0:
                self._tell_search("looking around")
            if (yield from self._look(points, np.ones(len(points)), LEAST_AROUND / len(points))):
                break
            self._looked += ["around"] if number == 0 else []
            if self._is_found():
                return True
        return False

    def _look_into(self, name: str) -> Routine[bool]:
        """Look into an interior, which is opened first and closed again if it has to be; whether that was enough."""
        scene, state, _ = self.table.look()
        if scene.unseen((name,)):
            return False
        words, was_open = called(scene, name), Atom("open", (name,)) in state.atoms
        if not was_open:
            assert self.refusal is not None
            if self.refusal.forbids or self.steps >= MOST_STEPS or "open" not in self.table.domain.predicates:
                return False
            self._tell_search(f"opening the {words}")
            if (yield from self._bring("open", name)) is not None:
                return False
            if self._is_found():
                return True
        points = floor_of(self.table.look()[0].region(name)[1])
        seen = self.perceiver.shows(points)
        problem = None
        if seen.mean() < SEEN_INTO:
            self._tell_search(f"looking into the {words}")
            problem = yield from self._look(points, np.where(seen, SEEN_BEFORE, 1.0), LEAST)
        if problem is None:
            self._looked.append(words)
        if self._is_found():
            return True
        if not was_open and self.steps < MOST_STEPS:
            yield from self._bring("closed", name)
        return self._is_found()

    def _interiors(self) -> list[str]:
        """The interiors that are closed, or open and not seen into, those that need no opening first, then the nearest
        things, their upper places first."""
        scene, state, _ = self.table.look()
        base = self.table.world.base_position()
        found: list[tuple[bool, float, float, str]] = []
        for o, r in scene.regions():
            is_open = Atom("open", (r.name,)) in state.atoms
            if r.kind == "interior" and not (is_open and self.perceiver.shows(floor_of(r)).mean() >= SEEN_INTO):
                away = float(np.linalg.norm(o.position[:2] - base[:2]))
                found.append((not is_open, round(away, 2), -float(r.T_world_region[2, 3]), r.name))
        return [name for *_, name in sorted(found)]

    def _look(self, points: Array, weights: Array, least: float) -> Routine[str | None]:
        """Move the camera to where much of points (n, 3) with `weights` (n,) is seen, at least the share `least` of
        these, and look. Returns what was wrong, for one where there is no such view."""
        _, _, situation = self.table.look()
        found = self._best_view(points, weights, least, situation)
        if found is None:
            return "there is no view of it that the arm can take"
        pattern, refinement = found
        self.table.patterns = {**self.table.patterns, LOOK: pattern}
        action, pursuit = GroundAction(LOOK, ()), GoalExecutor(self.table, MOST_LOOKING)
        problem = yield from pursuit.along(action, refinement)
        self.steps += pursuit.steps
        self.executed.append(action)
        return problem

    def _best_view(
        self, points: Array, weights: Array, least: float, situation: Situation
    ) -> tuple[Pattern, Refinement] | None:
        """The motion to the best view that the arm can take."""
        world, tools = self.table.world, Tools(self.table.world, self.rng)
        world.sync(bodies_of(situation.scene))
        world.load(situation.state())
        sees = partial(world.sees, robot=False)
        every = views(points, weights, self.eye, situation.scene.robot.T_world_tool, sees)
        for view in islice((v for v in every if v.share >= least), TRIED):
            world.load(situation.state())
            if isinstance(configuration_at(view.T_world_tool, situation, tools, 0, DEXTERITY), Blocked):
                continue
            pattern = Pattern(LOOK, (), partial(_at, view), pace=1.0)
            way = next(pattern.refine((), situation, tools))
            if isinstance(way, Refinement) and self._share(way, points, weights) >= KEPT * view.share:
                return pattern, way
        return None

    def _share(self, way: Refinement, points: Array, weights: Array) -> float:
        """Share of what is to be seen that is seen past the arm at the end of the way."""
        world = self.table.world
        world.load(way.after.state())
        T_world_camera = way.after.scene.robot.T_world_tool @ self.eye.T_tool_camera
        pictured = self.eye.pictured(T_world_camera, points)
        if pictured.any():
            pictured[pictured] = world.sees(T_world_camera[:3, 3], points[pictured])
        return float(weights[pictured].sum() / weights.sum())

    def _bring(self, predicate: str, name: str) -> Routine[str | None]:
        """Have a place opened or closed, as any goal is pursued. Returns why it is not."""
        _, state, _ = self.table.look()
        goals = goals_in(state, self.table.domain, [f"({predicate} {name})"])
        pursuit = GoalExecutor(self.table, MOST_OPENING)
        problem = yield from pursuit.reach(*goals)
        self.table.mind.next_goal()
        self.steps += pursuit.steps
        self.executed += pursuit.outcome.executed
        return problem

    def _is_found(self) -> bool:
        """Whether there is something new by now, and the words can be read with it. Raises Refusal where they come to
        nothing for another reason."""
        scene, _, _ = self.table.look()
        if _things(scene) <= self._known:
            return False
        try:
            self._read()
        except Refusal as refusal:
            if not refusal.may_be_hidden:
                raise
            self.refusal = refusal
            return False
        return True

    def _read(self) -> None:
        scene, state, _ = self.table.look()
        self._known = _things(scene)
        self.goals = self.reads(scene, state)

    def _tell_search(self, how: str) -> None:
        assert self.refusal is not None
        self._tell(f"for {' and '.join(f'the {w}' for w in self.refusal.lacks) or 'what is not seen'}", how)

    def _tell(self, what: str, how: str) -> None:
        self.table.publish(Searching(what, how))


def _things(scene: Scene) -> frozenset[str]:
    return frozenset(o.name for o in scene if o.name in scene.confidence)


def _at(view: CameraView, *_: object) -> list[Array]:
    return [view.T_world_tool]


SIDES = frozenset({"region", "contain", "side"})
"""Words of regions' names that say nothing."""


def called(scene: Scene, symbol: str) -> str:
    """A thing or a place in it, without an article."""
    for o, r in scene.regions():
        if r.name != symbol:
            continue
        words = [w for w in r.name.removeprefix(o.name).split("_") if w and w not in SIDES and not w.isdigit()]
        kind = o.part(r.door).kind if r.door is not None else ""
        alone = sum(other.kind == r.kind for other in o.regions) == 1
        what = o.category.replace("_", " ")
        return what if alone else f"{' '.join([*words, *(['drawer'] if kind == 'drawer' else [])])} of the {what}"
    thing = scene.object(symbol)
    return "unknown thing" if thing.category == UNKNOWN else thing.category.replace("_", " ")


def listed(looked: Iterable[str]) -> str:
    """Where one has looked: "around, into the top drawer of the wooden cabinet"."""
    return ", ".join(p if p == "around" else f"into the {p}" for p in dict.fromkeys(looked))
