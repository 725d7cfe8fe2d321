"""Where the toolkit meets its language models.

`llm` stands on `tamp`: nothing else here may import it. What a caller of the library asks for in words has to get
there all the same, so this one module does, once it is asked (pyproject.toml has the exception, and why).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tamp.planning.engine import Engine

if TYPE_CHECKING:
    from llm.grounding import GroundingResult
    from llm.model import Model as Model  # noqa: PLC0414 (for those who may not import it themselves)
    from tamp.api.scenes import LoadedScene, Seen
    from tamp.planning.engine import Planner

PLANS = "qwen"
"""What the language model is called where it plans, whichever model that is."""


def model(name: str | Path | None = None) -> Model:
    """What `--llm` names, by default the model that reads instructions; its weights are loaded at the first question.
    InputError when it is missing."""
    from llm.backends.load import load
    from llm.weights import DEFAULT

    return load(DEFAULT if name is None else str(name))


def planner(name: str, read_by: Callable[[], Model], timeout: float = 60.0) -> Planner:
    """The planner of that name; `read_by` gives the model, if it is the one that plans. `timeout` in seconds is for
    engines. InputError when it is neither the language model nor an installed engine that finds plans."""
    from tamp.planners import engines

    engines.check(name, [PLANS])
    if name != PLANS:
        return Engine(name, timeout)
    from llm.skill_planner import SkillPlanner

    return SkillPlanner(read_by())


def read(
    text: str, seen: Seen, scene: LoadedScene, read_by: Model, assume_first: bool, image: bytes | None = None
) -> GroundingResult:
    """What words ask for in a scene. Refusal where they come to no goal, or to several."""
    from llm.grounding import ground

    return ground(
        text,
        seen.scene,
        seen.state,
        scene.domain,
        read_by,
        names=scene._task.names,
        assume_first=assume_first,
        image=image,
        planner=Engine(),
    )


def instruction(text: str) -> str:
    """Words as they are read. InputError for none, or too many."""
    from llm.words import instruction as plain

    return plain(text)
