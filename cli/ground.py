"""`tamp ground`: an instruction to a goal, of a scene or of a PDDL problem. Nothing moves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial

import tamp
from cli.output import Output, note
from cli.terminal import or_assumed
from tamp.api import language
from tamp.api.configs import GroundConfig
from tamp.api.goal_requests import problem_read_by, read_by


def ground(config: GroundConfig, out: Output) -> int:
    """Print the goal that the text asks for. 0; an absent or ambiguous thing is a Refusal (1)."""
    text, assume_first = language.instruction(config.instruction), config.assume_first
    model = language.model(config.llm)
    asked = {"instruction": text, "scene": str(config.problem)}
    with ExitStack() as opened:
        if config.problem is None:
            scene = opened.enter_context(
                tamp.load_scene(
                    config.scene,
                    seed=config.seed,
                    init_state=config.init_state,
                    domain=config.domain,
                    pictures=model.sees,
                    say=note,
                )
            )
            asked["scene"] = scene.name
            read = partial(read_by, scene, text, model, assume_first)
        else:
            read = partial(problem_read_by, config.domain, config.problem, text, lambda: model, assume_first)
        try:
            note("reading the instruction")
            found = read()
        except tamp.Refusal as refusal:
            if refusal.kind == "ambiguous" and out.json:  # it is part of the answer as well as an error
                alternatives = [tamp.Grounding(goals).as_dict()["goal"] for goals in refusal.alternatives]
                out.emit({**asked, "goal": None, "ambiguous": True, "alternatives": alternatives})
            raise or_assumed(refusal) from None
    out.answer({**asked, **found.as_dict()}, _lines(found))
    return 0


def _lines(found: tamp.Grounding) -> Iterator[str]:
    for n, goal in enumerate(found.goals):
        yield f"{'then' if n else 'goal':13}{goal}"
    for role, symbol in found.roles.items():
        yield f"{role:13}{symbol}"
    for symbol in found.goal.untouched:
        yield f"untouched    {symbol}"
    yield "reply        " + " / ".join(found.reply.splitlines())
    yield f"confidence   {found.confidence:.2f}"
    if found.assumed:
        yield f"assumed      {found.assumed}"
    for goals in found.as_dict()["alternatives"]:
        yield f"alternative  {goals}"
    yield f"seconds      {found.seconds:.1f}"
