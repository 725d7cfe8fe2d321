"""From an instruction to a type-checked goal: the model chooses, the words must bear its choice out."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from llm.aside import Aside, in_words, set_aside, with_aside
from llm.asking import Question
from llm.confidence import UNLIKELY, as_wanted, confidence, confidence_in_meaning
from llm.counts import counts, refuse_more_than_there_are
from llm.determiners import unnamed
from llm.logic_words import (
    are_counted,
    before_what_refers_back,
    goes_back,
    is_involved,
    is_more_than_counted,
    is_ordered,
    is_turned,
)
from llm.meaning import facts_in_words
from llm.meaning_stage import Goals, Reading, Stage
from llm.model import Model
from llm.own_verbs import clauses as own_clauses
from llm.own_words import own_words
from llm.phrases import Vocabulary, vocabulary
from llm.plain_stage import in_words as clause_in_words
from llm.plain_stage import plainly
from llm.relevance import relevant
from llm.said_outright import said_outright
from llm.spelling import mended, refuse_foreign
from llm.taken_away import no_longer, taken_away
from llm.wanted import LEAST, wanted
from llm.whereabouts import tell_whereabouts
from llm.words import content, instruction, mentioned
from tamp.errors import Refusal
from tamp.model.domain import Domain
from tamp.model.goal import Goal
from tamp.model.grounding import Grounding
from tamp.model.scene import Scene
from tamp.model.state import WorldState
from tamp.perception.relative_places import SIDES
from tamp.planning.engine import Planner, Tell, untold

LISTED = 8
"""Goals that a message names."""
LEAST_INVOLVED = 0.65
"""Probability of a meaning below which an instruction with words of logic or order, not only of quantity, is asked
back. Of such answers to strangers (every other of problems/meaning/meaning-measured.jsonl, which has measured this no
longer since) 4 of 12 were right, none of them and none of the 8 wrong above; the unseen part judges it."""


class AmbiguousError(Refusal):
    """The words fit several things equally well: `alternatives` are the goals they can mean."""

    def __init__(self, found: tuple[Reading, ...]) -> None:
        readings = tuple(r.chosen for r in found)
        more = f" | and {len(found) - LISTED} more" if len(found) > LISTED else ""
        listed = " | ".join(readings[:LISTED]) + more
        super().__init__(f"the instruction fits {len(found)} goals: {listed}; say which", "ambiguous")
        self.alternatives: tuple[Goals, ...] = tuple(r.goals for r in found)
        self.readings, self.assumable = readings, True


class UnsureError(Refusal):
    """What was `found`, in words `understood`, is too unlikely to be done unasked; `doubted` is the fact of it that the
    instruction seems not to ask for, if that is why: it may be what is not to be."""

    def __init__(self, found: Found, understood: str, doubted: str = "") -> None:
        doubt = f" In doubt: {doubted}." if doubted not in ("", understood) else ""
        super().__init__(f"is this meant: {understood}?{doubt} Say it in other words", "unsure")
        self.doubted = doubted
        self.found, self.alternatives, self.readings = found, (found.readings[0].goals,), (understood,)
        self.assumable = not doubted


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
    tell: Tell = untold,
) -> Grounding:
    """The goals that `text` asks for in this scene, one after the other.

    `names` are the scene's own words, phrase to symbol; `image` is a PNG of it, for a model that sees. Goals for
    which `planner` proves that there is no plan are refused. What speaks against an answer goes to `tell`.

    Raises InputError for an empty or an overlong instruction, Refusal when it is not in English, is about something
    that is not there, or cannot be a goal, AmbiguousError (a Refusal) when its words fit several things, and
    UnsureError (a Refusal) when it is not understood for certain. `assume_first` takes the model's choice instead of
    the last two, and says so; except of what seems not to be asked for.
    """
    known = state.known_to(domain)
    words = vocabulary(scene, known, names, own_words(domain))
    return ground_in(
        text, words, known, domain, model, assume_first=assume_first, image=image, planner=planner, tell=tell
    )


def ground_in(
    text: str,
    words: Vocabulary,
    state: WorldState,
    domain: Domain,
    model: Model,
    *,
    assume_first: bool = False,
    image: bytes | None = None,
    planner: Planner | None = None,
    tell: Tell = untold,
) -> Grounding:
    """The same for a world that is known by the `words` for its symbols: it need have no geometry."""
    start = time.perf_counter()
    said = instruction(text)
    text = mended(said, words.words())
    refuse_foreign(text, words.words())
    try:
        found = _grounded(text, words, state, domain, model, assume_first, image, planner, tell)
    except Refusal as refusal:
        tell_whereabouts(refusal, text, words)
        raise
    return replace(found, instruction=said, seconds=time.perf_counter() - start)


def _grounded(
    text: str,
    words: Vocabulary,
    state: WorldState,
    domain: Domain,
    model: Model,
    assume_first: bool,
    image: bytes | None,
    planner: Planner | None,
    tell: Tell,
) -> Grounding:
    about, told = relevant(text, words, state)
    if about is not words:
        tell("shortened", symbols=len(state.symbols), kept=len(told.symbols))
    stage = Stage(text, about, told, domain, model, planner, image)
    aside = set_aside(stage)
    stage = replace(stage, text=aside.rest)
    refuse_more_than_there_are(stage.text, words)
    try:
        found = _with_aside(_read(stage, words, state, tell), aside, stage)
    except UnsureError as unsure:
        unsure = _unsure_with_aside(unsure, aside, stage)
        if not (assume_first and unsure.assumable):
            raise unsure from None
        found = unsure.found
    if len(found.readings) > 1 and not assume_first:
        raise AmbiguousError(found.readings)
    first, *others = (r.goals for r in found.readings)
    return Grounding(
        goals=first,
        roles=_roles(first[-1]),
        guesses=found.guesses,
        alternatives=tuple(others),
        reply=found.reply,
        confidence=found.confidence,
        probability=found.probability,
        attempt=found.attempt,
        doubts=found.doubts,
        assumed=found.assumed,
    )


def _read(stage: Stage, words: Vocabulary, state: WorldState, tell: Tell) -> Found:
    """What the stage's instruction asks for, read in the way that its words call for; `words` and `state` are the whole
    scene's."""
    if not words.things or is_more_than_counted(stage.text):
        return _surely(_by_meaning(stage, tell), stage)
    question = Question(stage.text, stage.words, stage.state, state, stage.domain, stage.image, stage.planner)
    return _plainly(question, stage, tell)


