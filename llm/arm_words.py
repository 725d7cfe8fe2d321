"""English of instructions to an arm: what asks for which motion.

In the texts that these are for, `@0` stands for a place or thing, `#0` for a number, `&0` for a pose; articles but
"a" are left out.
"""

from __future__ import annotations

import re


def words(text: str) -> frozenset[str]:
    """Words written with spaces between them."""
    return frozenset(text.split())


LIFT = re.compile(
    r"\b(?:(?:lift|raise|rise|pull|move|go|come|get|draw|withdraw|retreat|back|head|climb|push)"
    r"(?: (?:it|arm|tool|straight|back|away|vertically|yourself))* (?:up|upwards?|off|away|higher|clear)(?! to\b)|"
    r"lift\w*|raise|rais(?:e|ing)|ris(?:e|ing)|retreat\w*|retract\w*|ascend\w*|elevate|withdraw\w*|upwards?|higher|climb\w*|hoist|"
    r"(?:straight|back|pull|move) (?:up|off|away|clear)|up(?= (?:by |of |another |a further )?#))\b"
)
"""Asks for a lift, where it is not said above what."""
MAY_LIFT = re.compile(rf"{LIFT.pattern}|\b(?:up|off|away|clear|out|another|more|further|additional)\b")
HOVER = re.compile(r"\b(?:above|over(?!all)|hover\w*|approach\w*|atop)\b")
HIGH = re.compile(r"\b(?:make|height|hight|high|altitude|near|close|clearance|up|at|to|within|from)\b")
"""What makes a length the height of something spoken of before."""
TOUCH = re.compile(r"\b(?:touch\w*|tap|taps|tapp\w+|pok\w+|boop\w*|contact|press\w*|bump\w*|prod\w*|feel)\b")
DOWN = re.compile(r"\b(?:onto|down|reach\w*|meet|land\w*|lower to)\b")
BACK_TO_IT = re.compile(rf"{TOUCH.pattern}|{DOWN.pattern}|\b(?:it|there|them|that|one|thing)\b")
WAIT = re.compile(r"\b(?:wait\w*|paus\w+|sleep\w*|dwell\w*|idle)\b")
FILLER = words(
    "please pls plz ok okay hey hi hello robot arm now also just so first next last well alright thanks thank thx you"
    " again kindly step steps go done finished"
)
"""Words that alone are no part of an instruction."""
COURTESY = FILLER | words("yet n advance cheers mate buddy appreciated great job nice day good careful quick sir there")
"""Words that ask for nothing."""
GOES = re.compile(
    r"\b(?:go|going|gone|move|moving|head|travel|drive|proceed|return|visit|navigate|come|run|fly|get to|send|do|make|"
    r"reach\w*|approach\w*|touch\w*|tap|poke|boop|hover\w*)\b(?! (?:there|it|slow|quick|careful|gentle))"
)
"""Asks for something that no empty list is an answer to."""
WAITS = re.compile(rf"{WAIT.pattern}|\b(?:rest|stay|hold|remain|stop|linger|chill|delay|for)\b")
NO_WAIT = re.compile(r"\b(?:in|within|every|by|under|at)(?: about| exactly)? #(\d+)")
"""Before a time that is none to wait."""
DIRECTLY = re.compile(
    r"\b(?:directly|straight|immediately) "
    r"(?:(?:touch|tap|poke|to|onto|at|move|go|reach|nearest|closest|second|third|down|on) )*(?:@|it\b)"
    r"|\bwithout (?:(?:any|first) )?(?:approach|hover)\w*|\bno (?:approach|hover)\w*"
)
"""To a thing without going above it first."""
NOT_TOUCHED = re.compile(
    r"\b(?:don't|do not|dont|without|never|not|no|avoid)(?: \w+)?(?: \w+)? (?:touch\w*|contact|tap\w*|press\w*)"
    r"(?: (?:it|@\d+|anything))?"
)
NO_HOVER = re.compile(r"\b(?:without (?:(?:any|first) )?|no )(?:approach|hover)\w*(?: (?:over|above|it|@\d+))*")
ONTO = re.compile(r"\b(?:onto|(?:down|lower|descend) (?:(?:arm|tool|it) )?(?:to|on|onto))\b(?! #)")
SUREST = re.compile(r"\b(?:sure|surest|certain\w*|confiden\w*|likel\w+|clearest|score|reliabl\w+|probab\w+)\b")
ORDINALS = {"second": 1, "third": 2, "fourth": 3, "fifth": 4}
ORDINAL = re.compile(rf"\b(?:{'|'.join(ORDINALS)})\b")
OVER = re.compile(r"\b(?:above|over|atop|approach|approaching|hover)(?: (?:nearest|closest|to|of|in|by|around))*$")
"""What stands before what is to be gone above."""

