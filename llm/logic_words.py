"""The closed-class words that turn what a sentence asks for into something else: not, except, or, if, two, she said.

They are few, and English makes no new ones, so that they can be listed; what a sentence is about cannot.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_COURTESY = re.compile(
    r"\b(?:glad|grateful|happy|pleased|nice|great|good|kind|lovely) if\b|"
    r"\bif (?:you (?:don't mind|please|could|can|would|wish|like|will)\b|you'd be|it's (?:no|not (?:a|any|too much))"
    r"|it is (?:no|not (?:a|any|too much))|possible|that's (?:ok|okay|fine|all right)|i may)|"
    r"\b(?:why don't|why not|can't you|couldn't you|won't you|wouldn't (?:you|it be)|don't (?:forget|hesitate|mind)|"
    r"no (?:problem|worries|rush|hurry|trouble)|(?:do|does)(?:n't| not) (?:matter|mind|care)|"
    r"could(?:n't| not) care less|all the same to (?:me|us)|not (?:only|just)|would rather|i'd rather|"
    r"all (?:right|ok|good|the way)|nothing (?:else|more)|no (?:more|longer) than)\b"
)
"""Manners, in which such a word asks for nothing."""
_AUXILIARIES = "do|does|did|is|are|was|were|has|have|had|must|should|would|could|can|ca|need|may|might|wo|sha|ai"
_NUMBERS = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|[2-9]|1[0-2]"
_PARTITIVE = r"(?<!of )(?<!of the )(?<!of these )(?<!of those )(?<!other )(?<!the other )"
"""Before a number that only tells among how many: "the rearmost of the three bowls"."""
KINDS = {
    "negation": rf"\b(?:not|never|no|nor|neither|none|nobody|nothing|nowhere|without|cannot|zero|"
    r"avoid\w*|refrain\w*|(?:leave|let|keep) (?:\S+ ){1,5}"
    r"(?:alone|be(?= *(?:[.,;!?]|$|and\b))|untouched|out of it|where (?:it is|they are|it's|they're))|"
    r"(?:stay|keep)(?:s|ing)? (?:away|clear|out|off|put)|hands off|off[- ]limits|instead of|rather than|"
    rf"un(?!load|lock|pack|plug|screw|wrap)\w{{3,}}ed|(?:{_AUXILIARIES}) ?n['`]?t|n't)\b",
    "exception": r"\b(?:except\w*|excluding|other than|apart from|aside from|save for|(?<=, )save|besides|barring|"
    r"minus|(?:all|every|any|no|none|nothing|anything)\w*(?: \w+){0,2} (?:but|bar|save)|but (?:for|the)(?! first))\b",
    "choice": r"\b(?:or|either|one of (?:the|them|these|those|your|my)|whichever|whatever|wherever|alternatively|"
    r"anything|anywhere|any(?! (?:more|longer)))\b",
    "condition": r"\b(?:if|unless|whether|whenever|until(?! (?:it|they)\b)|as soon as|while|in case|in the event|"
    r"when(?! (?:you|that|this|it|all)(?:'re|'s| are| is)? (?:done|finished))|suppos(?:e|ed|ing)|assuming|otherwise|"
    r"depending|wh(?:ich|at)ever (?:\w+ ){1,3}(?:likes?|prefers?|wants?|needs?|thinks?)|provid(?:ed|ing)|"
    r"(?:as|so) long as|should (?:there|it|the|any|one)|lest)\b|\u2192",
    "quantity": r"\b(?:everything|every|each|all(?!-)|both|half|most of|several|at least|at most|exactly|precisely|"
    rf"only|(?:a )?(?:couple|few|pair)|{_PARTITIVE}(?:{_NUMBERS})(?!-))\b",
    "rank": r"\b(?:former|latter|respectively|vice versa|"
    r"(?:third|fourth|fifth|the (?:first|second))(?! (?:\w+ ){0,2}(?:drawer|shelf|compartment|from)))\b"
    r"(?! (?:off|thing))",
    "report": r"\b(?:said|says|told|tells|asked|claims|thinks|wants)\b(?= ?[:,\"']| (?:me|us|him|her|that)\b)",
}
"""Regular expressions for the words of each kind."""


CHOOSING = frozenset({"choice", "negation", "exception"})
"""Kinds without which nothing is denied, excepted or left open."""
COUNT = {w: n for n, w in enumerate(_NUMBERS.split("|")[:10], 2)} | {str(n): n for n in range(2, 13)}
COUNT |= {"dozen": 12, "both": 2, "couple": 2, "a couple": 2, "pair": 2, "a pair": 2}
"""What words for numbers come to."""
EVERY = frozenset({"all", "every", "each", "everything"})
"""Words for all that there are."""
ORDER = re.compile(
    r"\b(?:then|first(?:ly)?|before|after(?:wards)?|next|finally|lastly|once|again|later|subsequently|second(?:ly)?|"
    r"start (?:with|by)|begin (?:with|by)|followed by|back)\b"
)
"""Words that say what comes before what."""
_BACK = re.compile(r"(?<!\bthe )\bback(?= (?:on|onto|in|into|to|at|up|down|off|under)\b| *(?:[.,;!?]|$))")
_TURNED = re.compile(r"\b(?:before|after|last(?:ly)?|once|second(?:ly)?|end (?:with|by))\b")
_PRONOUN = re.compile(r"\b(?:it|them|they|he|she|him|her|that|this|these|those|one|ones|there)\b")
_SENTENCE_END = re.compile(r"[.;!?](?= *\S)")


@dataclass(frozen=True)
class LogicWord:
    """A word that changes what is asked for: what `kind` it is of (`KINDS`), as it was `said`, and where it begins."""

    kind: str
    said: str
    at: int = 0


def logic_words(text: str) -> tuple[LogicWord, ...]:
    """Such words of an instruction, apart from manners, by kind and then as they come."""
    plain = _COURTESY.sub(lambda m: " " * len(m[0]), text.lower())
    return tuple(LogicWord(kind, m[0], m.start()) for kind, words in KINDS.items() for m in re.finditer(words, plain))


def is_more_than_counted(text: str) -> bool:
    """Whether an instruction has words of logic other than such of quantity."""
    return any(w.kind != "quantity" for w in logic_words(text))


def are_counted(text: str, things: int, together: bool) -> bool:
    """Whether an answer about so many `things`, named one by one or `together`, takes up every quantity of a text."""
    said = [w.said for w in logic_words(text) if w.kind == "quantity"]
    return all(things >= COUNT[w] if w in COUNT else together and w in EVERY for w in said)


def is_involved(text: str) -> bool:
    """Whether an instruction has words of logic or order, or several sentences."""
    return bool(logic_words(text) or is_ordered(text) or _SENTENCE_END.search(text))


def is_ordered(text: str) -> bool:
    """Whether an instruction has words for what comes before what."""
    return ORDER.search(text.lower()) is not None


def goes_back(text: str) -> bool:
    """Whether something is to go back: not "the back bowl", nor "at the back"."""
    return _BACK.search(text.lower()) is not None


def is_turned(text: str) -> bool:
    """Whether it has such as may tell another order than that of the words: before, after, last."""
    return _TURNED.search(text.lower()) is not None


def before_what_refers_back(text: str) -> str:
    """The sentences before one that has a word for what they named; "" when there is none."""
    found = next((m for m in _SENTENCE_END.finditer(text) if _PRONOUN.search(text[m.end() :].lower())), None)
    return text[: found.start()] if found else ""
