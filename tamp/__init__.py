"""Symbols, planning, perception, skills, execution and backends of the toolkit.

`import tamp` is the library (docs/library.md): what `__all__` names is promised. A name is imported when it is asked
for, so that the import itself loads no simulator, planner or model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tamp.api.acting import SceneAgent as SceneAgent
    from tamp.api.acting import execute as execute
    from tamp.api.acting import make_agent as make_agent
    from tamp.api.arm_plans import LoadedArm as LoadedArm
    from tamp.api.camera_policies import camera_policy as camera_policy
    from tamp.api.checking import check as check
    from tamp.api.driving import load_arm as load_arm
    from tamp.api.driving import run_plan as run_plan
    from tamp.api.driving import write_plan as write_plan
    from tamp.api.goal_requests import ground as ground
    from tamp.api.goal_requests import ground_problem as ground_problem
    from tamp.api.judging import Judged as Judged
    from tamp.api.judging import validate as validate
    from tamp.api.planning import Planned as Planned
    from tamp.api.planning import plan as plan
    from tamp.api.planning import plan_problem as plan_problem
    from tamp.api.refining import Motions as Motions
    from tamp.api.refining import refine as refine
    from tamp.api.results import results as results
    from tamp.api.scenes import LoadedScene as LoadedScene
    from tamp.api.scenes import Seen as Seen
    from tamp.api.scenes import load_scene as load_scene
    from tamp.api.scenes import perceive as perceive
    from tamp.api.solving import solve as solve
    from tamp.backends.xarm.arm_stop import ArmResult as ArmResult
    from tamp.errors import InputError as InputError
    from tamp.errors import Refusal as Refusal
    from tamp.errors import TampError as TampError
    from tamp.model.goal import Goal as Goal
    from tamp.model.grounding import Grounding as Grounding
    from tamp.model.scene import Scene as Scene
    from tamp.model.state import WorldState as WorldState
    from tamp.pddl.lint.check import Report as Report
    from tamp.pddl.lint.findings import Finding as Finding
    from tamp.pddl.planner import Plan as Plan
    from tamp.pddl.planner import PlanResult as PlanResult
    from tamp.pddl.unsolvable import Why as Why
    from tamp.runs.endings import Ending as Ending
    from tamp.runs.episode import EpisodeResult as EpisodeResult
    from tamp.runs.policy.policy import Policy as Policy

_WHERE = {
    "ArmResult": "tamp.backends.xarm.arm_stop",
    "Ending": "tamp.runs.endings",
    "EpisodeResult": "tamp.runs.episode",
    "Finding": "tamp.pddl.lint.findings",
    "Goal": "tamp.model.goal",
    "Grounding": "tamp.model.grounding",
    "InputError": "tamp.errors",
    "Judged": "tamp.api.judging",
    "LoadedArm": "tamp.api.arm_plans",
    "LoadedScene": "tamp.api.scenes",
    "Motions": "tamp.api.refining",
    "Plan": "tamp.pddl.planner",
    "PlanResult": "tamp.pddl.planner",
    "Planned": "tamp.api.planning",
    "Policy": "tamp.runs.policy.policy",
    "Refusal": "tamp.errors",
    "Report": "tamp.pddl.lint.check",
    "Scene": "tamp.model.scene",
    "SceneAgent": "tamp.api.acting",
    "Seen": "tamp.api.scenes",
    "TampError": "tamp.errors",
    "Why": "tamp.pddl.unsolvable",
    "WorldState": "tamp.model.state",
    "camera_policy": "tamp.api.camera_policies",
    "check": "tamp.api.checking",
    "execute": "tamp.api.acting",
    "ground": "tamp.api.goal_requests",
    "ground_problem": "tamp.api.goal_requests",
    "load_arm": "tamp.api.driving",
    "load_scene": "tamp.api.scenes",
    "make_agent": "tamp.api.acting",
    "perceive": "tamp.api.scenes",
    "plan": "tamp.api.planning",
    "plan_problem": "tamp.api.planning",
    "refine": "tamp.api.refining",
    "results": "tamp.api.results",
    "run_plan": "tamp.api.driving",
    "solve": "tamp.api.solving",
    "validate": "tamp.api.judging",
    "write_plan": "tamp.api.driving",
}
"""The module of each promised name."""

__all__ = list(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'tamp' has no attribute {name!r}")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(_WHERE[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
