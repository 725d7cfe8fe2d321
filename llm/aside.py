"""Clauses that ask for no new state: to leave a thing alone, or to have it back as it was.

No predicate says either, and English has no end of ways to say them ("the stool stays where it is", "mind your own
business about the stool"). So a clause that names a thing, and neither a place nor a state, is put to the model by
itself: is that thing to be changed, left alone, or put back? The rest of the instruction is read without it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from llm.expansion import milestones
from llm.logic_words import EVERY, is_involved, logic_words
from llm.meaning_stage import Goals, Reading, Stage
from llm.model import Model, Prompt
from llm.spatial_cues import cue
from llm.word_checks import nouns
from llm.words import content
from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.goal import Goal
from tamp.model.wishes import as_before

CHANGE, LEAVE, BACK = "change", "leave", "back"
TASK = (
    "Somebody tells a robot this about a thing. What is to become of it?\n"
    "change: something is to be done with it\n"
    "leave: it is to be left alone, nothing is to be done with it\n"
    "back: it is to be again as it was before"
)
EXAMPLES: tuple[tuple[str, str], ...] = (
    ("leave the kite alone", LEAVE),
    ("fetch the ladder", CHANGE),
    ("put it back", BACK),
    ("don't touch the violin", LEAVE),
    ("hang the coat up", CHANGE),
    ("the radio stays where it is", LEAVE),
    ("return the drum to its place", BACK),
    ("dust the piano", CHANGE),
    ("nothing may happen to the clock", LEAVE),
    ("give me the scarf", CHANGE),
    ("take it away again", BACK),
    ("hands off the trophy", LEAVE),
    ("throw the glove away", CHANGE),
    ("without disturbing the cat", LEAVE),
    ("carry it to where it came from", BACK),
    ("get rid of the boots", CHANGE),
    ("forget about the towel", LEAVE),
    ("the saw goes to the shed", CHANGE),
    ("make it as it was before", BACK),
    ("fold the blanket", CHANGE),
    ("no need to move the stool", LEAVE),
    ("polish it", CHANGE),
    ("bring the tent back", BACK),
    ("take care of the rose bed", CHANGE),
)
"""What is said, and what it asks. Invented, far from any benchmark's wording."""
SURE, DENIED = 0.7, 0.5
"""Probability from which a clause is set aside, and from which one with a word of denial is."""
_LIST = r"(?! (?:the|an?|my|your|its|both|all)\b)"
_JOINS = re.compile(rf"([.,;:!?]+|\b(?:but|then|while)\b|\band\b{_LIST}|(?=\bwithout\b))")
"""What joins clauses; "and" before an article may join things."""
_ENDS = re.compile(r"^(?:\s|[.,;:]|\b(?:and|but|then|also|just)\b)+|(?:\s|[.,;:]|\b(?:and|but|then)\b)+$")
_PRONOUN = re.compile(r"\b(?:it|them|they|that|this|those|these|everything)\b")
_ALL = re.compile(r"\b(?:them|they|those|these|everything|all|both)\b")
_OTHERWISE = frozenset({"condition", "report", "exception", "choice", "rank"})
"""Kinds of words with which a clause may hang on another."""


@dataclass(frozen=True)
class Aside:
    """The `rest` of an instruction; what of the scene is to be left alone; the clause that wants things `back`, "" for
    none, and what it names, () for a pronoun. `probability` is the model's for all of it."""

    rest: str
    untouched: tuple[str, ...] = ()
    back: str = ""
    about: tuple[str, ...] = ()
    probability: float = 1.0

    def __bool__(self) -> bool:
        return bool(self.untouched or self.back)


def set_aside(stage: Stage) -> Aside:
    """What of an instruction asks for no new state, and the rest of it. Refusal where what is to be as it was before is
    not the last thing that is asked for."""
    pieces = _JOINS.split(stage.text)  # a clause, what joins it to the next, and so on
    clauses = [_ENDS.sub("", c.lower()) for c in pieces[::2]]
    whole = Aside(stage.text)
    if sum(map(bool, clauses)) < 2 or _hangs_together(stage.text):
        return whole
    untouched, kept, back, about, likely = list[str](), list(range(len(clauses))), "", tuple[str, ...](), 1.0
    for n, clause in reversed(list(enumerate(clauses))):
        named = _things(clause, stage)
        if not _names_no_state(clause, stage) or not (named or _PRONOUN.search(clause)):
            continue
        asked, sure = asked_of(stage.model, clause)
        if asked == LEAVE and named and sure >= (DENIED if _denies(clause) else SURE):
            untouched += named
        elif asked == BACK and any(clauses[:n]):
            if sure < SURE or back or any(clauses[m] for m in kept if m > n):
                raise Refusal(f'where "{clause}" has things go is not clear; say the place', "unclear")
            back, about = clause, named
        else:
            continue
        kept.remove(n)
        likely *= sure
    if not (untouched or back) or not any(clauses[n] for n in kept):
        return whole
    return Aside(_joined(pieces, kept), tuple(dict.fromkeys(untouched)), back, about, likely)


def _hangs_together(text: str) -> bool:
    """Whether a clause of a text may hang on another. "But the bowl" excepts it where all or none were said before."""
    words = logic_words(text)
    several = any(w.said in EVERY or w.kind == "negation" for w in words if w.at < text.lower().find("but "))
    return any(w.kind in _OTHERWISE and (several or not w.said.startswith("but ")) for w in words)


