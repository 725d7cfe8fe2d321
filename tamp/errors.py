"""The error root. A message says what was wrong, where, and what would have been valid."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import Any

DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)
"""What the system says when a disk takes no more: a fault of no episode."""


class TampError(Exception):
    """Root of every error that a user can cause or repair; `exit_code` is what the command returns."""

    exit_code = 2


class InputError(TampError):
    """The input is not valid: an unknown name, a malformed goal, a file that does not parse.

    `messages` are all that is wrong, where more than one thing was found; as text it is the first of them, and how many
    more there are.
    """

    exit_code = 2

    def __init__(self, message: str = "", *more: str) -> None:
        super().__init__(f"{message} (and {len(more)} more)" if more else message)
        self.messages = (message, *more)


class Refusal(TampError):
    """The input is valid and the honest answer is no; `kind` is a word for why, for counting.

    `lacks` are the words of it that nothing seen fits, `places` the symbols of places that its other words name: what
    fits may be there. `alternatives` are the goals that ambiguous words can mean, with `readings` that say each in
    words; or those that were understood, where that is too unsure to be done unasked. The first of them is `assumable`
    if it may be taken where no question is wanted: not where it may be what the words forbid. `forbids`: it says of
    something that it is not to be done.
    """

    exit_code = 1

    def __init__(self, message: str, kind: str = "refused", lacks: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.kind, self.lacks = kind, tuple(lacks)
        self.places: tuple[str, ...] = ()
        self.alternatives: tuple[Any, ...] = ()
        self.readings: tuple[str, ...] = ()
        self.assumable = False
        self.forbids = False

    @property
    def may_be_hidden(self) -> bool:
        """Whether what was asked for may be there, only not be seen."""
        return bool(self.lacks) or self.kind in ("absent", "unmatched")


def is_interrupt(error: BaseException | None) -> bool:
    """Whether an error is Ctrl-C, or what compiled code (numba) made of it on its way up."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


def disk_error(error: BaseException | None) -> OSError | None:
    """The error of a disk that takes no more, where that is what went wrong; else None."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in DISK:
            return error
        error = error.__cause__ or error.__context__
    return None
