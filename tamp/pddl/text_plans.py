"""Plans as text: the files that planners write, all that they print, and what people write.

A text is read as steps and other words, from line to line: a line holds steps only, of which the last may go on in the
next lines, or it holds none. Where a line says that a plan was found, the text is what a planner printed: other words
around the plan are skipped, and `PlanFile.notes` says so. In any other text they are mistakes.
"""

from __future__ import annotations

import itertools
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tamp.errors import InputError
from tamp.files.source import Source
from tamp.pddl.plan_file import PlanFile, Step, plan_of

_NUMBER = r"\d{1,30}(?:\.\d{0,30})?(?:e[+-]?\d{1,2})?"
_NAME = r"[^\s()\[\],:;]+"
_START = rf"(?:step[ \t]+)?(?P<start>{_NUMBER})"  # "1" or "0.003" or "step 1"
_END = rf"""
    (?:\s*\[\s*(?:d(?:uration)?\s*:\s*)?(?P<duration>{_NUMBER})\s*(?:[;,][^\[\]\n]*)?\])?  # [1.0], [D:1.0; C:0.1]
    (?:[ \t]*(?:\(\s*{_NUMBER}\s*\)|\[[^\[\]\n]*\]))?"""  # (1), the step's cost
_FORMS = [
    re.compile(rf"[ \t]*(?:{_START}(?:[ \t]*:\s*|[.)]?[ \t]+|[.)](?=\()))?{form}{_END}", re.VERBOSE | re.IGNORECASE)
    for form in (
        r"\((?P<words>[^()]+)\)",  # (pick a b)
        rf"(?P<head>{_NAME})\((?P<args>[^()\n]*)\)",  # pick(a, b), as unified-planning and Madagascar print it
    )
]
_BARE = [
    re.compile(rf"[ \t]*{form}[ \t]*(?=\n|\Z)", re.VERBOSE | re.IGNORECASE)
    for form in (
        rf"{_START}[ \t]*(?::|[.)][ \t])[ \t]*(?P<words>{_NAME}(?:[ \t]+{_NAME})*){_END}",  # 0: PICK A B, as FF does
        rf"(?P<words>{_NAME}(?:[ \t]+{_NAME})*)[ \t]*\(\d+\)",  # pick a b (1), as Fast Downward logs it
    )
]
_BEGIN = re.compile(rf"\s*(?:{_START}\s*:(?=[\s(])\s*)?(?P<paren>\()?\s*(?P<name>{_NAME})?", re.IGNORECASE)
_COMMENT = re.compile(r"(\[[^\[\]\n;]*;[^\[\]\n]*\])|;[^\n]*")  # [D:1.0; C:0.1] holds none
_TITLE = re.compile(r"\W*(?:(?:found |the )?plan|solution|(?:sequential|timetriggered)plan)\W*:?\W*", re.IGNORECASE)
_UP_TITLE = re.compile(r"\s*(?:Sequential|TimeTriggered)Plan:\s*")
_FOUND = re.compile(
    r"\b(?:plan|solution)s?\s+(?:\d+\s+)?(?:was\s+)?(?:found|computed)|\b(?:found|computed)\b.{0,30}\b(?:plan|solution)\b"
    r"|\bplan as follows|^;?\s*plan \d+:|^\W*(?:\w+ )?plan:\W*$|\b(?:sequential|timetriggered)plan:\s*$",
    re.IGNORECASE,
)
"""What begins another plan."""
_PRINTED = re.compile(
    r"\b(?:plan|solution)\b.{0,20}\b(?:length|cost|quality|follows|is)\b|\bplan\b.{0,40}:\s*$|\bbegin plan\b"
    r"|\b\d+ step(?:s|\(s\))|^\s*```|^\W*(?:metric|makespan|states evaluated|nodes expanded)\b.*\d",
    re.IGNORECASE,
)
"""What is said around a plan by what prints more than the plan."""
_NONE = re.compile(
    r"unsolvable|not solvable|not solved|\bno (?:plan|solution)\b|\b(?:plan|solution) (?:was )?not found"
    r"|without (?:finding )?(?:a )?solution|\bgoals?\b.{0,40}(?:not reachable|unreachable|\bFALSE\b|impossible)"
    r"|time limit (?:has been |was )?(?:reached|exceeded)|timed out|out of (?:memory|time)"
    r"|(?:search|planning|planner) failed|gave up",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"\bempty plan\b|(?<![\d.])0 step"
    r"|\b(?:(?:plan|solution)[ -]?length|(?:found|solution) with cost)\W{0,3}0(?:\.0*)?(?![\d.])",
    re.IGNORECASE,
)
_NO_COST = re.compile(r"^;\s*(?:cost|nractions)\b\W{0,3}0(?:\.0*)?\s*$", re.IGNORECASE)
_VALID = "(pick a b), 1: (pick a b), 0.5: (pick a b) [2.0], pick(a, b), or a comment after ;"