def _with_aside(found: Found, aside: Aside, stage: Stage) -> Found:
    """What the rest of an instruction was read as, with the clauses that ask for no new state."""
    if not aside:
        return found
    readings = tuple(r for r in with_aside(found.readings, aside, stage) if stage.is_reachable(r))
    if not readings:
        raise Refusal("no plan reaches that and leaves alone what is to be left alone", "unsolvable")
    reply = "; ".join((found.reply.removesuffix("."), *in_words(aside, stage)))
    likely, sure = found.probability * aside.probability, found.confidence * aside.probability
    return replace(found, readings=readings, reply=reply, probability=likely, confidence=sure)


def _unsure_with_aside(unsure: UnsureError, aside: Aside, stage: Stage) -> UnsureError:
    """The same question about all of the instruction."""
    if not aside:
        return unsure
    understood = "; ".join((*unsure.readings, *in_words(aside, stage)))
    return UnsureError(_with_aside(unsure.found, aside, stage), understood, unsure.doubted)


@dataclass(frozen=True)
class Found:
    """What either way came to: see `Grounding`."""

    readings: tuple[Reading, ...]
    reply: str
    probability: float
    confidence: float
    attempt: int = 1
    doubts: int = 0
    guesses: dict[str, str] = field(default_factory=dict)
    assumed: str = ""

    def only_assumed(self, why: str, share: float) -> Found:
        """The same where it is not to be done unasked: `why`, and which `share` of such answers are right."""
        return replace(self, assumed=why, confidence=min(self.confidence, share))


def _by_meaning(stage: Stage, tell: Tell) -> Found:
    """Through the form in which words of logic, order and unknown things can be said."""
    reply = stage.write()
    try:
        found = stage.understand(reply)
    except Refusal as e:
        tell("objection", attempt=1, error=e.kind, message=str(e), reply=reply.text, grave=True)
        raise
    guesses = {g.words: g.called for g in found.guesses}
    sure = confidence_in_meaning(found.probability, len(guesses), is_involved(stage.text))
    return Found(found.readings, reply.text, found.probability, sure, guesses=guesses)


def _with_guesses(stage: Stage, tell: Tell, refusal: Refusal) -> Found:
    """Where the scene lacks some words: what they may mean is asked; else the `refusal` stands."""
    try:
        return _surely(_by_meaning(stage, tell), stage)
    except Refusal as e:
        e.lacks = e.lacks or refusal.lacks
        if whatever := unnamed(stage.text, len(_things(_named(stage.text, stage), stage))):
            refusal = Refusal(f"which {whatever}? {stage.words.inventory()}", "unclear")
        raise (e if e.kind == "unsure" else refusal) from None


def _surely(found: Found, stage: Stage) -> Found:
    """What the instruction's own words came to, if that is likely enough to be done unasked; else UnsureError."""
    if is_ordered(stage.text) or is_more_than_counted(stage.text):
        if found.probability < LEAST_INVOLVED:
            why = f"read so with probability {found.probability:.2f}; below {LEAST_INVOLVED} it is asked back"
            raise UnsureError(found.only_assumed(why, UNLIKELY), re.sub(r"[\[\]]|\.$", "", found.reply))
        return found
    return _if_wanted(found, facts_in_words(found.reply), stage)


