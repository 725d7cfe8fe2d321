"""Whether a text is PDDL at all, told before any parser sees it: a parser is slow, and vague about what is not."""

from __future__ import annotations

import re

from tamp.model.goal_syntax import DEEPEST

LARGEST = 1e50
"""Numbers beyond would overflow once they are multiplied or added up."""

_NUMBER = re.compile(r"(?<![^\s()])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![^\s()])")
_DEFINE = re.compile(r"\s*\(\s*define\s*\(\s*([^\s()]+)")
_SECTIONS = "requirements types constants predicates functions derived action durative-action objects init goal metric"
_SECTION = rf"\(\s*:(?:{'|'.join(_SECTIONS.split())})\b"


def not_pddl(text: str, what: str) -> tuple[int, str] | None:
    """Why a text without comments, see `Source.bare`, is no `(define (domain …` or `(define (problem …`, as `what`
    says, and the character where that shows; None when it may be one."""
    start = len(text) - len(text.lstrip())
    if not text.strip():
        return 0, f"there is nothing in it; valid: (define ({what} NAME) …)"
    begins = _DEFINE.match(text)
    if begins is None:
        return unbalanced(text) or (start, f"no (define …): a {what} begins with (define ({what} NAME) …)")
    if begins[1] != what:
        return start, f"this is a {begins[1]}, not a {what}"
    if wrong := unbalanced(text):
        return wrong
    if (after := _after(text)) is not None:
        return after, "there is something after the end of the (define …)"
    return _too_large(text)


def _too_large(text: str) -> tuple[int, str] | None:
    """The first number that is no number to calculate with."""
    for found in _NUMBER.finditer(text):
        if not abs(float(found[0])) <= LARGEST:
            return found.start(), f"{found[0][:20]} is too large for a number; valid: up to {LARGEST:g}"
    return None


def unbalanced(text: str) -> tuple[int, str] | None:
    """The character where parentheses go wrong in a text without comments, and how; None when they do not.

    A section that begins inside of another tells which parenthesis was left open before it; one that begins after
    the end tells which parenthesis was one too many.
    """
    opened: list[int] = []
    ended = -1
    for found in re.finditer(rf"{_SECTION}|[()]", text):
        if found[0] == ")":
            if not opened:
                return found.start(), "a ')' that closes nothing"
            opened.pop()
            ended = ended if opened else found.start()
            continue
        if len(found[0]) > 1 and not opened and ended >= 0:
            return ended, "a ')' too many: it closes the (define …) before the next section"
        if len(found[0]) > 1 and len(opened) > 1:
            return opened[-1], "a '(' that is not closed before the next section"
        opened.append(found.start())
        if len(opened) > DEEPEST:
            return found.start(), f"more than {DEEPEST} levels of parentheses"
    return (opened[-1], "a '(' that is never closed") if opened else None


def _after(bare: str) -> int | None:
    """The first character after the list that a text begins with, None when there is none."""
    depth = 0
    for found in re.finditer(r"[()]", bare):
        depth += 1 if found[0] == "(" else -1
        if depth == 0:
            rest = bare[found.end() :]
            return found.end() + len(rest) - len(rest.lstrip()) if rest.strip() else None
    return None
