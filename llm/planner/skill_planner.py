"""A language model in the planner's place: it proposes a whole plan, which counts only once it is checked.

It is shown the domain's skills, worked examples about other things, and the problem. The grammar holds it to the
domain's actions with objects of the right types. That each step is possible, none is needless and all of them reach the
goal is checked by following the plan; what is wrong goes back to the model in words.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from llm.models.language_model import ANSWER, Logged, Model, Prompt
from tamp.model.atoms import GroundAction
from tamp.pddl.conditions import written
from tamp.pddl.planner import Plan, PlanResult, PlanStatus, Tell, unlogged
from tamp.pddl.simulation import Course, Fault, reaches

NAME = "qwen"
"""What `--planner` calls it, whichever model `--llm` names."""

ATTEMPTS = 3
"""Plans that a model may propose for one problem."""

LONGEST = 10
"""Steps of a plan at most."""


@dataclass(frozen=True)
class SkillPlanner:
    """A planner that asks `model`. The same question gets the same plan where the model is greedy."""

    model: Model
    name: str = NAME
    ties_by_name: bool = False
    timed: bool = False

    def solve(self, problem: Any, tell: Tell = unlogged, seconds: float = math.inf) -> PlanResult:
        """A plan that was followed to the goal in symbols, or GAVE_UP with what was wrong with the last one.

        Prompts, replies and every attempt go to `tell`.
        """
        start = time.perf_counter()
        model, chat, grammar, message = Logged(self.model, tell), prompt(problem), plan_grammar(problem), ""
        for attempt in range(1, ATTEMPTS + 1):
            reply = model.complete(chat, grammar).text
            actions = read_plan(reply)
            fault = actions if isinstance(actions, Fault) else find_fault(actions, problem)
            error, message = (fault.kind, fault.message) if fault else (None, "")
            tell("plan_attempt", attempt=attempt, error=error, message=message, reply=reply)
            if fault is None:
                assert not isinstance(actions, Fault)
                return PlanResult(PlanStatus.FOUND, Plan(actions), time.perf_counter() - start)
            chat = chat.corrected(reply, objection(fault, problem))
        message = f"no valid plan from {self.model.name} in {ATTEMPTS} attempts; the last one: {message}"
        return PlanResult(PlanStatus.GAVE_UP, None, time.perf_counter() - start, message)


def plan_grammar(problem: Any) -> str:
    """The grammar of plans: a JSON list of steps, each an action with objects of the types of its parameters."""
    terminals = dict[tuple[str, ...], str]()
    steps = list[str]()
    for action in problem.actions:
        objects = [tuple(o.name for o in problem.objects(p.type)) for p in action.parameters]
        if all(objects):
            names = [terminals.setdefault(some, f"OBJECT{len(terminals)}") for some in objects]
            given = [f'{_quoted(p.name)} ": " {name}' for p, name in zip(action.parameters, names, strict=True)]
            head = json.dumps(f'{{"skill": "{action.name}", "args": {{')
            steps.append(" ".join((head, ' ", " '.join(given), '"}}"')))
    some = f'step (", " step){{0,{LONGEST - 1}}}' if steps else ""
    lines = [f'start: "[" ({some})? "]"' if steps else 'start: "[]"']
    lines += [f"step: {' | '.join(steps)}"] if steps else []
    return "\n".join((*lines, *(f"{name}: {' | '.join(map(_quoted, some))}" for some, name in terminals.items())))


def _quoted(name: str) -> str:
    """A name in JSON's quotes, in those of a grammar."""
    return json.dumps(json.dumps(name))


def read_plan(text: str) -> tuple[GroundAction, ...] | Fault:
    """The actions of an answer; a Fault where it is cut off."""
    try:
        return tuple(GroundAction(step["skill"], tuple(step["args"].values())) for step in json.loads(text))
    except json.JSONDecodeError:
        return Fault("length", f"the plan does not end within {ANSWER} tokens")


