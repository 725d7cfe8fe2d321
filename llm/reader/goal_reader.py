"""From an instruction to type-checked goals: the model writes a program, code binds it to the scene and checks it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from llm.models.language_model import Logged, Model
from llm.reader.binding import Binder, Goals
from llm.reader.constrained_decoding import SURE, ProgramReply, confidence, instruction, read, unquoted
from llm.reader.expanding import Expanded, doing, expanded, merged, sorting_key
from llm.reader.program import Handled, If, NamedThings, Program, calls, in_words, read_program
from llm.reader.sentences import domain_sentences
from llm.reader.setting import Setting
from llm.vocabulary.forms import Sayable, sayable
from llm.vocabulary.names import own_words
from llm.vocabulary.phrases import SceneVocabulary, vocabulary
from tamp.errors import InputError, Refusal
from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.formula import holds
from tamp.model.goal import Goal, parse_goal
from tamp.model.goal_updates import as_before, spoken_of, taken_back, together
from tamp.model.grounding import Grounding
from tamp.model.scene import Scene
from tamp.model.state import WorldState, problem_of
from tamp.pddl.planner import Planner, PlanStatus, Tell, unlogged

LISTED = 8
"""Readings that a message has."""


@dataclass(frozen=True)
class Interpretation:
    """A program, and the goals that it comes to."""

    program: Program
    goals: Goals

    def __str__(self) -> str:
        return in_words(self.program)


class OpenReadingError(Refusal):
    """The words can be read in ways between which a person has to choose: `alternatives` are their goals, `readings`
    their sentences."""

    def __init__(self, message: str, kind: str, found: Sequence[Interpretation]) -> None:
        super().__init__(message, kind)
        self.alternatives, self.readings = tuple(r.goals for r in found), tuple(map(str, found))
        self.assumable = True


class AmbiguousError(OpenReadingError):
    """The words fit several things equally well."""

    def __init__(self, found: Sequence[Interpretation]) -> None:
        more = f" | and {len(found) - LISTED} more" if len(found) > LISTED else ""
        listed = " | ".join(map(str, found[:LISTED])) + more
        super().__init__(f"the instruction fits {len(found)} goals: {listed}; say which", "ambiguous", found)


class UnsureError(OpenReadingError):
    """What was understood, as one or two readings, is too unlikely to be done unasked."""

    def __init__(self, found: Sequence[Interpretation]) -> None:
        listed = ", or: ".join(map(str, found))
        super().__init__(f"is this meant: {listed}? Say it in other words", "unsure", found)


def ground(
    text: str,
    scene: Scene,
    state: WorldState,
    domain: Domain,
    model: Model,
    *,
    names: dict[str, str] | None = None,
    assume_first: bool = False,
    image: bytes | None = None,
    planner: Planner | None = None,
    tell: Tell = unlogged,
) -> Grounding:
    """The goals that `text` asks for in this scene, one after the other.

    `names` are the scene's own words, phrase to symbol; `image` is a PNG of it, for a model that sees. Goals for
    which `planner` proves that there is no plan are refused. Raises as `understand`.
    """
    stage = seen_stage(scene, state, domain, names, planner)
    return understand(text, stage, model, assume_first, image=image, tell=tell)


def understand(
    text: str,
    stage: Stage,
    model: Model,
    assume_first: bool = False,
    *,
    image: bytes | None = None,
    tell: Tell = unlogged,
    cancelled: Callable[[], bool] = lambda: False,
) -> Grounding:
    """The goals from now on, once `text` was said. The instruction, the model's prompt and reply, the program and the
    result go to `tell`.

    Raises InputError for an empty or an overlong instruction, Refusal when it is about something that is not there, or
    cannot be a goal, AmbiguousError (a Refusal) when its words fit several things, and UnsureError (a Refusal) when it
    is not understood for certain. `assume_first` takes the model's choice instead of the last two, and says so.
    """
    tell("instruction", text=text)
    start, text = time.perf_counter(), instruction(text)
    if not stage.setting.members:
        raise Refusal("there is not a single thing that an instruction could be about", "absent")
    model = Logged(model, tell, cancelled)
    answer = read(text, stage.setting, model, domain_sentences(stage.domain.path), image)
    tell("program", text=str(answer.program), probability=answer.probability)
    readings = stage.readings(answer.program, text)
    sure, assumed = _settled(answer, readings, stage, text, assume_first)
    goals, roles = readings[0].goals, dict[str, str]()
    if goals:
        first = next((a for a in goals[-1].mentioned if len(a.args) == 2), goals[-1].mentioned[0])
        roles = {"source": first.args[0], "target": first.args[-1]}
    found = Grounding(
        goals=goals,
        instruction=text,
        roles=roles,
        alternatives=tuple(r.goals for r in readings[1:]),
        reply=str(answer.program),
        confidence=sure,
        probability=answer.probability,
        assumed=assumed,
        seconds=time.perf_counter() - start,
    )
    if goals:
        tell("language", **found.as_dict())
    return found


def _settled(
    answer: ProgramReply, readings: Sequence[Interpretation], stage: Stage, text: str, assume_first: bool
) -> tuple[float, str]:
    """The confidence, and why it would be asked back had it not been asked to assume. AmbiguousError, UnsureError."""
    sure = confidence(answer.probability)
    if not assume_first and len(readings) > 1:
        raise AmbiguousError(readings)
    if sure < SURE and (other := answer.other()) is not None:
        others: tuple[Interpretation, ...] = ()
        with suppress(Refusal):
            others = stage.readings(other.program, text)
        if others and others[0].goals[-1:] == readings[0].goals[-1:]:  # in the end it is the same
            sure = confidence(min(1.0, answer.probability + other.probability))
        elif not assume_first:
            raise UnsureError([readings[0], *others[:1]])
    if sure >= SURE:
        return sure, ""
    if not assume_first:
        raise UnsureError(readings)
    return sure, f"read so with confidence {sure:.2f}; below {SURE} it is asked back"


@dataclass(frozen=True, eq=False)
class Stage:
    """What programs mean in one scene, and whether that can be."""

    domain: Domain
    can: Sayable
    planner: Planner | None = None
    doing: Goals = ()
    """What is being done while something is said."""
    before: frozenset[Atom] = frozenset()
    """What held before that was begun."""

    @cached_property
    def binder(self) -> Binder:
        """Names of the scene to symbols."""
        return Binder(self.domain, self.can)

    @cached_property
    def setting(self) -> Setting:
        """The scene as it is put to the model."""
        return replace(self.binder.setting, now=self.binder.program(self.doing))

    def readings(self, program: Program, words: str) -> tuple[Interpretation, ...]:
        """The goals of a program; several, where it leaves open which thing is meant and the answer matters. Refusal
        where there are none."""
        program = unquoted(program, self._called, self.setting)
        self._refuse(expanded(program), program)
        found = [Interpretation(p, self._goals(expanded(p))) for p in _choices(program, words, self.setting)]
        found = list({r.goals: r for r in reversed(found)}.values())[::-1]
        pending = [r for r in found if not all(holds(g.formula, self.can.state.atoms) for g in r.goals)] or found
        planner = self.planner
        possible = tuple(r for r in pending if planner is None or all(self._has_plan(g, planner) for g in r.goals))
        if not possible:
            raise Refusal(f"no plan reaches {pending[0].goals[-1]} from how things are", "unsolvable")
        if not (possible[0].goals or self.setting.now):
            raise Refusal("the instruction asks for nothing that could be done", "nothing")
        return possible

    def _refuse(self, found: Expanded, program: Program) -> None:
        """Refusal where a program is no goal: what cannot be said, what is not there, nothing at all."""
        can, busy = self.can, bool(self.setting.now)
        match found.kind:
            case "cannot":
                words = " and ".join(f'"{w}"' for w in sorted(found.cannot))
                forms = ", ".join(f.words for f in can.forms)
                raise Refusal(
                    f"{words} cannot be a goal: the domain has no predicate for it; it has: {forms}", "no goal"
                )
            case "absent":
                absent = " and no ".join(f'"{w}"' for w in sorted(found.absent))
                refusal = Refusal(f"the scene has no {absent}; {can.words.inventory()}", "absent", tuple(found.absent))
                every = [*calls(program.lines)]
                named = {n for c in every for a in c.arguments if isinstance(a, NamedThings) for n in a.names}
                closed = [s for s, kind in can.state.symbols.items() if kind in ("drawer", "cupboard")]
                refusal.places = tuple(s for s in closed if can.words.name.get(s) in named)  # it may be in there
                limits = any(isinstance(line, If | Handled) for line in program.lines)
                refusal.forbids = limits or any(not c.holds for c in every)
                raise refusal
            case "stop" if busy:
                pass
            case "nothing" | "stop":
                raise Refusal("the instruction asks for nothing that could be done", "nothing")
            case _ if not busy and (found.back or found.dropped or found.drops_all or found.actions):
                raise Refusal("that is about work in progress, and there is none", "no goal")
            case _:
                pass

    def _called(self, phrase: str) -> list[str]:
        """The setting's names of what a phrase of the scene means: those that stand for most of it."""
        fits, names = {*self.can.words.phrases.get(phrase, ())}, self.binder.symbols
        share = {name: (len({*some} & fits), {*some} <= fits) for name, some in names.items()}
        return [name for name in share if fits and share[name] == max(share.values())]

    def _goals(self, change: Expanded) -> Goals:
        """What is wanted from then on."""
        goals = self._checked(self.binder.goals(merged(doing(self.setting), change)))
        symbols = self.binder.symbols
        if change.back:
            about = frozenset(s for name in change.back for s in symbols[name])
            goals = together(goals, as_before(about, self.before, self.domain))
        if change.dropped and any(change.milestones):
            mistaken = self.binder.goals(Expanded(milestones=[sorted(change.dropped, key=sorting_key)]))
            denied = taken_back(mistaken, self.before, spoken_of(self.binder.goals(change)))
            goals = together((denied,), goals) if denied else goals
        return goals

    def _checked(self, goals: Goals) -> Goals:
        """The goals, through the same check that written ones get."""
        symbols = self.can.state.symbols
        left = tuple(s for s in goals[-1].untouched if s in symbols) if goals else ()
        try:
            return tuple(parse_goal(str(g), self.domain, symbols, untouched=left) for g in goals)
        except InputError as e:
            raise Refusal(f"what is asked for cannot be a goal here: {e}", "no goal") from e

    def _has_plan(self, goal: Goal, planner: Planner) -> bool:
        """Whether it is not proven that there is none."""
        known = self.can.state.with_facts(goal.rules(self.domain, self.can.state))
        problems = (problem_of(self.domain, known, some.parts) for some in goal.alternatives())
        return any(planner.solve(p).status is not PlanStatus.UNSOLVABLE for p in problems)


