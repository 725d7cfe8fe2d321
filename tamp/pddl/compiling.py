"""A problem without the features that an engine does not have, by unified-planning's compilers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tamp.pddl.conditions import parts
from tamp.pddl.engines import engine
from tamp.pddl.simplifying import complemented, simplified, without_idle_effects

_STEPS = (
    ("up_quantifiers_remover", "QUANTIFIERS_REMOVING", ("EXISTENTIAL_CONDITIONS", "UNIVERSAL_CONDITIONS")),
    ("up_quantifiers_remover", "QUANTIFIERS_REMOVING", ("FORALL_EFFECTS",)),
    ("up_disjunctive_conditions_remover", "DISJUNCTIVE_CONDITIONS_REMOVING", ("DISJUNCTIVE_CONDITIONS",)),
    ("up_grounder", "GROUNDING", ("EQUALITIES",)),
    ("up_conditional_effects_remover", "CONDITIONAL_EFFECTS_REMOVING", ("CONDITIONAL_EFFECTS",)),
    ("up_negative_conditions_remover", "NEGATIVE_CONDITIONS_REMOVING", ("NEGATIVE_CONDITIONS",)),
    ("up_usertype_fluents_remover", "USERTYPE_FLUENTS_REMOVING", ("OBJECT_FLUENTS",)),
)
"""Compilers, and the features that each takes out. Grounding, which decides equalities, comes before negations."""

_HARMLESS = {"UNDEFINED_INITIAL_NUMERIC"}
"""What compilers say that they do not support, and leave alone."""

_MORE_THAN_COSTS = (
    *("INT_FLUENTS", "REAL_FLUENTS", "OBJECT_FLUENTS", "DERIVED_FLUENTS"),
    *("CONTINUOUS_TIME", "DISCRETE_TIME", "TIMED_GOALS", "TRAJECTORY_CONSTRAINTS", "STATE_INVARIANTS"),
)
"""With any of these a problem is more than booleans, goals and costs."""

_ALWAYS = _STEPS[0]
"""Fast Downward makes slow axioms of quantifiers."""


def compiled(problem: Any, name: str) -> tuple[Any, list[Any]]:
    """The problem for an engine, and unified-planning's results to map its plans back with, see `original`.

    What no compiler takes out stays in it. UPException when a compiler fails on what it says that it supports.
    """
    from unified_planning.engines import CompilationKind
    from unified_planning.shortcuts import Compiler

    has, results = engine(name).supported_kind().features, list[Any]()

    def by_name(changed: Any) -> Any:
        results.extend([_ByName(problem)] if changed is not problem else [])
        return changed

    if all(hasattr(action, "preconditions") for action in problem.actions):
        problem = by_name(complemented(problem) if "NEGATIVE_CONDITIONS" in has else problem)
        problem = by_name(problem if "CONDITIONAL_EFFECTS" in has else without_idle_effects(problem))
    features: set[str] | None = None
    for step in (*_STEPS, *_STEPS[1:]):  # taking out conditional effects may bring new disjunctions
        compiler, kind, removed = step
        if step is not _ALWAYS and has.issuperset(removed):
            continue
        features = features or problem.kind.features
        if features.isdisjoint(removed if step is _ALWAYS else set(removed) - has):
            continue
        with Compiler(name=compiler) as maker:  # by name: choosing one by the problem's kind takes longer than its work
            if features - maker.supported_kind().features <= _HARMLESS:
                maker.skip_checks = True
                results.append(maker.compile(problem, CompilationKind[kind]))
                problem, features = results[-1].problem, None
                if step is _ALWAYS and _has_disjunctions(problem):
                    problem = by_name(simplified(problem, static=True))
    return by_name(simplified(problem)), results


def _has_disjunctions(problem: Any) -> bool:
    return any(c.is_or() or c.is_implies() for a in problem.actions for c in parts(getattr(a, "preconditions", ())))


@dataclass(frozen=True, eq=False)
class _ByName:
    """Maps actions back to those of the same name, as unified-planning's results do that."""

    problem: Any

    def map_back_action_instance(self, instance: Any) -> Any:
        from unified_planning.plans import ActionInstance

        return ActionInstance(self.problem.action(instance.action.name), instance.actual_parameters)


def original(plan: Any, results: list[Any]) -> Any:
    """A plan for the compiled problem as one for the problem it was made from."""
    for result in reversed(results):
        plan = plan.replace_action_instances(result.map_back_action_instance)
    return plan


def with_metric(problem: Any) -> Any:
    """The problem, or where it says nothing of what is better, a copy in which fewer steps are."""
    from unified_planning.shortcuts import MinimizeSequentialPlanLength

    if problem.quality_metrics or problem.kind.has_continuous_time():
        return problem
    copy = problem.clone()
    copy.add_quality_metric(MinimizeSequentialPlanLength())
    return copy


def with_action_costs(problem: Any) -> Any:
    """The problem with the number that its metric minimizes as costs of actions; itself where they do more than add to
    it. unified-planning's reader does so only for a `(total-cost)` that is 0 at the start."""
    from unified_planning.shortcuts import MinimizeActionCosts, MinimizeExpressionOnFinalState

    metric = problem.quality_metrics[0] if len(problem.quality_metrics) == 1 else None
    if not isinstance(metric, MinimizeExpressionOnFinalState) or not metric.expression.is_fluent_exp():
        return problem
    total, copy, costs = metric.expression, problem.clone(), {}
    copy.clear_quality_metrics()
    for action in copy.actions:
        effects = list(action.effects) if hasattr(action, "preconditions") else []
        adds = [e for e in effects if e.fluent == total and e.is_increase() and e.condition.is_true()]
        if len(adds) == 1:
            costs[action] = adds[0].value
            action.clear_effects()
            for effect in effects:
                if effect is not adds[0]:
                    action._add_effect_instance(effect)
    if total.fluent() not in copy.get_unused_fluents():
        return problem
    copy.add_quality_metric(MinimizeActionCosts(costs, 0))
    copy._fluents.remove(total.fluent())
    copy._initial_value.pop(total, None)
    return copy


def without_metric(problem: Any) -> Any:
    """A copy in which all plans are as good, without the numbers that only costs are made of."""
    from unified_planning.shortcuts import Problem

    problem = with_action_costs(problem)
    if not problem.kind.features.isdisjoint(_MORE_THAN_COSTS):
        copy = problem.clone()
        copy.clear_quality_metrics()
        return copy
    bare = Problem(problem.name, problem.environment)
    for fluent in problem.fluents:
        if fluent.type.is_bool_type():
            bare.add_fluent(fluent, default_initial_value=problem.fluents_defaults.get(fluent, False))
    bare.add_objects(problem.all_objects)
    bare.add_actions([action.clone() for action in problem.actions])
    for atom, value in problem.explicit_initial_values.items():
        if atom.type.is_bool_type():
            bare.set_initial_value(atom, value)
    for goal in problem.goals:
        bare.add_goal(goal)
    return bare
