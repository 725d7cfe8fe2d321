"""English of instructions to an arm: what asks for which motion, and what no plan of the contract can say.

In the texts that these are for, `@0` stands for a place or thing, `#0` for a number, `&0` for a pose; articles but
"a" are left out.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
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
HIGH = re.compile(r"\b(?:height|high|altitude|near|close|clearance|up|at|to|within|from)\b")
"""What makes a length the height of something spoken of before."""
TOUCH = re.compile(r"\b(?:touch\w*|tap|taps|tapp\w+|pok\w+|boop\w*|contact|press\w*|bump\w*|prod\w*|feel)\b")
DOWN = re.compile(r"\b(?:onto|down|reach\w*|meet|land\w*|lower to)\b")
BACK_TO_IT = re.compile(rf"{TOUCH.pattern}|{DOWN.pattern}|\b(?:it|there|them|that|one|thing)\b")
WAIT = re.compile(r"\b(?:wait\w*|paus\w+|sleep\w*|dwell\w*|idle)\b")
COURTESY = _words("thanks thank advance cheers mate buddy appreciated great job nice day good careful quick sir there")
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
NO_HOVER = re.compile(r"\bwithout (?:(?:any|first) )?(?:approach|hover)\w*|\bno (?:approach|hover)\w*")
ONTO = re.compile(r"\b(?:onto|(?:down|lower|descend) (?:(?:arm|tool|it) )?(?:to|on|onto))\b(?! #)")
SUREST = re.compile(r"\b(?:sure|surest|certain\w*|confiden\w*|likel\w+|clearest|score|reliabl\w+|probab\w+)\b")
ORDINALS = {"second": 1, "third": 2, "fourth": 3, "fifth": 4}
ORDINAL = re.compile(rf"\b(?:{'|'.join(ORDINALS)})\b")
SAME = re.compile(r"\b(?:same|again)\b")

_BARELY = r"(?:(?:nearest|closest|second|third|first|surest) )*@"
_NO_HAND = (
    r"\b(?:pick(?:ing)?|grab\w*|grasp\w*|grip(?!per)\w*|squeez\w+|releas\w+|pour\w*|put(?= (?:it|@|down))|plac(?:e|ing)(?= (?:it|@))|"
    r"push\w*(?! (?:up|off|away))|shov\w+|slid\w+|carry\w*|throw\w*|toss\w*|stack\w*|insert\w*|fetch\w*|give(?! (?:@\d+|it) a )|"
    r"hand(?= (?:me|over|it))|deliver\w*|drop\w*(?! (?:down|to|onto|off|lower))|open|clos(?:e|ing)(?= (?:it|gripper|hand|@))|"
    rf"pull(?! (?:up|away|back|out|off|clear))|hold (?:it(?! there| for)|{_BARELY})|"
    rf"(?:bring|take|lift|raise|carry) (?:up )?(?:it\b|{_BARELY})|"
    r"wash\w*|clean\w*|cut\w*|peel\w*|eat|drink|fill\w*|empty\w*|knock\w*|flip\w*|remove|"
    r"swap\w*|sort\w*)(?! (?:arm|tool|robot|yourself))\b"
)
BEYOND: tuple[tuple[str, str], ...] = (
    (_NO_HAND, "the plan moves the arm and has nothing for the hand"),
    (
        r"\b(?:(?:to|on|go|move|shift|tool|arm) (?:left|right)|(?:left|right)(?:wards?| of| side| hand|(?= (?:by )?[#@]|$))|"
        r"forwards?|backwards?|sideways|behind|"
        r"front|beyond|leftmost|rightmost|farthest|furthest|between|under|underneath|beneath|below|inside|"
        r"north|south|east|west|lower(?! (?:to|on|onto|down (?:to|on)|it|arm (?:to|on)|tool (?:to|on)))|"
        r"descend(?! (?:to|on|onto|until))|down(?= (?:by |of |another )?#)|"
        r"in (?:x|y|z)\b|along (?:x|y|z))\b",
        "the contract has no such direction: it knows up, above, and nearest to the tool or to a place",
    ),
    (
        r"\b(?:(?<!of )(?<!that's )(?<!that is )all(?! way| right| done)|every|each|both(?! @\d+ and)|everything|everywhere|twice|thrice|repeat\w*|times|loop|until|till|unless|if(?! you (?:can|could|would|will|please)| possible)|forever|"
        r"whenever|alternat\w+|back and forth)\b",
        "a plan is a list of steps: it repeats nothing, counts nothing and asks nothing",
    ),
    (
        r"\b(?:rotat\w+|(?<!in )turn(?:ing)?|spin\w*|tilt\w*|circle|orbit|draw(?! (?:up|back|away))|wave|shak\w+|wip\w+|stir\w*|"
        r"say|tell|talk|look for|find|search|locate|count|measure|sing|play|greet|photograph|take a (?:photo|picture|look|sip|bite)|swing(?! by)|swirl|trace|scan|follow(?! ?(?:ed|ing))|track|dance|wiggle)\b",
        "the contract has no such motion",
    ),
    (
        r"\b(?:via|through|past|around|along|on way|timeout|time out|at most|at least|speed|faster|slower)\b",
        "the contract has no such limit or way",
    ),
    (r"\b(?:avoid\w*(?! touch)|except|instead|or|either|no sorry|sorry i|i mean|meant|scratch that|correction|on second thought)\b", "a plan has no alternatives"),
    (
        r"\b(?:sixth|seventh|eighth|ninth|tenth|last @|other @)\b|@\d+ (?:(?:that|which) is )?(?:on|in|at|inside) @",
        "a thing is told by its label, by what it is nearest to, or by how sure its detection is",
    ),
)
"""What the contract cannot say, and why, in words."""
_TOUCHING = r"(?:\w+ )?(?:\w+ )?(?:touch\w*|contact|tap|press)"
NEGATED = re.compile(
    rf"\b(?:don't|dont|do not|never|not|stop(?= \w+ing))\b(?! (?:{_TOUCHING}|forget|worry|rush|hurry))|"
    rf"\bwithout\b(?! (?:{_TOUCHING}|(?:any |first )?(?:approach|hover)))"
)
OVER = re.compile(r"\b(?:above|over|atop|approach|approaching|hover)(?: (?:nearest|closest|to|of|in|by|around))*$")
"""What stands before what is to be gone above."""

NOWHERE = re.compile(
    r"\b(?:back|return(?:ing)?)\b(?! (?:up|to|home|off|away|above|over|toward|@|#|&|at|down|in|on|out|there|it|straight|clear|near))"
)
"""Coming back, with nothing said about where to."""

_FROM = r"(?:nearest|closest|near|close|relative|respect|from|counting|counted|measured|seen|next|adjacent)"
REFERRED = re.compile(
    rf"\b(?:{'|'.join(ORDINALS)}|first|nearest|closest)\b[^@#]*@(?P<one>\d+)[^@#]*\b{_FROM}\b[^@#]*@(?P<near>\d+)|"
    r"(?<!from )\b(?:nearest|closest) @(?P<two>\d+) to @(?P<to>\d+)|"
    rf"@(?P<three>\d+)[^@#]*\b(?:nearest|closest|next|relative|adjacent)\b[^@#]*@(?P<by>\d+)"
)
"""A place that says which of the things is meant."""

RELATED = r"(?:(?:nearest|closest|close|near|next|relative|respect|adjacent)(?: to)?|beside|by|to|from|of|at)"
"""How a thing is said to be near to another."""

PURPOSE = re.compile(r"(\b(?:so (?:that )?(?:i|we)|because|in order to|for me to|to let)\b[^,;.!?]*)")
"""What only says why."""
LEADS = _words("the my your a an touch tap poke press approach reach visit above over onto")
"""Words after which a thing or place is named."""
WHICH = _words("nearest closest second third fourth fifth most very same next single exact first detected visible")
PLAIN = _words(
    "arm tool robot gripper hand pose position point location spot place height altitude level distance me it its you"
    " your where there here that this them and then"
    " or for with by of in on at to from up down off over above near onto into once be go going move moving come wait"
    " waiting pause lower descend touch touching tap poke press approach approaching reach hover hovering lift lifting"
    " raise retreat sleep stay return returning start get make visit do least thing one side way first second third"
    " fourth fifth nearest closest near most sure surest certain confident likely clearest is are as so again little"
    " bit lot few couple while moment short top contact also please let just now next finally detection detected"
    " visible xyz rpy straight back so which what after before relative respect quick quickly slow brief gentle light"
    " whichever within end effector tip tcp job task rest same delay time total minimum vertical distance further"
    " hovering approach retreat final beginning meantime order sequence following previous given gap margin break breather stop motion movement current"
    " whole clearance inspect inspecting check checking examine view return operator visit give go tap touch poke pause wait lift hover second minute pass"
)
"""Words that name no thing and no place."""