def _names_no_state(clause: str, stage: Stage) -> bool:
    """Whether a clause has a word, and none for a place or a state. That something is taken in the hand is none where
    it is denied, or comes once more: "don't pick it up", "take it back"."""
    hand = {f.family for f in stage.can.forms if len(f.types) > 1} - {""}
    asking = [f for f in stage.can.forms if not (is_involved(clause) and len(f.types) == 1 and f.family in hand)]
    return bool(clause) and not any(re.search(cue(f), clause) for f in asking)


def _denies(clause: str) -> bool:
    return any(w.kind == "negation" for w in logic_words(clause))


def _things(clause: str, stage: Stage) -> tuple[str, ...]:
    """What a clause names, of a thing its places too; () where it may be one of several, or something else besides."""
    words, found = stage.words, list[str]()
    for part in re.split(r"\band\b|,", clause):
        symbols = stage.reader.meant(part, stage.state.symbols).symbols
        several = any(re.search(rf"\b{re.escape(p)}\b", part) for p in words.plural)
        if len({words.owner.get(s, s) for s in symbols}) > 1 and not several:
            return ()
        found += symbols
    called = {w for s in found for p in words.calling(s) for w in content(p)}
    return tuple(found) if not set(content(clause)) & nouns(stage.can) - called else ()


def _joined(pieces: list[str], kept: list[int]) -> str:
    """The clauses that are kept, each but the first after what joined it to the one before."""
    text = "".join(pieces[2 * n - 1] * (n > 0) + pieces[2 * n] for n in kept)
    return " ".join(_ENDS.sub("", text).split())


def asked_of(model: Model, clause: str) -> tuple[str, float]:
    """What a clause asks of what it names, as the model sees it, and how likely that is (0 to 1)."""
    reply = model.complete(aside_prompt(clause), "", f"({CHANGE}|{LEAVE}|{BACK})")
    return reply.text.strip(), reply.probability


def aside_prompt(clause: str) -> Prompt:
    """The chat that asks it."""
    return Prompt(TASK, EXAMPLES, clause)


def with_aside(readings: tuple[Reading, ...], aside: Aside, stage: Stage) -> tuple[Reading, ...]:
    """What the rest of an instruction was read as, with what is aside of it. Refusal where none of the readings leaves
    alone what is to be left alone, and where it is not known what is to be as it was, or how that was."""
    left = {*aside.untouched, *(p for p, o in stage.words.owner.items() if o in aside.untouched)}
    fitting = tuple(r for r in readings if not any(_is_moved(a, left, stage) for g in r.goals for a in g.atoms))
    if not fitting:
        names = " and ".join(_names(aside.untouched, stage))
        raise Refusal(f"the {names} is not to be touched, and yet {readings[0].goals[-1]}", "contradiction")
    return tuple(replace(r, goals=_goals(r.goals, aside, stage)) for r in fitting)


def in_words(aside: Aside, stage: Stage) -> tuple[str, ...]:
    """What is aside, in the form of a meaning's clauses."""
    alone = tuple(f"the {name} is untouched" for name in _names(aside.untouched, stage))
    return (*alone, f"then {aside.back}") if aside.back else alone


def _names(symbols: tuple[str, ...], stage: Stage) -> tuple[str, ...]:
    owned = (stage.words.owner.get(s, s) for s in symbols)
    return tuple(dict.fromkeys(stage.words.name.get(s, s) for s in owned))


def _is_moved(atom: Atom, left: set[str], stage: Stage) -> bool:
    return atom not in stage.state.atoms and atom.args[0] in left


def _goals(goals: Goals, aside: Aside, stage: Stage) -> Goals:
    alone = tuple(dict.fromkeys((*goals[-1].untouched, *aside.untouched)))
    if not aside.back:
        return tuple(replace(g, untouched=alone) for g in goals)
    steps = [[*g.parts] for g in goals]
    return tuple(Goal(f, alone) for f in milestones([*steps, [*_as_it_was(goals, aside, stage)]], stage.can))


def _as_it_was(goals: Goals, aside: Aside, stage: Stage) -> tuple[Atom, ...]:
    """How it was, before some goals, with what they move, open or switch, and a clause wants back."""
    changed = {a.args[0]: a.predicate for g in goals for a in g.mentioned}
    about = {s for s in changed if s in aside.about} if aside.about else set(changed)
    if len(about) != 1 and not _ALL.search(aside.back):
        what = " or ".join(f"the {name}" for name in _names(tuple(changed), stage))
        raise Refusal(f'"{aside.back}" is not clear here: {what} was to be changed; say what goes where', "unclear")
    family = {f.predicate: f.family for f in stage.can.forms}
    (before,) = as_before(goals, stage.state.atoms, stage.domain)
    found = [a for a in before.atoms if a.args[0] in about and family.get(a.predicate) == family[changed[a.args[0]]]]
    if unknown := about - {a.args[0] for a in found}:
        names = " and ".join(_names(tuple(sorted(unknown)), stage))
        raise Refusal(f'how the {names} was is not known, so that "{aside.back}" says no place', "unclear")
    return tuple(found)