def _if_wanted(found: Found, facts: Sequence[str], stage: Stage) -> Found:
    """An answer, as sure as its `facts` are asked for; UnsureError where one is not, as the model sees it.

    Where it is how things are, and the words lead away from there, it is its end that may be asked for."""
    away = taken_away(found.readings[0].goals[-1], stage.text, stage.words, stage.state)
    if away is not None:
        facts = [no_longer(f) for f in facts]
        found = replace(found, readings=(Reading((away,)),), reply="; ".join(facts))
    outright = said_outright(stage.text, facts, stage.can.forms)
    for fact in (f for f in facts if f not in outright):
        likely = wanted(stage.model, stage.text, fact)
        if likely < LEAST:
            raise UnsureError(found, "; ".join(facts), fact)
        found = replace(found, confidence=as_wanted(found.confidence, likely))
    return found


def _plainly(question: Question, stage: Stage, tell: Tell) -> Found:
    """In the words of the scene; the other way where it lacks some, where things are counted, and where their order
    or a pronoun of another sentence may matter: there both have to come to the same."""
    try:
        found = plainly(question, stage.model, tell)
    except Refusal as refusal:
        if refusal.kind not in ("absent", "nameless", "unclear"):
            raise
        return _with_guesses(stage, tell, refusal)
    about = {s for a in found.goal.mentioned for s in a.args}
    exactly = all(count.is_taken_up(about, stage.words) for count in counts(question.text, stage.words))
    if not (exactly and are_counted(question.text, found.things, found.together)):
        return _surely(_by_meaning(stage, tell), stage)
    answer = found.answer
    every = zip((found.goal, *found.others), found.said or ("",), strict=True)
    readings = tuple(Reading((goal,), said) for goal, said in every)
    doubts = len(answer.objections)
    sure = confidence(answer.probability, answer.number, doubts, alone=is_involved(stage.text))
    plain = Found(readings, answer.reply, answer.probability, sure, answer.number, doubts)
    if found.others:
        return plain
    plain = _seconded(plain, found.goal, question, stage, tell)
    return _if_wanted(plain, [c.text for c in answer.clauses], stage)


def _seconded(plain: Found, goal: Goal, question: Question, stage: Stage, tell: Tell) -> Found:
    """An answer that the other way comes to as well, where words may be in it that the plain way does not read: of
    order, for what another sentence named, of a side, or such as it leaves out.

    Where the order or one of several things named before matters, the other way has to come to something.
    """
    beside = any(s.startswith(f"{side}-") for side in SIDES for a in goal.mentioned for s in a.args)
    about = _things({s for a in goal.mentioned for s in a.args}, stage)
    several = len(goal.parts) > 1 or not _things(_named(stage.text, stage), stage) <= about
    strict = (several and is_turned(stage.text)) or goes_back(stage.text) or _leaves_open(stage)
    if not (strict or plain.doubts or is_ordered(stage.text) or (stage.can.asks_beside and not beside)):
        return plain
    try:
        meant = _by_meaning(stage, tell)
    except Refusal as e:
        if strict or e.kind in ("absent", "nameless", "unsure"):
            raise
        return plain
    *first, last = meant.readings[0].goals
    if goes_back(stage.text) and len(own_clauses(stage.text)) > 1 and not first and len(last.parts) == 1:
        raise Refusal("what is to go back, and where to, was not understood; say it by itself, afterwards", "unclear")
    if set(last.parts) != set(goal.parts):
        # The plain way has no order: it may be how things are before the end.
        if any(set(g.parts) == set(goal.parts) for g in first):
            return _surely(meant, stage)
        raise _two_ways(goal, last, question)
    return replace(
        plain, readings=meant.readings, confidence=confidence(plain.probability, plain.attempt, plain.doubts)
    )


def _two_ways(one: Goal, other: Goal, question: Question) -> Refusal:
    """Refusal of an instruction that comes to two goals: says in what they differ."""
    allowed = question.language(again=True)
    only = [[clause_in_words(p, allowed) for p in a.parts if p not in b.parts] for a, b in ((one, other), (other, one))]
    here, there = (f'"{"; ".join(some)}"' if some else "" for some in only)
    told = f"{here} or {there}" if here and there else f"with {here or there} or without it"
    return Refusal(f"the instruction can be read in two ways: {told}; say it in other words", "unclear")


def _leaves_open(stage: Stage) -> bool:
    """Whether a later sentence has a word for one of several things that an earlier one named."""
    placed = {s for f in stage.can.forms if len(f.types) > 1 for s in stage.can.argument(f, 0)}
    before = before_what_refers_back(stage.text)
    heads = {p for p, some in stage.words.phrases.items() if placed & set(some) and len(content(p)) == 1}
    return len(heads & set(content(before))) > 1 or len(placed & _named(before, stage)) > 1


def _things(symbols: set[str], stage: Stage) -> set[str]:
    """Symbols, of a place the thing that it is of."""
    return {stage.words.owner.get(s, s) for s in symbols}


def _named(text: str, stage: Stage) -> set[str]:
    """The symbols that a text has a phrase for which means nothing else."""
    said = Counter(content(text))
    return {some[0] for p, some in stage.words.phrases.items() if len(some) == 1 and mentioned(p, said)}


def _roles(goal: Goal) -> dict[str, str]:
    first = next((a for a in goal.mentioned if len(a.args) == 2), goal.mentioned[0])
    return {"source": first.args[0], "target": first.args[-1]}
