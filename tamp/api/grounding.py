"""From words, or a formula, to a goal that is checked against a scene."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tamp.api import language
from tamp.api.scenes import LoadedScene, seen_in
from tamp.errors import InputError

if TYPE_CHECKING:
    from tamp.model.goal import Goal


@dataclass(frozen=True)
class Grounding:
    """Checked goals, to be reached one after the other, and how they came about.

    `instruction` are the words, None for a goal that was given. `alternatives` are other goals that the words fit;
    `roles` say what is acted on (`source`) and where it goes (`target`); `guesses` are words that the scene lacks, with
    what they were taken to mean; `reply` is the model's answer, `confidence` (0 to 1) how often answers like it are
    right; `seconds` is how long reading took.
    """

    goals: tuple[Goal, ...]
    instruction: str | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    guesses: Mapping[str, str] = field(default_factory=dict)
    alternatives: tuple[tuple[Goal, ...], ...] = ()
    reply: str = ""
    confidence: float = 1.0
    seconds: float = 0.0

    @property
    def goal(self) -> Goal:
        """The last goal: how things are to be in the end."""
        return self.goals[-1]

    def __str__(self) -> str:
        """The goals in PDDL, a line each."""
        return "\n".join(map(str, self.goals))


def ground(
    scene: LoadedScene,
    instruction: str | None = None,
    *,
    goal: str | Iterable[str] | None = None,
    untouched: Iterable[str] = (),
    llm: str | None = None,
    assume_first: bool = False,
) -> Grounding:
    """Turn an instruction, or a goal in PDDL, into a goal that is checked against what is seen; nothing moves.

    Args:
        scene: What it is about.
        instruction: Words, which a language model reads.
        goal: Instead of words a formula, `"(in can box_contain_region)"`, or several to be reached one after the other.
        untouched: With `goal`: symbols of what must not be moved or operated.
        llm: A model of `tamp model list`, a .gguf, .toml or .jsonl file, a server's address, or OWNER/MODEL; by default
            the one that `make model` fetches.
        assume_first: Of several things that the words fit, take the first.

    Returns:
        The goals, and how they came about.

    Raises:
        InputError: For neither or both, a formula that the domain or the scene does not know, a model that is missing.
        Refusal: When the words are about something that is not there, fit several things, or are not understood.

    >>> import tamp
    >>> with tamp.load_scene("docs/examples/kitchenette") as scene:
    ...     print(tamp.ground(scene, goal="(or (in can box_contain_region) (holding can))"))
    (or (in can box_contain_region) (holding can))
    """
    if (instruction is None) == (goal is None):
        raise InputError("say what is to hold: an instruction, or else a goal in PDDL")
    if goal is not None:
        return Grounding(_formulas(scene, [goal] if isinstance(goal, str) else list(goal), tuple(untouched)))
    if tuple(untouched):
        raise InputError("untouched goes with a goal; in words: say what not to touch")
    return read_by(scene, str(instruction), language.model(llm), assume_first)


def read_by(scene: LoadedScene, instruction: str, model: language.Model, assume_first: bool = False) -> Grounding:
    """The same of words, by a model that is there already. It is shown a picture where it sees."""
    text, image = language.instruction(instruction), None
    if model.sees and scene._environment is not None:
        image = scene._environment.picture()
    found = language.read(text, seen_in(scene), scene, model, assume_first, image)
    return Grounding(
        goals=found.goals,
        instruction=text,
        roles=found.roles,
        guesses=found.guesses,
        alternatives=found.alternatives,
        reply=found.reply,
        confidence=found.confidence,
        seconds=found.seconds,
    )


def _formulas(scene: LoadedScene, texts: list[str], untouched: tuple[str, ...]) -> tuple[Goal, ...]:
    from tamp.perception.written_goals import goals_in

    if not texts:
        raise InputError('no goal is given; valid: a formula in PDDL, such as "(in can box_contain_region)"')
    seen = seen_in(scene)
    goals = goals_in(seen.scene, seen.state, scene.domain, texts, untouched)
    for one in goals:
        one.rules(scene.domain, seen.state)
    return goals


def all_goals(scene: LoadedScene, goal: Grounding | Goal | str) -> tuple[Goal, ...]:
    """The goals that are meant, one after the other."""
    if isinstance(goal, str):
        return _formulas(scene, [goal], ())
    return goal.goals if isinstance(goal, Grounding) else (goal,)


def one_goal(scene: LoadedScene, goal: Grounding | Goal | str) -> Goal:
    """The one goal that is meant. InputError for several."""
    goals = all_goals(scene, goal)
    if len(goals) > 1:
        raise InputError(f"{len(goals)} goals, one after the other; valid: one of them, as grounding.goals[0]")
    return goals[0]
