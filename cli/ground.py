"""`tamp ground`: an instruction to a goal of a scene. Nothing moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from cli.output import emit_json, hush_simulator, quiet_stdout, say
from llm import words

if TYPE_CHECKING:
    from cli.scene import View
    from llm.grounding import GroundingResult
    from llm.model import Model
    from tamp.libero.tasks import Task


def ground(
    text: str,
    scene: str,
    llm: str,
    seed: int,
    init_state: int | None,
    assume_first: bool,
    json_output: bool,
) -> int:
    """Print the goal that `text` asks for in a scene. 0; an absent or ambiguous thing is a Refusal (1)."""
    from cli.scene import look
    from cli.solve import load_model
    from tamp.libero import rendering

    text = words.instruction(text)
    with quiet_stdout() as out:
        model = load_model(llm)
        rendering.prepare(video=False, sight=model.sees)
        with hush_simulator():
            from tamp.libero import tasks

            task = tasks.find(scene)
        say(f"tamp: building {task.name}")
        view = look(task, seed, init_state, render=model.sees)
        image = view.environment.picture() if model.sees else None
        view.environment.close()
        say("tamp: reading the instruction")
        return _answer(text, task, view, model, image, assume_first, json_output, out)


def _answer(
    text: str,
    task: Task,
    view: View,
    model: Model,
    image: bytes | None,
    assume_first: bool,
    json_output: bool,
    out: TextIO,
) -> int:
    """Ask, and print the answer; what is ambiguous is part of the JSON object as well as an error."""
    from llm.grounding import AmbiguousError
    from llm.grounding import ground as ask
    from tamp.domain import load
    from tamp.planning import Engine

    try:
        answer = ask(
            text,
            view.scene,
            view.state,
            load("tabletop"),
            model,
            names=task.names,
            assume_first=assume_first,
            image=image,
            planner=Engine(),
        )
    except AmbiguousError as e:
        if json_output:
            listed = [str(goal) for goal in e.alternatives]
            emit_json(
                {
                    "instruction": text,
                    "scene": task.name,
                    "goal": None,
                    "ambiguous": True,
                    "alternatives": listed,
                },
                out,
            )
        raise
    if json_output:
        emit_json({"instruction": text, "scene": task.name, **answer.as_dict()}, out)
    else:
        _print(answer, out)
    return 0


def _print(answer: GroundingResult, out: TextIO) -> None:
    out.writelines(f"{label:13}{goal}\n" for label, goal in zip(("goal", *["then"] * 9), answer.goals, strict=False))
    out.writelines(f"{role:13}{symbol}\n" for role, symbol in answer.roles.items())
    out.write(f"reply        {answer.reply}\n")
    out.write(f"confidence   {answer.confidence:.2f}\n")
    out.writelines(f"alternative  {goal}\n" for goal in answer.alternatives)
    out.write(f"seconds      {answer.seconds:.1f}\n")
