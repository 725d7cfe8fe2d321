"""Planners by the names that `--planner` takes: the engines of unified-planning, and the language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llm.skill_planner import NAME, SkillPlanner
from tamp.planning.engine import Engine

if TYPE_CHECKING:
    from llm.model import Model
    from tamp.planning.engine import Planner


def asks_model(name: str) -> bool:
    """Whether the planner of that name is the language model."""
    return name == NAME


def find(name: str, model: Model | None) -> Planner:
    """The planner of that name. `model` is not needed for those that ask none."""
    if not asks_model(name):
        return Engine(name)
    assert model is not None
    return SkillPlanner(model)
