"""Relaxed reachability: what can ever come true in a problem where nothing that holds is lost.

An over-estimate that needs no grounding: the objects that each parameter of an operator can be are followed on their
own. What is said never to hold never does; what is not said may still be impossible.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from math import prod
from typing import Any

from tamp.pddl.conditions import is_atom, parts, within, written

MOST_VISITED = 3_000_000
"""Facts that are looked at, after which nothing is said of the problem."""

MOST_ROWS = 3000
"""Facts of one predicate that operators change; where there may be more, it is taken to hold of anything."""

MOST_APART = 200
"""Ways to do an operator that are looked at one by one."""

Row = tuple[str, ...]
Domains = dict[Any, set[str]]


@dataclass(frozen=True)
class Reached:
    """`blocked` operators with what keeps each from ever being done; `hopeless` goals in PDDL.

    `idle` operators have a parameter that no object can be: the problem is not about them.
    """

    blocked: dict[str, str]
    hopeless: tuple[str, ...]
    idle: frozenset[str] = frozenset()
    _world: _World | None = field(default=None, repr=False, compare=False)

    def possible(self, condition: Any) -> bool:
        """Whether a condition without parameters can ever hold. No is a proof, yes is not."""
        return self._world is None or self._world.possible(condition, {})


def reach(problem: Any, from_outside: Collection[str] = ()) -> Reached | None:
    """Follow operators until nothing more comes true. Predicates `from_outside` may hold of anything.

    None when it would take long, or for problems with tasks, an uncertain start, processes or events.
    """
    if type(problem).__name__ != "Problem" or problem.processes or problem.events:
        return None
    world = _World.of(problem, from_outside)
    blocked: dict[str, _Step] = {}
    changed: set[str] | None = None
    while changed is None or changed:
        grown: set[str] = set()
        for step in world.steps:
            if changed is None or changed & step.reads:
                blocked.pop(step.name, None)
                if not world.take(step, grown):
                    blocked[step.name] = step
            if world.visited > MOST_VISITED:
                return None
        changed = grown
    hopeless = tuple(written(g) for g in parts(problem.goals) if not world.possible(g, {}))
    idle = frozenset(s.name for s in world.steps if not all(world.domains(s).values()))
    return Reached({n: world.why_not(step) for n, step in blocked.items()}, hopeless, idle, world)


@dataclass(frozen=True)
class _Step:
    """An operator: its parameters, the parts of its conditions, its effects and the fluents it reads."""

    name: str
    parameters: tuple[Any, ...]
    conditions: tuple[Any, ...]
    effects: tuple[Any, ...]
    reads: frozenset[str]

    @property
    def excludes(self) -> bool:
        """Whether a condition is that a fact about several parameters does not hold."""
        atoms = (c.arg(0) for c in self.conditions if c.is_not() and is_atom(c.arg(0)))
        return any(sum(a.is_parameter_exp() for a in atom.args) > 1 for atom in atoms)


@dataclass
class _World:
    """`facts` hold in the beginning. Of the predicates that operators change, `rows` are the arguments that have been
    reached, None where these are too many."""

    problem: Any
    steps: list[_Step]
    moving: set[str]
    deleted: set[str]
    outside: Collection[str]
    facts: dict[str, set[Row]] = field(default_factory=dict)
    rows: dict[str, set[Row] | None] = field(default_factory=dict)
    visited: int = 0

    @classmethod
    def of(cls, problem: Any, outside: Collection[str]) -> _World:
        steps = [_step(a) for a in problem.actions]
        timed = [e for effects in problem.timed_effects.values() for e in effects]
        effects = [*timed, *(e for s in steps for e in s.effects)]
        deleted = {e.fluent.fluent().name for e in effects if not e.value.is_true()}
        world = cls(problem, steps, {e.fluent.fluent().name for e in effects}, deleted, outside)
        for atom, value in problem.explicit_initial_values.items():
            if value.is_true():
                world.facts.setdefault(atom.fluent().name, set()).add(tuple(map(str, atom.args)))
                world._hold(atom.fluent().name, tuple({str(a)} for a in atom.args))
        for effect in timed:
            world._hold(effect.fluent.fluent().name, tuple({str(a)} for a in effect.fluent.args))
        return world

    def _hold(self, name: str, args: tuple[set[str], ...]) -> bool:
        """Let a fluent that operators change hold of any of some arguments; whether that is new."""
        rows = self.rows.setdefault(name, set())
        if rows is None:
            return False
        before = len(rows)
        if before + prod(map(len, args)) > 2 * MOST_ROWS or len(rows.union(itertools.product(*args))) > MOST_ROWS:
            self.rows[name] = None
            return True
        rows.update(itertools.product(*args))
        return len(rows) > before

    def take(self, step: _Step, grown: set[str]) -> bool:
        """Do an operator in every way it may be done; whether there is any."""
        domains = self.fitting(step, step.conditions)
        if domains is None:
            return False
        for effect in step.effects:
            if (
                effect.fluent.type.is_bool_type()
                and not effect.value.is_false()
                and self.possible(effect.condition, domains)
            ):
                name = effect.fluent.fluent().name
                for args in self._ways(step, effect.fluent, domains):
                    if self._hold(name, args):
                        grown.add(name)
        return True

    def _ways(self, step: _Step, atom: Any, domains: Domains) -> Iterator[tuple[set[str], ...]]:
        """The arguments that an effect may have: one by one, as far as they are few, where a condition that has to be
        false is about several parameters at once, of which each alone shows nothing."""
        values = tuple(self._values(a, domains) for a in atom.args)
        if not step.excludes or prod(map(len, values)) > MOST_APART:
            yield values
            return
        for row in itertools.product(*values):
            given = {a.parameter(): {v} for a, v in zip(atom.args, row, strict=True) if a.is_parameter_exp()}
            if self.fitting(step, step.conditions, given) is not None:
                yield tuple({v} for v in row)

    def fitting(self, step: _Step, conditions: Iterable[Any], given: Domains | None = None) -> Domains | None:
        """The objects that each parameter may be under some of an operator's conditions; None where there are none."""
        domains, before = self.domains(step) | (given or {}), -1
        if not all(domains.values()):
            return None
        while before != (before := sum(map(len, domains.values()))):
            if not all(self._narrow(condition, domains) for condition in conditions):
                return None
        return domains

    def why_not(self, step: _Step) -> str:
        """What keeps an operator from ever being done: a smallest set of conditions that never hold together."""
        if not all(self.domains(step).values()):
            return "there is no object for it"
        needed = list(step.conditions)
        for condition in step.conditions:
            fewer = [c for c in needed if c is not condition]
            if self.fitting(step, fewer) is None:
                needed = fewer
        never = "never holds" if len(needed) == 1 else "never hold together"
        return f"it needs {' and '.join(map(written, needed))}, which {never}"

    def domains(self, step: _Step) -> Domains:
        """The objects that each parameter may be by its type."""
        return {p: {o.name for o in self.problem.objects(p.type)} for p in step.parameters}

    def _narrow(self, condition: Any, domains: Domains) -> bool:
        """Leave of the parameters' objects those that a condition may hold of; whether there are any."""
        if condition.is_fluent_exp():
            return self._narrow_atom(condition, domains)
        if condition.is_or():
            each = [dict(domains) for _ in condition.args]
            may = [d for part, d in zip(condition.args, each, strict=True) if self._narrow(part, d)]
            domains.update({p: set[str]().union(*(d[p] for d in may)) for p in domains})
            return bool(may)
        if condition.is_and():
            return all(self._narrow(part, domains) for part in condition.args)
        if condition.is_not() and is_atom(condition.arg(0)):
            return self._narrow_negated(condition.arg(0), domains)
        return self.possible(condition, domains)

    def _narrow_atom(self, condition: Any, domains: Domains) -> bool:
        name, args = condition.fluent().name, condition.args
        if name in self.outside:
            return True
        facts = self.rows.get(name, set()) if name in self.moving else self.facts.get(name, set())
        if facts is None:
            return True
        rows = self._fitting_rows(facts, condition, domains)
        for arg, column in zip(args, zip(*rows, strict=True), strict=True) if rows else ():
            if arg.is_parameter_exp():
                domains[arg.parameter()] = domains[arg.parameter()] & set(column)
        return bool(rows) and all(domains[a.parameter()] for a in args if a.is_parameter_exp())

    def possible(self, condition: Any, domains: Domains) -> bool:
        """Whether a condition may hold of some of the parameters' objects."""
        if condition.is_fluent_exp():
            return not condition.type.is_bool_type() or self._narrow(condition, dict(domains))
        if condition.is_not() and is_atom(condition.arg(0)):
            return self._narrow_negated(condition.arg(0), dict(domains))
        if condition.is_and():
            return all(self.possible(c, domains) for c in condition.args)
        if condition.is_or():
            return any(self.possible(c, domains) for c in condition.args)
        if condition.is_exists():
            return self.possible(condition.arg(0), domains)
        return not condition.is_false()

    def _narrow_negated(self, atom: Any, domains: Domains) -> bool:
        """The same of an atom that has to be false: it is in the beginning, or may become so."""
        name = atom.fluent().name
        if name in self.deleted or name in self.outside:
            return True
        held = self._fitting_rows(self.facts.get(name, set()), atom, domains)
        ways = prod(len(self._values(a, domains)) for a in atom.args)
        if len(held) == ways:
            return False
        for place, argument in enumerate(atom.args):
            if argument.is_parameter_exp():
                often, some = Counter(row[place] for row in held), domains[argument.parameter()]
                domains[argument.parameter()] = {o for o in some if often[o] < ways / len(some)}
        return True

    def _fitting_rows(self, facts: set[Row], atom: Any, domains: Domains) -> list[Row]:
        some = [self._values(a, domains) for a in atom.args]
        self.visited += len(facts)
        return [row for row in facts if all(v in values for v, values in zip(row, some, strict=True))]

    def _values(self, term: Any, domains: Domains) -> set[str]:
        if term.is_parameter_exp():
            return domains[term.parameter()]
        kind = term.variable().type if term.is_variable_exp() else None
        return {str(term)} if kind is None else {o.name for o in self.problem.objects(kind)}


def _step(action: Any) -> _Step:
    timed = isinstance(getattr(action, "conditions", None), dict)
    conditions = [c for cs in action.conditions.values() for c in cs] if timed else list(action.preconditions)
    effects = [e for es in action.effects.values() for e in es] if timed else list(action.effects)
    needed = tuple(parts(conditions))
    inside = (one for c in (*needed, *(e.condition for e in effects)) for one in within(c))
    read = frozenset(one.fluent().name for one in inside if one.is_fluent_exp())
    return _Step(action.name, tuple(action.parameters), needed, tuple(effects), read)
