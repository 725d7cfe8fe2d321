"""`tamp ground`: an instruction to a goal, of a scene or of a PDDL problem. Nothing moves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import tamp
from cli.asking import or_assumed
from cli.output import emit_json, say, waiting
from tamp.quiet import quiet_stdout

if TYPE_CHECKING:
    from tamp.api.language import Model


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


def ground(request: Request) -> int:
    """Print the goal that the text asks for. 0; an absent or ambiguous thing is a Refusal (1)."""
    from tamp.api import language

    text = language.instruction(request.text)
    with quiet_stdout() as out:
        model = language.model(request.llm)
        if request.problem is None:
            return _in_scene(text, model, request, out)
        return _in_problem(text, model, request, request.problem, out)


def _in_scene(text: str, model: Model, request: Request, out: TextIO) -> int:
    from tamp.api.grounding import read_by

    with tamp.load_scene(
        request.scene,
        seed=request.seed,
        init_state=request.init_state,
        domain=request.domain,
        pictures=model.sees,
        say=_progress,
    ) as scene:
        asked = {"instruction": text, "scene": scene.name}
        try:
            with waiting("reading the instruction"):
                found = read_by(scene, text, model, request.assume_first)
        except tamp.Refusal as e:
            _told(e, asked, request, out)
            raise or_assumed(e) from None
    return _answer(found, asked, request, out)


def _in_problem(text: str, model: Model, request: Request, problem: Path, out: TextIO) -> int:
    from tamp.api.grounding import problem_read_by

    asked = {"instruction": text, "scene": str(problem)}
    try:
        with waiting("reading the instruction"):
            found = problem_read_by(request.domain, problem, text, lambda: model, request.assume_first)
    except tamp.Refusal as e:
        _told(e, asked, request, out)
        raise or_assumed(e) from None
    return _answer(found, asked, request, out)


def _progress(line: str) -> None:
    say(f"tamp: {line}")


def _told(refusal: tamp.Refusal, asked: dict[str, str], request: Request, out: TextIO) -> None:
    """What is ambiguous is part of the JSON object as well as an error."""
    if refusal.kind == "ambiguous" and request.json_output:
        listed = [tamp.Grounding(goals).as_dict()["goal"] for goals in refusal.alternatives]
        emit_json({**asked, "goal": None, "ambiguous": True, "alternatives": listed}, out)


def _answer(found: tamp.Grounding, asked: dict[str, str], request: Request, out: TextIO) -> int:
    if request.json_output:
        emit_json({**asked, **found.as_dict()}, out)
    else:
        _print(found, out)
    return 0


def _print(found: tamp.Grounding, out: TextIO) -> None:
    out.writelines(f"{label:13}{goal}\n" for label, goal in zip(("goal", *["then"] * 9), found.goals, strict=False))
    out.writelines(f"{role:13}{symbol}\n" for role, symbol in found.roles.items())
    out.writelines(f"untouched    {symbol}\n" for symbol in found.goal.untouched)
    out.write("reply        " + " / ".join(found.reply.splitlines()) + "\n")
    out.write(f"confidence   {found.confidence:.2f}\n")
    if found.assumed:
        out.write(f"assumed      {found.assumed}\n")
    out.writelines(f"alternative  {goals}\n" for goals in found.as_dict()["alternatives"])
    out.write(f"seconds      {found.seconds:.1f}\n")
