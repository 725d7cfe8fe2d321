"""The error root. A message says what was wrong, where, and what would have been valid."""

from __future__ import annotations

import errno

DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)
"""What the system says when a disk takes no more: a fault of no episode."""


class TampError(Exception):
    """Root of every error that a user can cause or mend; `exit_code` is what the command returns."""

    exit_code = 2


class InputError(TampError):
    """The input is not valid: an unknown name, a malformed goal, a file that does not parse."""

    exit_code = 2


class Refusal(TampError):
    """The input is valid and the honest answer is no; `kind` is a word for why, for counting."""

    exit_code = 1

    def __init__(self, message: str, kind: str = "refused") -> None:
        super().__init__(message)
        self.kind = kind


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
