"""Transform a problem so that an engine takes it and is fast, mostly by unified-planning's compilers."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tamp.pddl.conditions import is_atom, parts, within
from tamp.pddl.engines import engine

_STEPS = (
    ("up_quantifiers_remover", "QUANTIFIERS_REMOVING", ("EXISTENTIAL_CONDITIONS", "UNIVERSAL_CONDITIONS")),
    ("up_quantifiers_remover", "QUANTIFIERS_REMOVING", ("FORALL_EFFECTS",)),
    ("up_disjunctive_conditions_remover", "DISJUNCTIVE_CONDITIONS_REMOVING", ("DISJUNCTIVE_CONDITIONS",)),
    ("up_grounder", "GROUNDING", ("EQUALITIES", "CONDITIONAL_EFFECTS")),
    ("up_conditional_effects_remover", "CONDITIONAL_EFFECTS_REMOVING", ("CONDITIONAL_EFFECTS",)),
    ("up_negative_conditions_remover", "NEGATIVE_CONDITIONS_REMOVING", ("NEGATIVE_CONDITIONS",)),
    ("up_usertype_fluents_remover", "USERTYPE_FLUENTS_REMOVING", ("OBJECT_FLUENTS",)),
)
"""Compilers, and the features that each takes out. Grounding decides equalities and static conditions of effects."""

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

    problem = by_name(relevant(problem))
    if "CONDITIONAL_EFFECTS" not in has:
        problem = by_name(simplified(problem))
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
    if "NEGATIVE_CONDITIONS" in has:
        problem = by_name(complemented(problem))
    return by_name(simplified(problem)), results


def relevant(problem: Any) -> Any:
    """The problem without effects on which no goal and no precondition depends, nor an effect that is relevant itself;
    itself where there are none, and where more than these matters. The same plans are valid (cone of influence)."""
    metrics = problem.quality_metrics
    counted = all(m.is_minimize_action_costs() or m.is_minimize_sequential_plan_length() for m in metrics)
    if len(metrics) > 1 or not counted or not problem.kind.features.isdisjoint({*_MORE_THAN_COSTS, "HIERARCHICAL"}):
        return problem
    fluents_of = problem.environment.free_vars_extractor.get
    effects = list(_effects(problem))
    read = [*problem.goals, *(c for a in problem.actions for c in a.preconditions)]
    needed, before = {f.fluent() for each in read for f in fluents_of(each)}, -1
    while len(needed) != before:
        before = len(needed)
        for e in effects:
            if e.fluent.fluent() in needed:
                needed |= {f.fluent() for each in (e.condition, e.value) for f in fluents_of(each)}
    if all(e.fluent.fluent() in needed for e in effects):
        return problem
    copy = problem.clone()
    for action in copy.actions:
        kept = [e for e in action.effects if e.fluent.fluent() in needed]
        action.clear_effects()
        for effect in kept:
            action._add_effect_instance(effect)
    if any(m.is_minimize_action_costs() for m in metrics):
        from unified_planning.shortcuts import MinimizeActionCosts

        copy.clear_quality_metrics()  # one finds an action by all that it does
        costs = {action: metrics[0].get_action_cost(problem.action(action.name)) for action in copy.actions}
        copy.add_quality_metric(MinimizeActionCosts(costs))
    return copy


def settled(problem: Any) -> Any:
    """The same problem, which is not changed any more: its kind, which unified-planning computes whenever it is looked
    at, is computed once."""
    same = copy.copy(problem)
    same.__class__ = type("Settled", (type(problem),), {"kind": problem.kind})
    return same


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


def simplified(problem: Any, static: bool = False) -> Any:
    """The problem without conditions and goals that always hold, and without actions that change nothing or can never
    be done; itself where nothing of it is shorter. `static`: atoms that no action changes are decided, too.

    A goal that never holds becomes a fact that no action gives. Any engine finds out that there is no plan for such a
    fact, whereas most fail on the constant, and on an action without an effect. Of preconditions Fast Downward makes
    all the ways in which they can hold, also those in which they never do; of a conditional effect that never comes
    about a compiler makes another action.
    """
    from unified_planning.model.walkers import Simplifier

    walker = Simplifier(problem.environment, problem if static else None)
    known = [*problem.explicit_initial_values.items(), *((e.fluent, e.value) for e in _effects(problem))]
    known += [(f(*f.signature), value) for f, value in problem.fluents_defaults.items()]
    may_hold = {atom.fluent() for atom, value in known if not value.is_false()}

    def simplify(condition: Any) -> Any:
        simpler = walker.simplify(condition)
        never = is_atom(simpler) and simpler.fluent() not in may_hold
        return problem.environment.expression_manager.FALSE() if never else simpler

    actions = [_simplified_action(action, simplify) for action in problem.actions]
    goals = [simplify(goal) for goal in problem.goals]
    same = all(new is old for new, old in zip(actions, problem.actions, strict=True))
    if same and not any(goal.is_bool_constant() for goal in goals):
        return problem
    copy = problem.clone()
    copy.clear_actions()
    copy.add_actions([action.clone() for action in actions if action is not None])
    copy.clear_goals()
    for goal in goals:
        if not goal.is_bool_constant():
            copy.add_goal(goal)
    if any(goal.is_false() for goal in goals):
        copy.add_goal(_added_fluent(copy, "never", False)())
    return copy


def _effects(problem: Any) -> Iterator[Any]:
    """All effects of a problem, whenever they come about."""
    groups = [action.effects for action in problem.actions] + [problem.timed_effects]
    for group in groups:
        yield from itertools.chain.from_iterable(group.values()) if isinstance(group, dict) else group


def _simplified_action(action: Any, simplify: Callable[[Any], Any]) -> Any:
    """The action, itself where nothing of it is shorter; None where it can never be done or changes nothing. One that
    lasts takes time at least."""
    if not hasattr(action, "preconditions"):
        return action
    needs = [simplify(c) for c in action.preconditions]
    conditions = [simplify(e.condition) for e in action.effects]
    if any(c.is_false() for c in needs) or all(c.is_false() for c in conditions):
        return None
    if needs == action.preconditions and not any(c.is_false() for c in conditions):
        return action
    made, effects = action.clone(), [e for e, c in zip(action.effects, conditions, strict=True) if not c.is_false()]
    made.clear_preconditions()
    made.clear_effects()
    for need in needs:
        made.add_precondition(need)
    for effect in effects:
        made._add_effect_instance(effect)
    return made


def complemented(problem: Any) -> Any:
    """The problem with a positive fact, true where the atom is false, for each negated atom in its goals; itself
    where there are none. Operators keep their names and parameters.

    Fast Downward's heuristics count such facts: to take eight things off a table, `(not (on ?o table))` for each, it
    searches for more than a minute; put so that eight facts become true it takes less than half a second.
    """
    negated = [c for goal in problem.goals for c in within(goal) if c.is_not() and is_atom(c.arg(0))]
    if not negated or not all(hasattr(action, "preconditions") for action in problem.actions):
        return problem
    copy, negation = problem.clone(), problem.environment.expression_manager.Not
    fluents = dict.fromkeys(c.arg(0).fluent() for c in negated)
    opposites = {f: _added_fluent(copy, f"not-{f.name}", True, f.signature) for f in fluents}
    for action in copy.actions:
        for effect in list(action.effects):
            if (opposite := opposites.get(effect.fluent.fluent())) is not None:
                mirrored = opposite(*effect.fluent.args), negation(effect.value).simplify(), effect.condition
                action._add_effect_instance(type(effect)(*mirrored, effect.kind, effect.forall))
    for atom, value in problem.explicit_initial_values.items():
        if (opposite := opposites.get(atom.fluent())) is not None:
            copy.set_initial_value(opposite(*atom.args), value.is_false())
    positive = {c: opposites[c.arg(0).fluent()](*c.arg(0).args) for c in negated}
    copy.clear_goals()
    for goal in problem.goals:
        copy.add_goal(goal.substitute(positive))
    return copy


def _added_fluent(problem: Any, name: str, value: bool, signature: Any = ()) -> Any:
    """A new fluent that is true or false, by a name that nothing else has."""
    from unified_planning.shortcuts import Fluent

    while problem.has_name(name):
        name += "-"
    kind = problem.environment.type_manager.BoolType()
    return problem.add_fluent(Fluent(name, kind, list(signature), problem.environment), default_initial_value=value)


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
