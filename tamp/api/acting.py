"""What moves: an agent that is ticked, one observation in and one command out, and a run of it to its end."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tamp.api.goal_requests import all_goals
from tamp.api.planning import deliberation, mind_of
from tamp.api.refining import Motions
from tamp.api.sources import silent
from tamp.errors import InputError

if TYPE_CHECKING:
    from motion.world import World
    from tamp.agent import agent as agents
    from tamp.api.scenes import LoadedScene
    from tamp.model.backend import Command, Observation
    from tamp.model.events import Publish
    from tamp.model.goal import Goal
    from tamp.model.grounding import Grounding
    from tamp.planning.deliberation import Deliberation
    from tamp.runs.episode import EpisodeResult, Result, Settings
    from tamp.runs.episode_log import EpisodeLog
    from tamp.runs.episode_runner import EpisodeSetup, EpisodeWorld
    from tamp.runs.evaluator import Evaluator
    from tamp.skills.base import Skill

Say = Callable[[str], None]
"""Gets what happens, a line of plain words at a time."""


class SceneAgent:
    """Decides what the arm does next, and why; made by `make_agent`.

    Whoever owns the clock calls `tick` once each control period. It plans and looks for motions when it has to, which
    takes its time: the world is to wait for it. An agent works towards one goal, or several one after the other, and
    is then over.
    """

    def __init__(self, inner: agents.Agent, result: Result) -> None:
        self._inner, self._result = inner, result
        self._ended = False

    @property
    def outcome(self) -> EpisodeResult | None:
        """What it came to, by its own perception; None as long as it goes on."""
        return self.end() if self._inner.over else None

    @property
    def doing(self) -> str:
        """What it is doing now, in words: `(pick can table) (moving, 0.4s)`; empty while it does nothing."""
        return ", ".join(map(str, self._inner.session.activities))

    def tick(self, observation: Observation) -> Command | None:
        """The command for this control period: a `displacement` (6,) of the tool from where it is, metres and a
        rotation vector in radians along the world's axes, and the `opening` of the fingers in metres, 0 to close with
        force. None once it is over."""
        command = self._inner.tick(observation)
        if command is None:
            self.end()
        return command

    def end(self) -> EpisodeResult:
        """Stop where it is; what it came to."""
        if not self._ended:
            self._ended = True
            self._inner.close()
            self._result.take(self._inner.outcome)
            self._result.success = self._result.reached = self._inner.outcome.done and self._holds()
        from tamp.runs.episode import EpisodeResult

        return EpisodeResult.of(self._result)

    def _holds(self) -> bool:
        """Whether what is wanted, the last of it, is seen to hold now."""
        wanted, (_, state, _) = self._inner.session.wanted, self._inner.performer.table.look()
        return bool(wanted) and not wanted[-1].missing(state)


def make_agent(
    scene: LoadedScene,
    goal: Grounding | Goal | Motions | str,
    *,
    planner: str | None = None,
    llm: str | None = None,
    seed: int = 0,
    most_steps: int | None = None,
    say: Say | None = None,
) -> SceneAgent:
    """Make an agent that works towards a goal in a scene: it plans, finds motions, watches what it does, tries again
    what went wrong, and ends when the goal is seen to hold, or with a reason why it cannot.

    Args:
        scene: What it looks at. It moves nothing itself: its commands are for `scene.command`.
        goal: What `ground` made of words, a goal in PDDL, or motions that `refine` found: it begins with these if
            things are still as they were.
        planner: An engine of unified-planning, by default Fast Downward; or `qwen`: the language model plans.
        llm: The language model where it plans; by default the one that reads instructions.
        seed: Draws grasps, placements and paths.
        most_steps: Control periods after which it gives up; by default the scene's step limit.
        say: Gets what happens, a line at a time.

    Returns:
        The agent.

    Raises:
        InputError: For a goal or a planner that there is not, and for motions that are none.
        Refusal: Where the domain cannot say that something is to be left alone, or nothing observes the goal.

    >>> import tamp
    >>> with tamp.load_scene("docs/examples/kitchenette") as scene:
    ...     agent = tamp.make_agent(scene, "(holding can)")
    ...     while (command := agent.tick(scene.observe())) is not None:
    ...         scene.command(*command)
    >>> agent.outcome.reached, agent.outcome.executed
    (True, ('(pick can table)',))
    """
    from tamp.model.events import Events
    from tamp.runs.episode import Result
    from tamp.runs.spoken import spoken

    heard = Events(*([spoken(say)] if say else []))
    inner = _agent(scene, goal, planner, llm, seed, most_steps, heard)
    return SceneAgent(inner, Result(perception=scene._perception))


def execute(
    scene: LoadedScene,
    goal: Grounding | Goal | Motions | str,
    *,
    planner: str | None = None,
    llm: str | None = None,
    seed: int = 0,
    most_steps: int | None = None,
    out: str | Path | None = None,
    say: Say | None = None,
) -> EpisodeResult:
    """Have an agent work towards a goal to the end, the world waiting while it thinks.

    Args:
        scene: Where. It is left as it is in the end: a next call goes on from there.
        goal: As for `make_agent`: motions that `refine` found, what `ground` made of words, or a goal in PDDL.
        planner: As for `make_agent`.
        llm: As for `make_agent`.
        seed: As for `make_agent`.
        most_steps: As for `make_agent`.
        out: A folder for the log of the episode, which must not hold one yet; by default none is kept.
        say: Gets what happens, a line at a time.

    Returns:
        What it came to: `reached`, `executed`, `steps`, and `stage` and `reason` where it was not reached.

    Raises:
        InputError: As `make_agent`, and for a folder that cannot be written or holds an episode.
        Refusal: As `make_agent`.

    >>> import tamp
    >>> with tamp.load_scene("docs/examples/kitchenette") as scene:
    ...     motions = tamp.refine(scene, tamp.plan(scene, "(in can box_contain_region)"))
    ...     done = tamp.execute(scene, motions)
    >>> done.success, done.executed
    (True, ('(pick can table)', '(place-in can box_contain_region)'))
    """
    from tamp.runs.episode import EpisodeResult, Settings
    from tamp.runs.episode_runner import run_episode
    from tamp.runs.goal_origin import GoalOrigin

    settings = Settings(scene.domain, seed=scene.seed, origin=GoalOrigin("library"))
    place = _OpenScene(scene, goal, planner, llm, seed, most_steps)
    with contextlib.ExitStack() as opened:
        folder = Path(opened.enter_context(TemporaryDirectory())) / "episode" if out is None else Path(out)
        result = run_episode(place, scene._task, None, settings, folder, say or silent)
    result.out = "" if out is None else result.out
    return EpisodeResult.of(result)


@dataclass(frozen=True, eq=False)
class _OpenScene:
    """A scene that is open already, and stays so: a place for one episode (`tamp.runs.episode_runner.EpisodePlace`)."""

    scene: LoadedScene
    goal: Grounding | Goal | Motions | str
    planner: str | None
    llm: str | None
    seed: int
    most_steps: int | None

    @property
    def backend(self) -> str:
        """Its name."""
        return self.scene.simulator

    def label(self, settings: Settings) -> str:
        """How results say what perceives, and where."""
        return self.scene._perception

    def open(self, episode: EpisodeSetup, folder: Path, opened: contextlib.ExitStack) -> EpisodeWorld:
        """The world as it is."""
        from tamp.runs.episode import noted
        from tamp.runs.episode_runner import EpisodeWorld, goals_wanted

        scene = self.scene

        def act(evaluator: Evaluator, publish: Publish) -> agents.Agent:
            how = (self.planner, self.llm, self.seed, self.most_steps)
            made = _agent(scene, self.goal, *how, publish, episode.log)
            noted(*made.performer.table.look()[:2], episode.log)
            return made

        return EpisodeWorld(
            backend=scene.backend,
            robot=scene.robot,
            perceiver=scene.perceiver,
            truth=scene.perceiver,
            wanted=goals_wanted(episode, None, None),
            step_limit=scene._task.step_limit,
            seconds=dict,
            make_agent=act,
        )


def _agent(
    scene: LoadedScene,
    goal: Grounding | Goal | Motions | str,
    planner: str | None,
    llm: str | None,
    seed: int,
    most_steps: int | None,
    publish: Publish,
    log: EpisodeLog | None = None,
) -> agents.Agent:
    from tamp.agent import agent as agents
    from tamp.agent.tabletop_agent import at_table
    from tamp.planning.assistant import JournalBuffer
    from tamp.planning.deliberation import Known

    if isinstance(goal, Motions) and not goal:
        raise InputError(f"there are no motions for {goal.failed}: {goal.reason}")
    goals = (goal.goal,) if isinstance(goal, Motions) else all_goals(scene, goal)

    def think(world: World, skills: dict[str, Skill]) -> Deliberation:
        mind = mind_of(scene, planner, llm=llm, seed=seed, world=world, log=log)
        thinks = deliberation(mind, scene)
        if isinstance(goal, Motions) and goal._decision is not None and goal._begin is not None:
            thinks.known = Known(goal.goal, goal._decision, goal._begin)
        return thinks

    limit = scene._task.step_limit if most_steps is None else most_steps
    ready = at_table(scene.backend, scene.perceiver, scene.robot, scene.domain, think, publish, limit)
    ready.table.sight = scene._sight
    inner = agents.Agent(ready, lambda seen, state: goals, log or JournalBuffer())
    inner.pursue(goals)
    return inner
