"""English that no plan of the arm's contract can say, and why.

In the texts that this is for, `@0` stands for a place or thing, `#0` for a number; articles but "a" are left out.
"""

from __future__ import annotations

import re


def _any(*some: str) -> str:
    return rf"\b(?:{'|'.join(some)})\b"


_BARELY = r"(?:(?:nearest|closest|second|third|first|surest) )*@"
_NO_LENGTH = r"(?! (?:up )?(?:by )?(?:another )?#)"
"""With one it is the arm that is lifted."""
_NOT_ITSELF = r"(?! (?:arm|tool|robot|yourself))"
_HAND = _any(
    r"pick(?:ing)?|grab\w*|grasp\w*|grip(?!per)\w*|squeez\w+|releas\w+|pour\w*|put(?= (?:it|@|down))",
    r"plac(?:e|ing)(?= (?:it|@))|push\w*(?! (?:up|off|away))|shov\w+|slid\w+|carry\w*|throw\w*|toss\w*|stack\w*",
    r"insert\w*|fetch\w*|give(?! (?:@\d+|it) a )|hand(?= (?:me|over|it))|deliver\w*",
    r"drop\w*(?! (?:down|to|onto|off|lower))|open|clos(?:e|ing)(?= (?:it|gripper|hand|@))",
    r"pull(?! (?:up|away|back|out|off|clear))",
    rf"hold (?:it(?! there| for)|{_BARELY})|(?:bring|take|lift|raise|carry) (?:up )?(?:it\b{_NO_LENGTH}|{_BARELY})",
    r"wash\w*|clean\w*|cut\w*|peel\w*|eat|drink|fill\w*|empty\w*|knock\w*|flip\w*|remove|swap\w*|sort\w*",
)
_DIRECTION = _any(
    r"(?:to|on|go|move|shift|tool|arm) (?:left|right)|(?:left|right)(?:wards?| of| side| hand|(?= (?:by )?[#@]|$))",
    r"forwards?|backwards?|sideways|behind|front|beyond|leftmost|rightmost|farthest|furthest|between|under|underneath",
    r"beneath|below|inside|north|south|east|west|(?:in|along) [xyz]",
    r"lower(?! (?:to|on|onto|down (?:to|on)|it|arm (?:to|on)|tool (?:to|on)))|descend(?! (?:to|on|onto|until))",
    r"down(?= (?:by |of |another )?#)",
)
_CONTROL = _any(
    r"(?<!of )(?<!that's )(?<!that is )all(?! way| right| done)|every|each|both(?! @\d+ and)|everything|everywhere",
    r"twice|thrice|repeat\w*|times|loop|until(?! (?:contact|you touch|it touches|touching))|till|unless",
    r"if(?! you (?:can|could|would|will|please)| possible)",
    r"forever|whenever|alternat\w+|back and forth",
)
_MOTION = _any(
    r"rotat\w+|(?<!in )turn(?:ing)?|spin\w*|tilt\w*|circle|orbit|draw(?! (?:up|back|away))|wave|shak\w+|wip\w+|stir\w*",
    r"swing(?! by)|swirl|trace|scan|follow(?! ?(?:ed|ing))|track|dance|wiggle|say|tell|talk|sing|play|greet",
    r"look for|find|search|locate|count|measure|photograph|take a (?:photo|picture|look|sip|bite)",
)
_LIMIT = _any("via|through|past|around|along|on way|timeout|time out|at most|at least|speed|faster|slower")
_CHOICE = _any(
    r"avoid\w*(?! touch)|except|instead|or|either",
    "no sorry|sorry i|i mean|meant|scratch that|correction|on second thought",
)
_RISE = r"\b(?:lift|rais\w+|rise|up|climb|ascend)\b"
_HEIGHT = rf"{_RISE}[^,;.@#]* to (?:(?:height|altitude) (?:of )?)?#\d+(?! (?:above|over))"
HAND = "the plan moves the arm and has nothing for the hand"
CARRIED = re.compile(r"move|bring|take|carry|send|get|return|shift|transport|transfer|drag|haul|relocate|position")
"""Right before a thing these are for the hand."""
BEYOND: tuple[tuple[str, str], ...] = (
    (_HAND + _NOT_ITSELF, HAND),
    (_DIRECTION, "the contract has no such direction: it knows up, above, and nearest to the tool or to a place"),
    (_CONTROL, "a plan is a list of steps: it repeats nothing, counts nothing and asks nothing"),
    (_MOTION, "the contract has no such motion"),
    (_LIMIT, "the contract has no such limit or way"),
    (_CHOICE, "a plan has no alternatives and takes nothing back"),
    (_HEIGHT, "a lift is by a length, from where the arm is; say by how much"),
    (
        r"\b(?:highest|best)\b(?! (?:detection )?(?:conf|scor|prob|certain))|"
        r"\b(?:sixth|seventh|eighth|ninth|tenth|last @|other @)|"
        r"@\d+ (?:(?:that|which) is )?(?:on|in|at|inside) @|@\d+'s [a-z]",
        "a thing is told by its label, by what it is nearest to, or by how sure its detection is",
    ),
)
"""What the contract cannot say, and why, in words."""

_TOUCHING = r"(?:\w+ )?(?:\w+ )?(?:touch\w*|contact|tap|press)"
NEGATED = re.compile(
    rf"\b(?:don't|dont|do not|never|not|stop(?= \w+ing))\b(?! (?:{_TOUCHING}|forget|worry|rush|hurry))|"
    rf"\bwithout\b(?! (?:{_TOUCHING}|(?:any |first )?(?:approach|hover)))"
)
UNTOUCHED = re.compile(
    r"\b(?:don't|dont|do not|never|not|avoid|without)(?: \w+)?(?: \w+)? (?:touch\w*|contact|tap\w*|press\w*) @(\d+)"
)
"""A thing that is not to be touched, by name."""
ONTO = re.compile(r"\b(?:onto|into|down (?:on|to|in)) @(\d+)")
HIGHER = re.compile(r"(?:^|[_\W])(?:above|over|hover)(?:$|[_\W])")
"""In the name of a place: it is above what the rest of the name says."""
NOWHERE = re.compile(
    r"\b(?:back|return(?:ing)?)\b"
    r"(?! (?:up|to|home|off|away|above|over|toward|at|down|in|on|out|there|it|straight|clear|near|[@#&]))"
)
"""Coming back, with nothing said about where to."""
RELATED = r"(?:(?:nearest|closest|close|near|next|relative|respect|adjacent)(?: to)?|beside|by|to|from|of|at)"
"""How a thing is said to be near to another."""
