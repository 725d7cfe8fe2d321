"""`tamp ground`: an instruction to a goal, of a scene or of a PDDL problem. Nothing moves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from cli.output import emit_json, quiet_stdout, say
from llm.words import instruction
from tamp.model.goal import in_pddl
from tamp.quiet import hush_simulator

if TYPE_CHECKING:
    from llm.grounding import GroundingResult
    from llm.model import Model
    from llm.phrases import Vocabulary
    from tamp.model.domain import Domain
    from tamp.model.state import WorldState


@dataclass(frozen=True)
class Request:
    """The arguments of `tamp ground`."""

    text: str
    scene: str
    problem: Path | None
    domain: str
    llm: str
    seed: int | None
    init_state: int | None
    assume_first: bool
    json_output: bool


@dataclass(frozen=True, eq=False)
class About:
    """What the instruction is about: a world's symbols in words, its facts, its domain, a picture of it."""

    name: str
    words: Vocabulary
    state: WorldState
    domain: Domain
    image: bytes | None = None


def ground(request: Request) -> int:
    """Print the goal that the text asks for. 0; an absent or ambiguous thing is a Refusal (1)."""
    from tamp.api.language import model as load_model

    text = instruction(request.text)
    with quiet_stdout() as out:
        model = load_model(request.llm)
        about = _scene(request, model) if request.problem is None else _problem(request, request.problem)
        say("tamp: reading the instruction")
        return _answer(text, about, model, request, out)


def _scene(request: Request, model: Model) -> About:
    from cli.scene import look
    from llm.own_words import own_words
    from llm.phrases import vocabulary
    from tamp.backends.libero import rendering
    from tamp.model.domain import load

    rendering.prepare(video=False, sight=model.sees)
    with hush_simulator():
        from tamp.backends.libero import tasks

        task = tasks.find(request.scene)
    domain = load(request.domain)
    tasks.check_goal(task, domain)
    say(f"tamp: building {task.name}")
    seed = task.seed if request.seed is None else request.seed
    view = look(task, seed, request.init_state, render=model.sees, domain=domain)
    image = view.environment.picture() if model.sees and view.environment else None
    view.close()
    state = view.state.known_to(domain)
    return About(task.name, vocabulary(view.scene, state, task.names, own_words(domain)), state, domain, image)


def _problem(request: Request, path: Path) -> About:
    from llm.identifiers import vocabulary_of
    from tamp.model.domain import load
    from tamp.model.state import state_of
    from tamp.pddl.reading import read_problem

    domain = load(request.domain)
    _, _, parsed = read_problem(domain.path, path)
    state = state_of(parsed)
    return About(str(path), vocabulary_of(state, domain), state, domain)


def _answer(text: str, about: About, model: Model, request: Request, out: TextIO) -> int:
    """Ask, and print the answer; what is ambiguous is part of the JSON object as well as an error."""
    from llm.grounding import AmbiguousError, ground_in
    from tamp.planning.engine import Engine

    asked = {"instruction": text, "scene": about.name}
    try:
        answer = ground_in(
            text,
            about.words,
            about.state,
            about.domain,
            model,
            assume_first=request.assume_first,
            image=about.image,
            planner=Engine(),
        )
    except AmbiguousError as e:
        if request.json_output:
            listed = [in_pddl(goals) for goals in e.alternatives]
            emit_json({**asked, "goal": None, "ambiguous": True, "alternatives": listed}, out)
        raise
    if request.json_output:
        emit_json({**asked, **answer.as_dict()}, out)
    else:
        _print(answer, out)
    return 0


def _print(answer: GroundingResult, out: TextIO) -> None:
    out.writelines(f"{label:13}{goal}\n" for label, goal in zip(("goal", *["then"] * 9), answer.goals, strict=False))
    out.writelines(f"{role:13}{symbol}\n" for role, symbol in answer.roles.items())
    out.write(f"reply        {answer.reply}\n")
    out.writelines(f"guessed      {said} = {called}\n" for said, called in answer.guesses.items())
    out.write(f"confidence   {answer.confidence:.2f}\n")
    out.writelines(f"alternative  {in_pddl(goals)}\n" for goals in answer.alternatives)
    out.write(f"seconds      {answer.seconds:.1f}\n")