@dataclass(frozen=True)
class _Part:
    """Lines that hold steps, or else one line of words, or the comment at its end."""

    line: int
    text: str
    steps: tuple[Step, ...] = ()
    is_comment: bool = False

    @property
    def is_words(self) -> bool:
        return not self.steps and not self.is_comment

    @property
    def is_title(self) -> bool:
        return self.is_words and _TITLE.fullmatch(self.text) is not None

    def says(self, what: re.Pattern[str]) -> bool:
        return not self.steps and what.search(self.text) is not None


def read_text(source: Source, form: str = "pddl") -> PlanFile:
    """The plan of a text, of several the last one. BadPlan with the place of everything in a plan that is no step;
    InputError where there is no plan, which is not the same as one without steps."""
    parts = list(_parts(source.text))
    printed = any(p.says(_FOUND) or (p.is_words and p.says(_PRINTED)) for p in parts)
    plans = _split(parts) if printed else [parts]
    holding = [plan for plan in plans if any(p.steps for p in plan)]
    if not holding and (plan := _without_steps(source.name, parts, form, printed)):
        return plan
    last = holding[-1] if holding else parts
    mistakes = _mistakes(last) if printed else _words_in(last, source.name)
    wrong = {p.line for p in mistakes}
    steps = list[Step | str]()
    for part in last:
        steps += part.steps
        steps += [_no_step(part, source.name)] if part.is_words and part.line in wrong else []
    read = plan_of(source.name, form, steps)
    return replace(read, notes=(*which_of(len(holding), "last"), *_skipped(parts)))


def which_of(plans: int, which: str) -> Iterator[str]:
    """Which of several plans was read, where there are several."""
    if plans > 1:
        yield f"the {which} of {plans} plans"


def _split(parts: Sequence[_Part]) -> list[list[_Part]]:
    """The parts of each plan: from where it is said that it was found, after the steps of another one."""
    plans, has_steps = list[list[_Part]]([[]]), False
    for part in parts:
        if has_steps and part.says(_FOUND):
            plans.append([])
            has_steps = False
        plans[-1].append(part)
        has_steps = has_steps or bool(part.steps)
    return plans


def _mistakes(plan: Sequence[_Part]) -> list[_Part]:
    """The words that may be steps of a plan that a planner printed: those between its steps, and those next to them
    that begin as a step does."""
    lines = [p for p in plan if not p.is_comment]
    holding = [n for n, p in enumerate(lines) if p.steps]
    first, last = holding[0], holding[-1]
    names = frozenset(step.name for p in lines for step in p.steps)
    around = [p for p in (*lines[max(0, first - 1) : first], *lines[last + 1 : last + 2]) if _begins_as_step(p, names)]
    return [*(p for p in lines[first:last] if p.is_words), *around]


def _begins_as_step(part: _Part, names: frozenset[str] = frozenset()) -> bool:
    begins = _BEGIN.match(part.text)
    return begins is not None and bool(begins["start"] or begins["paren"] or (begins["name"] or "").lower() in names)


def _without_steps(name: str, parts: Sequence[_Part], form: str, printed: bool) -> PlanFile | None:
    """A plan without steps, where a text says that it is one or says nothing at all; None where it says nothing of
    plans. InputError where it says that there is none, or one that is not in it."""
    words = [p for p in parts if p.is_words]
    empty = any(p.says(_EMPTY) for p in parts) or (len(words) == 1 and _UP_TITLE.fullmatch(words[0].text))
    if not empty and (none := next((p for p in parts if p.says(_NONE)), None)):
        raise InputError(f"{name}:{none.line}: there is no plan in it: the planner says {_short(none.text)}")
    ends_so = bool(parts) and parts[-1].is_comment and any(p.says(_NO_COST) for p in parts)
    announced = printed or any(p.says(_FOUND) for p in parts)
    if empty or ends_so or not (words or announced):
        return PlanFile(name, form, (), tuple(_skipped(parts)))
    if announced:
        first = next(p for p in parts if p.says(_FOUND) or p.says(_PRINTED))
        valid = "the file that the planner wrote its plan to"
        raise InputError(f"{name}:{first.line}: no step of a plan in it, only {_short(first.text)}; valid: {valid}")
    return None