_FROM = r"(?:nearest|closest|near|close|relative|respect|from|counting|counted|measured|seen|next|adjacent)"
REFERRED = re.compile(
    rf"\b(?:{'|'.join(ORDINALS)}|first|nearest|closest)\b[^@#]*@(?P<one>\d+)[^@#]*\b{_FROM}\b[^@#]*@(?P<near>\d+)|"
    r"(?<!from )\b(?:nearest|closest) @(?P<two>\d+) to @(?P<to>\d+)|"
    rf"@(?P<three>\d+)[^@#]*\b(?:nearest|closest|next|relative|adjacent|near|beside|by)\b[^@#]*@(?P<by>\d+)"
)
"""A place that says which of the things is meant."""

VAGUE = re.compile(
    r"\b(?:few|couple(?: of)?|several|some|many) (?:mm|cm|(?:milli|centi)?met(?:re|er)s?|inch(?:es)?|s|secs?|seconds?|"
    r"min(?:ute)?s?|moments?)\b"
)
SOME = re.compile(r"\ba? ?(?:bit|little|tad|smidge|touch)\b")
"""How far, without a number."""
PURPOSE = re.compile(r"(\b(?:so (?:that )?(?:i|we)|because|in order to|for me to|to let)\b[^,;.!?]*)")
"""What only says why."""
LEADS = words("the my your a an touch tap poke press approach reach visit above over onto")
"""Words after which a thing or place is named."""
WHICH = words(
    "highest best nearest closest second third fourth fifth most very same next single exact first detected visible"
)
PLAIN = words(
    "both real fast soon softly again instance detections arm tool robot gripper hand pose position point"
    " location spot place height altitude level distance me it its you your where there here that this them and"
    " then or for with by of in on at to from up down off over above near onto into once be go going move moving"
    " come wait waiting pause lower descend touch touching tap poke press approach approaching reach hover"
    " hovering lift lifting raise retreat sleep stay return returning start get make visit do least thing one side"
    " way first second third fourth fifth nearest closest most sure surest certain confident likely clearest is"
    " are as so little bit lot few couple while moment short top contact also please let just now next finally"
    " detection detected visible xyz rpy straight back which what after before relative respect quick quickly slow"
    " brief gentle light whichever within end effector tip tcp job task rest same delay time total minimum"
    " vertical further final beginning meantime order sequence following previous given gap margin break breather"
    " stop motion movement current whole clearance inspect inspecting check checking examine view operator give"
    " minute pass detector object item labelled labeled called i we us our they will would could can shall should"
    " may might must have has had was were been being does did not no yes like want need mind ensure when how"
    " these those some any more than too much really simply right well already still without lies sits stands"
    " located present today asap thanks during"
)
"""Words that name no thing and no place."""


def is_known(word: str) -> bool:
    """Whether a word is one of those that instructions are made of."""
    known = word in PLAIN | LEADS | WHICH | COURTESY or word.endswith("ly")
    return known or any(m.fullmatch(word) for m in (LIFT, HOVER, TOUCH, DOWN, WAITS, GOES, SUREST))
