"""From words, or a formula, to a goal that is checked against a scene."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tamp.api import language
from tamp.api.scenes import LoadedScene, seen_in
from tamp.errors import InputError
from tamp.model.grounding import Grounding

if TYPE_CHECKING:
    from tamp.model.goal import Goal


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
    if model.sees and scene._pictures:
        image = scene.picture()
    return language.read(text, seen_in(scene), scene, model, assume_first, image)


def ground_problem(
    domain: str | Path,
    problem: str | Path,
    instruction: str,
    *,
    llm: str | None = None,
    assume_first: bool = False,
) -> Grounding:
    """Turn an instruction about a problem that is given in PDDL into a goal: it has names, and no geometry.

    Args:
        domain: A PDDL file, a folder with a `domain.pddl`, or a name under `domains/`.
        problem: A PDDL file, whose own goal is not read.
        instruction: Words, which a language model reads: names are taken as English.
        llm: As for `ground`.
        assume_first: As for `ground`.

    Returns:
        The goals, and how they came about.

    Raises:
        InputError: For files that cannot be read, and for a model that is missing.
        Refusal: As for `ground`.

    >>> import tamp
    >>> tamp.ground_problem("tabletop", "problems/cases/drawer_first/problem.pddl", " ")
    Traceback (most recent call last):
        ...
    tamp.errors.InputError: the instruction is empty
    """
    return problem_read_by(domain, problem, instruction, lambda: language.model(llm), assume_first)


def problem_read_by(
    domain: str | Path,
    problem: str | Path,
    instruction: str,
    model: Callable[[], language.Model],
    assume_first: bool = False,
) -> Grounding:
    """The same by a model that is asked for once the words are there."""
    from tamp.model.state import state_of
    from tamp.pddl.domain_file import load
    from tamp.pddl.reading import read_problem

    text, loaded = language.instruction(instruction), load(str(domain))
    state = state_of(read_problem(loaded.path, Path(problem))[2])
    return language.read_of_problem(text, state, loaded, model(), assume_first)


def _formulas(scene: LoadedScene, texts: list[str], untouched: tuple[str, ...]) -> tuple[Goal, ...]:
    from tamp.model.goal import goals_in

    if not texts:
        raise InputError('no goal is given; valid: a formula in PDDL, such as "(in can box_contain_region)"')
    seen = seen_in(scene)
    goals = goals_in(seen.state, scene.domain, texts, untouched)
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
