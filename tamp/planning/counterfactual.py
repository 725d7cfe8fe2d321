"""What keeps an action from being done: it is tried without the things that its samples touched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

import numpy as np

from motion.poses import pose
from motion.world import World
from tamp.model.motions import Move
from tamp.model.scene import contains
from tamp.model.situation import Situation
from tamp.skills.base import Infeasible, Refinement, Skill, Tools
from tamp.skills.open_parts import TOUCHING, interiors, open_parts

ELSEWHERE = 50.0
"""Metres aside at which a thing is out of the way."""


def needed(
    skill: Skill,
    args: tuple[str, ...],
    causes: list[Infeasible],
    situation: Situation,
    tools: Tools,
    most: int,
) -> list[Infeasible]:
    """Those of the causes, in symbols, that count. Where there is a motion with nothing movable there and all that is
    open shut, what it would touch: what is open first, then a cause for each item. Where there is none either, what
    blames nothing that could be shut or moved away.

    `most` samples are drawn at most. All causes count with something in the hand, and where the skill itself knows its
    reasons.
    """
    movable = frozenset(o.name for o in situation.scene if o.movable)
    items, about = movable - {*args}, movable & {*args}
    parts = open_parts(situation.scene, args)
    parts -= {p for p in parts for o in about if _is_in(o, p, situation)}
    hit = (items | parts) & {b for c in causes if c.reason in TOUCHING for b in c.blockers}
    if not hit or situation.held or any(c.facts or c.final or c.whatever_grasp for c in causes):
        return causes
    # what is decided next is not to depend on it
    tools = replace(tools, rng=np.random.default_rng(0), cache={})
    for sample in islice(skill.refine(args, without(situation, items | parts), tools), most):
        if isinstance(sample, Refinement):
            touched = _touched(sample, situation, items | parts, tools.world)
            met = touched & hit or touched  # round what no sample met there was a way
            inside = {o for o in met & items if any(_is_in(o, p, situation) for p in met & parts)}
            groups = [met & parts, *({o} for o in sorted((met & items) - inside))]
            return [_naming(group, causes) for group in groups if group] or causes
    return [c for c in causes if not hit & {*c.blockers}]


def _naming(group: Iterable[str], causes: list[Infeasible]) -> Infeasible:
    """A cause with some blockers, and the message that is most frequent for them, where there is any."""
    blamed = [c for c in causes if {*group} & {*c.blockers}] or causes
    often = Counter(c.message for c in blamed).most_common(1)[0][0]
    return replace(next(c for c in blamed if c.message == often), reason="collision", blockers=tuple(sorted(group)))


def _is_in(item: str, interior: str, situation: Situation) -> bool:
    return contains(situation.scene.region(interior)[1], situation.scene.object(item).position)


def without(situation: Situation, gone: Iterable[str]) -> Situation:
    """With items elsewhere, and with drawers and doors shut, by the symbols of their interiors."""
    items = {o.name for o in situation.scene}
    for n, name in enumerate(sorted(gone), 1):
        if name in items:
            aside = pose(situation.scene.object(name).position + np.array([n * ELSEWHERE, 0.0, 0.0]))
            situation = situation.settled(name, aside)
        else:
            owner, region = situation.scene.region(name)
            part = owner.part(region.door or "")
            assert part.joint is not None
            situation = situation.with_joint(owner.name, part.name, part.joint.rest)
    return situation


def _touched(found: Refinement, situation: Situation, gone: frozenset[str], world: World) -> frozenset[str]:
    """What of the things that are gone a motion would touch were they there."""
    named = {p.name: s for s, p in interiors(situation.scene).items() if s in gone}
    named |= {p.name: o.name for o in situation.scene if o.name in gone for p in o.parts}
    back = {name: T for name, T in situation.state().poses.items() if name in named}
    met = set[str]()
    for move in found.segments:
        if isinstance(move, Move):
            world.load(replace(move.state, poses=move.state.poses | back))
            met |= {named[c.other] for q in move.path for c in world.contacts(q) if c.other in named}
    return frozenset(met)
