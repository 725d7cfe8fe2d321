"""The words of an instruction."""

from __future__ import annotations

import re

from tamp.errors import InputError

LONGEST = 8_000
"""Characters of an instruction."""
_TYPED = {
    ord(c): typed
    for some, typed in (("\u2018\u2019\u201b\u2032\u02bc", "'"), ("\u201c\u201d\u201e\u2033", '"'))
    for c in some
}
_TYPED |= {ord(c): "-" for c in "\u2010\u2011\u2012\u2013\u2014"}
"""What word processors make of quotes and dashes, and what is typed."""


def instruction(text: str) -> str:
    """The instruction with single spaces and typed quotes and dashes; InputError when it is empty or too long."""
    words = " ".join(text.translate(_TYPED).split())
    if not words:
        raise InputError('the instruction is empty; say for example: tamp solve "put the mug in the drawer"')
    if len(text) > LONGEST:
        raise InputError(f"the instruction has {len(text):,} characters; at most {LONGEST:,} are read")
    return words


def split(text: str) -> list[str]:
    """The words of a text in lower case, without an s at their end."""
    return [w if w.endswith("ss") else w.removesuffix("s") for w in re.findall(r"[a-z0-9]+", text.lower())]
