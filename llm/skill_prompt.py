"""The question put to a model that plans: the domain's skills, worked examples about other things, the problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from llm.model import Prompt
from llm.skill_schema import LONGEST
from llm.skill_schema import written as step
from tamp.atoms import GroundAction
from tamp.validation import Course, written


@dataclass(frozen=True)
class Example:
    """A problem and its plan, in PDDL without the outer parentheses. Shown where the domain bears the plan out."""

    objects: dict[str, str]
    init: tuple[str, ...]
    goal: tuple[str, ...]
    plan: tuple[str, ...]


EXAMPLES: tuple[Example, ...] = (
    Example(
        {"doll": "item", "scarf": "item", "sofa": "surface", "piano": "surface"},
        ("hand-empty", "on doll sofa", "on scarf sofa", "clear doll", "clear scarf", "clear piano"),
        ("on scarf piano",),
        ("pick scarf sofa", "place-on scarf piano"),
    ),
    Example(
        {"towel": "item", "bench": "surface", "locker": "drawer", "crate": "bin"},
        ("hand-empty", "on towel bench", "clear towel", "closed locker", "open crate"),
        ("in towel locker", "closed locker"),
        ("open-drawer locker", "pick towel bench", "place-in towel locker", "close-drawer locker"),
    ),
    Example(
        {"kite": "item", "violin": "item", "bench": "surface", "crate": "bin", "lantern": "appliance"},
        (
            *("hand-empty", "in kite crate", "open crate", "on violin bench", "clear kite", "clear violin"),
            *("obstructed kite violin", "turned-off lantern"),
        ),
        ("on kite bench", "turned-on lantern"),
        ("pick violin bench", "place-in violin crate", "take-out kite crate", "place-on kite bench", "turn-on lantern"),
    ),
    Example(
        {"rug": "item", "porch": "surface", "hall": "surface"},
        ("hand-empty", "on rug porch", "clear rug", "no-grasp rug"),
        ("on rug hall",),
        ("slide-onto rug porch hall",),
    ),
)
"""Invented, and far from any benchmark's things: a test compares them with LIBERO's instructions."""


def prompt(problem: Any) -> Prompt:
    """The chat that asks for a plan of unified-planning's own Problem."""
    shown = [(e, own) for e in EXAMPLES if (own := example_problem(e, problem)) is not None]
    return Prompt(
        system=_task(problem),
        examples=tuple((question(own), answer(e, own)) for e, own in shown),
        question=question(problem),
    )


def example_problem(example: Example, problem: Any) -> Any:
    """An example as a problem in the domain of `problem`; None when the domain cannot say it or its plan fails."""
    from unified_planning.exceptions import UPException
    from unified_planning.model import Problem

    own = Problem("example", problem.environment, initial_defaults=problem.initial_defaults)
    own.add_fluents(problem.fluents)
    own.add_actions(problem.actions)
    try:
        objects = {name: own.add_object(name, problem.user_type(kind)) for name, kind in example.objects.items()}
        for text in example.init:
            own.set_initial_value(_fluent(text, own, objects), True)
        for text in example.goal:
            own.add_goal(_fluent(text, own, objects))
        course = Course.of(own)
        for action in map(_action, example.plan):
            followed = course.follow(action)
            if not isinstance(followed, Course):
                return None
            course = followed
    except (UPException, KeyError, ValueError):
        return None
    return None if course.missing() else own


def answer(example: Example, own: Any) -> str:
    """The JSON of an example's plan."""
    return f"[{', '.join(step(_action(text), own) for text in example.plan)}]"


def question(problem: Any) -> str:
    """Objects by type, what holds, and the goal."""
    kinds: dict[str, list[str]] = {}
    for o in problem.all_objects:
        kinds.setdefault(o.type.name, []).append(o.name)
    objects = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in kinds.items())
    holding = [written(f) for f, value in problem.explicit_initial_values.items() if value.is_true()]
    goal = " ".join(map(written, problem.goals))
    return f"Objects: {objects}\nState: {' '.join(sorted(holding))}\nGoal: {goal}"


def _task(problem: Any) -> str:
    skills = "\n".join(_skill(a) for a in problem.actions)
    return (
        f"You plan for a robot. Answer with a JSON list of at most {LONGEST} skills that lead from the state to the "
        "goal, in order. What a skill needs must hold when its turn comes; what it makes holds afterwards. Use as few "
        f"as possible.\nSkills:\n{skills}"
    )


def _skill(action: Any) -> str:
    parameters = ", ".join(f"{p.name}: {p.type.name}" for p in action.parameters)
    needs = [text for p in action.preconditions for text in _parts(p)]
    makes = [_effect(e) for e in action.effects]
    return f"{action.name}({parameters}) needs {', '.join(needs) or 'nothing'}; makes {', '.join(makes)}"


def _parts(condition: Any) -> list[str]:
    """A precondition's literals. Of one that is about all things only the inside: `any` says so, in few tokens."""
    if condition.is_and():
        return [text for part in condition.args for text in _parts(part)]
    return _parts(condition.arg(0)) if condition.is_forall() else [_plain(condition)]


def _effect(effect: Any) -> str:
    text = ("" if effect.value.is_true() else "not ") + _plain(effect.fluent)
    return f"{text} if {_plain(effect.condition)}" if effect.is_conditional() else text


def _plain(condition: Any) -> str:
    """A literal as words, parameters by name and quantified variables as `any`: "not obstructed o any"."""
    if condition.is_variable_exp():
        return "any"
    if condition.is_fluent_exp():
        return " ".join((condition.fluent().name, *map(_plain, condition.args)))
    if condition.is_not():
        return f"not {_plain(condition.arg(0))}"
    if condition.is_equals():
        return " = ".join(map(_plain, condition.args))
    return str(condition.parameter().name) if condition.is_parameter_exp() else written(condition)


def _action(text: str) -> GroundAction:
    name, *args = text.split()
    return GroundAction(name, tuple(args))


def _fluent(text: str, problem: Any, objects: dict[str, Any]) -> Any:
    name, *args = text.split()
    return problem.fluent(name)(*(objects[a] for a in args))