def _words_in(plan: Sequence[_Part], name: str) -> list[_Part]:
    """All that is no step of a plan that is no planner's output. InputError where that is too much for a plan."""
    words = [p for p in plan if p.is_words and not p.is_title]
    steps = sum(len(p.steps) for p in plan)
    if len(words) > max(3, steps) or not (steps or any(map(_begins_as_step, words))):
        more = f" (and {len(words) - 1} more lines)" if len(words) > 1 else ""
        raise InputError(f"{_no_step(next(p for p in plan if p.is_words), name)}{more}")
    return words


def _skipped(parts: Sequence[_Part]) -> Iterator[str]:
    lines = [p.line for p in parts if p.is_words and not p.is_title]
    if not lines:
        return
    runs = itertools.groupby(enumerate(lines), lambda at: at[1] - at[0])
    spans = [[line for _, line in run] for _, run in runs]
    where = ", ".join(str(s[0]) if len(s) == 1 else f"{s[0]}-{s[-1]}" for s in spans[:5])
    count = "1 line that is no step" if len(lines) == 1 else f"{len(lines)} lines that are no steps"
    yield f"skipped {count}: {where}{', …' if len(spans) > 5 else ''}"


def _parts(text: str) -> Iterator[_Part]:
    """All of a text that is not blank, in its order."""
    comments = deque(m for m in _COMMENT.finditer(text) if m[1] is None)
    bare = _COMMENT.sub(lambda m: m[1] or " " * len(m[0]), text).replace("\r", " ")
    begin, line = 0, 1
    while begin < len(bare):
        steps, end = _steps_at(bare, begin, line)
        if steps:
            yield _Part(line, bare[begin:end], steps)
        elif (words := bare[begin:end]).strip():
            yield _Part(line, words)
        while comments and comments[0].start() <= end:
            comment = comments.popleft()
            yield _Part(line + bare.count("\n", begin, comment.start()), comment[0], is_comment=True)
        line += bare.count("\n", begin, end) + 1
        begin = end + 1


def _steps_at(text: str, begin: int, line: int) -> tuple[tuple[Step, ...], int]:
    """The steps that a line begins with and holds nothing else than, and where the last one's line ends; without steps
    where the line itself ends."""
    line_end = text.find("\n", begin)
    line_end = len(text) if line_end < 0 else line_end
    if bare := next((m for form in _BARE if (m := form.match(text, begin, line_end))), None):
        return (_step(bare, bare["words"].split(), line),), line_end
    steps, at, before = list[Step](), begin, begin
    while found := next((m for form in _FORMS if (m := form.match(text, at))), None):
        words = _words(found)
        if not words:
            break
        name = found.start(1 + found.re.groupindex["start"])
        line, before = line + text.count("\n", before, name), name
        steps.append(_step(found, words, line))
        at = found.end()
        while at < len(text) and text[at] in " \t,":
            at += 1
        if at == len(text) or text[at] == "\n":
            return tuple(steps), at
    return (), line_end


def _words(found: re.Match[str]) -> list[str]:
    """The name and the arguments of a step; none where these cannot be names."""
    groups = found.groupdict()
    if groups.get("head"):
        words = [groups["head"], *(a.strip() for a in groups["args"].split(",") if a.strip())]
    else:
        words = groups["words"].split()
    return words if all(re.fullmatch(_NAME, w) for w in words) else []


def _step(found: re.Match[str], words: Sequence[str], line: int) -> Step:
    head, *args = (w.lower() for w in words)
    given = found.groupdict()
    start, duration = given.get("start"), given.get("duration")
    return Step(
        head,
        tuple(args),
        line,
        start=Fraction(start) if start else None,
        duration=Fraction(duration) if duration else None,
        start_within=half_digit(start or ""),
        duration_within=half_digit(duration or ""),
    )


def half_digit(number: str) -> Fraction:
    """Half of the last digit that a number was printed with. Whole numbers are taken as exact: what is rounded is
    printed with a fraction."""
    printed = re.fullmatch(r"\d+\.(\d+)(?:e([+-]?\d+))?", number.lower())
    return Fraction(10) ** (int(printed[2] or 0) - len(printed[1])) / 2 if printed else Fraction(0)


def _no_step(part: _Part, name: str) -> str:
    column = len(part.text) - len(part.text.lstrip()) + 1
    return f"{name}:{part.line}:{column}: not a step of a plan: {_short(part.text)}; valid: {_VALID}"


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return repr(one_line if len(one_line) <= 60 else f"{one_line[:59]}…")