def find_fault(actions: Sequence[GroundAction], problem: Any) -> Fault | None:
    """The first thing that is wrong with a plan; None if nothing. Its kind is `precondition` (a step is not possible),
    `loop` (it leads back to an earlier state), `goal` (not reached), or `needless` (reached without some step)."""
    course = Course.of(problem)
    for n, action in enumerate(actions, 1):
        followed = course.follow(action)
        if isinstance(followed, Fault):
            return Fault(followed.kind, f"step {n}: {followed.message}", followed.literals)
        course = followed
    if missing := course.missing():
        return Fault("goal", f"after the last step the goal's {' '.join(missing)} does not hold", missing)
    for n, action in enumerate(actions, 1):
        if reaches([*actions[: n - 1], *actions[n:]], problem):
            return Fault("needless", f"step {n}: {action} is needless, the goal is reached without it")
    return None


def objection(fault: Fault, problem: Any) -> str:
    """The answer to a wrong plan: the fault, and which actions bring about what is missing."""
    hints = list[str]()
    for literal in fault.literals:
        wanted, predicate = not literal.startswith("(not "), literal.removeprefix("(not ").strip("()").split()[0]
        made = [
            a.name
            for a in problem.actions
            if any(e.fluent.fluent().name == predicate and e.value.is_true() == wanted for e in a.effects)
        ]
        hints += [f"{literal} is made by {', '.join(made)}."] if made else []
    return "\n".join([" ".join([f"Wrong: {fault.message}.", *hints]), "Give the whole plan anew.", question(problem)])


@dataclass(frozen=True)
class Example:
    """A problem and its plan, in PDDL with commas for parentheses. Shown where the domain bears the plan out."""

    objects: dict[str, str]
    init: str
    goal: str
    plan: str


EXAMPLES: tuple[Example, ...] = (
    Example(
        {"rug": "item", "porch": "surface", "hall": "surface"},
        init="hand-empty, on rug porch, clear rug, no-grasp rug",
        goal="on rug hall",
        plan="slide-onto rug porch hall",
    ),
    Example(
        {"kite": "item", "violin": "item", "bench": "surface", "crate": "bin"},
        init="hand-empty, in violin crate, open crate, on kite bench, clear kite, clear violin, obstructed violin kite",
        goal="on violin bench",
        plan="pick kite bench, place-in kite crate, take-out violin crate, place-on violin bench",
    ),
    Example(
        {"lantern": "appliance", "heater": "appliance", "doll": "item", "sofa": "surface"},
        init="hand-empty, on doll sofa, clear doll, turned-off lantern, turned-off heater",
        goal="turned-on lantern",
        plan="turn-on lantern",
    ),
    Example(
        {"doll": "item", "candle": "item", "scarf": "item", "sofa": "surface", "crate": "bin"},
        init="hand-empty, on doll sofa, on candle sofa, on scarf sofa, clear doll, clear candle, clear scarf, "
        "open crate",
        goal="in candle crate",
        plan="pick candle sofa, place-in candle crate",
    ),
    Example(
        {"towel": "item", "hat": "item", "bench": "surface", "left_locker": "drawer", "right_locker": "drawer"},
        init="hand-empty, on towel bench, on hat bench, clear towel, clear hat, "
        "closed left_locker, closed right_locker",
        goal="in hat left_locker",
        plan="open-drawer left_locker, pick hat bench, place-in hat left_locker",
    ),
    Example(
        {"vase": "item", "pillow_1": "item", "pillow_2": "item", "sofa": "surface", "piano": "surface"},
        init="hand-empty, on pillow_1 sofa, on pillow_2 vase, on vase sofa, "
        "clear pillow_1, clear pillow_2, clear piano",
        goal="on pillow_2 pillow_1",
        plan="pick pillow_2 vase, place-on pillow_2 pillow_1",
    ),
    Example(
        {"doll": "item", "scarf": "item", "sofa": "surface", "heater_top": "surface", "heater": "appliance"},
        init="hand-empty, on doll sofa, on scarf sofa, clear doll, clear scarf, clear heater_top, turned-off heater",
        goal="on scarf heater_top",
        plan="pick scarf sofa, place-on scarf heater_top",
    ),
)
"""Invented, and far from any benchmark's things."""


TASK = (
    f"You plan for a robot. Answer with a JSON list of at most {LONGEST} skills that lead from the state to the "
    "goal, in order. What a skill needs must hold when its turn comes; what it makes holds afterwards. Use as few "
    "as possible.\nSkills:\n"
)


def prompt(problem: Any) -> Prompt:
    """The chat that asks for a plan of unified-planning's own Problem."""
    idle = _idle(problem)
    return Prompt(
        system=TASK + "\n".join(skill(a, idle) for a in problem.actions),
        examples=tuple((question(own), written_plan(plan, own)) for own, plan in borne_out(EXAMPLES, problem)),
        question=question(problem),
    )


