"""Words of English that tell things apart: colours, sizes, materials, places; and what the name of a category says.

Names that do not read as they are written are in a domain's `words.toml` (`llm.own_words`); everything else is read by
rule: underscores are spaces, numbers and brands mean nothing, colours and materials stand before the noun.
"""

from __future__ import annotations

import re

from llm.own_words import OwnWords, shipped


def word_set(text: str) -> frozenset[str]:
    """Words written with spaces between them."""
    return frozenset(text.split())


COLOURS = word_set("black white red green blue yellow brown grey gray pink purple")
"""Words that tell two things of the same kind apart by colour. Not orange: that is a juice."""

SIZES = word_set("big bigger large larger small smaller little")

MATERIALS = word_set("wooden porcelain metal glass plastic steel ceramic")

_NO_MEANING = word_set("akita chefmate libero new flat glazed rim")
"""Brands and modelling words that nobody says."""

BENEATH = "beneath"
TOP = "top"

RELATIVE_PLACES: dict[str, str | None] = {
    "to the left of": "left-of",
    "to the right of": "right-of",
    "to the front of": "front-of",
    "in front of": "front-of",
    "behind": "behind",
    "under": BENEATH,
    "on top of": TOP,
    "next to": None,
}
"""Where people ask for things to be put that are no symbol of a scene, and the side of a thing that is meant
(`tamp.perception.relative_places.SIDES`, or beneath its board); None is understood, so as to be refused."""

_BESIDE = r"\b({0}([ -]hand)? ((side )?(of|from)|side)|(at|on|to) its {0}([ -]hand)?( side)?)\b"
_IN_FRONT = r"\b((in|to the|at the) front (side )?of|front side of|before)\b"

PREPOSITIONS = {
    "on": r"\b(on(to)?(?! the (left|right|front|back)([ -]hand)? side)(?! (the )?(very )?top( of)?\b)|upon|over)\b",
    "in": r"\b(in(?! front\b)(to|side)?|within)\b",
    "to-the-left-of": _BESIDE.format("left"),
    "to-the-right-of": _BESIDE.format("right"),
    "to-the-front-of": _IN_FRONT,
    "in-front-of": _IN_FRONT,
    "behind": r"\b(behind|back (side )?of)\b",
    "under": r"\b(under(neath)?|below|beneath)\b",
    "on-top-of": r"\b((on|to|onto|at) (the )?(very )?top( of|$|[.,;!?])|atop|up top)",
    "next-to": r"\b(next|beside|near|by|adjacent)\b",
}
"""Regular expressions for the prepositions of places, in the reading of meanings: a closed class."""

_IT = r"( (it|this|that)| (the|that|its|my) [a-z ']{1,40})?"
"""What stands between a verb and its particle."""

CUES = PREPOSITIONS | {
    "on": r"\b(on(to)?(?! the (left|right|front|back)([ -]hand)? side)|upon|top|atop|over)\b",
    "in": r"\b(in(to|side)?|within)\b",
    "holding": r"\b(pick|lift|hold|take|grab|grasp|raise)\b",
    "open": rf"\b(open(ed|ing|s)?|(pull|slid|draw)(e|ed|ing|n)?{_IT} out(?! of))\b",
    "closed": rf"\b(clos(e|ed|es|ing)|shut(ting|s)?|push(ed|ing)?{_IT} in(?= ?([.,;!?]|and|then|once|after|$)))",
    "turned-on": r"\b(turn(ed|ing)?|switch(ed|ing)?|light)\b.*\bon\b",
    "turned-off": r"\b(turn(ed|ing)?|switch(ed|ing)?|shut)\b.*\b(off|down)\b",
}
"""Regular expressions for words that ask for a predicate; one that is missing here is asked for by its own name."""

HINTS = {
    "open": r"\b(pull(ed|ing)?|slid(e|ing)?|draw(n|ing)?|unlock|unlatch|wide|out)\b",
    "closed": r"\b(push(ed|ing)?|slid(e|ing)?|slam(med)?|seal)\b",
    "turned-on": r"\b(on|start|heat|fire|light|lit|use|going)\b",
    "turned-off": r"\b(off|out|stop|kill|down|close|shut)\b",
}
"""Regular expressions for words that can ask for a state without naming it."""

BOARDS = ("shelf",)
"""Last words of nouns that mean a board: on it is the room over it, under it is the room below."""

SEVERAL = word_set("both all every each two three four couple pair")
"""Words that ask for several things by a noun in the singular, or besides a plural."""

SAME_WORD = (
    "next near nearest nearby beside by close closest adjacent alongside neighbouring neighboring",
    "middle center centre central",
    "back rear behind rearmost hindmost backmost farther farthest further furthest",
    "front foremost frontmost",
    "left leftmost lefthand",
    "right rightmost righthand",
    "top upper uppermost topmost highest roof",
    "bottom lower lowest bottommost lowermost",
    "between among amid",
)
"""Words that mean the same place, separated by spaces."""

