"""Who knows all, at work beside somebody who only sees: it judges what was asked for, in its own names for things.

What the one who acts calls things is matched with them by where he sees them. He is told nothing of it, but for goals
that are given instead of words: these come in the names of who knows all, and are handed over in his.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from motion.robot import RobotDescription
from tamp.errors import Refusal, TampError
from tamp.model.atoms import Atom
from tamp.model.bodies import world_of
from tamp.model.domain import Domain
from tamp.model.events import ActionEnded, Event
from tamp.model.goal import Goal
from tamp.model.scene import Perceiver, Scene
from tamp.model.scene_record import told_of
from tamp.model.state import WorldState
from tamp.perception.beliefs import Beliefs
from tamp.perception.predicates import held_in, observe
from tamp.perception.sight import Sight
from tamp.perception.written_goals import goals_in
from tamp.runs.goal_oracle import Asked, asked_of
from tamp.runs.matching import Names, match
from tamp.runs.side_effects import operands_of
from tamp.skills.base import Skill
from tamp.skills.registry import bound

Told = Callable[..., None]
"""Takes an event of the log: its kind, and data by name."""


@dataclass(eq=False)
class Overseer:
    """Judges by `perceiver`, which knows all. `sight` says in symbols what that sees, `skills` what actions are for.
    `names` are the other one's names in its own: None where both look through the same eyes. `unmatched` says why a
    goal cannot be judged, where that is so."""

    perceiver: Perceiver
    sight: Sight
    skills: Mapping[str, Skill]
    note: Told
    names: Names | None
    start: Scene = field(init=False)
    state: WorldState = field(init=False)
    asked: Asked = field(init=False)
    unmatched: str | None = None
    verdicts: Counter[str] = field(default_factory=Counter)
    """How often the other one was `right` about what became of an action, said it was `done` that was not, `undone`."""

    def __post_init__(self) -> None:
        self.start = self.perceiver.perceive()
        self.state = self.sight.state(self.start)
        self.asked = Asked((), self.perceiver, self.sight)

    @staticmethod
    def same(perceiver: Perceiver, sight: Sight, note: Told) -> Overseer:
        """One that judges by the eyes that are acted by, and by what was made to look through them."""
        return Overseer(perceiver, Sight(sight.domain, sight.observers, sight.world), {}, note, None)

    @staticmethod
    def beside(perceiver: Perceiver, robot: RobotDescription, domain: Domain, note: Told) -> Overseer:
        """One with eyes of its own."""
        found, world = bound(domain), world_of(perceiver.perceive(), robot)
        return Overseer(perceiver, Sight(domain, found.observers, world), found.skills, note, Names({}))

    def saw(self, scene: Scene) -> None:
        """What the other one sees, now that he makes something of words, or of a goal."""
        if self.names is not None:
            self.names = match(told_of(scene), self.perceiver.perceive())

    def handed_over(self, goals: Iterable[Goal], scene: Scene, state: WorldState) -> tuple[Goal, ...]:
        """Goals in the names of who knows all, as the other one has to be told them in what he sees. Refusal for what
        he does not see."""
        if self.names is None:
            return tuple(goals)
        back = self.names.backwards()
        said = [back.of(g) for g in goals]
        untouched = dict.fromkeys(s for g in said for s in g.untouched)
        return goals_in(scene, state, self.sight.domain, [str(g) for g in said], untouched)

    def judges(self, goals: tuple[Goal, ...]) -> None:
        """What is to be judged from now on."""
        try:
            mine = goals if self.names is None else tuple(self.names.of(g) for g in goals)
            self.asked = asked_of(mine, self.perceiver, self.sight, self.start)
        except (TampError, KeyError) as e:
            self.unmatched = f"what it worked towards cannot be judged: {e}"
            self.note("unmatched", message=str(e))
            return
        if self.names is not None:
            self.note("matched", goal=[str(g) for g in mine], names=self.names.true)

    def heard(self, event: Event) -> None:
        """Something happened."""
        self.asked.heard(event)
        if isinstance(event, ActionEnded) and self.names is not None:
            told = verdict(event.action, event.success, self.names, self.skills, self.asked)
            if told is not None:
                self.verdicts[told[0]] += 1
                self.note("verdict", action=event.action, verdict=told[0], missing=told[1])

    def reached(self, believed: Beliefs) -> bool:
        """Whether each of the goals held at its time, the last one now."""
        if not self.asked.goals or self.unmatched is not None:
            return False
        if self.names is None:
            return self.asked.reached(believed)
        mine = Beliefs(self.sight.domain, self.sight.domain.table.beliefs)
        for atom, since in believed.since.items():
            mine.since[Atom(atom.predicate, tuple(map(self.names.symbol, atom.args)))] = since
        return self.asked.reached(mine)

    def operands(self, actions: Iterable[str]) -> tuple[str, ...]:
        """What some actions were about, in its own names."""
        if self.names is None:
            return operands_of(actions)
        return tuple(dict.fromkeys(s for a in actions for s in self.names.operands(a)))

    def look(self) -> tuple[Scene, WorldState]:
        """How things are now."""
        scene = self.perceiver.perceive()
        return scene, self.asked.sight.state(scene)


def verdict(
    action: str, done: bool, names: Names, skills: Mapping[str, Skill], asked: Asked
) -> tuple[str, str | None] | None:
    """Whether what somebody says of an action, that it is `done` or not, is so: `right`, `done` where it is not,
    `undone` where it is; and what is missing. None where nothing can be said of it."""
    name, *told = action.strip("()").split()
    scene = asked.perceiver.perceive()  # with the places beside things that are asked for
    there = {o.name for o in scene} | {r.name for _, r in scene.regions()}
    try:
        args = tuple(map(names.said, told))
    except Refusal:  # of what is his alone nothing can be said
        return None
    if name not in skills or not there.issuperset(args):
        return None
    held = held_in(observe(scene, asked.sight.world))
    missing = skills[name].achieved(args, scene, held)
    return "right" if done == (missing is None) else "done" if done else "undone", missing