def written_plan(plan: Iterable[GroundAction], problem: Any) -> str:
    """A plan as the model writes it, in JSON."""
    parameters = {a.name: [p.name for p in a.parameters] for a in problem.actions}
    return json.dumps([{"skill": a.name, "args": dict(zip(parameters[a.name], a.args, strict=True))} for a in plan])


def borne_out(examples: Iterable[Example], problem: Any) -> list[tuple[Any, list[GroundAction]]]:
    """The examples that the domain of `problem` can say and whose plans work in it: each as a problem, and its plan."""
    from unified_planning.exceptions import UPException
    from unified_planning.model import Problem

    shown = []
    for example in examples:
        own = Problem("example", problem.environment, initial_defaults=problem.initial_defaults)
        own.add_fluents(problem.fluents)
        own.add_actions(problem.actions)
        plan = [GroundAction(name, tuple(args)) for name, *args in map(str.split, example.plan.split(", "))]
        try:
            for name, kind in example.objects.items():
                own.add_object(name, problem.user_type(kind))
            for text in example.init.split(", "):
                own.set_initial_value(_fluent(text, own), True)
            for text in example.goal.split(", "):
                own.add_goal(_fluent(text, own))
            if reaches(plan, own):
                shown.append((own, plan))
        except (UPException, ValueError):
            continue
    return shown


def _fluent(text: str, problem: Any) -> Any:
    name, *args = text.split()
    return problem.fluent(name)(*map(problem.object, args))


def question(problem: Any) -> str:
    """All objects by type, what holds of those that have to do with the goal, and the goal.

    A small model acts on whatever it reads, and most on what it reads last: facts that nothing links to the goal's
    objects are left out, and what holds of the goal's own comes at the end.
    """
    kinds: dict[str, list[str]] = {}
    for o in problem.all_objects:
        kinds.setdefault(o.type.name, []).append(o.name)
    objects = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in kinds.items())
    wanted = list(dict.fromkeys(o for goal in problem.goals for o in _named(goal)))

    def rank(fact: Any) -> tuple[int, int, str]:
        first = min((wanted.index(o) for o in _named(fact) if o in wanted), default=len(wanted))
        return -first, len(fact.args), written(fact)

    facts = [f for f, value in problem.explicit_initial_values.items() if value.is_true()]
    linked = {*wanted, *(o for f in facts if not set(wanted).isdisjoint(_named(f)) for o in _named(f))}
    state = sorted((f for f in facts if linked.issuperset(_named(f))), key=rank)
    holds, goals = (" ".join(map(written, some)) for some in (state, problem.goals))
    return f"Objects: {objects}\nState: {holds}\nGoal: {goals}"


def _named(condition: Any) -> list[str]:
    """The objects that a condition names, in order."""
    if condition.is_object_exp():
        return [str(condition.object().name)]
    return [name for part in condition.args for name in _named(part)]


def skill(action: Any, without: frozenset[str] = frozenset()) -> str:
    """An operator with what it takes, needs and makes, but for literals of some predicates."""
    parameters = ", ".join(f"{p.name}: {p.type.name}" for p in action.parameters)
    needs = [text for p in action.preconditions for text in _parts(p) if without.isdisjoint(text.split())]
    makes = [_effect(e) for e in action.effects if e.fluent.fluent().name not in without]
    return f"{action.name}({parameters}) needs {', '.join(needs) or 'nothing'}; makes {', '.join(makes)}"


def _idle(problem: Any) -> frozenset[str]:
    """Predicates that operators would make true of all things on a condition that never holds here, and those of such
    conditions: a small model acts on whatever it reads."""
    effects = [e for a in problem.actions for e in a.effects if not e.value.is_false()]
    holds = {f.fluent() for f, value in problem.explicit_initial_values.items() if value.is_true()}
    known = holds | {e.fluent.fluent() for e in effects}
    idle = [e for e in effects if e.forall and e.condition.is_fluent_exp() and e.condition.fluent() not in known]
    made = {e.fluent.fluent() for e in effects if e not in idle}
    named = {f for e in idle for f in (e.condition.fluent(), e.fluent.fluent())}
    return frozenset(f.name for f in named - holds - made)


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
