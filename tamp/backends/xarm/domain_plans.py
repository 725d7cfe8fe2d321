"""A plan of a domain for an arm as the steps of the contract, with events of the hand between them.

Each ground action is one step or one event, by the skill that the domain's table binds its operator to, so that they
have the numbers of their actions. A skill takes the operator's first arguments; further ones only say what the operator
is about.

Places are the world's named poses, items the labels of its detector. A symbol of PDDL has no blanks and no upper case:
`wine_glass` and `wine-glass` are the label "wine glass". Several things of one label are numbered, `cup_1`, `cup_2`,
and their numbers are their order of distance from the place that they are at.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tamp.backends.xarm.arm_steps import ARM_SKILLS, SkillCall, Step
from tamp.backends.xarm.contract import wrong_steps
from tamp.backends.xarm.hand import HandEvent
from tamp.backends.xarm.workcell import Workcell
from tamp.errors import InputError
from tamp.files.source import Source
from tamp.model.atoms import Atom, GroundAction
from tamp.pddl.domain_file import load
from tamp.pddl.lint.findings import valid
from tamp.pddl.plan_file import PlanFile
from tamp.pddl.verdict import Verdict
from tamp.skills.builtin_specs import ITEM, NAMED, arm_specs, check_table

Facts = frozenset[Atom]
AT = "at"
"""The predicate `(at ITEM PLACE)`: a thing is among the nearest with its label to a place."""
_NUMBERED = re.compile(r"(.+)[_-](\d+)")


@dataclass(frozen=True)
class JudgedArmPlan:
    """A plan as it was read, the verdict on it, and its steps, none when it is not valid."""

    plan: PlanFile
    verdict: Verdict
    steps: tuple[Step | HandEvent, ...]


def read_plan_steps(source: Source, domain: str, problem: Path, world: Workcell) -> JudgedArmPlan:
    """The steps of a plan in any format of `tamp validate`, once it is known to be valid.

    InputError for files that cannot be read or do not belong together, for a domain that is for no arm, and with all
    that is wrong with the steps in this world.
    """
    from tamp.pddl.judges import in_order, judge_of, verdict_on
    from tamp.pddl.plan_file import resolve
    from tamp.pddl.plan_formats import read_plan
    from tamp.pddl.reading import read_problem
    from tamp.pddl.verdict import Judge

    loaded = load(domain)
    check_table(loaded, "xarm")
    judge = judge_of(read_problem(domain, problem)[2])
    if not isinstance(judge, Judge):
        raise InputError(f"{loaded.path}: an arm does one thing after another; valid: a domain without durations")
    plan = in_order(read_plan(source))
    verdict = verdict_on(plan, judge, trace=True)
    if not verdict.valid:
        return JudgedArmPlan(plan, replace(verdict, changes=()), ())
    actions = [
        GroundAction(a.action.name, tuple(str(p) for p in a.actual_parameters)) for a in resolve(plan, judge.problem)
    ]
    before = _facts(judge.problem, verdict.changes)
    steps = tuple(
        _step(number, action, loaded.skills[action.name], facts, world)
        for number, (action, facts) in enumerate(zip(actions, before, strict=True), 1)
    )
    moves = [(n, step, True) for n, step in enumerate(steps, 1) if not isinstance(step, HandEvent)]
    wrong = [(breach.step or 1, breach.message) for breach in wrong_steps(moves, world)]
    event = next((s for s in steps if isinstance(s, HandEvent)), None)
    if event is not None and world.hand is None:
        wrong.append((event.step, 'it is for the hand, and the world names none; valid: hand = "tcp://127.0.0.1:5557"'))
    if wrong:
        each = [f"step {number}, {actions[number - 1]}: {message}" for number, message in sorted(wrong)]
        raise InputError("\n  ".join([f"{source.name} cannot be run in {world.name}:", *each]))
    return JudgedArmPlan(plan, verdict, steps)


def _step(number: int, action: GroundAction, skill: str, facts: Facts, world: Workcell) -> Step | HandEvent:
    """What an action comes to, where `facts` hold. InputError for symbols that the world does not know."""
    arguments, comes = dict(zip(arm_specs()[skill].takes, action.args, strict=False)), ARM_SKILLS[skill]
    try:
        place = _meant(arguments[NAMED], world.poses) if NAMED in arguments else ""
        if place is None:
            raise InputError(f"there is no named pose {arguments[NAMED]!r}; {valid(arguments[NAMED], world.poses)}")
        if ITEM not in arguments:
            return comes(SkillCall(number, action, place))
        label = label_named(arguments[ITEM], world.labels)
        index = rank(arguments[ITEM], arguments[NAMED], facts, world.labels)
    except InputError as e:
        raise InputError(f"step {number}, {action}: {e}") from e
    return comes(SkillCall(number, action, place, label, index))


def _facts(problem: Any, changes: Sequence[Sequence[str]]) -> list[Facts]:
    """Where things are before each step of a plan that makes these changes: the atoms of `at`."""
    from tamp.pddl.conditions import written as in_pddl

    there = {in_pddl(f) for f, value in problem.explicit_initial_values.items() if value.is_true()}
    before = []
    for changed in changes:
        atoms = (text.strip("()").split() for text in there)
        before.append(frozenset(Atom(AT, tuple(args)) for predicate, *args in atoms if predicate == AT))
        there -= {text[len("(not ") : -1] for text in changed if text.startswith("(not ")}
        there |= set(changed)
    return before


def label_named(symbol: str, labels: Collection[str]) -> str:
    """The label that a symbol stands for, with or without its number. InputError when there is none.

    Where a world does not say what its detector names, `labels` is empty, and the symbol says it itself, with blanks
    for the lines.
    """
    plain = _split(symbol)[0]
    if not labels:
        return re.sub("[_-]+", " ", plain)
    if found := _meant(symbol, labels) or _meant(plain, labels):
        return found
    raise InputError(f"the detector has no label for {symbol!r}; {valid(plain, labels)}")


def rank(item: str, place: str, facts: Iterable[Atom], labels: Collection[str]) -> int:
    """How many of the things with an item's label are nearer to a place than the item is: those that are at the place
    by the facts, and come before it by their numbers, the unnumbered first."""
    label = label_named(item, labels)
    there = {a.args[0] for a in facts if a.predicate == AT and a.args[1:] == (place,)} - {item}
    return sum(label_named(i, labels) == label and (_split(i)[1], i) < (_split(item)[1], item) for i in there)


def _split(symbol: str) -> tuple[str, int]:
    found = _NUMBERED.fullmatch(symbol)
    return (found[1], int(found[2])) if found else (symbol, -1)


def _meant(symbol: str, names: Collection[str]) -> str | None:
    same = [name for name in names if _plain(name) == _plain(symbol)]
    if len(same) > 1:
        raise InputError(f"{symbol!r} may be any of {', '.join(map(repr, same))} of the world; give them other names")
    return same[0] if same else None


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.lower())