def stage_of(domain: Domain, state: WorldState, words: SceneVocabulary, planner: Planner | None = None) -> Stage:
    """That of a world that is known by the `words` for its symbols: it need have no geometry."""
    return Stage(domain, sayable(domain, state, words), planner)


def seen_stage(
    scene: Scene,
    state: WorldState,
    domain: Domain,
    names: dict[str, str] | None = None,
    planner: Planner | None = None,
) -> Stage:
    """That of a scene, in which things have the domain's words and `names` of its own."""
    known = state.known_to(domain)
    return stage_of(domain, known, vocabulary(scene, known, names, own_words(domain)), planner)


def _choices(program: Program, words: str, setting: Setting) -> Iterator[Program]:
    """The programs that a program is once it is decided which of some things is meant."""
    arguments = (a for c in calls(program.lines) for a in c.arguments if isinstance(a, NamedThings))
    which = next((a for a in arguments if a.how == "which" and len(a.names) > 1), None)
    if which is None:
        yield program
        return
    rest = str(program).replace(which.text, "")
    for name in _singled_out(which.names, words, rest, setting) or which.names:
        yield from _choices(read_program(str(program).replace(which.text, name), setting), words, setting)


def _singled_out(names: Sequence[str], words: str, rest: str, setting: Setting) -> tuple[str, ...]:
    """The one of some things of which the words have the whole name, or where it is, as the setting has it; (). A side
    that the `rest` of the program has is another thing's."""
    said = words.lower().replace(" and ", " & ")
    tells = {
        f
        for m in setting.members
        for f in m.facts
        if " the " in f or (f.isalpha() and f not in rest and f not in setting.forms)
    }
    facts = {m.name: [f.replace(" and ", " & ") for f in m.facts if f in tells] for m in setting.members}
    found = tuple(n for n in names if any(re.search(rf"\b{re.escape(t)}\b", said) for t in (n, *facts[n])))
    return found if len(found) == 1 else ()
