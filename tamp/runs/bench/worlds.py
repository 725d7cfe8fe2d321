"""Drawn worlds as scenes of a benchmark: a number of a seed is a scene file whose goal does not hold at the start.

Seeds below 1000 are for developing, those from 1000 are measured.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.scene_description import DEFAULT_STEP_LIMIT, Task
from tamp.backends.libero.scene_file import read_scene
from tamp.backends.libero.tasks import SCENE
from tamp.backends.libero.world_drawing import could_hold, drawn_scene
from tamp.errors import InputError, Refusal
from tamp.files.replacing import replace_file
from tamp.model.atoms import Atom
from tamp.model.bodies import world_of
from tamp.model.domain import Domain
from tamp.model.goal import Goal
from tamp.model.scene import Scene, SceneObject
from tamp.model.state import WorldState, problem_of
from tamp.pddl.planner import Engine, PlanStatus
from tamp.perception import relations
from tamp.perception.observers import StateEstimator
from tamp.perception.predicates import SEEN
from tamp.runs.bench.records import EpisodeRecord
from tamp.skills.registry import bound

DRAWS = 50
"""Scenes drawn for one world, until one settles and has a goal."""
HARDEST = 20
"""Worlds of which the scene files are kept for a closer look."""
ATOMS = 6
"""Parts of a goal at most; k of them are asked for as often as 1 / k says."""
PROPOSALS = 200
"""Atoms that are looked at for one goal."""


Purpose = tuple[str, tuple[str, ...]]
"""A predicate that an operator makes true, with the types of what it is about."""


@dataclass(frozen=True, eq=False)
class DrawnWorld:
    """A world as a task of its scene file, and why each scene that was drawn before it was not taken."""

    task: Task
    refused: tuple[str, ...]


def draw_world(
    folder: Path, seed: int, number: int, domain: Domain, built: Callable[[Task, int], LiberoEnvironment]
) -> DrawnWorld:
    """World `number` of a seed, whose scene file is written into a folder; `built` is LIBERO's environment
    of a task and a seed.

    InputError where no scene that was drawn stays as it was put.
    """
    folder.mkdir(parents=True, exist_ok=True)
    refused: list[str] = []
    for draw in range(DRAWS):
        rng = np.random.default_rng([seed, number, draw])
        text = f"# World {number} of seed {seed}, draw {draw}.\n{drawn_scene(rng)}"
        replace_file(folder / SCENE, text)
        task = read_scene(folder / SCENE)
        try:
            environment = built(task, task.seed)
            goal = _goal(environment, domain, rng)
        except InputError as e:
            refused.append(str(e))
            continue
        if goal is None:
            refused.append("nothing in it could be asked for")
            continue
        limit = DEFAULT_STEP_LIMIT * len(goal.parts)
        replace_file(folder / SCENE, text.replace("\nseed", f'\ngoal = "{goal}"\nstep_limit = {limit}\nseed', 1))
        environment.task = replace(task, goal=str(goal), step_limit=limit)  # what is built serves the episode, too
        return DrawnWorld(environment.task, tuple(refused))
    raise InputError(f"world {number} of seed {seed}: none of {DRAWS} draws can be used; the last one: {refused[-1]}")


def keep_hardest(folder: Path, records: Iterable[EpisodeRecord]) -> None:
    """Copy the scene files of the hardest worlds of a results folder to its `hardest/`, each with what became of it:
    those that failed first, then by seconds of planning."""
    ranked = sorted((r for r in records if r.scene), key=lambda r: (r.success, -r.planning_seconds))[:HARDEST]
    if ranked:
        shutil.rmtree(folder / "hardest", ignore_errors=True)
    for place, r in enumerate(ranked, 1):
        where = folder / "hardest" / f"{place:02}-world-{r.task_id}"
        where.mkdir(parents=True)
        verdict = "success" if r.success else f"{r.failure_stage}: {r.failure_reason}"
        text = (folder / str(r.scene)).read_text(encoding="utf-8")
        replace_file(where / SCENE, f"# {r.planning_seconds:.0f} s of planning, {' '.join(verdict.split())}\n{text}")


def _goal(environment: LiberoEnvironment, domain: Domain, rng: np.random.Generator) -> Goal | None:
    """A goal for the scene as it is: nothing of it holds, and there is a plan for it if geometry allows everything."""
    scene = OraclePerceiver(environment).perceive()
    observers = bound(domain).observers
    state = StateEstimator(domain, observers, world_of(scene, environment.robot_model())).state(scene).known_to(domain)
    shares = 1 / np.arange(1, ATOMS + 1)
    wanted, goal = 1 + int(rng.choice(ATOMS, p=shares / shares.sum())), tuple[Atom, ...]()
    seen = (SEEN | relations.seen(domain) | observers.keys()) - {"holding", relations.RESTS_ON}  # ends empty-handed
    for atom in itertools.islice(_proposals(domain, state, seen, rng), PROPOSALS):
        twice = any((a.predicate, a.args[:1]) == (atom.predicate, atom.args[:1]) for a in goal)
        if twice or atom in state.atoms or not _fits(atom, goal, scene):
            continue
        with suppress(Refusal):
            relations.check(Goal.of((*goal, atom)), scene, domain)
            if Engine().solve(problem_of(domain, state, (*goal, atom))).status is PlanStatus.FOUND:
                goal = (*goal, atom)
        if len(goal) == wanted:
            break
    return Goal.of(goal) if goal else None


def _proposals(domain: Domain, state: WorldState, seen: Collection[str], rng: np.random.Generator) -> Iterator[Atom]:
    """Atoms without end, of the predicates `seen`, that an operator would make true of what it acts on, its first
    parameter, as often whatever the state as only in some. Operators with more parameters are drawn more often."""
    purposes = {a.name: found for a in domain.parsed.actions if any(found := _purposes(a, seen))}
    weights = np.array([len(domain.operators[o].parameters) ** 2 for o in purposes], dtype=float)
    while True:
        groups = [g for g in list(purposes.values())[int(rng.choice(len(weights), p=weights / weights.sum()))] if g]
        effects = groups[int(rng.integers(len(groups)))]
        name, kinds = effects[int(rng.integers(len(effects)))]
        args = [_symbol(domain, state, kind, rng) for kind in kinds]
        if None not in args and len({*args}) == len(args):
            yield Atom(name, tuple(map(str, args)))


def _purposes(operator: Any, seen: Collection[str]) -> tuple[list[Purpose], list[Purpose]]:
    """What an operator makes true of what it acts on, always and under a condition, of the predicates `seen`."""
    found: tuple[list[Purpose], list[Purpose]] = [], []
    for effect in operator.effects:
        name, args = effect.fluent.fluent().name, effect.fluent.args
        about = args[0].parameter().name if args and args[0].is_parameter_exp() else None
        acted_on = operator.parameters[0].name if operator.parameters else ""
        if effect.value.is_true() and about == acted_on and name in seen:
            found[effect.is_conditional()].append((name, tuple(a.type.name for a in args)))
    return found


def _symbol(domain: Domain, state: WorldState, kind: str, rng: np.random.Generator) -> str | None:
    """A symbol of a type: first which of the types below it, so that the many items do not crowd out the places."""
    kinds = sorted({t for t in state.symbols.values() if domain.is_a(t, kind)})
    if not kinds:
        return None
    chosen = kinds[int(rng.integers(len(kinds)))]
    symbols = sorted(s for s, t in state.symbols.items() if t == chosen)
    return symbols[int(rng.integers(len(symbols)))]


def _fits(atom: Atom, others: tuple[Atom, ...], scene: Scene) -> bool:
    """Whether what is to be on or in something is not too large for it, alone and with the `others` that are to be
    there, and does not carry that itself; whether a relation is one between things, and does not hold."""
    if atom.predicate in relations.RELATIONS:
        return {*atom.args} <= {o.name for o in scene} and not relations.holds(atom, scene)
    if atom.predicate not in ("on", "in"):
        return True
    owners = {o.name: o.name for o in scene} | {r.name: o.name for o, r in scene.regions()}
    thing, place = atom.args
    held = [a.args for a in others if a.predicate in ("on", "in")]
    below, under = {item: owners[p] for item, p in held}, owners[place]
    while under in below and under != thing:
        under = below[under]
    there = [thing, *(item for item, p in held if p == place)]
    if under == thing or (place == owners[place] and len(there) > 1):  # what is on an item is centred on it
        return False
    carrier = scene.object(place) if place == owners[place] else scene.region(place)[1]
    if not could_hold(carrier, scene.object(thing), not scene.object(owners[place]).movable):
        return False
    if isinstance(carrier, SceneObject):
        return True
    axes = 3 if carrier.kind == "interior" else 2
    needed = sum(float(np.prod(scene.object(n).extent[:axes])) for n in there)
    return len(there) == 1 or needed <= float(np.prod(2 * carrier.world_half_extent()[:axes]))