SAME_THING = (
    "compartment section slot pocket division",
    "stove stovetop cooktop",
    "shelf shelving",
    "organizer organiser",
)
"""Words that mean the same thing, or part of one; the first is in a noun of the table or in a region's name."""

PLACE_IDIOMS = (
    (r"\bmost (high|up|above)\b", "top"),
    (r"\bmost (low|down|below|under)\b", "bottom"),
    (r"\b(high|up|above) (?=drawers?\b)", "top "),
    (r"\b(low|down|below) (?=drawers?\b)", "bottom "),
    (r"(?<=\bdrawer )(from|of|at) (the )?(up|above)\b", "at the top"),
    (r"(?<=\bdrawer )(from|of|at) (the )?(down|below)\b", "at the bottom"),
    (
        r"\b((?:the|its) (?:[a-z-]+ ){0,2}[a-z-]+)'s (left|right|front|back)([ -]hand)?( side)?(?= *($|[.,;!?]))",
        r"the \2 side of \1",
    ),
)
"""Regular expressions for ways to say places, some in a learner's English, and what they are read as."""

EMPTY_WORDS = word_set(
    "a an the of on in at to it its is are be that this which with into onto inside from and then so one"
    " please both all them they there here up down off out over your you me my i very most just also too"
)
"""Words that tell no two things apart."""


ACTIONS = word_set(
    "place move grab pick lift carry drop stack slide push pull shove open close turn switch stow store insert rest"
)
"""What people do with things, with "ed" and "ing" where that is said; for slips of the pen."""

OTHER_SPEECH = word_set(
    "put set take taken bring lay laid shut light leave stand should would could must need onto into inside underneath"
    " beneath below against above beside not never except without"
)
"""More words of instructions, as they stand; for slips of the pen."""


CONTAINERS = word_set(
    "can tin carton packet pack package jar tub tube bottle box bag bar container piece pot stack pair"
)
"""Words that name nothing when "of" follows: "the tin of soup"."""


NO_THING = word_set(
    "side sides place spot position point end edge corner part area stack pile pair two three other one ones"
    " thing things rest way door handle knob lid lot bit room front back left right top bottom middle center"
    " centre first second scene robot same above below following previous latter former unit row line space"
    " fire flame heat"
)
"""Nouns and words in their place that name no thing to be looked for."""


_NUMBER = re.compile(r"(?<![a-z0-9])[0-9][a-z0-9]*(?:_[a-z]{1,2}(?![a-z0-9]))?")
"""A number in a category's name, with its unit: 004, 500g, 12_oz."""


def nouns(category: str, own: OwnWords | None = None) -> tuple[str, ...]:
    """Noun phrases for a category, the usual one first: `akita_black_bowl` -> ("black bowl", "bowl").

    `own` are a domain's words for such things, else those for what stands on tables.
    """
    own = own or shipped()
    words = [w.rstrip("0123456789") for w in _NUMBER.sub("_", category.lower().replace("-", "_")).split("_")]
    words = [w for w in words if w and w not in _NO_MEANING] or [category.replace("_", " ")]
    if COLOURS & set(words) and (whole := own.things.get(" ".join(words))):
        return whole
    sizes = [w for w in words if w in SIZES]
    colours, kind = _split_colours([w for w in words if w not in SIZES] or words)
    bare = [w for w in kind if w not in MATERIALS] or kind
    name = " ".join(kind)
    known = name in own.things
    plain = own.things.get(name) or own.things.get(" ".join(bare)) or _shortened(bare)
    if not colours and name in own.colours:
        colours = [own.colours[name]]
    material = [w for w in kind if w in MATERIALS and not known]
    prefixes = [*_joined_colours(colours), *(" ".join(material) for _ in material[:1])]
    named = [*(f"{p} {n}" for p in prefixes for n in plain), *plain]
    return tuple(dict.fromkeys([*(f"{s} {n}" for s in sizes for n in named), *named]))


def _split_colours(words: list[str]) -> tuple[list[str], list[str]]:
    """Colours and the rest. A colour before a name that has one already repaints it: the first one counts."""
    colours = [w for w in words if w in COLOURS]
    kind = [w for w in words if w not in COLOURS]
    adjacent = len(colours) == 2 and words.index(colours[1]) == words.index(colours[0]) + 1
    repainted = len(colours) > 1 and (not adjacent or " ".join(kind) == "bowl")
    return (colours[:1] if repainted else colours), kind or words


def _joined_colours(colours: list[str]) -> list[str]:
    if len(colours) < 2:
        return colours
    return [" and ".join(colours), " and ".join(reversed(colours))]


def _shortened(words: list[str]) -> tuple[str, ...]:
    """The whole name, and its last word alone: "orange juice", "juice"."""
    return tuple(dict.fromkeys([" ".join(words), words[-1]]))
