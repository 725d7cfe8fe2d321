"""English of instructions to an arm: what asks for which motion, and what no plan of the contract can say.

In the texts that these are for, `@0` stands for a place or thing, `#0` for a number, `&0` for a pose; articles but
"a" are left out.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CLAUSE = re.compile(r"[,;.:?!]|\b(?:then|and|after|before|once|while|until|finally|but|when)\b")
"""What ends a clause."""
_ORDER = r"(?:after(?! that)|before|once|when|having|while|prior)"
"""Words that say what is done first."""

LIFT = re.compile(
    r"\b(?:(?:lift|raise|rise|pull|move|go|come|get|draw|withdraw|retreat|back)"
    r"(?: (?:it|arm|tool|straight|back|away))* (?:up|upwards?|off|away|higher)(?! to\b)|"
    r"lift|raise|rise|retreat|ascend|elevate|withdraw|upwards?|higher|"
    r"up(?= (?:by )?#))\b"
)
HOVER = re.compile(r"\b(above|over|hover\w*|approach\w*|height|near|clearance|atop)\b")
TOUCH = re.compile(r"\b(touch\w*|tap|taps|tapping|poke|poking|contact|press|feel)\b")
REACH = re.compile(r"\b(to|onto|on|at|into|reach|visit|meet|down)\b")
TO_IT = re.compile(rf"{TOUCH.pattern}|\b(?:to|onto|on|reach|down to) it\b(?! (?:up|back))")
"""To what was spoken of before."""
WAIT = re.compile(r"\b(wait\w*|paus\w+|sleep\w*|dwell\w*|rest|stay|hold|remain|stop|idle)\b")
LASTS = re.compile(rf"{WAIT.pattern}|\bfor (?:about )?#|\bhover\w*|^\W*#\d+\W*$")
"""What makes a time one that the arm waits."""
DIRECTLY = re.compile(
    r"\b(?:directly|straight|immediately) "
    r"(?:(?:touch|tap|poke|to|onto|at|move|go|reach|nearest|closest|second|third) )*@(\d+)"
    r"|\bwithout (?:approach|hover)\w*"
)
"""To a thing without going above it first."""
NOT_TOUCHED = re.compile(r"\b(?:don't|do not|without|never|not|no)( \w+)? (touch\w*|contact|tap\w*|press\w*)")
SUREST = re.compile(r"\b(sure|surest|certain|confiden\w*|likel\w+|clearest)\b")
ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4}
_NEAR = "nearest|closest|near|most|sure|surest|certain|confident|likely|clearest"
ORDINAL = re.compile(rf"\b({'|'.join(ORDINALS)})(?= (?:(?:{_NEAR}) )*@)")
WHICH = re.compile(rf"\b({_NEAR}|{'|'.join(ORDINALS)})\b")
RELATED = r"(?:(?:nearest|closest|close|near|next|relative|respect|adjacent)(?: to)?|beside|by|to|from|of|at)"
"""How a place is said that a thing is near to: "nearest to the bin", "relative to home", "from the tray"."""

_THING = r"(?:(?:nearest|closest|second|third|first|surest) )*@"
_NO_HAND = (
    r"\b(?:pick(?:ing)?|grab\w*|grasp\w*|grip(?!per)\w*|squeeze|releas\w+|pour\w*|put|place|push\w*|carry|throw|stack|"
    r"insert|fetch|give|drop|open|clos(?:e|ing)(?! to| above| over)|pull(?! (?:up|away|back|out|off))|"
    rf"hold (?:it|{_THING})|(?:bring|take|lift|raise) (?:up )?{_THING})(?! (?:arm|tool|robot|yourself))\b"
)
BEYOND: tuple[tuple[str, str], ...] = (
    (_NO_HAND, "the plan moves the arm and has nothing for the hand"),
    (
        r"\b(?:left|right|forwards?|backwards?|sideways|behind|front|beyond|leftmost|rightmost|farthest|furthest|"
        r"between|under|beneath|below|inside|lower(?! (?:to|on|onto|down))|descend(?! (?:to|on|onto))|"
        r"down(?= (?:by )?#))\b",
        "the contract has no such direction: it knows up, above, and nearest to the tool or to a place",
    ),
    (
        r"\b(?:all|every|each|both|everything|everywhere|twice|thrice|repeat\w*|times|loop|until|unless|if|forever)\b",
        "a plan is a list of steps: it repeats nothing, counts nothing and asks nothing",
    ),
    (r"\b(?:rotat\w+|turn|spin|tilt|circle|orbit|draw|wave|shake|wipe|stir)\b", "the contract has no such motion"),
    (
        r"\b(?:via|through|past|around|along|on way|timeout|time out|at most|at least)\b",
        "the contract has no such limit or way",
    ),
    (r"\b(?:avoid\w*|except|instead|or)\b", "a plan has no alternatives and no exceptions"),
)
"""What the contract cannot say, and why, in words."""
_TOUCHING = r"(?:\w+ )?(?:touch|contact|tap|press)"
NEGATED = re.compile(
    rf"\b(?:don't|do not|never|not|stop(?= \w+ing))\b(?! {_TOUCHING})|\bwithout\b(?! (?:{_TOUCHING}|approach|hover))"
)
OVER = re.compile(rf"\b(?:above|over|atop|approach|approaching|hover)(?: (?:{_NEAR}|{'|'.join(ORDINALS)}))*$")
"""What stands before what is to be gone above."""
UNATTACHED = re.compile(rf"\b(second|third|fourth|fifth)\b(?! (?:(?:{_NEAR}) )*@)")
"""An order that is not said of a thing."""

NOWHERE = re.compile(r"\b(?:back|return(?:ing)?)\b(?! (?:up|to|home|off|away|above|over|toward|@|#|&|at|down))")
"""Coming back, with nothing said about where to."""

NO_VERB = re.compile(rf"^ *(?:(?:also|next|lastly|{_NEAR}|{'|'.join(ORDINALS)}) )*@")
"""A clause that only names something."""

LEADS = _words("the my your a an touch tap poke press approach reach visit above over onto to at from near")
"""Words after which a thing or place is named."""
PLAIN = _words(
    "arm tool robot gripper hand pose position point height me it its you your where there here that this them and then"
    " or for with by of in on at to from up down off over above near onto into once be go going move moving come wait"
    " waiting pause lower descend touch touching tap poke press approach approaching reach hover hovering lift lifting"
    " raise retreat sleep stay return returning start get make visit do least thing one side way first second third"
    " fourth fifth nearest closest near most sure surest certain confident likely clearest is are as so again little"
    " bit lot few couple while moment short top contact also please let just now next finally detection detected"
    " visible xyz rpy straight back so which what after before relative respect"
    " whichever within"
)
"""Words that name no thing and no place."""


def ordered(text: str) -> tuple[str, bool]:
    """The text in the order in which things are done, and whether that could be told.

    "before @0, touch @1" -> "touch @1, @0"; "@0 after @1" -> "@1, @0". "after @0, @1" and "@0 before @1" are already.
    """
    out, known = list[str](), True
    for part in re.split(r"((?:[.;!?]|\bthen\b|\bfinally\b)+)", text):
        sentence = re.sub(r"^(.*\w)\W+but first (.*)$", r"\2, \1", part)
        words = re.findall(rf"\b{_ORDER}\b", sentence)
        if not words:
            out.append(sentence)
        elif len(words) > 1 or words[0] in ("while", "prior"):
            out, known = [*out, sentence], False
        elif found := re.match(rf"^\W*{words[0]} ([^,]*),(.*)$", sentence):
            out.append(f"{found[2]}, {found[1]}" if words[0] == "before" else f"{found[1]}, {found[2]}")
        elif found := re.match(rf"^(.*\w.*?),? {words[0]} (.*)$", sentence):
            out.append(f"{found[1]}, {found[2]}" if words[0] == "before" else f"{found[2]}, {found[1]}")
        else:
            out, known = [*out, sentence], False
    return " ".join(out), known


_FILLER = _words("please ok okay hey hi robot arm now also just so and then first next finally lastly last well alright")


def is_filler(piece: str) -> bool:
    """Whether a piece of an instruction asks for nothing."""
    words = re.findall(r"[@#&]\d+|[^\W_]+", piece)
    return all(w in _FILLER for w in words)


ORDERING = re.compile(r"\b(?:after(?! that)|before|once|when|having|while|prior|but first|first of all|until)\b")
STRAIGHT = re.compile(r"\b(?:directly|straight|immediately|without (?:approach|hover)\w*|no hover\w*)\b")
